/**
 * Decodes a CSV body from another charset to UTF-8 as it arrives.
 *
 * A decoder says that bytes are wrong, but not where. So a second decoder follows one slice behind. When a slice fails,
 * the second decoder reads it byte by byte and counts lines up to the byte that throws. A fresh decoder could not do
 * this, because it would not have the bytes that the previous slice left pending.
 */
import type { Rejection } from '../terms/errors.ts';
import { BY_HEADERS } from './instructions.ts';
import { undecodable } from './refusals.ts';

const SLICE_BYTES = 65536;
const ENDS_OF_LINE = /\r\n|\r|\n/g;

export class Transcoder {
  readonly #charset: string;
  readonly #decoder: TextDecoder;
  readonly #follower: TextDecoder;
  readonly #encoder = new TextEncoder();
  #line = 1;
  /** The previous slice ended in a CR: a LF that follows belongs to the same line end. */
  #afterReturn = false;

  /** `charset`: a name that `TextDecoder` supports. */
  constructor(
    charset: string,
    readonly say = BY_HEADERS,
  ) {
    this.#charset = charset;
    this.#decoder = strictDecoder(charset);
    this.#follower = strictDecoder(charset);
  }

  /** The next bytes as UTF-8, in pieces. Throws `Rejection` INVALID_ROWS with the line. */
  *next(bytes: Uint8Array): Generator<Uint8Array> {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES)
      yield this.#slice(bytes.subarray(from, from + SLICE_BYTES));
  }

  /** Returns the pending bytes. Throws if the body ends inside a character. */
  finish(): Uint8Array {
    try {
      return this.#encoder.encode(this.#decoder.decode());
    } catch {
      throw undecodable(this.#charset, this.#line, this.say);
    }
  }

  #slice(slice: Uint8Array): Uint8Array {
    let text: string;
    try {
      text = this.#decoder.decode(slice, { stream: true });
    } catch {
      throw this.#locate(slice);
    }
    this.#follower.decode(slice, { stream: true });
    this.#count(text);
    return this.#encoder.encode(text);
  }

  #locate(slice: Uint8Array): Rejection {
    try {
      for (let i = 0; i < slice.length; i++)
        this.#count(this.#follower.decode(slice.subarray(i, i + 1), { stream: true }));
    } catch {}
    return undecodable(this.#charset, this.#line, this.say);
  }

  #count(text: string): void {
    if (text === '') return;
    const ends = text.match(ENDS_OF_LINE)?.length ?? 0;
    this.#line += ends - (this.#afterReturn && text.startsWith('\n') ? 1 : 0);
    this.#afterReturn = text.endsWith('\r');
  }
}

/** Bun's types list only some of the names that its decoder supports. */
const strictDecoder = (charset: string) => new TextDecoder(charset as Bun.Encoding, { fatal: true });
