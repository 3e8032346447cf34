/**
 * Where the batches of a CSV file are likely to begin: after as many rows as the batches before them had, counted without parsing. So other threads can
 * begin with batches that nobody has reached yet. Only parsing shows whether they began right.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { CompiledEngine } from '../engine/engine.ts';
import { RowCounter } from '../engine/row-counter.ts';
import type { Position } from './file-batch.ts';
import { orUnreadable } from './input.ts';

const PIECE_BYTES = 256 * 1024;

export class LikelyStarts {
  readonly #handle: number;
  readonly #counter: RowCounter;
  /** Bytes of the piece that was read last, and how many of them are passed. */
  #read = 0;
  #passed = 0;
  #last: Position;
  readonly #batchRows: number;
  #isOver = false;

  /** `from`: where a batch begins, not the first. Throws `Failure`, as `next` does. */
  constructor(
    readonly file: string,
    /** In bytes. */
    readonly size: number,
    module: CompiledEngine,
    from: Position,
  ) {
    this.#counter = new RowCounter(module, PIECE_BYTES);
    this.#handle = orUnreadable(file, () => openSync(file, 'r'));
    this.#last = from;
    this.#batchRows = Math.round(from.rows / from.batches);
  }

  /** Where the next batch begins; null where the file has too few rows for it. */
  next(): Position | null {
    if (this.#isOver) return null;
    let { offset, rows, line } = this.#last;
    const end = rows + this.#batchRows;
    while (rows < end) {
      if (this.#passed === this.#read && !this.#readFrom(offset)) {
        this.#isOver = true;
        return null;
      }
      const passed = this.#counter.pass(this.#passed, this.#read, end - rows);
      this.#passed += passed.bytes;
      offset += passed.bytes;
      rows += passed.rows;
      line += passed.lines;
    }
    this.#isOver = offset >= this.size;
    if (this.#isOver) return null;
    this.#last = { ...this.#last, offset, rows, line, batches: this.#last.batches + 1 };
    return this.#last;
  }

  close(): void {
    closeSync(this.#handle);
  }

  /** False at the end of the file. */
  #readFrom(offset: number): boolean {
    const { piece } = this.#counter;
    this.#read = orUnreadable(this.file, () => readSync(this.#handle, piece, 0, PIECE_BYTES, offset));
    this.#passed = 0;
    return this.#read > 0;
  }
}
