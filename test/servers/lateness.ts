/** How late a busy machine is: what a bound on a time must allow beyond what the program itself may take. */
const EACH_MS = 20;

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
