/**
 * Cuts a Parquet or Arrow file of any length into batches: each is an Arrow stream of at most 10,000 rows, and within the other limits. The
 * batches have the rows that those of the same table as CSV have, whatever its row groups or record batches are.
 */
import { fstatSync, readSync } from 'node:fs';
import { Format, MAX_ROWS } from '../../../assembly/abi.ts';
import { ArrowFile } from '../../columns/arrow/file.ts';
import { BatchBuilder } from '../../columns/batch-builder.ts';
import { ColumnsError } from '../../columns/columns-error.ts';
import type { Field, Rows } from '../../columns/field.ts';
import { HostSpace } from '../../columns/host-space.ts';
import { tooLong } from '../../columns/parquet/damaged.ts';
import type { Budget } from '../../columns/parquet/pages.ts';
import { openTable } from '../../columns/parquet/table.ts';
import { vectorOf } from '../../columns/parquet/vectors.ts';
import { HEAP } from '../../columns/scratch.ts';
import type { Source } from '../../columns/source.ts';
import { quoted } from '../../terms/errors.ts';
import { rejectionOf } from '../../intake/refusals.ts';
import type { Slice } from '../../slices/slice.ts';
import { Failure } from '../failure.ts';
import { BY_OPTIONS } from './instructions.ts';

export interface ColumnCutting {
  /** Its name, for errors. */
  file: string;
  /** Descriptor of the file, which stays open. */
  handle: number;
  format: Format;
  maxBodyBytes: number;
  /** Names of the columns to screen; undefined: all. */
  columns: string[] | undefined;
  /** Bytes that were read. */
  onBytes(bytes: number): void;
}

/** Rows of the chosen columns, and the memory that they lie in, until the next ones. */
interface Piece {
  fields: Field[];
  rows: Rows;
  memory: Uint8Array<ArrayBuffer>;
}

/** The batches in order, at least one. Throws `Failure`. */
export function* columnBatches(cutting: ColumnCutting): Generator<Slice> {
  const source = sourceOf(cutting);
  try {
    yield* cut(
      cutting.format === Format.PARQUET ? parquetPieces(source, cutting) : arrowPieces(source, cutting),
      cutting,
    );
  } catch (error) {
    throw error instanceof ColumnsError ? failureOf(error, cutting) : error;
  }
}

function failureOf({ fault, message, column }: ColumnsError, { format, file }: ColumnCutting): Failure {
  const refusal = { fault, offset: 0, row: 0, line: 0, afterQuote: 0, column, reason: message };
  return new Failure(rejectionOf(refusal, format, BY_OPTIONS).message, file);
}

function* cut(pieces: Generator<Piece>, { maxBodyBytes, format, file }: ColumnCutting): Generator<Slice> {
  let builder: BatchBuilder | null = null;
  let [number, rowsBefore] = [0, 0];
  const batch = (last: boolean): Slice => {
    const { rows } = builder!;
    rowsBefore += rows;
    return {
      pieces: [new Uint8Array(builder!.body())],
      number: ++number,
      rowsBefore: rowsBefore - rows,
      rows,
      last,
      ...{ linesBefore: 0, bytesBefore: 0, closedAt: null, head: null, isCutOff: false },
      said: { source: undefined, options: undefined },
    };
  };
  for (const { fields, rows, memory } of pieces) {
    builder ??= new BatchBuilder(fields, maxBodyBytes);
    for (let from = 0; from < rows.rows; ) {
      const taken = builder.take(rows, from, memory);
      // There are more rows, so this batch is not the last one.
      if (taken === 0) yield batch(false);
      from += taken;
    }
  }
  if (builder === null || builder.rows === 0)
    throw new Failure(
      `The ${format === Format.PARQUET ? 'Parquet' : 'Arrow'} file has no rows: at least one is needed`,
      file,
    );
  yield batch(true);
}

function* arrowPieces(source: Source, cutting: ColumnCutting): Generator<Piece> {
  const file = new ArrowFile(source);
  for (const { vectors, rows, dictionaries } of file.rows()) {
    const chosen = chosenOf(file.fields, field => field.name, cutting);
    const fields = chosen.map(i => file.fields[i]!);
    const piece = { rows, dictionaries, vectors: chosen.map(i => vectors[i]!) };
    yield { fields, rows: piece, memory: file.memory };
  }
}

/** Of a page, decompressed, and of the values of 10,000 rows of all columns. */
const MAX_PAGE_BYTES = 256 * 1024 * 1024;
const MAX_PAGE_VALUES = 32_000_000;

const PAGE_BUDGET: Budget = {
  part() {},
  bytes(count, { path }) {
    if (!(count <= MAX_PAGE_BYTES)) throw tooLong(path, count, MAX_PAGE_BYTES, 'bytes');
  },
  values(count, { path }) {
    if (!(count <= MAX_PAGE_VALUES)) throw tooLong(path, count, MAX_PAGE_VALUES, 'values');
  },
};

function* parquetPieces(source: Source, cutting: ColumnCutting): Generator<Piece> {
  const table = openTable(source, PAGE_BUDGET, HEAP);
  const nodes = chosenOf(table.nodes, node => node.field.name, cutting).map(i => table.nodes[i]!);
  const fields = nodes.map(node => node.field);
  const space = new HostSpace('10,000 rows', MAX_PAGE_BYTES);
  const dictionaries = new Map();
  for (const { rows, open } of table.groups) {
    const opened = open(nodes);
    for (let left = rows; left > 0; left -= Math.min(left, MAX_ROWS)) {
      space.reset(8);
      const vectors = opened.map(column => vectorOf(column, Math.min(left, MAX_ROWS), space, HEAP));
      yield {
        fields,
        rows: { vectors, rows: Math.min(left, MAX_ROWS), dictionaries },
        memory: space.bytes(),
      };
    }
    for (const { cursors } of opened) for (const cursor of cursors) cursor.end();
  }
}

/** The indexes of the chosen columns. Throws `Failure` for a name that no column has. */
function chosenOf<Item>(
  items: Item[],
  nameOf: (item: Item) => string,
  { columns, file }: ColumnCutting,
): number[] {
  const all = items.map(nameOf);
  const missing = columns?.find(name => !all.includes(name));
  if (missing !== undefined)
    throw new Failure(
      `There is no column ${quoted(missing)}; the file has ${all.slice(0, 20).map(quoted).join(', ')}${all.length > 20 ? ', …' : ''}`,
      file,
    );
  return [...all.keys()].filter(i => columns === undefined || columns.includes(all[i]!));
}

function sourceOf({ handle, onBytes }: ColumnCutting): Source {
  const { size } = fstatSync(handle);
  const readInto = (bytes: Uint8Array, from: number) => {
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(handle, bytes, at, bytes.length - at, from + at);
      if (count === 0) throw new ColumnsError('The file became shorter while it was read');
      at += count;
    }
    onBytes(bytes.length);
  };
  const read = (from: number, length: number) => {
    if (!(from >= 0 && length >= 0 && from + length <= size))
      throw new ColumnsError('The file is damaged: a part lies outside of it');
    const bytes = new Uint8Array(length);
    readInto(bytes, from);
    return bytes;
  };
  return { size, read, readInto };
}
