/** Reads a Parquet body that lies in memory, when it is complete: its directory stands at its end. */
import { Fault, MAX_CELLS, MAX_FIELDS, MAX_ROWS } from '../../../assembly/abi.ts';
import type { Pieces } from '../../cooperative-yield.ts';
import { tooLarge } from '../columns-error.ts';
import { grouped } from '../../wording.ts';
import type { Sink, Space, Vector } from '../field.ts';
import type { Source } from '../source.ts';
import { damaged } from './damaged.ts';
import type { Budget } from './pages.ts';
import { openTable, type ParquetTable } from './table.ts';
import { vectorOf } from './vectors.ts';

/** Values at all levels. */
const MAX_VALUES = 4 * MAX_CELLS;
/** Column chunks and pages. Each takes some microseconds, however little is in it. */
const MAX_PARTS = 200_000;

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

  *advancing(): Pieces<void> {}

  /** The body is complete, with `total` bytes. Throws `ColumnsError`. */
  *ending(total: number): Pieces<void> {
    const table = yield* openTable(this.#source(total), bodyBudget(this.#maxBytes));
    check(table);
    this.#sink.begin(table.nodes.map(({ field }) => field));
    for (const { rows, open } of table.groups.filter(group => group.rows > 0)) {
      const vectors: Vector[] = [];
      for (const column of yield* open(table.nodes)) {
        vectors.push(yield* vectorOf(column, rows, this.#space));
        for (const cursor of column.cursors) yield* cursor.end();
      }
      yield* this.#sink.append({ vectors, rows, dictionaries: new Map() });
    }
  }

  #source(total: number): Pick<Source, 'size' | 'read'> {
    return {
      size: total,
      read: (from, length) => {
        if (!(from >= 0 && length >= 0 && from + length <= total))
          throw damaged('a column lies outside of the file');
        return this.#space.bytes().slice(this.#at + from, this.#at + from + length);
      },
    };
  }
}

function check({ nodes, groups }: ParquetTable): void {
  if (nodes.length > MAX_FIELDS) throw tooLarge(Fault.FIELDS);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  if (rows > MAX_ROWS) throw tooLarge(Fault.ROWS);
  if (rows * nodes.length > MAX_CELLS) throw tooLarge(Fault.CELLS);
}

/** A page is read in few steps, so each may have the bytes of a body and the cells of a batch; all of them, four times that. */
function bodyBudget(maxBytes: number): Budget {
  let [partsLeft, bytesLeft, valuesLeft] = [MAX_PARTS, 4 * maxBytes, MAX_VALUES];
  return {
    part() {
      if (--partsLeft < 0) throw damaged(`it has more than ${grouped(MAX_PARTS)} column chunks and pages`);
    },
    bytes(count) {
      bytesLeft -= count;
      if (!(count >= 0 && count <= maxBytes)) throw damaged('a page takes more bytes than a body may have');
      if (bytesLeft < 0) throw damaged('its pages take more bytes than a body may have');
    },
    values(count) {
      valuesLeft -= count;
      if (count > MAX_CELLS) throw damaged('a page has more values than a batch may have');
      if (valuesLeft < 0) throw damaged('its pages have more values than a batch may have');
    },
  };
}
