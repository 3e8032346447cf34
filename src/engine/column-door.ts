/** Puts the columns of Arrow and Parquet bodies into the engine: names, buffers by their addresses, and nested values as texts. */
import { CellFault, Fault, Layout, MAX_NAME_BYTES, Out, Tag } from '../../assembly/abi.ts';
import { ColumnsError, ofColumn, tooLarge } from '../columns/columns-error.ts';
import {
  type Dictionaries,
  type Field,
  NOTHING,
  type Rows,
  type Sink,
  type Space,
  type Vector,
} from '../columns/field.ts';
import { type NestedTexts, nestedTexts, noDictionary, runOf } from '../columns/nested.ts';
import { bytesAt } from '../columns/scalar.ts';
import { Scratch } from '../columns/scratch.ts';
import { quoted } from '../terms/errors.ts';
import type { EngineExports } from './exports.ts';
import type { EngineMemory } from './memory.ts';

export class ColumnDoor implements Sink, Space {
  #fields: Field[] = [];
  #rows = 0;
  readonly #exports: EngineExports;
  readonly #memory: EngineMemory;
  readonly #maxTextBytes: number;

  constructor(exports: EngineExports, memory: EngineMemory, maxTextBytes: number) {
    this.#exports = exports;
    this.#memory = memory;
    this.#maxTextBytes = maxTextBytes;
  }

  /** The declared type of each column. */
  get physicalTypes(): string[] {
    return this.#fields.map(field => field.physicalType);
  }

  get rows(): number {
    return this.#rows;
  }

