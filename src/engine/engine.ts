/** One WebAssembly instance, which screens one batch at a time. Only this folder touches WebAssembly. */
import { Fault, Format, Kind, MAX_ROWS, Out, Status, type Tag } from '../../assembly/abi.ts';
import { ColumnsError } from '../columns/columns-error.ts';
import { readCell } from './cell-values.ts';
import type { ColumnarBody } from './columnar-body.ts';
import { type CsvView, csvViewOf } from './csv-view.ts';
import type { EngineExports } from './exports.ts';
import { EngineMemory } from './memory.ts';
import type { TakersOf } from './part-measures.ts';
import {
  type ColumnQueries,
  columnQueries,
  type HeldRowQueries,
  rowQueries,
  type ValueQueries,
  valueQueries,
} from './queries.ts';
import { type BatchRecord, measureColumns, type SignsOfBody } from './records.ts';
import type { RuleChecks } from './row-check.ts';
import { type KeyQueries, keyQueries } from './row-keys.ts';
import { ruleChecks } from './rule-checks.ts';
import type { PastOf } from './reading.ts';
import { settleColumns, type SettledColumn } from './settle.ts';
import { oddTexts } from './signs.ts';
import { writeTables } from './tables.ts';
import { BodyTexts } from './texts.ts';

export interface BatchStart {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** CSV: the line of the header, from 1; 1 by default. What stands before it is not read. */
  headerLine?: number;
  /** The account's 32 secret bytes, which seed every hash. */
  salt: Uint8Array;
}

/** Why and where the engine refused a body. `offset` counts bytes from 0, `row` from 0, `line` and `column` (of a CSV header) from 1. */
export interface Refusal {
  fault: Fault;
  offset: number;
  row: number;
  line: number;
  /** CSV with text behind a closing quote: the first byte of that text; else 0. */
  afterQuote: number;
  column: number;
  /** `Fault.COLUMNS`: the sentence; else empty. */
  reason: string;
  /** `Fault.SYNTAX`: some bytes that begin at the offset, and the last one before it that is no white space. */
  found?: { text: string; after: string };
}

/** The members of a JSON body around its rows. Values are decoded: `undefined` when absent, TOO_LONG past MAX_MEMBER_BYTES. */
export interface Envelope {
  /** Kind of the body's top-level value. */
  top: Kind;
  source: unknown;
  options: unknown;
  /** As they are written; undefined if they are absent or too long. */
  optionsJson?: string | undefined;
  hasRows: boolean;
}

/** `write` does not read a longer row again for every few bytes that arrive. */
const PATIENT_BYTES = 64 * 1024;

/** The byte-order mark of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];

/** Bytes of `source` and `options`. Parsing more would hold up other requests. */
export const MAX_MEMBER_BYTES = 64 * 1024;
/** In place of a longer member. */
/** Bytes on both sides of a fault that are looked at. */
const SEEN_BYTES = 16;

export const TOO_LONG = Symbol('too long');

/** Instances of it, in any thread, share the code that is optimised while they run. */
export type CompiledEngine = WebAssembly.Module;

/** Compiles the engine once for all instances. `bytes` is `build/engine.wasm`. */
export async function compileEngine(bytes: Uint8Array<ArrayBuffer>): Promise<CompiledEngine> {
  return WebAssembly.compile(bytes);
}

export class Engine {
  readonly #exports: EngineExports;
  readonly #memory: EngineMemory;
  readonly #body: number;
  #texts: BodyTexts;
  /** Bytes that have arrived, and how many of them the parser has seen. */
  #total = 0;
  #fed = 0;
  /** Of an Arrow or Parquet body; null for texts. */
  #columns: ColumnarBody | null = null;
  #columnsError: ColumnsError | null = null;
  /** Of a CSV body whose columns are settled; else null. */
  #settled: SettledColumn[] | null = null;
  /** Null before it is measured. */
  #signs: SignsOfBody | null = null;

  /** Ask after `measure`, until the next `begin`. */
  readonly queries: ColumnQueries & ValueQueries;
  readonly rowQueries: HeldRowQueries;
  readonly ruleChecks: RuleChecks;
  readonly keyQueries: KeyQueries;

  /** Reserves address space for bodies of at most `maxBodyBytes`. Cells take 19 bytes each when they are used. */
  constructor(
    module: CompiledEngine,
    readonly maxBodyBytes: number,
  ) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as EngineExports;
    this.#exports.prepare(maxBodyBytes);
    this.#body = this.#exports.bodyAddress();
    writeTables(this.#exports.memory.buffer, this.#exports.tablesAddress());
    this.#memory = new EngineMemory(this.#exports.memory);
    this.#texts = new BodyTexts(this.#memory, Format.JSON);
    const held = {
      exports: this.#exports,
      texts: () => this.#texts,
      rows: () => this.rows,
      signs: () => this.#signs?.columns ?? [],
    };
    this.queries = { ...columnQueries(held), ...valueQueries(held) };
    this.rowQueries = rowQueries(held);
    this.ruleChecks = ruleChecks(held);
    this.keyQueries = keyQueries(held);
  }

