/**
 * Rows of a stream whose bytes come cut anywhere: finds where each row ends, as the engine does, and cuts windows. Of CSV the first
 * record is the header, which each window begins with.
 */
import { grouped } from '../../terms/wording.ts';
import { Rejection } from '../../terms/errors.ts';
import type { WindowLimits } from '../window/limits.ts';

export interface RowFormat {
  isCsv: boolean;
  /** CSV: its byte. */
  delimiter: number;
}

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const SPACE = 0x20;
const BOM = [0xef, 0xbb, 0xbf];
const NOTHING = new Uint8Array(0);
const FIRST_BYTES = 64 * 1024;
/** One read of a socket. */
export const MAX_READ_BYTES = 512 * 1024;

/** What a buffer may hold: it is full with two windows, and the last read may pass them. */
export const reservedBytes = ({ bytes }: Pick<WindowLimits, 'bytes'>): number => 2 * bytes + MAX_READ_BYTES;

export class RowBuffer {
  readonly #format: RowFormat;
  readonly #limits: Pick<WindowLimits, 'rows' | 'bytes'>;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** What is kept is between these indexes of `#bytes`. */
  #start = 0;
  #end = 0;
  #scanned = 0;
  /** Where the row begins whose end is not found yet. */
  #rowStart = 0;
  /** Ends of the rows that are complete, counted from `#start`. */
  #ends: number[] = [];
  #hasBegun = false;
  #isQuoted = false;
  #isAtCell = true;
  /** Of CSV, with its line end; null: it has not come yet. */
  #header: Uint8Array | null;

  constructor(format: RowFormat, limits: Pick<WindowLimits, 'rows' | 'bytes'>) {
    this.#format = format;
    this.#limits = limits;
    this.#header = format.isCsv ? null : NOTHING;
  }

  /** Rows that are complete. */
  get rows(): number {
    return this.#ends.length;
  }

  /** Holds two windows. */
  get isFull(): boolean {
    const bytes = this.#end - this.#start;
    return this.rows >= 2 * this.#limits.rows || (this.rows > 0 && bytes >= 2 * this.#limits.bytes);
  }

  /** Rows of the next window if it has as many rows or bytes as it may have; else 0. */
  get full(): number {
    const most = this.most;
    return most === this.#limits.rows || most < this.rows ? most : 0;
  }

