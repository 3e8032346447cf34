/** Nested values as the JSON texts that they would be. Hostile offsets may name the same children again and again, so the length of all texts is limited. */
import { Fault, Layout, MAX_DEPTH, Tag } from '../../assembly/abi.ts';
import { quoted } from '../terms/errors.ts';
import { ColumnsError, tooLarge } from './columns-error.ts';
import type { Dictionaries, Field, Region, Vector } from './field.ts';
import type { Memory } from './scratch.ts';
import { bytesAt, scalarText } from './scalar.ts';

/** The texts of a column one behind the other; row `i` is from `offsets[i]` to `offsets[i + 1]`. */
export interface NestedTexts {
  bytes: Uint8Array<ArrayBuffer>;
  offsets: Uint32Array<ArrayBuffer>;
  /** OBJECT, ARRAY or NULL. */
  tags: Uint8Array;
}

export interface Reading {
  memory: Uint8Array<ArrayBuffer>;
  dictionaries: Dictionaries;
  /** Memory for the texts. The caller releases it. */
  scratch: Memory;
}

/** The texts of the rows in [from, to). Throws `ColumnsError` where they need more than `room` bytes. */
export function nestedTexts(
  vector: Vector,
  reading: Reading,
  room: number,
  from = 0,
  to = vector.length,
): NestedTexts {
  const writer = new Writer(reading, room);
  const offsets = new Uint32Array(to - from + 1);
  const tags = new Uint8Array(to - from);
  for (let row = 0; row < to - from; row++) {
    const begin = writer.length;
    writer.value(vector, from + row);
    tags[row] = tagOf(writer, begin);
    if (tags[row] === Tag.NULL) writer.length = begin;
    offsets[row + 1] = writer.length;
  }
  return { bytes: writer.written(), offsets, tags };
}

