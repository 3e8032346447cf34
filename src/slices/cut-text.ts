/**
 * Cuts a text of any length into batches that fit a request: at most 10,000 rows, and within the other limits.
 *
 * One scan finds where records begin (`assembly/record-starts.ts`), without parsing them. The bytes up to the start of row 10,001, closed as the format requires, are a
 * batch, and the rest begins the next one. So a batch has the exact bytes of its rows, and batches can be parsed in any thread. What is wrong with the text is found there.
 */
import { Format, MAX_CELLS, MAX_ROWS } from '../../assembly/abi.ts';
import { PIECE_BYTES, type RecordStarts } from '../engine/record-starts.ts';
import { HEAD_BYTES } from '../intake/recognise.ts';
import { grouped } from '../terms/wording.ts';
import {
  arrayAt,
  ARRAY_OPENING,
  CLOSE_BRACE,
  COMMA,
  firstByteIn,
  lineEnds,
  markLength,
  OPEN_BRACE,
  OPEN_BRACKET,
  ROWS_CLOSING,
  ROWS_OPENING,
  rowsAt,
} from './body-bytes.ts';
import { bodyOf, type Slice } from './slice.ts';
import { cellsIn } from './csv-cells.ts';
import { mayHaveRows, membersIn, parsed, saidIn } from './json-around.ts';
import { lineStart } from './line-start.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** What is wrong with a text is said where it is parsed, but for what only its cutting shows. */
export class CutError extends Error {}

export interface Cutting {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** CSV: the line of the header, from 1; 1 by default. */
  headerLine?: number | undefined;
  maxBodyBytes: number;
  /** JSON: names of the members that lead to the rows; the file is an array, or has them in `rows`, without it. */
  rowsPath?: readonly string[] | undefined;
  /** Of a batch; MAX_ROWS without it. */
  maxRows?: number;
  /** Nobody else uses it meanwhile. */
  records: RecordStarts;
  /** JSON: makes the error for a text without an array of rows at this path; null: at none. Without it, parsing refuses the text. */
  noRows?: (text: Uint8Array, path: readonly string[] | null) => Error;
}

export const ROWS_TWICE = 'The object must have rows only once';

/** For all that closes a body. */
const CLOSING_BYTES = 16;
const NOTHING = new Uint8Array();
const NOTHING_SAID: Slice['said'] = { source: undefined, options: undefined };

/** In their order, at least one. Throws `CutError`. */
export async function* slicesOf(text: AsyncIterable<Uint8Array>, cutting: Cutting): AsyncGenerator<Slice> {
  const cutter = new Cutter(cutting);
  for await (const piece of text) yield* cutter.next(piece);
  yield cutter.end();
}

class Cutter {
  readonly #cutting: Cutting;
  /** Read before it is known where the records begin: up to the array of JSON, or a byte order mark. Null: that is known. */
  #beginning: Bytes | null = NOTHING;
  /** Whether a JSON text is an array of rows; otherwise it is an object around one. */
  #isArray = false;
  /** The batch in progress: what is put before it that is not in the text there, and its own bytes. */
  #opening: Bytes = NOTHING;
  #pieces: Bytes[] = [];
  #bytes = 0;
  /** Records that have begun in it, lines that have ended, and where the last record begins. */
  #records = 0;
  #lines = 0;
  #last = 0;
  /** Records for one batch. Of the first batch also the header. Until its first record is complete: 1. */
  #most = 1;
  #columns: number | null = null;
  /** CSV: put before all batches but the first. */
  #header: { bytes: Bytes; lines: number } = { bytes: NOTHING, lines: 0 };
  /** JSON: where the first row is looked for. */
  #rowsFrom = 0;
  /** JSON: bytes of the batch up to the end of the array; null before that. */
  #arrayEnd: number | null = null;
  /** JSON with `rowsPath`: the text before the rows. */
  #around = '';
  #closedAt: number | null = null;
  // Position of the first byte that is not in a batch yet.
  #offset = 0;
  #row = 0;
  #line = 0;
  #number = 0;
  #said = NOTHING_SAID;

  constructor(cutting: Cutting) {
    this.#cutting = cutting;
  }

