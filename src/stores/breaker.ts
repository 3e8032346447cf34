/**
 * Whether a server of ours answers, known before every request has waited for it in vain.
 *
 * A question that has had no answer for SUSPECT_MS sets off a probe of a connection's own. When the probe has none
 * either within PROBE_MS, twice, the server is away: what waits fails at once, and so does what is asked from then on, until a
 * probe is answered in time again. A server that is frozen is found out within two thirds of a second, and one so slow that a
 * request's questions together would take too long counts as away too; a long statement on a server that is well
 * disturbs nobody.
 */
import { setImmediate } from 'node:timers/promises';
import { NoAnswer } from './unavailable.ts';

const SUSPECT_MS = 200;
const PROBE_MS = 200;
/** A new connection takes several round trips and perhaps a key exchange. */
const CONNECT_MS = 1000;
const PROBE_AGAIN_MS = 250;

/** A connection that nothing else uses, or on which nothing waits for anything else. */
export interface Probe {
  /** Resolves once there is a connection. */
  connect(): Promise<unknown>;
  /** Asks something that costs nothing. */
  ask(): Promise<unknown>;
  /** Called each time there was no answer: the connection is not to be trusted. */
  failed?(): void;
}

export class Breaker {
  readonly #probe: Probe;
  readonly #opened: () => void;
  readonly #waiting = new Set<(error: NoAnswer) => void>();
  #isOpen = false;
  #isProbing = false;
  #isClosed = false;

  /** `opened` is called each time the server is found to be away, before what waits for it fails. */
  constructor(probe: Probe, opened: () => void = () => {}) {
    this.#probe = probe;
    this.#opened = opened;
  }

  /** What `run` answers. Throws `NoAnswer`, without asking, while the server is away, and as soon as it is found to be. */
  async ask<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isOpen) throw new NoAnswer();
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setInterval(() => this.#suspect(), SUSPECT_MS);
    this.#waiting.add(reject);
    try {
      return await Promise.race([run(), promise]);
    } finally {
      clearInterval(timer);
      this.#waiting.delete(reject);
    }
  }

  /** Ends probing. */
  close(): void {
    this.#isClosed = true;
  }

  #suspect(): void {
    if (this.#isProbing || this.#isClosed) return;
    this.#isProbing = true;
    void this.#probeUntilWell();
  }

  async #probeUntilWell(): Promise<void> {
    // One probe may be late for a busy machine's sake.
    let isWell = (await this.#isWell()) || (await this.#isWell());
    while (!isWell && !this.#isClosed) {
      this.#open();
      this.#probe.failed?.();
      await Bun.sleep(PROBE_AGAIN_MS);
      isWell = await this.#isWell();
    }
    this.#isOpen = false;
    this.#isProbing = false;
  }

  #open(): void {
    if (!this.#isOpen) this.#opened();
    this.#isOpen = true;
    for (const reject of this.#waiting) reject(new NoAnswer());
  }

  async #isWell(): Promise<boolean> {
    return (
      (await within(CONNECT_MS, () => this.#probe.connect())) &&
      (await within(PROBE_MS, () => this.#probe.ask()))
    );
  }
}

/** Whether it succeeds in time. An answer that came in time and was not read yet, because we were busy, counts. */
async function within(ms: number, run: () => Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(async () => {
    await setImmediate();
    await setImmediate();
    resolve(false);
  }, ms);
  run().then(
    () => resolve(true),
    () => resolve(false),
  );
  return promise.finally(() => clearTimeout(timer));
}
