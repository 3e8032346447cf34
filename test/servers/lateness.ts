/** How late a busy machine is: what a bound on a time must allow beyond what the program itself may take. */
import { timeoutsOf } from '../../src/stores/timeouts.ts';

const EACH_MS = 20;

/** For stores that a test does not make late: a busy machine is no outage. */
export const PATIENT = timeoutsOf(10_000);

export class Lateness {
  /** The sum, since the beginning, of what timers of this process came too late. */
  ms = 0;
  #due = performance.now() + EACH_MS;
  readonly #timer = setInterval(() => this.#note(), EACH_MS);

  #note(): void {
    const now = performance.now();
    this.ms += Math.max(0, now - this.#due);
    this.#due = now + EACH_MS;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