  /** Takes the next bytes, whose memory may be used again. */
  *next(bytes: Uint8Array): Generator<Slice> {
    let rest = bytes;
    if (this.#beginning !== null) {
      const read = this.#begin(bytes);
      if (read === null) return;
      rest = read;
    }
    for (let from = 0; from < rest.length; from += PIECE_BYTES)
      yield* this.#pass(rest.subarray(from, from + PIECE_BYTES));
  }

  /** The text is complete. */
  end(): Slice {
    if (this.#beginning !== null) this.#endBeginning();
    if (this.#columns === null && this.#records > 0) this.#knowColumns();
    const { format } = this.#cutting;
    if (format === Format.JSON) this.#endJson();
    return this.#batch(this.#take(), this.#rows, this.#lines, true);
  }

  // ---- the scan ----

  *#pass(bytes: Uint8Array): Generator<Slice> {
    const { records, maxBodyBytes } = this.#cutting;
    const room = maxBodyBytes - CLOSING_BYTES;
    records.read(bytes);
    for (let at = 0; at < bytes.length; ) {
      const to = Math.min(bytes.length, at + room - this.#opening.length - this.#bytes);
      if (to <= at) {
        yield* this.#full();
        continue;
      }
      if (this.#arrayEnd !== null) {
        this.#add(bytes.subarray(at, to));
        at = to;
        continue;
      }
      const passed = records.pass(at, to, this.#most - this.#records);
      if (passed.last !== null) this.#last = this.#bytes + passed.last - at;
      this.#records += passed.records;
      this.#lines += passed.lines;
      this.#add(bytes.subarray(at, at + passed.bytes));
      at += passed.bytes;
      if (records.hasEnded) this.#arrayEnd = this.#bytes;
      else if (at < to) yield* this.#nextRecord();
    }
  }

  /** Another record begins than the batch has room for. */
  *#nextRecord(): Generator<Slice> {
    if (this.#columns === null) this.#knowColumns();
    if (this.#records === this.#most) yield this.#cut();
  }

  /** The first record is complete: how many cells it has says how many rows a batch may have. */
  #knowColumns(): void {
    const { format, delimiter, maxRows = MAX_ROWS } = this.#cutting;
    const body = bodyOf({ pieces: this.#pieces });
    const isCsv = format === Format.CSV;
    const text = new TextDecoder().decode(body.subarray(this.#rowsFrom));
    this.#columns = isCsv ? cellsIn(text, delimiter) : membersIn(text);
    const rows = Math.min(maxRows, Math.max(1, Math.floor(MAX_CELLS / Math.max(1, this.#columns))));
    this.#most = isCsv ? rows + 1 : rows;
    if (isCsv) this.#header = this.#headerIn(body);
  }

  /** What the later batches begin with: the header without what stands before it in the file. */
  #headerIn(body: Bytes): { bytes: Bytes; lines: number } {
    if ((this.#cutting.headerLine ?? 1) === 1) return { bytes: body, lines: this.#lines };
    const bytes = body.slice(this.#rowsFrom);
    return { bytes, lines: lineEnds(bytes, Format.CSV) };
  }

  /** Rows that have begun in the batch. */
  get #rows(): number {
    const hasHeader = this.#cutting.format === Format.CSV && this.#number === 0;
    return Math.max(0, this.#records - (hasHeader ? 1 : 0));
  }

  #add(bytes: Uint8Array): void {
    this.#pieces.push(new Uint8Array(bytes));
    this.#bytes += bytes.length;
  }

  /** Gives the bytes so far, and keeps none. */
  #take(): Bytes[] {
    const pieces =
      this.#opening.length === 0 ? this.#pieces : [new Uint8Array(this.#opening), ...this.#pieces];
    this.#pieces = [];
    return pieces;
  }

  /** The batch before the record that begins now. */
  #cut(): Slice {
    return this.#batch(this.#closed(this.#take()), this.#rows, this.#lines, false);
  }

  /** There is no room for more bytes: cuts before the last record, which begins the next batch. */
  *#full(): Generator<Slice> {
    const least = this.#cutting.format === Format.CSV && this.#number === 0 ? 2 : 1;
    if (this.#arrayEnd !== null || this.#records <= least) {
      const batch = this.#batch(this.#take(), this.#rows, this.#lines, true);
      yield { ...batch, isCutOff: true };
      throw new Error('a batch that is cut off is an error');
    }
    const all = bodyOf({ pieces: this.#pieces });
    const [body, rest] = [all.slice(0, this.#last), all.slice(this.#last)];
    const lines = lineEnds(body, this.#cutting.format);
    const left = this.#lines - lines;
    this.#pieces = [body];
    this.#bytes = body.length;
    this.#records--;
    yield this.#batch(this.#closed(this.#take()), this.#rows, lines, false);
    this.#pieces = [rest];
    this.#bytes = rest.length;
    this.#records = 1;
    this.#lines = left;
  }

  #batch(pieces: Bytes[], rows: number, lines: number, last: boolean): Slice {
    const isFirst = this.#number === 0;
    const openingLines = isFirst ? 0 : this.#header.lines;
    const batch: Slice = {
      pieces,
      number: ++this.#number,
      rowsBefore: this.#row,
      rows,
      last,
      linesBefore: this.#line - openingLines,
      bytesBefore: this.#offset - this.#opening.length,
      closedAt: this.#closedAt,
      said: this.#said,
      head: isFirst && !this.#isArray ? headOf(pieces) : null,
      isCutOff: false,
    };
    this.#offset += this.#bytes;
    this.#row += rows;
    this.#line += lines;
    this.#bytes = this.#records = this.#lines = this.#last = 0;
    this.#opening = this.#cutting.format === Format.JSON ? ROWS_OPENING : this.#header.bytes;
    if (isFirst && this.#header.bytes.length > 0) this.#most--;
    return batch;
  }

  /** Complete rows as a body. JSON rows are followed by a comma and white space. */
  #closed(pieces: Bytes[]): Bytes[] {
    if (this.#cutting.format !== Format.JSON) return pieces;
    const closed = [...pieces];
    for (let last = closed.pop(); last !== undefined; last = closed.pop()) {
      const comma = last.lastIndexOf(COMMA);
      if (comma >= 0) return [...closed, last.slice(0, comma), new Uint8Array(ROWS_CLOSING)];
    }
    return pieces;
  }

  // ---- where the records begin ----

  /** Looks for the first record in what is read so far: what follows it; null: not found yet. */
  #begin(bytes: Uint8Array): Uint8Array | null {
    const { format, delimiter, records, maxBodyBytes } = this.#cutting;
    const begin = Buffer.concat([this.#beginning!, bytes]);
    const mark = markLength(begin);
    const at =
      format === Format.JSON
        ? this.#rowsIn(begin, mark)
        : begin.length < 3
          ? null
          : this.#tableIn(begin, mark);
    if (at === null && begin.length < maxBodyBytes - CLOSING_BYTES) {
      this.#beginning = new Uint8Array(begin);
      return null;
    }
    this.#beginning = null;
    records.begin(format, delimiter);
    this.#passBeginning(begin, at ?? 0);
    return begin.subarray(at ?? 0);
  }

  /** Behind what stands before the header; null: that is not all here. */
  #tableIn(begin: Uint8Array, mark: number): number | null {
    const at = lineStart(begin.subarray(mark), this.#cutting.headerLine ?? 1);
    return at === null ? null : mark + at;
  }

  #passBeginning(begin: Uint8Array, length: number): void {
    // The object that is put around an array has no mark, and nothing of what is around the array in the file.
    const isWithin = this.#isArray && this.#cutting.rowsPath !== undefined && length > 0;
    const from = isWithin ? length - 1 : this.#isArray ? markLength(begin) : 0;
    if (isWithin) this.#around = new TextDecoder().decode(begin.subarray(0, length));
    this.#offset = from;
    if (this.#isArray) this.#opening = ARRAY_OPENING;
    if (length > from) this.#add(begin.subarray(from, length));
    this.#rowsFrom = this.#bytes;
    this.#lines = lineEnds(begin.subarray(from, length), this.#cutting.format);
    this.#line = lineEnds(begin.subarray(0, from), this.#cutting.format);
    if (this.#isArray || length === 0 || this.#cutting.format !== Format.JSON) return;
    this.#said = saidIn(`${new TextDecoder().decode(begin.subarray(0, length))}]}`) ?? NOTHING_SAID;
  }

  /** Behind the bracket that opens the array of rows; null: it is not there. */
  #rowsIn(begin: Uint8Array, mark: number): number | null {
    const { rowsPath } = this.#cutting;
    if (rowsPath !== undefined) return this.#rowsAlong(rowsPath, begin);
    const first = firstByteIn(begin, mark);
    this.#isArray = first === OPEN_BRACKET;
    if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return null;
    const at = this.#isArray ? begin.indexOf(OPEN_BRACKET) : rowsAt(begin);
    return at < 0 || at >= begin.length ? null : at + 1;
  }

  #rowsAlong(path: readonly string[], begin: Uint8Array): number | null {
    const at = arrayAt(begin, path);
    if (at === -1) throw this.#noRows(begin, path);
    this.#isArray = at !== null;
    return at === null ? null : at + 1;
  }

  #noRows(text: Uint8Array, path: readonly string[]): Error {
    return this.#cutting.noRows?.(text, path) ?? new CutError(`There is no array in ${path.join('.')}`);
  }

  /** A short text, or JSON without an array of rows. */
  #endBeginning(): void {
    const text = Buffer.from(this.#beginning!);
    this.#beginning = null;
    const { format, delimiter, records, rowsPath, noRows } = this.#cutting;
    if (format === Format.JSON && rowsPath !== undefined) throw this.#noRows(text, rowsPath);
    if (format === Format.JSON && noRows !== undefined && !mayHaveRows(text)) throw noRows(text, null);
    records.begin(format, delimiter);
    const from = (format === Format.JSON ? null : this.#tableIn(text, markLength(text))) ?? text.length;
    this.#passBeginning(text, from);
    for (const _ of this.#pass(text.subarray(from))) throw new Error('a short text has one batch');
  }

  // ---- the end of JSON ----

  #endJson(): void {
    const bytes = this.#pieces;
    if (this.#isArray) {
      // A brace closes the object around the array: what follows it is refused by parsing, unless it is white space.
      const all = bodyOf({ pieces: bytes });
      const end = this.#arrayEnd ?? all.length;
      this.#closedAt = this.#opening.length + end;
      const behind = all.slice(end);
      if (this.#around !== '') this.#checkAround(behind);
      const rest = this.#around === '' ? behind : NOTHING;
      this.#pieces = [all.slice(0, end), Uint8Array.of(CLOSE_BRACE), rest];
      return;
    }
    if (this.#arrayEnd === null) return;
    const all = bodyOf({ pieces: bytes });
    this.#pieces = [all];
    const tail = new TextDecoder().decode(all.subarray(this.#arrayEnd));
    if (this.#number > 0) this.#checkTail(tail);
    else {
      const head = new TextDecoder().decode(all.subarray(0, rowsAt(all) + 1));
      this.#said = saidIn(`${head}]${tail}`) ?? this.#said;
    }
  }

  /** What is around the rows is not screened, but the file must be JSON. */
  #checkAround(behind: Uint8Array): void {
    if (this.#arrayEnd === null) return;
    if (parsed(`${this.#around}]${new TextDecoder().decode(behind)}`) === undefined)
      throw new CutError('This is not JSON: something is wrong behind its rows');
  }

  /** Earlier batches were screened with the source and options before `rows`: rejects other ones after it. */
  #checkTail(tail: string): void {
    const members = parsed(`{"":0${tail}`) as Record<string, unknown> | undefined;
    if (members === undefined) return;
    if (Object.hasOwn(members, 'rows')) throw new CutError(ROWS_TWICE);
    const said = this.#said;
    const isNews = (now: unknown, before: unknown) =>
      now !== undefined && JSON.stringify(now) !== JSON.stringify(before);
    if (!isNews(members.source, said.source) && !isNews(members.options, said.options)) return;
    throw new CutError(
      `source and options must come before rows if there are more than ${grouped(MAX_ROWS)} rows`,
    );
  }
}

function headOf(pieces: Bytes[]): Bytes {
  const begin = pieces.slice(0, 3).map(piece => piece.subarray(0, HEAD_BYTES));
  return bodyOf({ pieces: begin }).slice(0, HEAD_BYTES);
}
