/**
 * Cuts a Parquet or Arrow file of any length into bodies: each is an Arrow stream of at most 10,000 rows, and within the other limits. They
 * have the rows that those of the same table as CSV have, whatever its row groups or record batches are.
 */
import { Fault, Format, MAX_ROWS } from '../../assembly/abi.ts';
import { quoted } from '../terms/errors.ts';
import { grouped } from '../terms/wording.ts';
import { ArrowFile } from './arrow/file.ts';
import { BatchBuilder } from './batch-builder.ts';
import { ColumnsError } from './columns-error.ts';
import type { Field, Rows } from './field.ts';
import { HostSpace } from './host-space.ts';
import { tooLong } from './parquet/damaged.ts';
import type { Budget } from './parquet/pages.ts';
import { openTable } from './parquet/table.ts';
import { vectorOf } from './parquet/vectors.ts';
import { HEAP, Scratch, ScratchBytes } from './scratch.ts';
import type { Source } from './source.ts';

export interface ColumnCutting {
  source: Source;
  format: Format;
  /** The names of the columns that are wanted; all by default. */
  columns?: string[] | undefined;
  /** Of a body that is made. */
  maxBodyBytes: number;
  limits: CutLimits;
}

/** In bytes, decompressed. */
export interface CutLimits {
  /** Of a page of Parquet. */
  page: number;
  /** Of pages and dictionaries of Parquet that are kept from row to row; the others are decoded again. */
  kept: number;
  /** Of those that the rows of one column need at once. */
  column: number;
  /** Of a record batch of Arrow with its dictionaries. */
  recordBatch: number;
}

const MIB = 1024 * 1024;
/** Of 10,000 rows of Parquet. */
const MAX_ROWS_BYTES = 256 * MIB;
const MAX_PAGE_VALUES = 32_000_000;
/** Of a record batch with its dictionaries. */
export const MAX_BATCH_BYTES = 512 * MIB;

/** Of a file of the user, who can wait and has the memory of a computer. */
export const OWN_FILE: CutLimits = {
  page: 256 * MIB,
  kept: 1024 * MIB,
  column: Number.POSITIVE_INFINITY,
  recordBatch: MAX_BATCH_BYTES,
};

/** Rows that a file may claim whatever its length is, and for each of its bytes: a run of one value takes hardly any. */
export const MAX_CLAIMED_ROWS = 10_000_000;
export const MAX_ROWS_A_BYTE = 1000;

export interface CutBody {
  /** An Arrow stream. */
  bytes: Uint8Array<ArrayBuffer>;
  rows: number;
  /** Whether it is the last one. */
  last: boolean;
}

/** Rows of the chosen columns, and the memory that they lie in, until the next ones. */
interface Piece {
  fields: Field[];
  rows: Rows;
  memory: Uint8Array<ArrayBuffer>;
}

/** The bodies in order, at least one. Throws `ColumnsError`. */
export function* cutColumns(cutting: ColumnCutting): Generator<CutBody> {
  const { source, format, maxBodyBytes } = cutting;
  const claimed = new ClaimedRows(source.size);
  let builder: BatchBuilder | null = null;
  const body = (last: boolean): CutBody => {
    const { rows } = builder!;
    return { bytes: new Uint8Array(builder!.body()), rows, last };
  };
  const pieces = format === Format.PARQUET ? parquetPieces(cutting) : arrowPieces(cutting);
  for (const { fields, rows, memory } of pieces) {
    claimed.add(rows.rows);
    builder ??= new BatchBuilder(fields, maxBodyBytes);
    for (let from = 0; from < rows.rows; ) {
      const taken = builder.take(rows, from, memory);
      // There are more rows, so this body is not the last one.
      if (taken === 0) yield body(false);
      from += taken;
    }
  }
  if (builder === null || builder.rows === 0) throw new ColumnsError('', Fault.ROWS_EMPTY);
  yield body(true);
}

class ClaimedRows {
  #left: number;
  readonly #most: number;

  /** `bytes`: of the file. */
  constructor(bytes: number) {
    this.#left = this.#most = MAX_CLAIMED_ROWS + MAX_ROWS_A_BYTE * bytes;
  }

  /** Throws `ColumnsError`. */
  add(rows: number): void {
    this.#left -= rows;
    if (!(this.#left >= 0))
      throw new ColumnsError(
        `The file claims more than ${grouped(this.#most)} rows, too many for its bytes: write it with fewer rows`,
      );
  }
}

function* arrowPieces(cutting: ColumnCutting): Generator<Piece> {
  const file = new ArrowFile(cutting.source, cutting.limits.recordBatch);
  for (const { vectors, rows, dictionaries } of file.rows()) {
    const chosen = chosenOf(file.fields, field => field.name, cutting);
    const fields = chosen.map(i => file.fields[i]!);
    const piece = { rows, dictionaries, vectors: chosen.map(i => vectors[i]!) };
    yield { fields, rows: piece, memory: file.memory };
  }
}

const pageBudget = (maxBytes: number): Budget => ({
  part() {},
  bytes(count, { path }) {
    if (!(count <= maxBytes)) throw tooLong(path, count, maxBytes, 'bytes');
  },
  values(count, { path }) {
    if (!(count <= MAX_PAGE_VALUES)) throw tooLong(path, count, MAX_PAGE_VALUES, 'values');
  },
});

function* parquetPieces(cutting: ColumnCutting): Generator<Piece> {
  const { source, limits } = cutting;
  const open = new ScratchBytes(limits.kept + limits.column);
  const table = openTable(source, pageBudget(limits.page), () => new Scratch(open));
  const nodes = chosenOf(table.nodes, node => node.field.name, cutting).map(i => table.nodes[i]!);
  const fields = nodes.map(node => node.field);
  const space = new HostSpace('10,000 rows', MAX_ROWS_BYTES);
  const dictionaries = new Map();
  for (const { rows, open: openGroup } of table.groups) {
    const opened = openGroup(nodes);
    for (let left = rows; left > 0; left -= Math.min(left, MAX_ROWS)) {
      space.reset(8);
      const vectors = opened.map(column => {
        const vector = vectorOf(column, Math.min(left, MAX_ROWS), space, HEAP);
        if (open.used > limits.kept) for (const cursor of column.cursors) cursor.forget();
        return vector;
      });
      yield {
        fields,
        rows: { vectors, rows: Math.min(left, MAX_ROWS), dictionaries },
        memory: space.bytes(),
      };
    }
    for (const cursor of opened.flatMap(({ cursors }) => cursors)) {
      cursor.end();
      cursor.forget();
    }
  }
}

/** The indexes of the chosen columns. Throws `ColumnsError` for a name that no column has. */
function chosenOf<Item>(items: Item[], nameOf: (item: Item) => string, { columns }: ColumnCutting): number[] {
  const all = items.map(nameOf);
  const missing = columns?.find(name => !all.includes(name));
  if (missing !== undefined)
    throw new ColumnsError(
      `There is no column ${quoted(missing)}; the file has ${all.slice(0, 20).map(quoted).join(', ')}${all.length > 20 ? ', …' : ''}`,
    );
  return [...all.keys()].filter(i => columns === undefined || columns.includes(all[i]!));
}