  /** Rows that fit in the next window. */
  get most(): number {
    const ends = this.#ends;
    let most = Math.min(ends.length, this.#limits.rows);
    while (most > 1 && ends[most - 1]! > this.#limits.bytes) most--;
    return most;
  }

  /** Throws `Rejection` PAYLOAD_TOO_LARGE for a row that is larger than a window may be. */
  add(bytes: Uint8Array): void {
    this.#append(bytes);
    this.#scan(false);
  }

  /** Nothing follows: the last row needs no line end. */
  finish(): void {
    this.#scan(true);
    if (this.#rowStart < this.#end && !this.#isBlank(this.#rowStart, this.#end)) this.#endRow(this.#end);
    this.#rowStart = this.#end;
  }

  /** A body with the next `rows`, which stay until they are dropped. */
  body(rows: number): Uint8Array<ArrayBuffer> {
    const header = this.#header!;
    const length = this.#ends[rows - 1]!;
    const body = new Uint8Array(header.length + length);
    body.set(header);
    body.set(this.#bytes.subarray(this.#start, this.#start + length), header.length);
    return body;
  }

  drop(rows: number): void {
    const bytes = this.#ends[rows - 1]!;
    this.#ends.splice(0, rows);
    for (let i = 0; i < this.#ends.length; i++) this.#ends[i]! -= bytes;
    this.#start += bytes;
    if (this.rows === 0) this.#start = this.#rowStart;
  }

  #append(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#bytes.length) this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #makeRoom(more: number): void {
    const [kept, shift] = [this.#end - this.#start, this.#start];
    const size = Math.max(kept + more, Math.min(2 * (kept + more), reservedBytes(this.#limits)));
    const to = size > this.#bytes.length ? Buffer.allocUnsafe(size) : this.#bytes;
    this.#bytes.copy(to, 0, this.#start, this.#end);
    this.#bytes = to;
    this.#start = 0;
    this.#end -= shift;
    this.#scanned -= shift;
    this.#rowStart -= shift;
  }

  #scan(isLast: boolean): void {
    if (!this.#hasBegun && !this.#skipMark(isLast)) return;
    if (this.#format.isCsv) this.#scanCsv(isLast);
    else this.#scanLines();
    if (this.rows === 0) this.#start = this.#rowStart;
    this.#check(this.#end - this.#rowStart);
  }

  #skipMark(isLast: boolean): boolean {
    if (this.#end < BOM.length && !isLast) return false;
    this.#hasBegun = true;
    if (BOM.every((byte, i) => this.#bytes[i] === byte && i < this.#end))
      this.#start = this.#rowStart = this.#scanned = BOM.length;
    return true;
  }

  #scanLines(): void {
    const bytes = this.#bytes.subarray(0, this.#end);
    for (;;) {
      if (this.#scanned === this.#rowStart) this.#skipBlankLines(bytes);
      const lf = bytes.indexOf(LF, this.#scanned);
      if (lf < 0) break;
      this.#scanned = lf + 1;
      if (this.#isBlank(this.#rowStart, lf)) this.#leaveOut(lf + 1);
      else this.#endRow(lf + 1);
    }
    this.#scanned = this.#end;
  }

  /** Skips them all at once: each byte may be a blank line. */
  #skipBlankLines(bytes: Uint8Array): void {
    let end = this.#rowStart;
    for (let i = end; i < bytes.length && bytes[i]! <= SPACE; i++) if (bytes[i] === LF) end = i + 1;
    if (end === this.#rowStart) return;
    this.#leaveOut(end);
    this.#scanned = end;
  }

  /** A quote at the start of a cell opens it, and a line end outside quotes ends a record, as in assembly/csv.ts. */
  #scanCsv(isLast: boolean): void {
    const [end, { delimiter }] = [this.#end, this.#format];
    const bytes = this.#bytes.subarray(0, end);
    let i = this.#scanned;
    while (i < end) {
      if (this.#isQuoted) {
        const quote = bytes.indexOf(QUOTE, i);
        i = quote < 0 ? end : quote;
        // The next byte says whether it is a doubled quote.
        if (i === end || (i + 1 === end && !isLast)) break;
        if (i + 1 < end && bytes[i + 1] === QUOTE) i++;
        else this.#isQuoted = false;
        i++;
        continue;
      }
      const byte = bytes[i++]!;
      if (byte === QUOTE && this.#isAtCell) this.#isQuoted = true;
      else if (byte === LF || byte === CR) {
        if (this.#rowStart === i - 1) this.#leaveOut(i);
        else this.#endRow(i);
      }
      this.#isAtCell = byte === delimiter || byte === LF || byte === CR;
    }
    this.#scanned = i;
  }

  /** What is blank belongs to the row before, so that no window begins with it. */
  #leaveOut(end: number): void {
    this.#rowStart = end;
    if (this.rows === 0) this.#start = end;
    else this.#ends[this.rows - 1] = end - this.#start;
  }

  #endRow(end: number): void {
    this.#check(end - this.#rowStart);
    if (this.#header === null) {
      this.#header = new Uint8Array(this.#bytes.subarray(this.#rowStart, end));
      this.#start = end;
    } else this.#ends.push(end - this.#start);
    this.#rowStart = end;
  }

  /** Of CSV, only empty lines are blank. */
  #isBlank(from: number, to: number): boolean {
    if (this.#format.isCsv) return from === to;
    for (let i = from; i < to; i++) if (this.#bytes[i]! > SPACE) return false;
    return true;
  }

  #check(bytes: number): void {
    if (bytes > this.#limits.bytes)
      throw new Rejection(
        'PAYLOAD_TOO_LARGE',
        `Too large: a row may have at most ${grouped(this.#limits.bytes)} bytes, which is window.bytes of this stream`,
      );
  }
}
