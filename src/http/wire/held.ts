/** The bytes of a connection that wait for their turn. */
import { owned } from './owned.ts';

const NOTHING = Buffer.alloc(0);
/** Less is joined with what comes next, because a piece takes memory of its own. */
const PIECE_BYTES = 64 * 1024;

/**
 * Large pieces stay apart until they are read: when a client hangs up, the runtime reads the whole socket at once, though it is paused. Joining
 * what was held with each read would copy megabytes for every connection.
 */
export class HeldBytes {
  #pieces: Buffer[] = [];
  length = 0;

  add(bytes: Buffer): void {
    const last = this.#pieces.at(-1);
    if (last === undefined || last.length >= PIECE_BYTES) this.#pieces.push(bytes);
    else this.#pieces[this.#pieces.length - 1] = Buffer.concat([last, bytes]);
    this.length += bytes.length;
  }

  /** All of them, in one piece. */
  joined(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? NOTHING;
  }

  /** Takes the first ones away. */
  skip(count: number): void {
    if (count === 0) return;
    const rest = this.joined().subarray(count);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.length = rest.length;
  }

  clear(): void {
    this.#pieces = [];
    this.length = 0;
  }

  /** Keeps no more memory than they need, to be called before they wait. */
  own(): void {
    const last = this.#pieces.pop();
    if (last !== undefined) this.#pieces.push(owned(last));
  }
}
