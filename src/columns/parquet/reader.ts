/** Reads a Parquet body that lies in memory, when it is complete: its directory stands at its end. */
import { Fault, MAX_CELLS, MAX_FIELDS, MAX_ROWS } from '../../../assembly/abi.ts';
import { grouped } from '../../terms/wording.ts';
import { ColumnsError, ofColumn, tooLarge } from '../columns-error.ts';
import type { Sink, Space, Vector } from '../field.ts';
import { Scratch } from '../scratch.ts';
import type { Source } from '../source.ts';
import { damaged, tooLong } from './damaged.ts';
import type { Budget } from './pages.ts';
import { openTable, type ParquetTable } from './table.ts';
import { vectorOf } from './vectors.ts';

/**
 * Steps of work that a body may cause. A value of a page, at any level of nesting, is one step, and so are BYTES_A_STEP bytes that are read or
 * decompressed. A column chunk or a page is STEPS_A_PART steps, because even an empty one takes some microseconds. Where larger bodies than
 * USUAL_BODY_BYTES are allowed, so are more steps, in proportion.
 */
const MAX_STEPS = 16_000_000;
const USUAL_BODY_BYTES = 32 * 1024 * 1024;
const BYTES_A_STEP = 8;
const STEPS_A_PART = 80;

export class ParquetReader {
  readonly #space: Space;
  readonly #sink: Sink;
  readonly #at: number;
  readonly #maxBytes: number;

  /** `at`: the address of the body; `maxBytes`: of a body, and of a page when it is decompressed. */
  constructor(space: Space, at: number, sink: Sink, maxBytes: number) {
    this.#space = space;
    this.#at = at;
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  advance(): void {}

  /** The body is complete, with `total` bytes. Throws `ColumnsError`. */
  end(total: number): void {
    const [directory, pages] = [new Scratch(), new Scratch()];
    try {
      this.#read(this.#source(total, directory), pages);
    } finally {
      directory.free();
      pages.free();
    }
  }

  #read(source: Source, pages: Scratch): void {
    const table = openTable(source, bodyBudget(this.#maxBytes), () => pages);
    check(table);
    this.#sink.begin(table.nodes.map(({ field }) => field));
    for (const { rows, open } of table.groups.filter(group => group.rows > 0)) {
      const vectors: Vector[] = [];
      for (const column of open(table.nodes)) {
        ofColumn(column.node.field.name, () => vectors.push(vectorOf(column, rows, this.#space, pages)));
        for (const cursor of column.cursors) cursor.end();
        pages.free();
      }
      this.#sink.append({ vectors, rows, dictionaries: new Map() });
    }
  }

  #source(total: number, memory: Scratch): Source {
    const readInto = (bytes: Uint8Array, from: number) => {
      if (!(from >= 0 && from + bytes.length <= total)) throw damaged('a column lies outside of the file');
      const at = this.#at + from;
      bytes.set(this.#space.bytes().subarray(at, at + bytes.length));
    };
    const read = (from: number, length: number) => {
      const bytes = memory.bytes(length);
      readInto(bytes, from);
      return bytes;
    };
    return { size: total, read, readInto };
  }
}

function check({ nodes, groups }: ParquetTable): void {
  if (nodes.length > MAX_FIELDS) throw tooLarge(Fault.FIELDS);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  if (rows > MAX_ROWS) throw tooLarge(Fault.ROWS);
  if (rows * nodes.length > MAX_CELLS) throw tooLarge(Fault.CELLS);
}

/** One page may have as many bytes as a body and as many values as a batch has cells. All pages together may take MAX_STEPS. */
function bodyBudget(maxBytes: number): Budget {
  const most = Math.floor(MAX_STEPS * Math.max(1, maxBytes / USUAL_BODY_BYTES));
  let left = most;
  const take = (steps: number) => {
    left -= steps;
    if (!(left >= 0)) throw new ColumnsError(grouped(most), Fault.WORK);
  };
  return {
    part: () => take(STEPS_A_PART),
    bytes(count, { path }) {
      if (!(count <= maxBytes)) throw tooLong(path, count, maxBytes, 'bytes');
      take(count / BYTES_A_STEP);
    },
    values(count, { path }) {
      if (!(count <= MAX_CELLS)) throw tooLong(path, count, MAX_CELLS, 'values');
      take(count);
    },
  };
}
