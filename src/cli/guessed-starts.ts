/**
 * Guesses where the batches of a CSV file begin, without parsing them: each has as many rows as those before it had on average. So other threads can
 * begin with batches that nobody has reached yet. Only parsing shows whether a guess was right.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { CompiledEngine } from '../engine/engine.ts';
import { RowSkipper } from '../engine/row-skipper.ts';
import { MAX_BODY_BYTES } from './engines.ts';
import type { Position } from './file-batch.ts';

const PIECE_BYTES = 256 * 1024;

export class GuessedStarts {
  readonly #skipper: RowSkipper;
  readonly #handle: number | null;
  /** Bytes of the piece that was read last, and how many of them are skipped. */
  #read = 0;
  #skipped = 0;
  /** Null before `begin`, and where nothing more can be guessed. */
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
   * The start of the batch after the last one. Null where the file has no rows for it, the last batch would be too large, or the file cannot be read:
   * whoever parses the batch says so.
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
