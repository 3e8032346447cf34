/** Collects rows of a column from any vectors, as a flat column: dictionaries and runs become their values, nested values their JSON texts. */
import { Layout, Tag } from '../../assembly/abi.ts';
import { widthOf } from './arrow/record-batch.ts';
import type { WrittenColumn } from './arrow/writer.ts';
import { quoted } from '../terms/errors.ts';
import { ColumnsError } from './columns-error.ts';
import type { Dictionaries, Field, Vector } from './field.ts';
import { integerAt, nestedTexts, noDictionary, runOf } from './nested.ts';
import { bytesAt } from './scalar.ts';
import { HEAP } from './scratch.ts';

export interface Reading {
  memory: Uint8Array<ArrayBuffer>;
  /** Of the same memory. */
  view: DataView;
  dictionaries: Dictionaries;
}

/** The field as it is collected. */
export function flatField(field: Field): Field {
  const values = field.nesting === 'run_end_encoded' ? field.children[1]! : field;
  const isJson = field.isJson && field.dictionary === null;
  const flat = { ...field, nesting: null, children: [], dictionary: null, isJson };
  if (values.nesting !== null) return { ...flat, layout: Layout.TEXT32, parameter: 0, isJson: true };
  const { layout, parameter } = values;
  return { ...flat, layout: FLAT[layout!] ?? layout, parameter };
}

const FLAT: Partial<Record<Layout, Layout>> = {
  [Layout.TEXT64]: Layout.TEXT32,
  [Layout.TEXT_VIEW]: Layout.TEXT32,
  [Layout.BYTES64]: Layout.BYTES32,
  [Layout.BYTES_VIEW]: Layout.BYTES32,
};

/** Bytes of the longest date with time. */
const TIME_BYTES = 48;

export class ColumnBuilder {
  /** As it is collected. */
  readonly field: Field;
  readonly #maxBytes: number;
  #rows = 0;
  readonly #validity: Uint8Array;
  #values = new Uint8Array(1024);
  /** Ends of texts. */
  readonly #offsets: Uint32Array<ArrayBuffer> | null;
  readonly #width: number;

  /** `maxBytes`: of the texts of nested values. */
  constructor(field: Field, maxRows: number, maxBytes: number) {
    this.field = flatField(field);
    const { layout } = this.field;
    this.#maxBytes = maxBytes;
    this.#validity = new Uint8Array((maxRows + 7) >> 3);
    const isText = layout === Layout.TEXT32 || layout === Layout.BYTES32;
    this.#offsets = isText ? new Uint32Array(maxRows + 1) : null;
    this.#width = widthOf(this.field);
  }