function tagOf(writer: Writer, begin: number): Tag {
  const first = writer.byteAt(begin);
  if (first === OPEN_BRACE) return Tag.OBJECT;
  return first === OPEN_BRACKET ? Tag.ARRAY : Tag.NULL;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

class Writer {
  length = 0;
  #depth = 0;
  readonly #reading: Reading;
  readonly #view: DataView;
  readonly #room: number;
  readonly #encoder = new TextEncoder();
  #bytes: Uint8Array<ArrayBuffer>;

  constructor(reading: Reading, room: number) {
    this.#reading = reading;
    this.#view = new DataView(reading.memory.buffer);
    this.#room = room;
    this.#bytes = reading.scratch.bytes(FIRST_BYTES);
  }

  byteAt(at: number): number {
    return this.#bytes[at]!;
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  /** Writes the value at `i` of a vector. */
  value(vector: Vector, i: number): void {
    const { field } = vector;
    const isPlain = field.dictionary === null && field.nesting === null;
    // A dictionary may be that of its own entries.
    if (i >= vector.length || (this.#depth > MAX_DEPTH && !isPlain)) throw this.#damaged(field);
    this.#depth++;
    if (!this.#isValid(vector.validity, i)) this.#put('null');
    else if (isPlain) this.#scalar(vector, i);
    else if (field.dictionary !== null) this.#entry(vector, i, field.dictionary);
    else this.#nested(vector, i);
    this.#depth--;
  }

  #entry(vector: Vector, i: number, { id, indexes }: { id: bigint; indexes: Layout }): void {
    const entries = this.#reading.dictionaries.get(id);
    if (entries === undefined) throw noDictionary(vector.field);
    const index = integerAt(this.#view, vector.values.at, indexes, i);
    if (index < 0 || index >= entries.length) throw this.#damaged(vector.field);
    this.value(entries, index);
  }

  #nested(vector: Vector, i: number): void {
    const { field, children } = vector;
    const [child] = children;
    if (field.nesting === 'struct') this.#struct(vector, i);
    else if (field.nesting === 'run_end_encoded') this.value(children[1]!, runOf(child!, i, this.#view));
    else if (field.nesting === 'fixed_size_list')
      this.#list(field, child!, i * field.parameter, (i + 1) * field.parameter);
    else {
      const [begin, end] = this.#range(vector, i);
      if (field.nesting === 'map') this.#map(field, child!, begin, end);
      else this.#list(field, child!, begin, end);
    }
  }

  /** Which items of the child a list has. */
  #range({ field, offsets, values }: Vector, i: number): [number, number] {
    const isLarge = field.nesting === 'large_list' || field.nesting === 'large_list_view';
    const at = (region: Region, k: number) =>
      isLarge
        ? Number(this.#view.getBigUint64(region.at + k * 8, true))
        : this.#view.getUint32(region.at + k * 4, true);
    const begin = at(offsets, i);
    const isView = field.nesting === 'list_view' || field.nesting === 'large_list_view';
    return [begin, isView ? begin + at(values, i) : at(offsets, i + 1)];
  }

  #list(field: Field, child: Vector, begin: number, end: number): void {
    if (begin > end || end > child.length) throw this.#damaged(field);
    this.#put('[');
    for (let i = begin; i < end; i++) {
      if (i > begin) this.#put(',');
      this.value(child, i);
    }
    this.#put(']');
  }

  #struct({ children }: Vector, i: number): void {
    this.#put('{');
    for (const [k, child] of children.entries()) {
      this.#put(`${k === 0 ? '' : ','}${JSON.stringify(child.field.name)}:`);
      this.value(child, i);
    }
    this.#put('}');
  }

  /** A key that is no string becomes one. */
  #map(field: Field, entries: Vector, begin: number, end: number): void {
    if (begin > end || end > entries.length) throw this.#damaged(field);
    const [keys, items] = entries.children as [Vector, Vector];
    this.#put('{');
    for (let i = begin; i < end; i++) {
      if (i > begin) this.#put(',');
      const from = this.length;
      this.value(keys, i);
      if (this.byteAt(from) !== QUOTE) {
        const key = decoder.decode(this.#bytes.subarray(from, this.length));
        this.length = from;
        this.#put(JSON.stringify(key));
      }
      this.#put(':');
      this.value(items, i);
    }
    this.#put('}');
  }

  #isValid(validity: Region | null, i: number): boolean {
    return validity === null || ((this.#reading.memory[validity.at + (i >> 3)]! >> (i & 7)) & 1) === 1;
  }

  #scalar(vector: Vector, i: number): void {
    if (!TEXTS.has(vector.field.layout!) || !this.#shortText(bytesAt(vector, i, this.#view)))
      this.#put(scalarText(vector, i, this.#view));
  }

  /** Copies a short text without characters to escape, as most are. Returns false for any other text. */
  #shortText(bytes: Uint8Array): boolean {
    const { length } = bytes;
    if (length > SHORT_BYTES) return false;
    this.#reserve(length + 2);
    const [to, begin] = [this.#bytes, this.length];
    to[begin] = QUOTE;
    for (let k = 0; k < length; k++) {
      const byte = bytes[k]!;
      if (byte < SPACE || byte > LAST_ASCII || byte === QUOTE || byte === BACKSLASH) return false;
      to[begin + 1 + k] = byte;
    }
    to[begin + 1 + length] = QUOTE;
    this.length = begin + length + 2;
    return true;
  }

  #put(text: string): void {
    // A unit of UTF-16 takes at most three bytes.
    this.#reserve(text.length > LONG_TEXT ? Buffer.byteLength(text) : text.length * 3);
    if (text.length === 1) this.#bytes[this.length++] = text.charCodeAt(0);
    else this.length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.length)).written;
    if (this.length > this.#room) throw tooLarge(Fault.TEXTS);
  }

  /** Makes room for so many more bytes. */
  #reserve(bytes: number): void {
    const most = this.length + bytes;
    if (most > this.#room + 3 * LONG_TEXT) throw tooLarge(Fault.TEXTS);
    if (most <= this.#bytes.length) return;
    const { scratch } = this.#reading;
    const longer = scratch.bytes(Math.max(most, Math.min(this.#bytes.length * 2, this.#room)));
    longer.set(this.#bytes.subarray(0, this.length));
    scratch.release(this.#bytes);
    this.#bytes = longer;
  }

  #damaged({ name }: Field): ColumnsError {
    return new ColumnsError(`The column ${quoted(name)} is damaged: a value lies outside of its buffers`);
  }
}

const TEXTS: ReadonlySet<Layout> = new Set([Layout.TEXT32, Layout.TEXT64, Layout.TEXT_VIEW]);
/** First length of the writer's buffer, which grows. */
const FIRST_BYTES = 4096;
/** Longest text that is copied byte by byte. */
const SHORT_BYTES = 32;
/** For a text of more characters, the exact number of bytes is counted before room is made. */
const LONG_TEXT = 1024;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LAST_ASCII = 0x7e;
const decoder = new TextDecoder();

export const noDictionary = ({ name }: Field): ColumnsError =>
  new ColumnsError(`The column ${quoted(name)} is damaged: its dictionary is missing`);

/** The run that row `i` is in: the first whose end is behind it. */
export function runOf(ends: Vector, i: number, view: DataView): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (integerAt(view, ends.values.at, ends.field.layout!, middle) > i) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** An integer of up to 64 bits as a number, for indexes. */
export function integerAt(view: DataView, at: number, layout: Layout, i: number): number {
  switch (layout) {
    case Layout.INT8:
      return view.getInt8(at + i);
    case Layout.UINT8:
      return view.getUint8(at + i);
    case Layout.INT16:
      return view.getInt16(at + i * 2, true);
    case Layout.UINT16:
      return view.getUint16(at + i * 2, true);
    case Layout.INT32:
      return view.getInt32(at + i * 4, true);
    case Layout.UINT32:
      return view.getUint32(at + i * 4, true);
    default:
      return Number(view.getBigInt64(at + i * 8, true));
  }
}
