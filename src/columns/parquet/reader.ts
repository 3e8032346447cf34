/** Reads a Parquet body that lies in memory, when it is complete: its directory stands at its end. */
import { Fault, MAX_CELLS, MAX_FIELDS, MAX_ROWS } from '../../../assembly/abi.ts';
import type { Pieces } from '../../cooperative-yield.ts';
import { tooLarge } from '../columns-error.ts';
import type { Sink, Space, Vector } from '../field.ts';
import type { Source } from '../source.ts';
import { damaged } from './damaged.ts';
import type { Budget } from './pages.ts';
import { openTable, type ParquetTable } from './table.ts';
import { vectorOf } from './vectors.ts';

/** Values at all levels. */
const MAX_VALUES = 4 * MAX_CELLS;

export class ParquetReader {
  readonly #space: Space;
  readonly #sink: Sink;
  readonly #at: number;
  readonly #maxBytes: number;

  /** `at`: the address of the body; `maxBytes`: what its pages may take when they are decompressed. */
  constructor(space: Space, at: number, sink: Sink, maxBytes: number) {
    this.#space = space;
    this.#at = at;
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  *advancing(): Pieces<void> {}

  /** The body is complete, with `total` bytes. Throws `ColumnsError`. */
  *ending(total: number): Pieces<void> {
    const table = openTable(this.#source(total), bodyBudget(4 * this.#maxBytes));
    check(table);
    this.#sink.begin(table.nodes.map(({ field }) => field));
    for (const { rows, open } of table.groups) {
      const vectors: Vector[] = [];
      for (const column of open(table.nodes)) {
        vectors.push(yield* vectorOf(column, rows, this.#space));
        for (const cursor of column.cursors) cursor.end();
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

/** What all pages of a body may take. */
function bodyBudget(maxBytes: number): Budget {
  let [bytesLeft, valuesLeft] = [maxBytes, MAX_VALUES];
  return {
    take(bytes, values) {
      bytesLeft -= bytes;
      valuesLeft -= values;
      if (!(bytes >= 0) || bytesLeft < 0) throw damaged('its pages take more bytes than a body may have');
      if (valuesLeft < 0) throw damaged('its pages have more values than a batch may have');
    },
  };
}
