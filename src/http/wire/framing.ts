/** Finds the end of a body in the bytes of a connection, by its length or by its chunks (RFC 9112, sections 6 and 7). */
import { malformed, WireFault } from './fault.ts';
import { fieldIn } from './head.ts';
import { ITEM_BYTES, TURN_BYTES } from './turns.ts';

export interface Framing {
  /** True once the whole body, and all that belongs to it, was fed. */
  readonly done: boolean;
  /**
   * Takes bytes up to the end of the body, or as many as one turn may handle. Passes the body's bytes to `sink` in one piece, and returns
   * how many bytes it took. May overwrite `bytes`. Throws `WireFault`.
   */
  feed(bytes: Buffer, sink: (body: Buffer) => void): number;
  /** For a body that ends too early: what has arrived. */
  readonly progress: string;
}

export class LengthFraming implements Framing {
  readonly #length: number;
  #left: number;

  constructor(length: number) {
    this.#length = length;
    this.#left = length;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  get progress(): string {
    return `${this.#length - this.#left} of ${this.#length} bytes`;
  }

  feed(bytes: Buffer, sink: (body: Buffer) => void): number {
    const taken = Math.min(bytes.length, this.#left);
    this.#left -= taken;
    if (taken > 0) sink(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    return taken;
  }
}

/** A line with a chunk's size, or one trailer. */
const MAX_LINE_BYTES = 4096;
const MAX_TRAILER_BYTES = 16 * 1024;
// Hexadecimal, and extensions without control characters. 13 digits fit in a double.
const SIZE_LINE = /^([0-9A-Fa-f]{1,13})[ \t]*(;[\t\x20-\x7e\x80-\xff]*)?$/;
const CR = 0x0d;
const LF = 0x0a;

/** Trailers are checked and discarded. */
export class ChunkedFraming implements Framing {
  done = false;
  #state: 'size' | 'data' | 'after data' | 'trailers' = 'size';
  #left = 0;
  #line = '';
  #trailerBytes = 0;
  #bytes = 0;

  get progress(): string {
    return `${this.#bytes} bytes, without the last chunk`;
  }

  feed(bytes: Buffer, sink: (body: Buffer) => void): number {
    let at = 0;
    // Moves the body's bytes together: a piece for each chunk of one byte would take hundreds of bytes.
    let [first, kept] = [0, 0];
    try {
      for (let work = 0; at < bytes.length && !this.done && work < TURN_BYTES; work += ITEM_BYTES) {
        const start = at;
        if (this.#state === 'data') {
          at = this.#feedData(bytes, at);
          if (kept === 0) first = start;
          else bytes.copyWithin(first + kept, start, at);
          kept += at - start;
        } else at = this.#feedLine(bytes, at);
      }
    } finally {
      if (kept > 0) sink(bytes.subarray(first, first + kept));
    }
    return at;
  }

  #feedData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#bytes += end - at;
    if (this.#left === 0) this.#state = 'after data';
    return end;
  }

  #feedLine(bytes: Buffer, at: number): number {
    const lf = bytes.indexOf(LF, at);
    const end = lf < 0 ? bytes.length : lf + 1;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > MAX_LINE_BYTES) throw malformed('A line of the chunked body is too long');
    if (this.#state === 'after data' && !'\r\n'.startsWith(this.#line))
      throw malformed('A chunk is longer than its size says');
    if (lf < 0) return end;
    const line = this.#line;
    this.#line = '';
    if (line.charCodeAt(line.length - 2) !== CR)
      throw malformed('A line of the chunked body ends without CR');
    this.#take(line.slice(0, -2));
    return end;
  }

  #take(line: string): void {
    if (this.#state === 'after data') this.#state = 'size';
    else if (this.#state === 'size') this.#takeSize(line);
    else if (line === '') this.done = true;
    else {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > MAX_TRAILER_BYTES) throw new WireFault(431, 'The trailers are too large');
      fieldIn(line);
    }
  }

  #takeSize(line: string): void {
    const size = SIZE_LINE.exec(line)?.[1];
    if (size === undefined) throw malformed('A chunk has no valid size');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'data';
  }
}
