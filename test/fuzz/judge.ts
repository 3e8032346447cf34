/** Says of an input whether it is a fault, by playing it to the program as users have it, and makes such an input smaller. */
import { Choices } from './choices.ts';
import { HANGS, Host, type Outcome } from './hosts.ts';
import { bytesIn, type Input } from './input.ts';
import type { Target } from './targets.ts';

const MIB = 1024 * 1024;
const TIMES = 3;
/** A play that takes longer hangs: it is long beyond the failing line. */
export const HANG_MS = 2000;
/** So many times the failing line nothing else can be the reason for, and one play is enough. */
const CERTAIN = 4;
/** A smaller input holds the thread nearly as long, or clearly too long. */
const LIKE = 0.8;
const CLEAR = 3;

/** What is wrong, as a sentence without figures that change from run to run; null: nothing. */
export function faultOf({ ms, problem, peakBytes }: Outcome, { failingMs, maxBytes }: Target): string | null {
  if (problem !== null && !(problem === HANGS && ms > failingMs)) return problem;
  const faults = [
    ...(ms > failingMs ? [`holds the thread for more than ${failingMs} ms`] : []),
    ...(peakBytes > maxBytes ? [`takes more than ${maxBytes / MIB} MiB`] : []),
  ];
  return faults.length === 0 ? null : faults.join(' and ');
}

export class Judge {
  readonly #target: Target;
  readonly #root: string;
  #host: Host | null = null;

  constructor(target: Target, root: string) {
    this.#target = target;
    this.#root = root;
  }

  /** The least of up to three outcomes; null: one of them was no fault. */
  async confirm(input: Input, times = TIMES): Promise<Outcome | null> {
    let least: Outcome | null = null;
    for (let i = 0; i < times; i++) {
      const outcome = await this.#play(input);
      if (faultOf(outcome, this.#target) === null) return null;
      least = least === null || outcome.ms < least.ms ? outcome : least;
      if (outcome.ms > CERTAIN * this.#target.failingMs) break;
    }
    await this.stop();
    return least;
  }

  /** Fewer and simpler choices that make an input with the same fault, as far as `untilMs` allows. `ms`: of the whole input. */
  async minimised(
    choices: readonly number[],
    fault: string,
    ms: number,
    random: () => number,
    untilMs: number,
  ): Promise<number[]> {
    let best = [...choices];
    // An input at the failing line would be none on a machine that is quicker.
    const { failingMs } = this.#target;
    const leastMs = ms > failingMs ? Math.min(ms * LIKE, CLEAR * failingMs) : 0;
    const isLike = async (shorter: number[]): Promise<boolean> => {
      const input = this.#target.grammar(new Choices(shorter, () => 0));
      const outcome = await this.#play(input);
      return outcome.ms >= leastMs && sameFault(faultOf(outcome, this.#target), fault);
    };
    for (let size = Math.max(1, best.length >> 1); size >= 1; size >>= 1)
      for (let at = 0; at < best.length && performance.now() < untilMs; at += size) {
        const zeros = best.map((choice, i) => (i >= at && i < at + size ? 0 : choice));
        const without = [...best.slice(0, at), ...best.slice(at + size)];
        for (const shorter of [without, zeros])
          if (shorter.some((choice, i) => choice !== best[i]) || shorter.length < best.length)
            if (await isLike(shorter)) {
              best = shorter;
              break;
            }
      }
    for (let left = 40; left > 0 && performance.now() < untilMs; left--) {
      const at = random() % Math.max(1, best.length);
      const lower = best.map((choice, i) => (i === at ? choice >> 1 : choice));
      if (lower[at] !== best[at] && (await isLike(lower))) best = lower;
    }
    return best;
  }

  async stop(): Promise<void> {
    await this.#host?.stop();
    this.#host = null;
  }

  async #play(input: Input): Promise<Outcome> {
    this.#host ??= await Host.start({
      root: this.#root,
      reader: this.#target.reader,
      counters: null,
      hangMs: HANG_MS,
    });
    const outcome = await this.#host.play(input);
    if (outcome.isGone) await this.stop();
    return outcome;
  }
}

const KIND_CHARACTERS = 80;
/** Of two holds, each is like the other however long they are; of answers and errors the rest differs from run to run. */
export const kindOf = (fault: string): string => fault.replace(/\d+/g, '').slice(0, KIND_CHARACTERS);
const sameFault = (one: string | null, other: string): boolean =>
  one !== null && kindOf(one) === kindOf(other);

/** In one line. */
export const described = (input: Input): string =>
  `${bytesIn(input)} bytes${input.connections > 1 ? ` on each of ${input.connections} connections` : ''}`;
