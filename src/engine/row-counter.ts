/** Counts rows of CSV without parsing them, in a WebAssembly instance of its own. */
import type { CompiledEngine } from './engine.ts';
import type { EngineExports } from './exports.ts';

export interface Passed {
  bytes: number;
  rows: number;
  /** Line feeds: more than rows where cells have some. */
  lines: number;
}

export class RowCounter {
  readonly #exports: EngineExports;
  readonly #at: number;
  /** Where the bytes are to be put that `pass` counts. */
  readonly piece: Uint8Array;

  constructor(module: CompiledEngine, pieceBytes: number) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as EngineExports;
    this.#exports.prepare(pieceBytes);
    this.#at = this.#exports.bodyAddress();
    this.piece = new Uint8Array(this.#exports.memory.buffer, this.#at, pieceBytes);
  }

  /**
   * Passes at most `rows` rows from byte `from` of the piece on, where a row begins, or the last call ended. They end with line feeds outside of
   * quotes. Bytes of a row that does not end before byte `to` are passed too, and the next call goes on in that row.
   */
  pass(from: number, to: number, rows: number): Passed {
    const { passRows, passedRows, passedLines } = this.#exports;
    const bytes = passRows(this.#at + from, this.#at + to, rows) - this.#at - from;
    return { bytes, rows: passedRows(), lines: passedLines() };
  }
}
