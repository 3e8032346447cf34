/**
 * A circuit breaker: fails calls to an unresponsive server at once, so that requests do not wait for it.
 *
 * A call without an answer after SUSPECT_MS starts a probe on a separate connection. If the probe gets no answer within
 * `roundTripMs`, the circuit opens: waiting and new calls fail at once, until a probe succeeds in time again. This
 * detects a frozen server after SUSPECT_MS and one round trip. A server that answers within `roundTripMs` is slow and not
 * unavailable. A single slow statement on a healthy server opens nothing.
 */
import { setImmediate } from 'node:timers/promises';
import { type Timeouts, timeoutsOf } from './timeouts.ts';
import { NoAnswer } from './unavailable.ts';

const SUSPECT_MS = 200;
const PROBE_AGAIN_MS = 250;

/** A connection of its own, or one without head-of-line blocking. */
export interface Probe {
  /** Resolves when it is connected. */
  connect(): Promise<unknown>;
  /** Sends a cheap query. */
  ask(): Promise<unknown>;
  /** Called after each probe without an answer: the connection may be broken. */
  failed?(): void;
  /** Reconnects the other connections when the server answers again. The circuit stays open until it resolves. */
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

  /** `opened` is called each time the circuit opens, before waiting calls fail. */
  constructor(probe: Probe, timeouts = timeoutsOf(), opened: () => void = () => {}) {
    this.#probe = probe;
    this.#timeouts = timeouts;
    this.#opened = opened;
  }

  /** Runs a call. Throws `NoAnswer` at once while the circuit is open, and when it opens during the call. */
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

  /** Stops probing. */
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

/** Whether it succeeds in time. An answer that arrived in time counts, even if we were too busy to read it. */
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
