/** Collects rows of a larger table until they are a request: at most 10,000 rows, and within the other limits. */
import { Fault, MAX_CELLS, MAX_FIELDS, MAX_ROWS } from '../../assembly/abi.ts';
import { schemaMessage, streamOf } from './arrow/writer.ts';
import { quoted } from '../terms/errors.ts';
import { grouped } from '../terms/wording.ts';
import { ColumnBuilder, type Reading } from './column-builder.ts';
import { ColumnsError, tooLarge } from './columns-error.ts';
import type { Field, Rows, Vector } from './field.ts';

/** Around the buffers: the messages' metadata, and the names that the engine keeps as texts. */
const SPARE_BYTES = 64 * 1024;

export class BatchBuilder {
  rows = 0;
  /** Rows of the batches before. */
  #written = 0;
  readonly #columns: ColumnBuilder[];
  readonly #schema: Uint8Array;
  readonly #maxRows: number;
  readonly #maxBytes: number;

  /** `maxBytes`: of a body. Throws `ColumnsError`. */
  constructor(fields: Field[], maxBytes: number) {
    if (fields.length > MAX_FIELDS) throw tooLarge(Fault.FIELDS);
    this.#maxRows = Math.min(MAX_ROWS, Math.floor(MAX_CELLS / fields.length));
    this.#columns = fields.map(field => new ColumnBuilder(field, this.#maxRows, maxBytes));
    this.#schema = schemaMessage(this.#columns.map(column => column.field));
    this.#maxBytes = maxBytes - SPARE_BYTES - 2 * this.#schema.length - 64 * fields.length;
  }

  /** Takes rows from row `from` on, as many as there is room for, and returns how many; 0: the batch is full. Throws `ColumnsError`. */
  take({ vectors, rows, dictionaries }: Rows, from: number, memory: Uint8Array<ArrayBuffer>): number {
    const before = this.rows;
    const reading = { memory, view: new DataView(memory.buffer), dictionaries };
    for (let count = Math.min(rows - from, this.#maxRows - before); count > 0; count >>= 1) {
      for (const [i, column] of this.#columns.entries()) column.append(vectors[i]!, from, count, reading);
      this.rows = before + count;
      if (this.#fits()) return count;
      for (const column of this.#columns) column.truncate(before);
      this.rows = before;
    }
    if (before === 0 && rows > from) throw this.#tooLarge(vectors, from, reading);
    return 0;
  }

  /** The rows as an Arrow stream. The next batch begins. */
  body(): Uint8Array {
    const body = streamOf(
      this.#schema,
      this.rows,
      this.#columns.map(column => column.written()),
    );
    this.#written += this.rows;
    for (const column of this.#columns) column.truncate(0);
    this.rows = 0;
    return body;
  }

  /** Row `from` does not fit even alone. */
  #tooLarge(vectors: readonly Vector[], from: number, reading: Reading): ColumnsError {
    const sizes = this.#columns.map((column, i) => {
      column.append(vectors[i]!, from, 1, reading);
      const { body, texts } = column.bytes;
      column.truncate(0);
      return Math.max(body, texts);
    });
    const most = Math.max(...sizes);
    const { name } = this.#columns[sizes.indexOf(most)]!.field;
    return new ColumnsError(
      `Row ${this.#written} (from 0) is too large for a batch of ${grouped(this.#maxBytes)} bytes: its longest value, in ${quoted(name)}, takes ${grouped(most)}`,
    );
  }

  #fits(): boolean {
    let [body, texts] = [0, 0];
    for (const { bytes } of this.#columns) {
      body += bytes.body + 24;
      texts += bytes.texts;
    }
    return Math.max(body, texts) <= this.#maxBytes;
  }
}
