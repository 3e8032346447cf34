/**
 * Cuts a file of any length into batches that fit a request: at most 10,000 rows, and within the other limits.
 *
 * The engine decides where rows end. It reads the file until it refuses row 10,001 and reports the byte at which that row begins.
 * The bytes before it, closed as the format requires, are a batch; the rest begins the next one. So a batch has the exact bytes of
 * its rows. If a batch is full for another reason (too many cells or bytes), it is cut after its last complete row.
 *
 * For CSV, the engine usually gets no byte of row 10,001 (`row-writer.ts`). Then it holds exactly the batch, which is screened from there.
 * Any other batch, unless it is the last of its file, is parsed twice, of a large file in another thread (`cut-ahead.ts`).
 */
import { Fault, Format, Kind, MAX_ROWS, Status } from '../../assembly/abi.ts';
import type { BatchStart, Envelope, Refusal } from '../engine/engine.ts';
import type { Cutting, FileBatch, Position } from './file-batch.ts';
import { HEAD_BYTES, hintOn } from '../intake/recognise.ts';
import { anotherDelimiter, rejectionOf } from '../intake/refusals.ts';
import {
  ARRAY_CLOSING,
  ARRAY_OPENING,
  CLOSE_BRACE,
  COMMA,
  firstByteIn,
  hasRows,
  LF,
  lineEnds,
  markLength,
  OPEN_BRACKET,
  ROWS_CLOSING,
  ROWS_OPENING,
} from './body-bytes.ts';
import { arrayEnd } from '../client/json-bytes.ts';
import { Failure } from './failure.ts';
import { BY_OPTIONS } from './instructions.ts';
import { type CuttingEngine, writeRows, type Written } from './row-writer.ts';
import { grouped } from '../wording.ts';

const NOTHING = new Uint8Array();
/** Enough for any closing. */
const CLOSING_BYTES = 16;

/** The batches of a file in order, at least one. Throws `Failure` with the line of an error in the file. */
export async function* batchesOf(
  text: AsyncIterable<Uint8Array>,
  cutting: Cutting,
): AsyncGenerator<FileBatch> {
  const cutter = new Cutter(text, cutting);
  try {
    for (;;) {
      const batch = await cutter.next();
      yield batch;
      if (batch.last) return;
    }
  } finally {
    await cutter.close();
  }
}

/** Where a batch ends. */
interface Cut {
  /** The bytes before it, with the opening and without a closing. A copy: the screening takes the memory. */
  bytes: Uint8Array;
  /** The bytes after it. */
  rest: Uint8Array;
  rows: number;
  /** Line ends of the file before it, without those of the opening. */
  lines: number;
  /** As in `FileBatch`. */
  held?: number;
}

export class Cutter {
  readonly #cutting: Cutting;
  readonly #text: AsyncIterator<Uint8Array>;
  readonly #start: BatchStart;
  /** Read from the file, but not in a batch yet. */
  #rest: Uint8Array = NOTHING;
  /** Follows `#rest`: bytes that did not fit into the engine. */
  #unfed: Uint8Array = NOTHING;
  /** Put before the rows of a batch; not in the file at that place. */
  #opening: Uint8Array = NOTHING;
  /** Line ends in `#opening`. */
  #openingLines = 0;
  /** Whether a JSON file is an array of rows. */
  #isArray = false;
  #number = 0;
  /** Bytes of the body that the engine has. */
  #held = 0;
  // Position in the file of the first byte that is not in a batch yet.
  #offset = 0;
  #row = 0;
  #line = 1;
  #said: FileBatch['said'] = { source: undefined, options: undefined };

  /** `text` begins at `from`; without it, at the beginning of the file. */
  constructor(text: AsyncIterable<Uint8Array>, cutting: Cutting, from: Position | null = null) {
    this.#cutting = cutting;
    this.#text = text[Symbol.asyncIterator]();
    const { format, delimiter, salt } = cutting;
    this.#start = { format, delimiter, salt };
    if (from === null) return;
    this.#offset = from.offset;
    this.#row = from.rows;
    this.#line = from.line;
    this.#number = from.batches;
    this.#opening = from.opening;
    this.#openingLines = from.openingLines;
  }

