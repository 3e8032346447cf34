/**
 * Finds where the records of texts begin, without parsing them, in one WebAssembly instance for all texts that are read at the same time: a process has few memories that are fast
 * (`src/threads/limits.ts`).
 */
import { Format } from '../../assembly/abi.ts';
import type { CompiledEngine } from './engine.ts';
import type { EngineExports } from './exports.ts';

export interface PassedRecords {
  bytes: number;
  /** Records that begin in these bytes. */
  records: number;
  /** CSV: line ends in them, also those within cells; else line feeds. */
  lines: number;
  /** Where the last of the records begins; null without one. */
  last: number | null;
}

/** Of a text that is looked at at once. */
export const PIECE_BYTES = 256 * 1024;
/** What `keepRecords` writes behind the piece. */
const KEPT_BYTES = 40;

export class RecordScanner {
  readonly exports: EngineExports;
  readonly #at: number;
  /** The text whose piece is in memory. */
  #text: RecordStarts | null = null;

  constructor(module: CompiledEngine) {
    this.exports = new WebAssembly.Instance(module).exports as unknown as EngineExports;
    this.exports.prepare(PIECE_BYTES + KEPT_BYTES);
    this.#at = this.exports.bodyAddress();
  }

  /** Where the piece of the text is, with what is known of the text. */
  turnTo(text: RecordStarts): number {
    if (this.#text === text) return this.#at;
    const kept = this.#at + PIECE_BYTES;
    const memory = new Uint8Array(this.exports.memory.buffer);
    if (this.#text) {
      this.exports.keepRecords(kept);
      this.#text.kept.set(memory.subarray(kept, kept + KEPT_BYTES));
    }
    memory.set(text.kept, kept);
    this.exports.takeRecords(text.format, text.delimiter, kept);
    memory.set(text.piece, this.#at);
    this.#text = text;
    return this.#at;
  }

  write(text: RecordStarts): void {
    const at = this.turnTo(text);
    new Uint8Array(this.exports.memory.buffer, at, PIECE_BYTES).set(text.piece);
  }
}

/** The records of one text. */
export class RecordStarts {
  readonly #scanner: RecordScanner;
  format = Format.CSV;
  delimiter = 0;
  /** What the scanner knows of it while it reads another text. */
  readonly kept = new Uint8Array(KEPT_BYTES);
  /** What is looked at; the giver keeps it as it is meanwhile. */
  piece = new Uint8Array();

  constructor(scanner: RecordScanner) {
    this.#scanner = scanner;
  }

  /** The next byte is the first one of a CSV or NDJSON text behind its mark, or follows the bracket that opens an array of JSON. */
  begin(format: Format, delimiter: number): void {
    this.format = format;
    this.delimiter = delimiter;
    this.#scanner.turnTo(this);
    this.#scanner.exports.beginRecords(format, delimiter);
  }

  /** The next bytes of the text, at most PIECE_BYTES. */
  read(piece: Uint8Array): void {
    this.piece = piece as Uint8Array<ArrayBuffer>;
    this.#scanner.write(this);
  }

  /** Passes bytes between `from` and `to` of the piece, up to the start of the record behind `most` others, or the end of the array. `from` is where the last call ended. */
  pass(from: number, to: number, most: number): PassedRecords {
    const at = this.#scanner.turnTo(this);
    const { passRecords, startedRecords, passedLines, lastStart } = this.#scanner.exports;
    const bytes = passRecords(at + from, at + to, most) - at - from;
    const last = lastStart();
    return { bytes, records: startedRecords(), lines: passedLines(), last: last === 0 ? null : last - at };
  }

  /** JSON: whether the end of the array was passed. */
  get hasEnded(): boolean {
    this.#scanner.turnTo(this);
    return Boolean(this.#scanner.exports.arrayEnded());
  }
}
