/** Bytes written and read in order: little-endian numbers, counts as varints (LEB128), text with its length. */

/** The bytes cannot be read. The message says why; the baseline needs a reset. */
export class DamagedBytes extends Error {}

const FIRST_CAPACITY = 4096;
/** Of a count below 2^53, seven bits a byte. */
const MAX_COUNT_BYTES = 8;
/** So many of them are an integer of 32 bits: a state of 2,000,000 cells is encoded in 8 ms, and took 24 with divisions for each byte. */
const LOW_BYTES = 4;
const LOW_END = 2 ** (7 * LOW_BYTES);

export class ByteWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  u8(value: number): void {
    const at = this.#take(1);
    this.#bytes[at] = value;
  }

  u32(value: number): void {
    const at = this.#take(4);
    this.#view.setUint32(at, value, true);
  }

  f32(value: number): void {
    const at = this.#take(4);
    this.#view.setFloat32(at, value, true);
  }

  f64(value: number): void {
    const at = this.#take(8);
    this.#view.setFloat64(at, value, true);
  }

  u64(value: bigint): void {
    const at = this.#take(8);
    this.#view.setBigUint64(at, value, true);
  }

  /** Without their number. */
  f64s(values: Float64Array): void {
    // As they are in memory: little-endian wherever Bun runs.
    this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Without their number. */
  u64s(values: BigUint64Array): void {
    this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** A whole number of 0..2^53 - 1, seven bits a byte. */
  count(value: number): void {
    if ((value & 0x7f) === value) {
      this.u8(value);
      return;
    }
    // Anything else could not be read back, and with it the whole baseline of the source.
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a count: ${value}`);
    this.#reserve(MAX_COUNT_BYTES);
    const bytes = this.#bytes;
    let rest = value;
    for (; rest >= LOW_END; rest = Math.floor(rest / LOW_END)) this.#low(rest % LOW_END);
    for (; rest >= 0x80; rest >>>= 7) bytes[this.#length++] = (rest & 0x7f) | 0x80;
    bytes[this.#length++] = rest;
  }

  /** Four bytes of a count that goes on. */
  #low(part: number): void {
    for (let i = 0; i < LOW_BYTES; i++) this.#bytes[this.#length++] = ((part >>> (7 * i)) & 0x7f) | 0x80;
  }

  /** The values at these places behind `start`: each a count, or NaN, which takes one byte. */
  countsOrNaN(values: ArrayLike<number>, start: number, places: Uint16Array): void {
    this.#reserve(places.length * MAX_COUNT_BYTES);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < places.length; i++) {
      const value = values[start + places[i]!]!;
      const head = value + 1;
      // Small counts without a call: this is the inner loop of encoding.
      if ((head & 0x3fff) === head && head > 0) {
        if (head < 0x80) bytes[at++] = head;
        else {
          bytes[at++] = (head & 0x7f) | 0x80;
          bytes[at++] = head >> 7;
        }
      } else if (Number.isNaN(value)) bytes[at++] = 0;
      else if (value < 0) throw new RangeError(`not a count: ${value}`);
      else {
        this.#length = at;
        this.count(head);
        at = this.#length;
      }
    }
    this.#length = at;
  }

  /** The values at these places behind `start`. */
  f32s(values: ArrayLike<number>, start: number, places: Uint16Array): void {
    const at = this.#take(4 * places.length);
    const view = this.#view;
    for (let i = 0; i < places.length; i++) view.setFloat32(at + 4 * i, values[start + places[i]!]!, true);
  }

  /** Bytes without their length. */
  raw(bytes: Uint8Array): void {
    const at = this.#take(bytes.length);
    this.#bytes.set(bytes, at);
  }

  blob(bytes: Uint8Array): void {
    this.count(bytes.length);
    this.raw(bytes);
  }

  /** UTF-8; UTF-16 for a text with lone surrogates, which UTF-8 cannot tell apart. */
  text(text: string): void {
    const wellFormed = text.isWellFormed();
    const bytes = Buffer.from(text, wellFormed ? 'utf8' : 'utf16le');
    this.count(2 * bytes.length + (wellFormed ? 0 : 1));
    this.raw(bytes);
  }

  /** All that was written so far. Valid until more is written. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of what was written so far. */
  written(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Forgets what was written. */
  clear(): void {
    this.#length = 0;
  }

  #reserve(length: number): void {
    if (this.#length + length > this.#bytes.length) this.#grow(this.#length + length);
  }

  /** Where the next bytes go. Call it before you use `#bytes` or `#view`: it may replace them. */
  #take(length: number): number {
    const start = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) this.#grow(this.#length);
    return start;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Reads what ByteWriter wrote; throws DamagedBytes past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    // The `slice` of a Buffer, which stores may give, is no copy.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get position(): number {
    return this.#position;
  }

  get atEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.#bytes.length - this.#position;
  }

  /** Goes back to an earlier position. */
  rewind(position: number): void {
    this.#position = position;
  }

  /** Whether these bytes come next; then they are read. */
  skip(expected: Uint8Array): boolean {
    for (let i = 0; i < expected.length; i++) {
      if (this.#bytes[this.#position + i] !== expected[i]) return false;
    }
    this.#position += expected.length;
    return true;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  f32(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  f64s(count: number): Float64Array {
    return new Float64Array(this.raw(8 * count).buffer);
  }

  u64s(count: number): BigUint64Array {
    return new BigUint64Array(this.raw(8 * count).buffer);
  }

  count(): number {
    const first = this.#bytes[this.#position]!;
    if (first < 0x80) {
      this.#position++;
      return first;
    }
    let value = 0;
    let place = 1;
    for (let i = 0; i < MAX_COUNT_BYTES; i++) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw new DamagedBytes('the bytes end too early');
      value += (byte & 0x7f) * place;
      if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) return value;
      place *= 0x80;
    }
    throw new DamagedBytes('a count is too large');
  }

  /** What `countsOrNaN` wrote. */
  countsOrNaN(values: { [place: number]: number }, start: number, places: Uint16Array): void {
    const bytes = this.#bytes;
    let at = this.#position;
    for (let i = 0; i < places.length; i++) {
      let head = bytes[at]!;
      // Small counts without a call: this is the inner loop of decoding.
      if (head < 0x80) at++;
      else {
        this.#position = at;
        head = this.count();
        at = this.#position;
      }
      values[start + places[i]!] = head === 0 ? Number.NaN : head - 1;
    }
    this.#position = at;
  }

  f32s(values: { [place: number]: number }, start: number, places: Uint16Array): void {
    const at = this.#take(4 * places.length);
    const view = this.#view;
    for (let i = 0; i < places.length; i++) values[start + places[i]!] = view.getFloat32(at + 4 * i, true);
  }

  raw(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.slice(start, start + length);
  }

  blob(): Uint8Array {
    return this.raw(this.count());
  }

  text(): string {
    const head = this.count();
    const start = this.#take(Math.floor(head / 2));
    const bytes = this.#bytes.subarray(start, this.#position);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(head % 2 ? 'utf16le' : 'utf8');
  }

  #take(length: number): number {
    const start = this.#position;
    if (start + length > this.#bytes.length) throw new DamagedBytes('the bytes end too early');
    this.#position = start + length;
    return start;
  }
}

/** Bytes that `text` takes at most, its length included. */
export function textBytes(text: string): number {
  return 5 + (text.isWellFormed() ? Buffer.byteLength(text) : 2 * text.length);
}