  // ---- Space ----

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#memory.whole();
  }

  allocate(length: number): number {
    const at = length > this.#maxTextBytes ? 0 : this.#exports.allocate(length) >>> 0;
    if (at === 0) throw tooLarge(Fault.TEXTS);
    return at;
  }

  // ---- Sink ----

  begin(fields: Field[]): void {
    this.#fields = fields;
    this.#exports.beginTexts(fields.length);
    const encoder = new TextEncoder();
    for (const [column, field] of fields.entries()) {
      const name = encoder.encode(field.name);
      if (name.length > MAX_NAME_BYTES) throw new ColumnsError('', Fault.NAME, column + 1);
      const at = this.allocate(name.length);
      this.#memory.write(name, at);
      this.#exports.addNamed(at, name.length);
    }
  }

  append({ vectors, rows, dictionaries }: Rows): void {
    if (rows > 0)
      for (const [column, vector] of vectors.entries())
        ofColumn(vector.field.name, () => this.#appendColumn(column, vector, dictionaries));
    this.#rows += rows;
  }

  end(): void {
    if (this.#rows === 0) throw new ColumnsError('', Fault.ROWS_EMPTY);
    this.#exports.endColumns(this.#rows);
  }

  #appendColumn(column: number, vector: Vector, dictionaries: Dictionaries): void {
    const { field } = vector;
    const entries = field.dictionary && dictionaries.get(field.dictionary.id);
    if (entries === undefined) throw noDictionary(field);
    const inner = entries?.field ?? field;
    if (field.nesting === 'run_end_encoded' && field.children[1]!.nesting === null)
      this.#appendRuns(column, vector);
    else if (inner.nesting !== null) this.#appendNested(column, vector, dictionaries);
    else if (entries !== null) this.#appendIndexed(column, vector, entries);
    else if (field.isJson) this.#appendJson(column, vector);
    else {
      this.#setBuffers(vector, field.layout!, field.parameter);
      this.#check(this.#exports.appendCells(column, vector.length), field);
    }
  }

  #appendIndexed(column: number, vector: Vector, entries: Vector): void {
    const { field, length, validity, values } = vector;
    this.#setBuffers(entries, entries.field.layout!, entries.field.parameter);
    const { indexes } = field.dictionary!;
    const fault = this.#exports.appendIndexed(
      column,
      length,
      indexes,
      validity?.at ?? 0,
      values.at,
      entries.length,
    );
    this.#check(fault, field);
  }

  /** Each row is an entry of the values. */
  #appendRuns(column: number, { field, children, length }: Vector): void {
    const [ends, entries] = children as [Vector, Vector];
    const at = this.allocate(length * 4);
    const view = new DataView(this.#memory.whole().buffer);
    for (let row = 0; row < length; row++) view.setUint32(at + row * 4, runOf(ends, row, view), true);
    this.#setBuffers(entries, entries.field.layout!, entries.field.parameter);
    this.#check(this.#exports.appendIndexed(column, length, Layout.UINT32, 0, at, entries.length), field);
  }

  #appendNested(column: number, vector: Vector, dictionaries: Dictionaries): void {
    const scratch = new Scratch();
    try {
      const reading = { memory: this.#memory.whole(), dictionaries, scratch };
      this.#appendTexts(column, vector, nestedTexts(vector, reading, this.#maxTextBytes));
    } finally {
      scratch.free();
    }
  }

  /** Texts that say that they are JSON: what is an object or an array is nested, the rest stays a text. */
  #appendJson(column: number, vector: Vector): void {
    const at = this.allocate(vector.length);
    const memory = this.#memory.whole();
    const [view, tags] = [new DataView(memory.buffer), memory.subarray(at, at + vector.length)];
    const { validity } = vector;
    // Rows may name the same bytes again and again.
    let left = TEXTS_OF_BODY * this.#maxTextBytes;
    for (let i = 0; i < vector.length; i++) {
      const isThere = validity === null || ((memory[validity.at + (i >> 3)]! >> (i & 7)) & 1) === 1;
      const { byteOffset, length } = isThere ? bytesAt(vector, i, view) : NO_BYTES;
      tags[i] = isThere ? this.#exports.tagOfJson(byteOffset, length) : Tag.NULL;
      left -= length;
      if (left < 0) throw tooLarge(Fault.TEXTS);
    }
    this.#setBuffers(vector, Layout.NESTED, at);
    this.#check(this.#exports.appendCells(column, vector.length), vector.field);
  }

  #appendTexts(column: number, { field, length }: Vector, { bytes, offsets, tags }: NestedTexts): void {
    const isThere = new Uint8Array(Math.ceil(length / 8));
    for (let i = 0; i < length; i++) if (offsets[i + 1] !== offsets[i]) isThere[i >> 3]! |= 1 << (i & 7);
    const region = (part: Uint8Array) => {
      const at = this.allocate(part.length);
      this.#memory.write(part, at);
      return { at, length: part.length };
    };
    const vector = {
      validity: region(isThere),
      offsets: region(new Uint8Array(offsets.buffer)),
      values: region(bytes),
      buffers: [],
    };
    this.#setBuffers(vector, Layout.NESTED, region(tags).at);
    this.#check(this.#exports.appendCells(column, length), field);
  }

  #setBuffers(
    { validity, offsets, values, buffers }: Pick<Vector, 'validity' | 'offsets' | 'values' | 'buffers'>,
    layout: Layout,
    parameter: number,
  ): void {
    const table =
      buffers.length === 0 ? NOTHING : { at: this.allocate(buffers.length * 8), length: buffers.length };
    const view = new DataView(this.#memory.whole().buffer);
    for (const [i, { at, length }] of buffers.entries()) {
      view.setUint32(table.at + i * 8, at, true);
      view.setUint32(table.at + i * 8 + 4, length, true);
    }
    const { at: valuesAt, length: bytes } = values;
    this.#exports.setBuffers(
      layout,
      validity?.at ?? 0,
      offsets.at,
      valuesAt,
      bytes,
      parameter,
      table.at,
      table.length,
    );
  }

  #check(fault: CellFault, { name }: Field): void {
    if (fault === CellFault.NONE) return;
    if (fault === CellFault.ROOM) throw tooLarge(Fault.TEXTS);
    const row = this.#rows + this.#memory.f64At(this.#exports.outAddress() + Out.ROW * 8);
    throw new ColumnsError(`The column ${quoted(name)} is damaged: row ${row} ${REASONS[fault]}`);
  }
}

/** The texts of a column may have so many times the bytes of a body, as in `assembly/columns.ts`. */
const TEXTS_OF_BODY = 4;
const NO_BYTES = new Uint8Array();

const REASONS: Record<Exclude<CellFault, CellFault.NONE | CellFault.ROOM>, string> = {
  [CellFault.RANGE]: 'has a value outside of its buffer',
  [CellFault.ENCODING]: 'has a text that is not UTF-8',
  [CellFault.INDEX]: 'names an entry that the dictionary does not have',
};
