/**
 * How many batches a second does one source get in adaptive mode, compared with contract mode? What does a second thread add for wide batches of
 * different sources?
 *
 * Clients and servers run on the same cores, so the result also has the processor time of the clients.
 */
import { Child } from './child.ts';
import { named, type Payload, payloadsOf } from './payloads.ts';
import { rounded } from './race.ts';
import { inRounds, LoadedServer, type LoadFigure, type RoundsEffort } from './rounds.ts';
import { wideTable } from './tables.ts';

type SizedEffort = RoundsEffort & { rows: number };

export interface ThroughputEffort {
  modes: SizedEffort;
  threads: SizedEffort;
}

export const THROUGHPUT_EFFORT: ThroughputEffort = {
  modes: { batches: 300, warmRounds: 3, rounds: 10, rows: 1000 },
  // Each thread compiles its own code.
  threads: { batches: 80, warmRounds: 8, rounds: 10, rows: 10_000 },
};

export interface ThroughputResult {
  /** Batches a second / batches a second. */
  ratios: { adaptive_contract: number; two_threads_one: number };
  modes: Record<'adaptive' | 'contract', LoadFigure>;
  threads: Record<'one' | 'two', LoadFigure>;
}

const CLIENTS = 8;
const PAYLOADS = 3;

export async function benchThroughput(seed: number, effort = THROUGHPUT_EFFORT): Promise<ThroughputResult> {
  await using sluice = await Child.sluice();
  const modes = await overModes(seed, effort.modes, sluice);
  const threads = await overThreads(seed, effort.threads);
  return {
    ratios: {
      adaptive_contract: rounded(modes.adaptive.per_s / modes.contract.per_s),
      two_threads_one: rounded(threads.two.per_s / threads.one.per_s),
    },
    modes,
    threads,
  };
}

async function overModes(
  seed: number,
  effort: SizedEffort,
  sluice: Child,
): Promise<ThroughputResult['modes']> {
  const server = (mode: string) => {
    const payloads = [wideOf(seed, effort, `bench-${mode}`, { mode })];
    return new LoadedServer(sluice, CLIENTS, () => payloads);
  };
  return await inRounds({ adaptive: server('adaptive'), contract: server('contract') }, effort);
}

async function overThreads(seed: number, effort: SizedEffort): Promise<ThroughputResult['threads']> {
  await using one = await Child.sluice({ ENGINE_THREADS: '1' });
  await using two = await Child.sluice({ ENGINE_THREADS: '2' });
  const payloads = Array.from({ length: CLIENTS }, (_, i) =>
    wideOf(seed + i, effort, `bench-${i}`, { full_scan: true }),
  );
  const server = (child: Child) => new LoadedServer(child, CLIENTS, () => payloads);
  return await inRounds({ one: server(one), two: server(two) }, effort);
}

const wideOf = (seed: number, { rows }: SizedEffort, source: string, options: object): Payload[] =>
  payloadsOf(seed, { payloads: PAYLOADS, rows }, wideTable, named(source, options));
