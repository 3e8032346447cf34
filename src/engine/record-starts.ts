/** Finds where the records of a text begin, without parsing it, in a WebAssembly instance of its own. */
import type { Format } from '../../assembly/abi.ts';
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

export class RecordStarts {
  readonly #exports: EngineExports;
  readonly #at: number;
  /** Write bytes of the text here, then call `pass`. */
  readonly piece: Uint8Array<ArrayBuffer>;

  constructor(module: CompiledEngine, pieceBytes: number) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as EngineExports;
    this.#exports.prepare(pieceBytes);
    this.#at = this.#exports.bodyAddress();
    this.piece = new Uint8Array(this.#exports.memory.buffer, this.#at, pieceBytes);
  }

  /** The next byte is the first one of a CSV or NDJSON text behind its mark, or follows the bracket that opens an array of JSON. */
  begin(format: Format, delimiter: number): void {
    this.#exports.beginRecords(format, delimiter);
  }

  /** Passes bytes between `from` and `to` of the piece, up to the start of the record behind `most` others, or the end of the array. `from` is where the last call ended. */
  pass(from: number, to: number, most: number): PassedRecords {
    const { passRecords, startedRecords, passedLines, lastStart } = this.#exports;
    const bytes = passRecords(this.#at + from, this.#at + to, most) - this.#at - from;
    const last = lastStart();
    return {
      bytes,
      records: startedRecords(),
      lines: passedLines(),
      last: last === 0 ? null : last - this.#at,
    };
  }

  /** JSON: whether the end of the array was passed. */
  get hasEnded(): boolean {
    return Boolean(this.#exports.arrayEnded());
  }
}
