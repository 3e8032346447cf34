/** Where the time of one screening goes. */

/** In the order in which they begin. The time of `upload` and `queue` is in none of the others. */
export const STAGES = [
  /** Waiting for the client's bytes. */
  'upload',
  /** Waiting for an engine, or for other batches' turn at the processor. */
  'queue',
  /** Headers, key and request rate. */
  'admit',
  'parse',
  /** The claim of an Idempotency-Key, and the rows against the month's allowance. */
  'reserve',
  'profile',
  /** Waiting for the baseline, which is read while the body arrives. */
  'baseline',
  'judge',
  /** The baseline takes the batch in. */
  'learn',
  /** The job, its rows in the ledger and the answer to repeats. */
  'commit',
] as const;

export type Stage = (typeof STAGES)[number];

/** What was waited for in all, in ms since the begin. */
export type Waits = Record<'upload' | 'queue', number>;

const NO_WAITS: Waits = { upload: 0, queue: 0 };

export class StageClock {
  readonly #now: () => number;
  readonly #ms = new Map<Stage, number>();
  #since: number;
  #waits = NO_WAITS;

  /** Starts now. `now`: a clock in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  /** Ends a stage, which began when the one before it ended; what was waited for in it is not its own. */
  lap(stage: Stage, waits = this.#waits): void {
    const now = this.#now();
    const upload = waits.upload - this.#waits.upload;
    const queue = waits.queue - this.#waits.queue;
    this.#add(stage, Math.max(0, now - this.#since - upload - queue));
    if (upload > 0) this.#add('upload', upload);
    if (queue > 0) this.#add('queue', queue);
    this.#since = now;
    this.#waits = waits;
  }

  /** The stages that have ended, with what each took, in ms. */
  get ms(): ReadonlyMap<Stage, number> {
    return this.#ms;
  }

  #add(stage: Stage, ms: number): void {
    this.#ms.set(stage, (this.#ms.get(stage) ?? 0) + ms);
  }
}
