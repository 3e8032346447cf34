/** Times contestants on the same payloads in the same run, one after the other in every round, so that a slow moment of the machine affects all of them. */

export interface Effort {
  warmRounds: number;
  /** Maximum number; fewer if `budgetMs` is used up, but never less than `MIN_ROUNDS`. */
  rounds: number;
  budgetMs: number;
  /** In ms; the wall's clock if absent. */
  clock?: () => number;
}

export interface Timing {
  medianMs: number;
  p90Ms: number;
  runs: number;
}

const MIN_ROUNDS = 3;

export type Contestants<P> = Record<string, (payload: P) => unknown>;

/**
 * Times each contestant once in every round. Each round uses the next payload and another first contestant. Warm-up rounds are
 * not counted. Garbage is not collected between contestants: the changing order spreads its cost over all of them.
 */
export async function race<P, C extends Contestants<P>>(
  contestants: C,
  payloads: readonly P[],
  { warmRounds, rounds, budgetMs, clock = () => performance.now() }: Effort,
): Promise<Record<keyof C, Timing>> {
  const entries = Object.entries(contestants);
  const times = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  Bun.gc(true);
  const begun = performance.now();
  const least = warmRounds + MIN_ROUNDS;
  for (let round = 0; round < warmRounds + rounds; round++) {
    if (round >= least && performance.now() - begun > budgetMs) break;
    const payload = payloads[round % payloads.length]!;
    for (let turn = 0; turn < entries.length; turn++) {
      const [name, run] = entries[(round + turn) % entries.length]!;
      const took = await timeOf(run, payload, clock);
      if (round >= warmRounds) times.get(name)!.push(took);
    }
  }
  return Object.fromEntries([...times].map(([name, each]) => [name, timingOf(each)])) as Record<
    keyof C,
    Timing
  >;
}

/** Awaits only promises: a needless turn of the event loop would count as work. */
async function timeOf<P>(run: (payload: P) => unknown, payload: P, clock: () => number): Promise<number> {
  const begun = clock();
  const result = run(payload);
  if (result instanceof Promise) await result;
  return clock() - begun;
}

export const timingOf = (times: readonly number[]): Timing => ({
  medianMs: rounded(shareOf(times, 0.5)),
  p90Ms: rounded(shareOf(times, 0.9)),
  runs: times.length,
});

/** The smallest value that is not exceeded by `share` (0 to 1) of the values. */
export function shareOf(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;
}

export const ratioOf = (ours: Timing, theirs: Timing): number => rounded(ours.medianMs / theirs.medianMs);

/** Four significant digits: more would be noise. */
export const rounded = (value: number): number => Number(value.toPrecision(4));