  /** Behind the last batch. */
  get position(): Position {
    return {
      offset: this.#offset,
      rows: this.#row,
      line: this.#line,
      batches: this.#number,
      opening: this.#opening,
      openingLines: this.#openingLines,
    };
  }

  async next(): Promise<FileBatch> {
    if (this.#number === 0 && this.#cutting.format === Format.JSON) await this.#lookForArray();
    return this.#fill(this.#cutting.engine);
  }

  async close(): Promise<void> {
    await this.#text.return?.();
  }

  async #fill(engine: CuttingEngine): Promise<FileBatch> {
    engine.begin(this.#start);
    engine.write(this.#opening);
    this.#held = this.#opening.length;
    const room = this.#cutting.maxBodyBytes - CLOSING_BYTES;
    for (let piece: Uint8Array | null = this.#takeRest(); ; piece = await this.#read()) {
      if (piece === null) return this.#ended(engine);
      const fitting = piece.subarray(0, room - this.#held);
      const { written, isRefused } = this.#write(engine, fitting);
      this.#unfed = piece.slice(written);
      this.#held += written;
      if (isRefused) return this.#stopped(engine);
      if (written < fitting.length) return this.#complete(engine);
      if (this.#held === room) return this.#full(engine);
    }
  }

  #write(engine: CuttingEngine, piece: Uint8Array): Written {
    if (this.#cutting.format === Format.CSV) return writeRows(engine, piece);
    return { written: piece.length, isRefused: engine.write(piece) === Status.FAILED };
  }

  /** The engine has 10,000 rows, and another one follows. */
  #complete(engine: CuttingEngine): FileBatch {
    if (engine.end() !== Status.DONE) return this.#stopped(engine);
    const { rows, begun: held } = engine;
    const lines = engine.lineEnds - this.#openingLines;
    return this.#cut(engine, { bytes: engine.received(), rest: NOTHING, rows, lines, held });
  }

  /** At the end of the file. Its last row may still be row 10,001. */
  #ended(engine: CuttingEngine): FileBatch {
    const closing = this.#isArray ? ARRAY_CLOSING : NOTHING;
    const isWhole = engine.write(closing) !== Status.FAILED && engine.end() === Status.DONE;
    if (!isWhole) return this.#stopped(engine);
    this.#checkDelimiter(engine);
    const { rows, begun: held } = engine;
    const bytes = engine.received();
    if (this.#cutting.format === Format.JSON) this.#checkEnvelope(engine, bytes);
    return this.#batch({ bytes, rest: NOTHING, rows, lines: 0, held }, bytes, true);
  }

  /** The engine refused the bytes. Row 10,001 begins the next batch; anything else is an error in the file. */
  #stopped(engine: CuttingEngine): FileBatch {
    const refusal = engine.refusal();
    const { fault, offset } = refusal;
    if (fault === Fault.CELLS) return this.#cutAfterRows(engine, this.#refused(refusal, engine));
    if (fault !== Fault.ROWS) throw this.#refused(refusal, engine);
    const bytes = engine.received(0, offset);
    const lines = this.#lineOf(refusal, bytes) - this.#line;
    return this.#cut(engine, { bytes, rest: engine.received(offset, this.#held), rows: MAX_ROWS, lines });
  }

  /** The engine has no room for more bytes. */
  #full(engine: CuttingEngine): FileBatch {
    if (engine.flush() === Status.FAILED) return this.#stopped(engine);
    const limit = `a batch may have at most ${grouped(this.#cutting.maxBodyBytes)} bytes`;
    const fault = new Failure(`Row ${this.#row + 1} is too large: ${limit}`, this.#cutting.file);
    return this.#cutAfterRows(engine, fault);
  }

  /** Cuts after the last complete row. Throws `fault` if no row is complete. */
  #cutAfterRows(engine: CuttingEngine, fault: Failure): FileBatch {
    const received = engine.received(0, this.#held);
    const at = this.#rowEnd(received, engine.parsed);
    if (at === null) throw fault;
    const bytes = received.slice(0, at);
    const rows = this.#count(engine, this.#closed(bytes));
    if (rows === null) throw fault;
    const lines = lineEnds(bytes.subarray(this.#opening.length), this.#cutting.format);
    return this.#cut(engine, { bytes, rest: received.slice(at), rows, lines });
  }

  /** The end of the row whose last value the engine has parsed; null if it is not complete. */
  #rowEnd(received: Uint8Array, parsed: number): number | null {
    if (this.#cutting.format === Format.CSV) return parsed > this.#opening.length ? parsed : null;
    const end = received.indexOf(CLOSE_BRACE, parsed);
    if (end < 0) return null;
    const next = received.indexOf(this.#cutting.format === Format.JSON ? COMMA : LF, end);
    return next < 0 ? null : next + 1;
  }

  /** The number of rows of a body; null if it is invalid. */
  #count(engine: CuttingEngine, body: Uint8Array): number | null {
    engine.begin(this.#start);
    return engine.write(body) !== Status.FAILED && engine.end() === Status.DONE ? engine.rows : null;
  }

  #cut(engine: CuttingEngine, cut: Cut): FileBatch {
    this.#checkDelimiter(engine);
    const body = this.#closed(cut.bytes);
    const isFirst = this.#number === 0;
    if (isFirst && this.#cutting.format === Format.JSON && !this.#isArray) this.#readEnvelope(engine, body);
    const batch = this.#batch(cut, body, false);
    if (isFirst) this.#setOpening(engine, cut.bytes);
    return batch;
  }

  #batch({ bytes, rest, rows, lines, held }: Cut, body: Uint8Array, last: boolean): FileBatch {
    const batch = {
      body,
      number: ++this.#number,
      rowsBefore: this.#row,
      rows,
      last,
      linesBefore: this.#line - 1 - this.#openingLines,
      said: this.#said,
      held: held ?? null,
    };
    this.#line += lines;
    this.#offset += bytes.length - this.#opening.length;
    this.#row += rows;
    this.#rest = this.#unfed.length === 0 ? rest : Buffer.concat([rest, this.#unfed]);
    return batch;
  }

  /** Complete rows as a body. JSON rows are followed by a comma and white space. */
  #closed(bytes: Uint8Array): Uint8Array {
    if (this.#cutting.format !== Format.JSON) return bytes;
    return Buffer.concat([bytes.subarray(0, bytes.lastIndexOf(COMMA)), ROWS_CLOSING]);
  }

  /** Sets the opening of all batches after the first. */
  #setOpening(engine: CuttingEngine, first: Uint8Array): void {
    if (this.#cutting.format === Format.JSON) this.#opening = ROWS_OPENING;
    if (this.#cutting.format !== Format.CSV) return;
    this.#opening = first.slice(0, engine.headerBytes);
    this.#openingLines = lineEnds(this.#opening, Format.CSV);
  }

  /** Looks at the first batch: later ones have the same delimiter. */
  #checkDelimiter(engine: CuttingEngine): void {
    const { format, delimiter, isDelimiterGiven, file } = this.#cutting;
    if (this.#number > 0 || format !== Format.CSV || isDelimiterGiven) return;
    const other = engine.otherDelimiter;
    if (other !== 0) throw new Failure(anotherDelimiter(other, delimiter, BY_OPTIONS).message, file);
  }

  // ---- JSON ----

  /** Whether the file is an array of rows: then each body puts an object around it. */
  async #lookForArray(): Promise<void> {
    let begin = NOTHING;
    for (;;) {
      const piece = await this.#read();
      if (piece !== null) begin = Buffer.concat([begin, piece]);
      const mark = markLength(begin);
      const first = firstByteIn(begin, mark);
      if (first === undefined && piece !== null) continue;
      this.#isArray = first === OPEN_BRACKET;
      if (this.#isArray) {
        this.#opening = ARRAY_OPENING;
        this.#offset = mark;
      }
      this.#rest = this.#isArray ? begin.subarray(mark) : begin;
      return;
    }
  }

  #readEnvelope(engine: CuttingEngine, body: Uint8Array): void {
    if (this.#count(engine, body) === null)
      throw new Error('the engine refused bytes that it had accepted before');
    const { source, options } = engine.envelope();
    this.#said = { source, options };
  }

  /** At the end of the last body. */
  #checkEnvelope(engine: CuttingEngine, body: Uint8Array): void {
    const envelope = engine.envelope();
    if (this.#isArray) this.#checkArray(engine, body);
    else if (this.#number > 0) this.#checkTail(envelope, body);
    else {
      if (envelope.top !== Kind.OBJECT || !envelope.hasRows)
        throw new Failure('The file must hold an array of rows, or an object with rows', this.#cutting.file);
      this.#said = { source: envelope.source, options: envelope.options };
    }
  }

  /** Rejects text after the array, which would have become members of the object around it. */
  #checkArray(engine: CuttingEngine, body: Uint8Array): void {
    const from = this.#number === 0 ? this.#opening.length : this.#opening.length - 1;
    if (this.#count(engine, body.subarray(from, body.length - ARRAY_CLOSING.length)) !== null) return;
    // The engine has the array now, not the body.
    const refusal = engine.refusal();
    const line =
      this.#line + lineEnds(engine.received(this.#opening.length - from, refusal.offset), Format.JSON);
    const offset = this.#offset + from + refusal.offset - this.#opening.length;
    const { message } = rejectionOf({ ...refusal, offset }, Format.JSON, BY_OPTIONS);
    throw new Failure(message, this.#cutting.file, line);
  }

  /** Earlier batches were screened with the source and options before `rows`: rejects other ones after it. */
  #checkTail({ source, options }: Envelope, body: Uint8Array): void {
    if (hasRows(body.subarray(arrayEnd(body, this.#opening.length - 1) + 1)))
      throw new Failure('The object must have rows only once', this.#cutting.file);
    const said = this.#said;
    const isNews = (now: unknown, before: unknown) =>
      now !== undefined && JSON.stringify(now) !== JSON.stringify(before);
    if (!isNews(source, said.source) && !isNews(options, said.options)) return;
    throw new Failure(
      `source and options must come before rows if there are more than ${grouped(MAX_ROWS)} rows`,
      this.#cutting.file,
    );
  }

  // ---- reading, and positions in the file ----

  #takeRest(): Uint8Array {
    const rest = this.#rest;
    this.#rest = NOTHING;
    return rest;
  }

  async #read(): Promise<Uint8Array | null> {
    const { done, value } = await this.#text.next();
    return done ? null : value;
  }

  /** The engine's refusal as an error, with offset, row and line in the file instead of the body. */
  #refused(refusal: Refusal, engine: CuttingEngine): Failure {
    const { format, file } = this.#cutting;
    const line = this.#lineOf(refusal, engine.received(0, refusal.offset));
    const offset = this.#offset + Math.max(0, refusal.offset - this.#opening.length);
    const { message } = rejectionOf(
      { ...refusal, offset, row: this.#row + refusal.row, line },
      format,
      BY_OPTIONS,
    );
    const isFirst = this.#number === 0 && !this.#isArray;
    const hint = isFirst
      ? hintOn(engine.received(0, Math.min(this.#held, HEAD_BYTES)), format, BY_OPTIONS)
      : '';
    return new Failure(message + hint, file, line);
  }

  /** The line in the file. `before`: the body up to the refusal, because the engine counts no lines of JSON. */
  #lineOf({ line }: Refusal, before: Uint8Array): number {
    const { format } = this.#cutting;
    if (format !== Format.JSON) return this.#line + line - 1 - this.#openingLines;
    return this.#line + lineEnds(before.subarray(this.#opening.length), format);
  }
}