  /** Bytes in a body, and those that the engine writes for it as texts. */
  get bytes(): { body: number; texts: number } {
    const { layout } = this.field;
    const body = this.#end() + (this.#offsets === null ? 0 : this.#rows * 4) + (this.#rows >> 3);
    const isTime = layout! >= Layout.DATE32 && layout! <= Layout.TIMESTAMP;
    const isBytes = layout === Layout.BYTES32 || layout === Layout.BYTES_FIXED;
    return { body, texts: isTime ? this.#rows * TIME_BYTES : isBytes ? Math.ceil(this.#end() * 1.4) : 0 };
  }

  /** Adds rows [from, from + count) of a vector. Throws `ColumnsError`. */
  append(vector: Vector, from: number, count: number, reading: Reading): void {
    const { field } = vector;
    const entries = field.dictionary ? reading.dictionaries.get(field.dictionary.id) : null;
    if (entries === undefined) throw noDictionary(field);
    const values = field.nesting === 'run_end_encoded' ? vector.children[1]! : (entries ?? vector);
    if (values.field.nesting !== null) this.#appendNested(vector, from, count, reading);
    else if (values === vector) this.#appendPlain(vector, from, count, reading);
    else
      for (let i = from; i < from + count; i++)
        this.#appendEntry(values, entryOf(vector, values, i, reading), reading);
  }

  /** Drops all rows from `rows` on. */
  truncate(rows: number): void {
    this.#rows = rows;
    for (const bits of this.field.layout === Layout.BOOLEAN
      ? [this.#validity, this.#values]
      : [this.#validity]) {
      bits.fill(0, (rows + 7) >> 3);
      if ((rows & 7) !== 0) bits[rows >> 3]! &= (1 << (rows & 7)) - 1;
    }
  }

  written(): WrittenColumn {
    const bits = this.#validity.subarray(0, (this.#rows + 7) >> 3);
    if (this.field.layout === Layout.NULL) return { nulls: this.#rows, buffers: [] };
    const offsets = this.#offsets && new Uint8Array(this.#offsets.buffer, 0, (this.#rows + 1) * 4);
    const values = this.#values.subarray(0, this.#end());
    let valid = 0;
    for (let row = 0; row < this.#rows; row++) valid += (bits[row >> 3]! >> (row & 7)) & 1;
    return { nulls: this.#rows - valid, buffers: [bits, ...(offsets === null ? [] : [offsets]), values] };
  }

  #end(rows = this.#rows): number {
    if (this.#offsets !== null) return this.#offsets[rows]!;
    return this.field.layout === Layout.BOOLEAN ? (rows + 7) >> 3 : rows * this.#width;
  }

  #appendPlain(vector: Vector, from: number, count: number, reading: Reading): void {
    const { layout } = vector.field;
    if (layout === Layout.TEXT32 || layout === Layout.BYTES32)
      this.#appendTexts(vector, from, count, reading);
    else if (layout === this.field.layout && this.#width > 0) {
      const at = vector.values.at + from * this.#width;
      this.#reserve(count * this.#width);
      this.#values.set(reading.memory.subarray(at, at + count * this.#width), this.#end());
    } else {
      for (let i = from; i < from + count; i++) this.#appendEntry(vector, i, reading);
      return;
    }
    for (let i = from; i < from + count; i++, this.#rows++) if (isValid(vector, i, reading)) this.#mark();
  }

  /** All texts at once: the bytes of nulls are copied too. */
  #appendTexts(
    { field, offsets, values }: Vector,
    from: number,
    count: number,
    { memory, view }: Reading,
  ): void {
    const first = view.getUint32(offsets.at + from * 4, true);
    const base = this.#end();
    let end = first;
    for (let i = 0; i < count; i++) {
      const next = view.getUint32(offsets.at + (from + i + 1) * 4, true);
      if (next < end || next > values.length) throw damaged(field, 'a value lies outside of its buffer');
      end = next;
      this.#offsets![this.#rows + i + 1] = base + end - first;
    }
    this.#reserve(end - first);
    this.#values.set(memory.subarray(values.at + first, values.at + end), base);
  }

  #appendNested(vector: Vector, from: number, count: number, reading: Reading): void {
    const { bytes, offsets, tags } = nestedTexts(
      vector,
      { ...reading, scratch: HEAP },
      this.#maxBytes,
      from,
      from + count,
    );
    for (let i = 0; i < count; i++) {
      if (tags[i] !== Tag.NULL) this.#mark();
      this.#appendBytes(bytes, offsets[i]!, offsets[i + 1]!);
    }
  }

  /** `i` is -1 for null. */
  #appendEntry(values: Vector, i: number, reading: Reading): void {
    if (i < 0 || !isValid(values, i, reading)) {
      this.#appendNull();
      return;
    }
    this.#mark();
    const { memory } = reading;
    if (this.#offsets !== null) {
      const text = bytesAt(values, i, reading.view);
      this.#appendBytes(memory, text.byteOffset, text.byteOffset + text.length);
    } else if (this.field.layout === Layout.BOOLEAN) {
      this.#reserve(1);
      const isTrue = (memory[values.values.at + (i >> 3)]! >> (i & 7)) & 1;
      this.#values[this.#rows >> 3]! |= isTrue << (this.#rows & 7);
      this.#rows++;
    } else {
      this.#reserve(this.#width);
      const at = values.values.at + i * this.#width;
      this.#values.set(memory.subarray(at, at + this.#width), this.#end());
      this.#rows++;
    }
  }

  #appendNull(): void {
    if (this.#offsets !== null) this.#offsets[this.#rows + 1] = this.#offsets[this.#rows]!;
    else this.#reserve(this.#width + 1);
    this.#rows++;
  }

  #appendBytes(bytes: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from);
    const end = this.#end();
    if (to - from > 32) this.#values.set(bytes.subarray(from, to), end);
    else for (let k = from; k < to; k++) this.#values[end + k - from] = bytes[k]!;
    this.#offsets![++this.#rows] = end + to - from;
  }

  #mark(): void {
    this.#validity[this.#rows >> 3]! |= 1 << (this.#rows & 7);
  }

  /** Room for more bytes behind the last ones. */
  #reserve(bytes: number): void {
    const needed = this.#end() + bytes + 8;
    if (needed <= this.#values.length) return;
    if (needed > 0x7fff_ffff) throw damaged(this.field, 'its rows have too many bytes');
    const longer = new Uint8Array(Math.max(needed, this.#values.length * 2));
    longer.set(this.#values.subarray(0, this.#end() + 1));
    this.#values = longer;
  }
}

const isValid = ({ validity }: Vector, i: number, { memory }: Reading): boolean =>
  validity === null || ((memory[validity.at + (i >> 3)]! >> (i & 7)) & 1) === 1;

/** The entry that row `i` names: of a dictionary, or of runs; -1 for null. */
function entryOf(vector: Vector, entries: Vector, i: number, reading: Reading): number {
  const { field, values } = vector;
  const { dictionary } = field;
  if (dictionary !== null && !isValid(vector, i, reading)) return -1;
  const entry =
    dictionary === null
      ? runOf(vector.children[0]!, i, reading.view)
      : integerAt(reading.view, values.at, dictionary.indexes, i);
  if (entry >= 0 && entry < entries.length) return entry;
  throw damaged(field, `row ${i} names a value that is not there`);
}

const damaged = ({ name }: Field, why: string): ColumnsError =>
  new ColumnsError(`The column ${quoted(name)} is damaged: ${why}`);
