/** Bytes that arrive piece by piece → the records in them: the rows of CSV with its header, and the lines of NDJSON. */
import { type Bytes, joined } from './content.ts';
import { tooLarge } from './sluice-error.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;

/** Finds where records end. */
export interface Scanner {
  /** Positions in the piece behind the ends of records; 0 where one was at its end with the piece before. */
  ends(piece: Bytes): number[];
  /** Bytes of which a record may consist and be none. */
  blank: ReadonlySet<number>;
}

/** NDJSON: a row may not span lines. */
export class LineScanner implements Scanner {
  readonly blank = new Set([LF, CR, SPACE, TAB]);

  ends(piece: Bytes): number[] {
    const ends: number[] = [];
    for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, at + 1)) ends.push(at + 1);
    return ends;
  }
}

/** Where in a record the next byte stands. `AFTER_QUOTE`: behind a quote in quotes, which closes or is the first of two. */
const CELL_BEGIN = 0;
const UNQUOTED = 1;
const QUOTED = 2;
const AFTER_QUOTE = 3;
const AFTER_CR = 4;

/**
 * CSV as the service reads it: records end at LF, CRLF or CR outside quotes, and only a quote at a cell's begin opens. What is
 * broken is passed on, to be refused there.
 */
export class CsvScanner implements Scanner {
  readonly blank = new Set([LF, CR]);
  readonly #delimiter: number;
  #state = CELL_BEGIN;

  /** The delimiter is a byte. */
  constructor(delimiter: number) {
    this.#delimiter = delimiter;
  }

  ends(piece: Bytes): number[] {
    const ends: number[] = [];
    const delimiter = this.#delimiter;
    let state = this.#state;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (state === AFTER_CR) {
        ends.push(byte === LF ? at + 1 : at);
        state = CELL_BEGIN;
        if (byte === LF) continue;
      }
      if (state === QUOTED) {
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
    return ends;
  }
}

/**
 * The records of each piece that are whole with it, without those that are blank; the last need not have an end. Throws
 * `SluiceError` PAYLOAD_TOO_LARGE for a record of more than `most` bytes, as one of CSV is whose quote is never closed.
 */
export async function* recordsOf(
  pieces: AsyncIterable<Bytes>,
  scanner: Scanner,
  most: number,
): AsyncGenerator<Bytes[]> {
  let begun: Bytes[] = [];
  let length = 0;
  const isRecord = (bytes: Bytes) => bytes.some(byte => !scanner.blank.has(byte));
  for await (const given of pieces) {
    // Records are kept, and who gives the piece may use its memory for the next; the slice of a Buffer is no copy.
    const piece = new Uint8Array(given);
    const records: Bytes[] = [];
    let from = 0;
    for (const end of scanner.ends(piece)) {
      begun.push(piece.subarray(from, end));
      records.push(begun.length === 1 ? begun[0]! : joined(begun));
      begun = [];
      length = 0;
      from = end;
    }
    if (from < piece.length) begun.push(piece.subarray(from));
    length += piece.length - from;
    if (length > most) throw endless(most);
    yield records.filter(isRecord);
  }
  yield [joined(begun)].filter(isRecord);
}

const endless = (most: number) =>
  tooLarge(
    `A row has more than ${most.toLocaleString('en-US')} bytes; if this is CSV, is there a quote that is never closed?`,
  );

/** A record apart from those behind it: the header of CSV, which every batch begins with. */
export async function headed(
  records: AsyncGenerator<Bytes[]>,
): Promise<{ header: Bytes; rows: AsyncGenerator<Bytes[]> }> {
  for (;;) {
    const { done, value } = await records.next();
    if (done) return { header: new Uint8Array(), rows: records };
    const [header, ...first] = value;
    if (header !== undefined) return { header: withEnd(header), rows: after(first, records) };
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

const withEnd = (record: Bytes): Bytes => {
  const last = record.at(-1);
  return last === LF || last === CR ? record : joined([record, new Uint8Array([LF])]);
};
