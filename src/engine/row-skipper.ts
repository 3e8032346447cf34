/** Skips rows of CSV without parsing them, in a WebAssembly instance of its own. */
import type { CompiledEngine } from './engine.ts';
import type { EngineExports } from './exports.ts';

export interface Skipped {
  bytes: number;
  rows: number;
  /** Line feeds, also those within cells. */
  lines: number;
}

export class RowSkipper {
  readonly #exports: EngineExports;
  readonly #at: number;
  /** Write bytes here, then call `skip`. */
  readonly piece: Uint8Array;

  constructor(module: CompiledEngine, pieceBytes: number) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as EngineExports;
    this.#exports.prepare(pieceBytes);
    this.#at = this.#exports.bodyAddress();
    this.piece = new Uint8Array(this.#exports.memory.buffer, this.#at, pieceBytes);
  }

  /** The next byte is the first one of a row. */
  begin(): void {
    this.#exports.beginSkipping();
  }

  /**
   * Skips up to `rows` rows (at least 1) between the bytes `from` and `to` of the piece. `from` is the start of a row, or where the last call ended. A row
   * ends at a line feed outside of quotes. If `to` lies within a row, the next call goes on in that row.
   */
  skip(from: number, to: number, rows: number): Skipped {
    const { skipRows, skippedRows, skippedLines } = this.#exports;
    const bytes = skipRows(this.#at + from, this.#at + to, rows) - this.#at - from;
    return { bytes, rows: skippedRows(), lines: skippedLines() };
  }
}
