/** Cuts the messages of a partition into windows. */
import type { WindowLimits } from './window/limits.ts';
import { bytesOf as contentOf, type Message } from './port.ts';

export class Windows {
  readonly #limits: WindowLimits;
  readonly #now: () => number;
  #messages: Message[] = [];
  /** When each of them came, in ms. */
  #arrivals: number[] = [];
  #bytes = 0;
  /** The last offset of the next window, where it was promised before: whatever has come since is not part of it. */
  #promised: number | null = null;
  /** The offset after what was added. */
  #next = 0;

  constructor(limits: WindowLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Holds as much as two windows: there is no need to read on. */
  get isFull(): boolean {
    return this.#messages.length >= 2 * this.#limits.rows || this.#bytes >= 2 * this.#limits.bytes;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** The last offset of the next window; null: nothing is promised. */
  get promised(): number | null {
    return this.#promised;
  }

  /** The next window ends at this offset; null: where its limits are reached. */
  promise(last: number | null): void {
    this.#promised = last;
  }

  /** `next`: the offset after these messages. What comes before it was added, or does not exist. */
  add(messages: readonly Message[], next: number): void {
    const now = this.#now();
    for (const message of messages) {
      this.#messages.push(message);
      this.#arrivals.push(now);
      this.#bytes += bytesOf(message);
    }
    this.#next = next;
    // Nothing of the promised window exists any more.
    if (this.#promisedCount === 0) this.#promised = null;
  }

  /** How many messages the next window has; 0 where it is not complete. */
  get ready(): number {
    if (this.#promised !== null) return this.#promisedCount ?? 0;
    const full = this.full;
    return full > 0 ? full : this.#isDue ? this.#messages.length : 0;
  }

  /** The same, if it has as many rows or bytes as a window may have; else 0. */
  get full(): number {
    let bytes = 0;
    for (const [i, message] of this.#messages.entries()) {
      bytes += bytesOf(message);
      if (bytes > this.#limits.bytes && i > 0) return i;
      if (i + 1 === this.#limits.rows || bytes >= this.#limits.bytes) return i + 1;
    }
    return 0;
  }

  /** In how many ms the next window is due; null: only more messages can complete it. */
  get dueInMs(): number | null {
    if (this.isEmpty || this.#promised !== null) return null;
    return Math.max(0, this.#arrivals[0]! + this.#limits.ms - this.#now());
  }

  /** When the first message came; only if there is one. */
  get since(): number {
    return this.#arrivals[0]!;
  }

  /** Where the next window begins; only if there is a message. */
  get first(): number {
    return this.#messages[0]!.offset;
  }

  /** The last offset of the next window of so many messages. */
  lastOf(count: number): number {
    return this.#messages[count - 1]!.offset;
  }

  take(count: number): Message[] {
    this.#arrivals.splice(0, count);
    const window = this.#messages.splice(0, count);
    for (const message of window) this.#bytes -= bytesOf(message);
    this.#promised = null;
    return window;
  }

  clear(): void {
    this.take(this.#messages.length);
    this.#next = 0;
  }

  get #isDue(): boolean {
    return this.dueInMs === 0;
  }

  /** How many messages the promised window has, whose last one may have been deleted since; null if they are not all here, or nothing is promised. */
  get #promisedCount(): number | null {
    const last = this.#promised;
    if (last === null || this.#next <= last) return null;
    const after = this.#messages.findIndex(({ offset }) => offset > last);
    return after >= 0 ? after : this.#messages.length;
  }
}

/** A row takes a line. */
const bytesOf = (message: Message): number => contentOf(message) + 1;
