/**
 * Walks Thrift's compact protocol, and keeps nothing. hyparquet believes the lengths of a struct, and makes an object for each value: a
 * directory of 30 MB of empty lists takes 6 s and 3.6 GB. So every struct is walked first, and read by hyparquet only if it is small.
 */
import { MAX_DEPTH } from '../../../assembly/abi.ts';
import { damaged } from './damaged.ts';
import type { Bytes } from './values.ts';

/** The types that Parquet uses. In a struct, TRUE and FALSE have no bytes; in a list they take one. */
export const T = {
  STOP: 0,
  TRUE: 1,
  FALSE: 2,
  BYTE: 3,
  I16: 4,
  I32: 5,
  I64: 6,
  DOUBLE: 7,
  BINARY: 8,
  LIST: 9,
  STRUCT: 12,
};

/** The type of a value without bytes. */
const NOTHING = T.STOP;
/** In a struct the type of a boolean is its value. */
const inStruct = (type: number): number => (type === T.TRUE || type === T.FALSE ? NOTHING : type);

/** Values of a struct that hyparquet reads. */
const MAX_VALUES = 10_000;
const MAX_VARINT_BYTES = 10;

/** A struct whose values lie in a list or in another struct. */
interface Level {
  /** Values to come; null in a struct, which ends with STOP. */
  left: number | null;
  type: number;
}

export class Thrift {
  constructor(
    readonly bytes: Bytes,
    public at = 0,
  ) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw new RangeError('the bytes end within a value');
    return this.bytes[this.at++]!;
  }

  /** Exact up to 2^53; larger values are rounded, but no valid length is that large. */
  varint(): number {
    let [value, scale] = [0, 1];
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw damaged('a number of its metadata has too many bytes');
  }

  /** A zigzag number. */
  integer(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  list(): { type: number; left: number } {
    const head = this.byte();
    const [type, size] = [head & 15, head >> 4];
    const left = size === 15 ? this.varint() : size;
    if (type === T.STOP && left > 0) throw damaged('its metadata has a list of nothing');
    return { type, left };
  }

  /** The fields of the struct that begins here. The caller reads or skips each value before it asks for the next field. */
  *fields(): Generator<{ id: number; type: number }, void> {
    for (let [id, count] = [0, 0]; ; ) {
      const head = this.byte();
      if (head === T.STOP) return;
      if (++count > MAX_VALUES) throw damaged('a part of its metadata has too many values');
      id = head >> 4 ? id + (head >> 4) : this.integer();
      yield { id, type: inStruct(head & 15) };
    }
  }

  /** Skips a value of the type. Throws `ColumnsError` where more than `most` values are in it. */
  skip(type: number, most = Number.POSITIVE_INFINITY): void {
    const levels: Level[] = [];
    this.#enter(type, levels);
    let values = 1;
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const next = this.#next(level);
      if (next === null) levels.pop();
      else this.#enter(next, levels);
      if (levels.length > 4 * MAX_DEPTH) throw damaged('its metadata is nested too deep');
      if (++values > most) throw damaged('a part of its metadata has too many values');
    }
  }

  /** The struct that begins here, by `read`, a reader of hyparquet, if it is small enough. */
  struct<Read>(read: (reader: { view: DataView; offset: number }) => Read): Read {
    const { at } = this;
    this.skip(T.STRUCT, MAX_VALUES);
    return read({
      view: new DataView(this.bytes.buffer, this.bytes.byteOffset + at, this.at - at),
      offset: 0,
    });
  }

  /** The type of the level's next value; null at its end. */
  #next(level: Level): number | null {
    if (level.left !== null) return level.left-- > 0 ? level.type : null;
    const head = this.byte();
    if (head === T.STOP) return null;
    if (head >> 4 === 0) this.varint();
    return inStruct(head & 15);
  }

  #enter(type: number, levels: Level[]): void {
    if (type === NOTHING) return;
    if (type === T.STRUCT) levels.push({ left: null, type });
    else if (type === T.LIST) levels.push(this.list());
    else if (type === T.BINARY) this.#pass(this.varint());
    else if (type === T.DOUBLE) this.#pass(8);
    else if (type === T.TRUE || type === T.FALSE || type === T.BYTE) this.#pass(1);
    else if (type === T.I16 || type === T.I32 || type === T.I64) this.varint();
    else throw damaged(`its metadata has a value of type ${type}`);
  }

  #pass(bytes: number): void {
    if (!(bytes <= this.bytes.length - this.at)) throw new RangeError('the bytes end within a value');
    this.at += bytes;
  }
}
