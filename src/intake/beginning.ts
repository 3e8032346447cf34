/** Keeps the first bytes of a body, decompressed and not decoded. Rejects the body if they are plainly of another format than its headers name. */
import { Format } from '../../assembly/abi.ts';
import { Rejection } from '../terms/errors.ts';
import { BY_HEADERS } from './instructions.ts';
import { HEAD_BYTES, hintOn, type Named, notAsNamed, recognise } from './recognise.ts';

/** A byte order mark, and the beginning of most files. */
const TINY_BYTES = 16;

export class Beginning {
  readonly #named: Named;
  #head = new Uint8Array();

  constructor(named: Named) {
    this.#named = named;
  }

  /** Too few bytes have arrived to tell most files by them. */
  get isTiny(): boolean {
    return this.#head.length < TINY_BYTES;
  }

  get #isShort(): boolean {
    return this.#head.length < HEAD_BYTES;
  }

  /** The next bytes, which the caller may free. Throws `Rejection` INVALID_ROWS once there are enough. */
  next(piece: Uint8Array): void {
    if (!this.#isShort) return;
    // Copies. `slice` of a Buffer would not.
    const more = new Uint8Array(piece.subarray(0, HEAD_BYTES - this.#head.length));
    this.#head = this.#head.length === 0 ? more : Buffer.concat([this.#head, more]);
    if (!this.#isShort) this.#check();
  }

  /** The body is complete. Throws like `next`. */
  end(): void {
    if (this.#isShort) this.#check();
  }

  /** Not for JSON. The engine rejects everything that is not JSON, but accepts almost any text as CSV, and waits for the end of an Arrow file. */
  #check(): void {
    if (this.#named.format === Format.JSON || this.#named.format === Format.NDJSON) return;
    const recognised = recognise(this.#head, this.#named);
    if (recognised) throw notAsNamed(recognised, this.#named.format);
  }

  /** An error of the body as one that says what the body is, or may be. */
  explained(error: Rejection): Rejection {
    const { format } = this.#named;
    const recognised = recognise(this.#head, this.#named);
    if (recognised) return notAsNamed(recognised, format);
    const hint = hintOn(this.#head, format, BY_HEADERS);
    return hint === '' ? error : new Rejection(error.code, error.message + hint, error.headers);
  }
}
