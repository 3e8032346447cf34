/**
 * Guesses where the batches of a CSV file begin, without parsing them: each batch is assumed to have as many rows as the earlier ones had on average. So
 * threads can begin with later batches. Only parsing shows whether a guess was right.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { CompiledEngine } from '../engine/engine.ts';
import { RowSkipper } from '../engine/row-skipper.ts';
import { MAX_BODY_BYTES } from './open-engine.ts';
import type { Position } from './file-batch.ts';

const PIECE_BYTES = 256 * 1024;

export class GuessedStarts {
  readonly #skipper: RowSkipper;
  readonly #handle: number | null;
  /** Bytes of the current piece, and how many of them are skipped. */
  #read = 0;
  #skipped = 0;
  /** The last guess. Null before `begin`, and after the last possible guess. */
  #last: Position | null = null;
  #batchRows = 0;

  constructor(
    file: string,
    /** In bytes. */
    readonly size: number,
    module: CompiledEngine,
  ) {
    this.#skipper = new RowSkipper(module, PIECE_BYTES);
    this.#handle = orNull(() => openSync(file, 'r'));
  }

  /** `from`: the start of any batch but the first. */
  begin(from: Position): void {
    this.#skipper.begin();
    this.#last = from;
    this.#batchRows = Math.round(from.rows / from.batches);
    this.#read = 0;
    this.#skipped = 0;
  }

  /**
   * The start of the next batch. Null if the file has too few rows, if the batch before it would be too large for a request, or if the file cannot be read:
   * parsing reports that error.
   */
  next(): Position | null {
    if (this.#last !== null) this.#last = this.#behind(this.#last);
    return this.#last;
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
  }

  #behind(last: Position): Position | null {
    let { offset, rows, line } = last;
    const end = rows + this.#batchRows;
    while (rows < end) {
      if (this.#skipped === this.#read && !this.#readFrom(offset)) return null;
      const skipped = this.#skipper.skip(this.#skipped, this.#read, end - rows);
      this.#skipped += skipped.bytes;
      offset += skipped.bytes;
      rows += skipped.rows;
      line += skipped.lines;
      if (offset - last.offset > MAX_BODY_BYTES) return null;
    }
    return offset < this.size ? { ...last, offset, rows, line, batches: last.batches + 1 } : null;
  }

  /** False at the end of the file. */
  #readFrom(offset: number): boolean {
    const { piece } = this.#skipper;
    this.#read = orNull(() => readSync(this.#handle!, piece, 0, PIECE_BYTES, offset)) ?? 0;
    this.#skipped = 0;
    return this.#read > 0;
  }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
