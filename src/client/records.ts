/** Pieces of bytes → the records in them: the header and rows of CSV, the lines of NDJSON. */
import { type Bytes, joined } from './content.ts';
import { grouped } from '../terms/wording.ts';
import { tooLarge } from './sluice-error.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;

/** Finds where records end. */
export interface Scanner {
  /** Offsets in the piece just after the ends of records; 0 if a record ended with the previous piece. */
  ends(piece: Bytes): number[];
  /** A record of only these bytes is blank. */
  blank: ReadonlySet<number>;
}

/** NDJSON: each row is one line. */
export class LineScanner implements Scanner {
  readonly blank = new Set([LF, CR, SPACE, TAB]);

  ends(piece: Bytes): number[] {
    const ends: number[] = [];
    for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, at + 1)) ends.push(at + 1);
    return ends;
  }
}

/** State before the next byte. `AFTER_QUOTE`: after a quote inside quotes, which closes the cell or escapes a second quote. */
const CELL_BEGIN = 0;
const UNQUOTED = 1;
const QUOTED = 2;
const AFTER_QUOTE = 3;
const AFTER_CR = 4;

/**
 * CSV as the service reads it: records end at LF, CRLF or CR outside quotes, and only a quote at the start of a cell opens a quoted
 * cell. Broken CSV is passed on: the service rejects it.
 */
export class CsvScanner implements Scanner {
  readonly blank = new Set([LF, CR]);
  readonly #delimiter: number;
  readonly #escapeByte: number | null;
  #state = CELL_BEGIN;
  #isEscaped = false;

  /** Bytes. `escapeByte` takes the meaning of the byte behind it, of a quote or a line end too; null: none does. */
  constructor(delimiter: number, escapeByte: number | null = null) {
    this.#delimiter = delimiter;
    this.#escapeByte = escapeByte;
  }

  ends(piece: Bytes): number[] {
    const ends: number[] = [];
    const delimiter = this.#delimiter;
    const escapeByte = this.#escapeByte;
    let state = this.#state;
    let isEscaped = this.#isEscaped;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (state === AFTER_CR) {
        ends.push(byte === LF ? at + 1 : at);
        state = CELL_BEGIN;
        if (byte === LF) continue;
      }
      if (isEscaped || byte === escapeByte) {
        isEscaped = !isEscaped;
        if (state !== QUOTED) state = UNQUOTED;
      } else if (state === QUOTED) {
        if (byte === QUOTE) state = AFTER_QUOTE;
      } else if (byte === LF) {
        ends.push(at + 1);
        state = CELL_BEGIN;
      } else if (byte === CR) state = AFTER_CR;
      else if (byte === delimiter) state = CELL_BEGIN;
      else if (byte === QUOTE && state !== UNQUOTED) state = QUOTED;
      else state = UNQUOTED;
    }
    this.#state = state;
    this.#isEscaped = isEscaped;
    return ends;
  }
}

/**
 * For each piece the records that it completes, without blank ones. The last record needs no line end. Throws `SluiceError`
 * PAYLOAD_TOO_LARGE for a record of more than `most` bytes, such as a CSV record with a quote that is never closed.
 */
export async function* recordsOf(
  pieces: AsyncIterable<Bytes>,
  scanner: Scanner,
  most: number,
): AsyncGenerator<Bytes[]> {
  let open: Bytes[] = [];
  let length = 0;
  const isRecord = (bytes: Bytes) => bytes.some(byte => !scanner.blank.has(byte));
  for await (const given of pieces) {
    // Records outlive the piece. The giver may reuse its memory for the next one, and slice() of a Buffer does not copy.
    const piece = new Uint8Array(given);
    const records: Bytes[] = [];
    let from = 0;
    for (const end of scanner.ends(piece)) {
      open.push(piece.subarray(from, end));
      records.push(open.length === 1 ? open[0]! : joined(open));
      open = [];
      length = 0;
      from = end;
    }
    if (from < piece.length) open.push(piece.subarray(from));
    length += piece.length - from;
    if (length > most) throw recordTooLarge(most);
    yield records.filter(isRecord);
  }
  yield [joined(open)].filter(isRecord);
}

const recordTooLarge = (most: number) =>
  tooLarge(
    `A row has more than ${grouped(most)} bytes; if this is CSV, is there a quote that is never closed?`,
  );

/** Separates the header of CSV from its rows: every batch begins with it. */
export async function headed(
  records: AsyncGenerator<Bytes[]>,
): Promise<{ header: Bytes; rows: AsyncGenerator<Bytes[]> }> {
  for (;;) {
    const { done, value } = await records.next();
    if (done) return { header: new Uint8Array(), rows: records };
    const [header, ...first] = value;
    if (header !== undefined) return { header: withLineEnd(header), rows: after(first, records) };
  }
}

async function* after(first: Bytes[], rest: AsyncGenerator<Bytes[]>): AsyncGenerator<Bytes[]> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

const withLineEnd = (record: Bytes): Bytes => {
  const last = record.at(-1);
  return last === LF || last === CR ? record : joined([record, new Uint8Array([LF])]);
};
