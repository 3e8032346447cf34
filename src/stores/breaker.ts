/**
 * Finds out whether a server answers, so that not every request waits for one that does not.
 *
 * A question without an answer for SUSPECT_MS starts a probe on a connection of its own. If the probe has no answer within
 * `roundTripMs` either, the server is away: all that waits fails at once, and so does every new question, until a probe is
 * answered in time again. So a frozen server is found after SUSPECT_MS and one round trip. A server that answers later
 * than usual but within `roundTripMs` is slow, not away. A long statement on a server that is well disturbs nobody.
 */
import { setImmediate } from 'node:timers/promises';
import { type Timeouts, timeoutsOf } from './timeouts.ts';
import { NoAnswer } from './unavailable.ts';

const SUSPECT_MS = 200;
const PROBE_AGAIN_MS = 250;

/** A connection that nothing else uses, or on which nothing waits for anything else. */
export interface Probe {
  /** Resolves once there is a connection. */
  connect(): Promise<unknown>;
  /** Asks something that costs nothing. */
  ask(): Promise<unknown>;
  /** Called each time there was no answer: the connection is not to be trusted. */
  failed?(): void;
  /** Connects what will be asked again now that the server is well. The server stays away until this resolves. */
  reconnect?(): Promise<unknown>;
}

export class Breaker {
  readonly #probe: Probe;
  readonly #timeouts: Timeouts;
  readonly #opened: () => void;
  readonly #waiting = new Set<(error: NoAnswer) => void>();
  #isOpen = false;
  #isProbing = false;
  #isClosed = false;

  /** `opened` is called each time the server is found to be away, before what waits for it fails. */
  constructor(probe: Probe, timeouts = timeoutsOf(), opened: () => void = () => {}) {
    this.#probe = probe;
    this.#timeouts = timeouts;
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
    let isWell = await this.#isWell();
    while (!isWell && !this.#isClosed) {
      this.#open();
      this.#probe.failed?.();
      await Bun.sleep(PROBE_AGAIN_MS);
      isWell = (await this.#isWell()) && (await this.#isReconnected());
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
    const { connectMs, roundTripMs } = this.#timeouts;
    return (
      (await within(connectMs, () => this.#probe.connect())) &&
      (await within(roundTripMs, () => this.#probe.ask()))
    );
  }

  #isReconnected(): Promise<boolean> {
    return within(this.#timeouts.connectMs, async () => this.#probe.reconnect?.());
  }
}

/** Whether it succeeds in time. An answer counts that came in time but was not read yet because we were busy. */
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
