/** Measures the stages of one screening. */

/** In the order of their end. Other stages do not include the time of `upload` and `queue`. */
export const STAGES = [
  /** Waiting for the client's bytes. */
  'upload',
  /** Waiting for an engine or for processor time. */
  'queue',
  /** Headers, key and request rate. */
  'admit',
  'parse',
  'profile',
  /** Waiting for the baseline, which is read while the body arrives. */
  'baseline',
  'judge',
  /** Reservation of rows, and before the profile the claim of an Idempotency-Key. */
  'reserve',
  /** The baseline learns the batch. */
  'learn',
  /** Writing the job, its rows in the ledger and the answer for replays. */
  'commit',
] as const;

export type Stage = (typeof STAGES)[number];

/** Total waiting times since the start, in ms. */
export type Waits = Record<'upload' | 'queue', number>;

const NO_WAITS: Waits = { upload: 0, queue: 0 };

export class StageClock {
  readonly #now: () => number;
  readonly #ms = new Map<Stage, number>();
  #since: number;
  #waits = NO_WAITS;

  /** Starts the clock. `now`: a clock in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  /** Ends a stage, which started when the previous one ended. Waiting times count as `upload` and `queue`. */
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

  /** So much of one stage was another one. */
  move(from: Stage, to: Stage, ms: number): void {
    this.#add(from, -ms);
    this.#add(to, ms);
  }

  /** Duration of each ended stage, in ms. */
  get ms(): ReadonlyMap<Stage, number> {
    return this.#ms;
  }

  #add(stage: Stage, ms: number): void {
    this.#ms.set(stage, (this.#ms.get(stage) ?? 0) + ms);
  }
}
