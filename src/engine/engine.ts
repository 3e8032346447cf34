/** The only file that touches WebAssembly: one instance screens one batch at a time. */
import {
  Column,
  ENUM_BYTES,
  ESCAPED_BIT,
  type Fault,
  Format,
  HISTOGRAM_BINS,
  Kind,
  type Like,
  Out,
  REGISTERS,
  Status,
  Tag,
} from '../../assembly/abi.ts';
import { shortened } from '../errors.ts';
import type { Outside, Profile, RowLook, SecondLook, ValueLook, ValueType } from '../profile/profile.ts';
import { type ColumnRecord, readProfile } from '../profile/read.ts';
import { writeTables } from './tables.ts';

export interface BatchStart {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** The account's 32 secret bytes: they seed every hash. */
  salt: Uint8Array;
}

/** Why and where a body was refused. `offset` counts bytes from 0, `row` from 0, `line` from 1. */
export interface Refusal {
  fault: Fault;
  offset: number;
  row: number;
  line: number;
}

/** The members of a JSON body around its rows. Values are decoded; `undefined` when absent, TOO_LONG past MAX_MEMBER_BYTES. */
export interface Envelope {
  /** Kind of the body's top-level value. */
  top: Kind;
  source: unknown;
  options: unknown;
  hasRows: boolean;
}

interface Exports {
  memory: WebAssembly.Memory;
  prepare(maxBodyBytes: number): void;
  tablesAddress(): number;
  saltAddress(): number;
  bodyAddress(): number;
  begin(format: Format, delimiter: number): void;
  feed(total: number, final: boolean): Status;
  parsed(): number;
  measure(sampleRows: number): void;
  outAddress(): number;
  columnAddress(column: number): number;
  registersAddress(column: number): number;
  listedAddress(column: number): number;
  knownAddress(): number;
  unseenAddress(): number;
  histogramAddress(): number;
  queryHistogram(column: number, low: number, high: number): void;
  queryOutside(column: number, low: number, high: number): void;
  queryUnseen(column: number, knownCount: number, limit: number): number;
  queryFresh(column: number): number;
  queryUnexpected(column: number, expected: number): number;
  foundRowsAddress(): number;
  rowLinesAddress(): number;
  writeLines(rows: number): void;
  rowsWithout(column: number, limit: number): number;
  rowsOfTags(column: number, tags: number, limit: number): number;
  rowsRagged(limit: number): number;
  rowsOutside(column: number, low: number, high: number, limit: number): number;
  rowsUnseen(column: number, knownCount: number, limit: number): number;
  rowsFresh(column: number, limit: number): number;
  rowsRepeated(column: number, limit: number): number;
  rowsLike(column: number, like: Like, has: boolean, format: Format, limit: number): number;
  outsideCount: WebAssembly.Global;
  outsideMin: WebAssembly.Global;
  outsideMax: WebAssembly.Global;
  unseenListed: WebAssembly.Global;
  cellCount(column: number): number;
  cellTag(column: number, cell: number): Tag;
  cellRow(column: number, cell: number): number;
  cellValue(column: number, cell: number): number;
  cellText(column: number, cell: number): number;
}

/** A row longer than this is not read again for every few bytes that arrive: see `Engine.write`. */
const PATIENT_BYTES = 64 * 1024;

/** Bytes of `source` and `options`: more would keep everybody waiting while they are made into objects. */
export const MAX_MEMBER_BYTES = 64 * 1024;
/** Stands for a member of more bytes. */
export const TOO_LONG = Symbol('too long');

/** Characters of an example. Longer ones are cut; an object or array comes as its text then. */
const MAX_EXAMPLE = 1000;

/** Holds 64 characters however they are written: `\ud83d\ude00` is the longest of one. */
const START_BYTES = 64 * 12;

/** Tags by type, a bit for each. */
const TAGS_OF_TYPE: Record<ValueType, number> = {
  number: 1 << Tag.NUMBER,
  boolean: (1 << Tag.TRUE) | (1 << Tag.FALSE),
  object: 1 << Tag.OBJECT,
  array: 1 << Tag.ARRAY,
  string: (1 << Tag.STRING) | (1 << Tag.EMPTY),
};

const ALL_VALUES = Object.values(TAGS_OF_TYPE).reduce((all, tags) => all | tags, 0);

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** Compiles the engine once for all instances. `bytes` is `build/engine.wasm`. */
export async function compileEngine(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  return WebAssembly.compile(bytes);
}

export class Engine {
  readonly #exports: Exports;
  readonly #body: number;
  #bytes: Uint8Array;
  #view: DataView;
  #format: Format = Format.JSON;
  /** Bytes that have arrived, and that had when the parser ran last. */
  #total = 0;
  #fed = 0;