  begin(start: BatchStart): void {
    this.#memory.write(start.salt.subarray(0, 32), this.#exports.saltAddress());
    this.#texts = new BodyTexts(this.#memory, start.format);
    this.#total = 0;
    this.#fed = 0;
    this.#exports.begin(start.format, start.delimiter, start.headerLine ?? 1);
    this.#columns = this.#columnarBody(start.format);
    this.#columnsError = null;
    this.#settled = null;
    this.#signs = null;
  }

  #columnarBody(format: Format): ColumnarBody | null {
    if (format < Format.ARROW) return null;
    // Most processes never read columns. Without its libraries a process starts sooner.
    const { columnarBody } = require('./columnar-body.ts') as typeof import('./columnar-body.ts');
    return columnarBody(format, this.#exports, this.#memory, this.maxBodyBytes);
  }

  /**
   * Takes the next bytes of the body and parses as many whole rows as there are. An unfinished row is read again with the
   * next bytes; a very long one only after it has grown by a quarter, so that the work stays linear in the length of the
   * body. Throws a RangeError past `maxBodyBytes`.
   */
  write(chunk: Uint8Array): Status {
    if (this.#total + chunk.length > this.maxBodyBytes) throw new RangeError('body exceeds maxBodyBytes');
    this.#memory.write(chunk, this.#body + this.#total);
    this.#total += chunk.length;
    if (this.#columns !== null) {
      this.#fed = this.#total;
      return Status.MORE;
    }
    const unfinished = this.#total - this.#exports.parsed();
    if (unfinished > PATIENT_BYTES && (this.#total - this.#fed) * 4 < unfinished) return Status.MORE;
    return this.#feed(false);
  }

  /** Whether the parser has not seen all bytes: `write` waits for more of a long row. */
  get behind(): boolean {
    return this.#fed < this.#total;
  }

  /** Parses what `write` has put off. Call it when the client pauses. */
  flush(): Status {
    return this.#feed(false);
  }

  #feed(final: boolean): Status {
    this.#fed = this.#total;
    return this.#exports.feed(this.#total, final);
  }

  /** The body is complete: DONE or FAILED. A Parquet body is only decoded here. */
  end(): Status {
    if (this.#columns === null) return this.#feed(true);
    const { reader, door } = this.#columns;
    this.#fed = this.#total;
    try {
      reader.end(this.#total);
      door.end();
      return Status.DONE;
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Reads the messages of an Arrow stream that are complete: `write` only keeps their bytes. */
  read(): Status {
    try {
      if (this.#columns !== null) this.#columns.reader.advance(this.#total);
      return Status.MORE;
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Status {
    if (!(error instanceof ColumnsError)) throw error;
    this.#columnsError = error;
    return Status.FAILED;
  }

  /** A copy of the bytes that have arrived, to begin again elsewhere. */
  received(): Uint8Array<ArrayBuffer> {
    return this.#memory.bytes(this.#body, this.#total);
  }

  /** After FAILED. */
  refusal(): Refusal {
    if (this.#columnsError !== null) return refusalOf(this.#columnsError);
    const [fault, offset] = [this.#out(Out.FAULT), this.#out(Out.OFFSET)];
    return {
      fault,
      offset,
      ...(fault === Fault.SYNTAX && { found: this.#around(offset) }),
      row: this.#out(Out.ROW),
      line: this.#out(Out.LINE),
      afterQuote: this.#out(Out.AFTER_QUOTE),
      column: this.#out(Out.COLUMN),
      reason: '',
    };
  }

  /**
   * CSV of one column, after DONE or the refusal of row 10,001: the byte of the first of `;`, tab and `|` that the header and every row
   * hold outside cells in quotes; else 0.
   */
  get otherDelimiter(): number {
    return this.#exports.otherDelimiter();
  }

  /** CSV, after DONE. */
  csvView(): CsvView {
    return csvViewOf(this.#exports, this.#memory, {
      rows: this.rows,
      columns: this.fields,
      ragged: this.#out(Out.RAGGED),
      total: this.#total,
    });
  }

  /** After DONE: the first bytes of the body. */
  beginning(bytes: number): string {
    return this.#memory.text(this.#body, Math.min(bytes, this.#total));
  }

  /** Bytes that have arrived, around byte `at`. */
  piece(at: number, bytes: number): Uint8Array {
    const from = Math.max(0, Math.min(at - bytes / 2, this.#total - bytes));
    return this.#memory.bytes(this.#body + from, Math.min(bytes, this.#total - from));
  }

  /** After DONE: how many fields the rows have together. */
  get fields(): number {
    return this.#out(Out.FIELDS);
  }

  /** After DONE, for JSON and NDJSON: a copy of the text of its rows. Joined with commas, or with line ends, such texts are the rows of one body. */
  rowsText(): Uint8Array<ArrayBuffer> {
    if (this.#texts.format === Format.JSON)
      return this.#memory.bytes(this.#body + this.#out(Out.ROWS_OFFSET), this.#out(Out.ROWS_LENGTH));
    const text = this.received();
    const hasMark = MARK.every((byte, i) => text[i] === byte);
    return hasMark ? text.subarray(MARK.length) : text;
  }

  /** After DONE, for JSON bodies. */
  envelope(): Envelope {
    return {
      top: this.#out(Out.TOP),
      source: this.#member(Out.SOURCE_KIND),
      options: this.#member(Out.OPTIONS_KIND),
      optionsJson: this.#json(Out.OPTIONS_KIND),
      hasRows: this.#out(Out.HAS_ROWS) === 1,
    };
  }

  /** After DONE. */
  get rows(): number {
    return this.#out(Out.ROWS);
  }

  /** After DONE: measures all rows, or a sample of `sampleRows` when there are more. `pastOf`: by which CSV columns are read, the first time; null where nothing is known. */
  measure(sampleRows: number, pastOf: PastOf | null = null): BatchRecord {
    return this.#measure(sampleRows, null, pastOf);
  }

  /** After DONE: measures all rows as a part of a larger batch. `takersOf`: who takes the values of its columns. */
  measurePart(takersOf: TakersOf): BatchRecord {
    return this.#measure(MAX_ROWS, takersOf, null);
  }

  #measure(sampleRows: number, takersOf: TakersOf | null, pastOf: PastOf | null): BatchRecord {
    const [exports, texts] = [this.#exports, this.#texts];
    exports.beginMeasuring(sampleRows);
    this.#signs ??= { texts: oddTexts(exports, texts, this.fields), columns: [] };
    if (texts.format === Format.CSV)
      this.#settled ??= settleColumns(exports, texts, takersOf !== null, pastOf);
    return measureColumns(
      exports,
      texts,
      this.#columns?.door.physicalTypes ?? null,
      this.#settled,
      takersOf,
      this.#signs,
    );
  }

  /** Every cell of a column in row order, for tests. Makes an object for each cell. */
  cells(column: number): { row: number; tag: Tag; value: unknown }[] {
    return Array.from({ length: this.#exports.cellCount(column) }, (_, cell) => ({
      row: this.#exports.cellRow(column, cell),
      tag: this.#exports.cellTag(column, cell),
      value: readCell(this.#exports, this.#texts, column, cell),
    }));
  }

  /** Bytes of address space that this instance uses. */
  get memoryBytes(): number {
    return this.#memory.byteLength;
  }

  #member(first: Out): unknown {
    const length = this.#out(first + 2);
    if (length > MAX_MEMBER_BYTES) return TOO_LONG;
    if (this.#out(first) === Kind.STRING)
      return this.#texts.decode(this.#body + this.#out(first + 1), length, true);
    const json = this.#json(first);
    return json === undefined ? undefined : JSON.parse(json);
  }

  #json(first: Out): string | undefined {
    const length = this.#out(first + 2);
    if (this.#out(first) === Kind.ABSENT || length > MAX_MEMBER_BYTES) return undefined;
    return this.#memory.text(this.#body + this.#out(first + 1), length);
  }

  /** Each byte as one character. */
  #around(offset: number): NonNullable<Refusal['found']> {
    const text = (from: number, to: number) =>
      Buffer.from(this.#memory.bytes(this.#body + from, to - from)).toString('latin1');
    const before = text(Math.max(0, offset - SEEN_BYTES), offset).trimEnd();
    return { text: text(offset, Math.min(this.#total, offset + SEEN_BYTES)), after: before.slice(-1) };
  }

  #out(entry: Out): number {
    return this.#memory.f64At(this.#exports.outAddress() + entry * 8);
  }
}

export const refusalOf = ({ fault, message, column }: ColumnsError): Refusal => ({
  fault,
  offset: 0,
  row: 0,
  line: 0,
  afterQuote: 0,
  column,
  reason: message,
});