  /** Memory for bodies of at most `maxBodyBytes`: that much address space, and 19 bytes a cell when they are used. */
  constructor(
    module: WebAssembly.Module,
    readonly maxBodyBytes: number,
  ) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.#exports.prepare(maxBodyBytes);
    this.#body = this.#exports.bodyAddress();
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#view = new DataView(this.#exports.memory.buffer);
    writeTables(this.#exports.memory.buffer, this.#exports.tablesAddress());
  }

  begin(start: BatchStart): void {
    this.#renewViews();
    this.#bytes.set(start.salt.subarray(0, 32), this.#exports.saltAddress());
    this.#format = start.format;
    this.#total = 0;
    this.#fed = 0;
    this.#exports.begin(start.format, start.delimiter);
  }

  /**
   * Takes the next bytes of the body and parses as many whole rows as there are. An unfinished row is read again with
   * the next bytes; a very long one only when it has grown by a quarter, so that the work stays linear in the body's
   * length. Throws a RangeError past `maxBodyBytes`.
   */
  write(chunk: Uint8Array): Status {
    if (this.#total + chunk.length > this.maxBodyBytes) throw new RangeError('body exceeds maxBodyBytes');
    this.#renewViews();
    this.#bytes.set(chunk, this.#body + this.#total);
    this.#total += chunk.length;
    const unfinished = this.#total - this.#exports.parsed();
    if (unfinished > PATIENT_BYTES && (this.#total - this.#fed) * 4 < unfinished) return Status.MORE;
    return this.#feed(false);
  }

  /** Bytes were taken that no parser has seen: `write` waits for more of a long row. */
  get behind(): boolean {
    return this.#fed < this.#total;
  }

  /** Bytes of the body that will not be read again: up to the end of a CSV record, or of the last value of a JSON row. */
  get parsed(): number {
    return this.#exports.parsed();
  }

  /** Parses what `write` has put off. Call it when the client pauses. */
  flush(): Status {
    return this.#feed(false);
  }

  /** The body is complete: DONE or FAILED. */
  end(): Status {
    return this.#feed(true);
  }

  #feed(final: boolean): Status {
    this.#fed = this.#total;
    const status = this.#exports.feed(this.#total, final);
    this.#renewViews();
    return status;
  }

  /** A copy of the bytes taken so far, or of those in [from, to), to begin again elsewhere. */
  received(from = 0, to = this.#total): Uint8Array {
    return this.#bytes.slice(this.#body + from, this.#body + to);
  }

  /** After FAILED. */
  refusal(): Refusal {
    return {
      fault: this.#out(Out.FAULT),
      offset: this.#out(Out.OFFSET),
      row: this.#out(Out.ROW),
      line: this.#out(Out.LINE),
    };
  }

  /** After DONE, of JSON bodies. */
  envelope(): Envelope {
    return {
      top: this.#out(Out.TOP),
      source: this.#member(Out.SOURCE_KIND),
      options: this.#member(Out.OPTIONS_KIND),
      hasRows: this.#out(Out.HAS_ROWS) === 1,
    };
  }

  /** After DONE. */
  get rows(): number {
    return this.#out(Out.ROWS);
  }

  /** After DONE: measures all rows, or a sample of `sampleRows` where there are more. */
  profile(sampleRows: number): Profile {
    this.#exports.measure(sampleRows);
    this.#renewViews();
    const fields = this.#out(Out.FIELDS);
    const columns = Array.from({ length: fields }, (_, column) => this.#column(column));
    return readProfile(columns, this.#format === Format.CSV, {
      rows: this.rows,
      analysedRows: this.#out(Out.ANALYSED),
      ragged: { count: this.#out(Out.RAGGED), firstLine: this.#out(Out.RAGGED_LINE) },
    });
  }

  /** After `profile`, until the next `begin`. */
  readonly look: SecondLook & ValueLook = {
    booleans: column => this.#booleans(column),
    histogram: (column, low, high) => this.#histogram(column, low, high),
    topTexts: (column, limit) => this.#topTexts(column, limit),
    outside: (column, low, high) => this.#outside(column, low, high),
    unseen: (column, known, limit) => this.#unseen(column, known, limit),
    fresh: (column, registers) => this.#fresh(column, registers),
    example: (column, expected) => this.#example(column, expected),
  };

  /** After `profile`, until the next `begin`. */
  readonly rowLook: RowLook = {
    without: (column, limit) => this.#found(this.#exports.rowsWithout(column, limit)),
    mistyped: (column, expected, limit) =>
      this.#found(this.#exports.rowsOfTags(column, ALL_VALUES & ~TAGS_OF_TYPE[expected], limit)),
    empty: (column, limit) => this.#found(this.#exports.rowsOfTags(column, 1 << Tag.EMPTY, limit)),
    ragged: limit => this.#found(this.#exports.rowsRagged(limit)),
    outside: (column, low, high, limit) => this.#found(this.#exports.rowsOutside(column, low, high, limit)),
    unseen: (column, known, limit) => {
      this.#tellKnown(known);
      return this.#found(this.#exports.rowsUnseen(column, known.length, limit));
    },
    fresh: (column, registers, limit) => {
      this.#bytes.set(registers, this.#exports.knownAddress());
      return this.#found(this.#exports.rowsFresh(column, limit));
    },
    repeated: (column, limit) => this.#found(this.#exports.rowsRepeated(column, limit)),
    like: (column, like, has, limit) =>
      this.#found(this.#exports.rowsLike(column, like, has, this.#format, limit)),
    lines: rows => this.#lines(Math.min(rows, this.rows)),
  };

  /** Every cell of a column in row order, for tests. Costs an object a cell. */
  cells(column: number): { row: number; tag: Tag; value: unknown }[] {
    this.#renewViews();
    return Array.from({ length: this.#exports.cellCount(column) }, (_, cell) => ({
      row: this.#exports.cellRow(column, cell),
      tag: this.#exports.cellTag(column, cell),
      value: this.#cell(column, cell),
    }));
  }

  /** Bytes of address space that this instance has taken. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  #booleans(column: number): { true: number; false: number } {
    const record = this.#exports.columnAddress(column);
    const at = (entry: Column): number => this.#view.getFloat64(record + entry * 8, true);
    return { true: at(Column.TRUES), false: at(Column.FALSES) };
  }

  #histogram(column: number, low: number, high: number): number[] {
    this.#exports.queryHistogram(column, low, high);
    const at = this.#exports.histogramAddress();
    return [...new Uint32Array(this.#bytes.buffer, at, HISTOGRAM_BINS)];
  }

  #topTexts(column: number, limit: number): { text: string; count: number }[] {
    const listed = this.#view.getFloat64(this.#exports.columnAddress(column) + Column.LISTED * 8, true);
    const list = this.#exports.listedAddress(column);
    return Array.from({ length: listed }, (_, i) => list + i * ENUM_BYTES)
      .map(entry => ({ entry, count: this.#u32(entry + 16) }))
      .sort((a, b) => b.count - a.count)
      .slice(0, limit)
      .map(({ entry, count }) => ({ text: this.#textStart(entry + 8), count }));
  }

  #outside(column: number, low: number, high: number): Outside {
    this.#exports.queryOutside(column, low, high);
    const { outsideCount, outsideMin, outsideMax } = this.#exports;
    return { count: outsideCount.value, min: outsideMin.value, max: outsideMax.value };
  }

  #unseen(column: number, known: BigUint64Array, limit: number): { rows: number; values: string[] } {
    this.#tellKnown(known);
    const rows = this.#exports.queryUnseen(column, known.length, limit);
    const listed: number = this.#exports.unseenListed.value;
    const at = this.#exports.unseenAddress();
    return {
      rows,
      values: Array.from({ length: listed }, (_, i) => this.#slotText(at + i * ENUM_BYTES + 8)),
    };
  }

  #tellKnown(known: BigUint64Array): void {
    new BigUint64Array(this.#bytes.buffer, this.#exports.knownAddress(), known.length).set(known);
  }

  /** A copy: the next look overwrites what this one has found. */
  #found(count: number): Uint16Array {
    return new Uint16Array(this.#bytes.buffer, this.#exports.foundRowsAddress(), count).slice();
  }

  #lines(rows: number): Uint32Array | null {
    if (this.#format !== Format.CSV) return null;
    this.#exports.writeLines(rows);
    return new Uint32Array(this.#bytes.buffer, this.#exports.rowLinesAddress(), rows).slice();
  }

  #fresh(column: number, registers: Uint8Array): number {
    this.#bytes.set(registers, this.#exports.knownAddress());
    return this.#exports.queryFresh(column);
  }

  #example(column: number, expected: ValueType): unknown {
    const cell = this.#exports.queryUnexpected(column, TAGS_OF_TYPE[expected]);
    if (cell < 0) return undefined;
    const tag = this.#exports.cellTag(column, cell);
    const slot = this.#exports.cellValue(column, cell);
    const isLongNested = (tag === Tag.OBJECT || tag === Tag.ARRAY) && this.#u32(slot + 4) > MAX_EXAMPLE;
    const value = isLongNested ? this.#text(this.#u32(slot), MAX_EXAMPLE) : this.#cell(column, cell);
    if (isLongNested || (typeof value === 'string' && value.length > MAX_EXAMPLE))
      return `${(value as string).slice(0, MAX_EXAMPLE).toWellFormed()}…`;
    const isBeyondDoubles = value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
    return isBeyondDoubles ? this.#slotText(this.#exports.cellText(column, cell)) : value;
  }

  #cell(column: number, cell: number): unknown {
    const value = this.#exports.cellValue(column, cell);
    switch (this.#exports.cellTag(column, cell)) {
      case Tag.NULL:
        return null;
      case Tag.FALSE:
        return false;
      case Tag.TRUE:
        return true;
      case Tag.NUMBER:
        return this.#view.getFloat64(value, true);
      case Tag.OBJECT:
      case Tag.ARRAY:
        return JSON.parse(this.#text(this.#u32(value), this.#u32(value + 4)));
      default:
        return this.#slotText(value);
    }
  }

  #column(column: number): ColumnRecord {
    const numbers = new Float64Array(this.#bytes.buffer, this.#exports.columnAddress(column), Column.LENGTH);
    return {
      name: this.#decode(
        numbers[Column.NAME_OFFSET]!,
        numbers[Column.NAME_LENGTH]!,
        numbers[Column.NAME_ESCAPED] === 1,
      ),
      numbers,
      registers: this.#bytes.slice(...span(this.#exports.registersAddress(column), REGISTERS)),
      listed: this.#listed(column, numbers),
    };
  }

  #listed(column: number, numbers: Float64Array): { hash: bigint; count: number }[] | null {
    const count = numbers[Column.LISTED]!;
    if (count === 0 && numbers[Column.TEXTS]! > 0) return null;
    const at = this.#exports.listedAddress(column);
    return Array.from({ length: count }, (_, i) => ({
      hash: this.#view.getBigUint64(at + i * ENUM_BYTES, true),
      count: this.#u32(at + i * ENUM_BYTES + 16),
    }));
  }

  #member(first: Out): unknown {
    const at = this.#body + this.#out(first + 1);
    const length = this.#out(first + 2);
    if (length > MAX_MEMBER_BYTES) return TOO_LONG;
    switch (this.#out(first) as Kind) {
      case Kind.ABSENT:
        return undefined;
      case Kind.STRING:
        return this.#decode(at, length, true);
      default:
        return JSON.parse(this.#text(at, length));
    }
  }

  /** The text of a slot: offset and length, with the mark that it needs decoding. */
  #slotText(slot: number): string {
    const length = this.#u32(slot + 4);
    const escaped = length >>> ESCAPED_BIT === 1;
    return this.#decode(this.#u32(slot), escaped ? length - 2 ** ESCAPED_BIT : length, escaped);
  }

  /** The first 64 characters of a slot's text, at no more cost where it is long. */
  #textStart(slot: number): string {
    const raw = this.#u32(slot + 4);
    const escaped = raw >>> ESCAPED_BIT === 1;
    const length = escaped ? raw - 2 ** ESCAPED_BIT : raw;
    if (length <= START_BYTES) return shortened(this.#slotText(slot));
    const text = this.#text(this.#u32(slot), START_BYTES);
    if (!escaped) return shortened(text);
    return shortened(this.#format === Format.CSV ? text.replaceAll('""', '"') : jsonStart(text));
  }

  #decode(at: number, length: number, escaped: boolean): string {
    const text = this.#text(at, length);
    if (!escaped) return text;
    return this.#format === Format.CSV ? text.replaceAll('""', '"') : (JSON.parse(`"${text}"`) as string);
  }

  #text(at: number, length: number): string {
    return decoder.decode(this.#bytes.subarray(...span(at, length)));
  }

  #u32(at: number): number {
    return this.#view.getUint32(at, true);
  }

  #out(entry: Out): number {
    return this.#view.getFloat64(this.#exports.outAddress() + entry * 8, true);
  }

  /** Memory that has grown has a new buffer; the old views are empty. */
  #renewViews(): void {
    if (this.#bytes.buffer === this.#exports.memory.buffer) return;
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#view = new DataView(this.#exports.memory.buffer);
  }
}

/** A JSON string's raw text that was cut anywhere, without what is left of an escape at its end. */
const jsonStart = (raw: string): string =>
  JSON.parse(`"${/^(?:[^\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/.exec(raw)![0]}"`) as string;

const span = (at: number, length: number): [number, number] => [at, at + length];
