/** A Parquet file: its directory, and its columns row group by row group. A row group's part of the directory is read only when its turn comes. */

import { quoted } from '../../terms/errors.ts';
import { ColumnsError } from '../columns-error.ts';
import type { Source } from '../source.ts';
import { damaged, notRead } from './damaged.ts';
import { LeafCursor } from './leaf-cursor.ts';
import { CHUNK, elementIn, type SchemaElement } from './metadata.ts';
import { columnsOf, leavesOf, type Node } from './nodes.ts';
import type { Budget, Chunk, Leaf } from './pages.ts';
import { type Struct, T, Thrift } from './thrift.ts';
import type { Bytes } from './values.ts';
import type { OpenColumn } from './vectors.ts';

const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
/** Of the schema, groups of nested columns included. */
const MAX_ELEMENTS = 10_000;
const MAX_GROUPS = 100_000;

export interface ParquetTable {
  /** The columns of the schema. */
  nodes: Node[];
  groups: { rows: number; open(nodes: Node[]): OpenColumn[] }[];
}

interface Group {
  rows: number;
  /** Where the list of its columns begins in the directory. */
  at: number;
}

/** Throws `ColumnsError`. */
export function openTable(source: Source, budget: Budget, newMemory: Chunk['newMemory']): ParquetTable {
  const footer = footerOf(source);
  const { schema, groups } = damagedOnEnd(() => directoryOf(footer));
  const nodes = columnsOf(schema);
  if (nodes.length === 0) throw new ColumnsError('The Parquet file has no columns: at least one is needed');
  return {
    nodes,
    groups: groups.map(group => ({
      rows: group.rows,
      open: chosen => damagedOnEnd(() => openColumns(chosen, group, { footer, source, budget, newMemory })),
    })),
  };
}

function footerOf(source: Source): Bytes {
  const { size } = source;
  const end = size < 12 ? null : source.read(size - 8, 8);
  const mark = end === null ? '' : textOf(end.subarray(4));
  if (mark === ENCRYPTED)
    throw new ColumnsError('The Parquet file is encrypted, which is not read: write it without encryption');
  if (end === null || mark !== MAGIC || textOf(source.read(0, MAGIC.length)) !== MAGIC)
    throw new ColumnsError('The Parquet file is cut: it does not end with its directory');
  const length = new DataView(end.buffer, end.byteOffset).getUint32(0, true);
  if (length > size - 12) throw damaged(`its directory has ${length} bytes, more than the file`);
  return source.read(size - 8 - length, length);
}

function damagedOnEnd<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw damaged('its directory cannot be read');
    throw error;
  }
}

/** Ids of fields in parquet.thrift. */
const SCHEMA = 2;
const ROW_GROUPS = 4;
const COLUMNS = 1;
const ROWS = 3;

function directoryOf(footer: Bytes): { schema: SchemaElement[]; groups: Group[] } {
  const thrift = new Thrift(footer);
  let schema: SchemaElement[] = [];
  let groups: Group[] = [];
  thrift.fields((id, type) => {
    if (id === SCHEMA && type === T.LIST) schema = schemaIn(thrift);
    else if (id === ROW_GROUPS && type === T.LIST) groups = groupsIn(thrift);
    else thrift.skip(type);
  });
  return { schema, groups };
}

function schemaIn(thrift: Thrift): SchemaElement[] {
  const { left } = thrift.list();
  if (left > MAX_ELEMENTS) throw damaged(`its schema has ${left} elements, more than ${MAX_ELEMENTS}`);
  return Array.from({ length: left }, () => elementIn(thrift));
}

function groupsIn(thrift: Thrift): Group[] {
  const { left } = thrift.list();
  if (left > MAX_GROUPS) throw damaged(`it has ${left} row groups, more than ${MAX_GROUPS}`);
  const groups: Group[] = [];
  while (groups.length < left) {
    const group = { rows: -1, at: -1 };
    thrift.fields((id, type) => {
      if (id === COLUMNS && type === T.LIST) group.at = thrift.at;
      if (id === ROWS && type === T.I64) group.rows = thrift.integer();
      else thrift.skip(type);
    });
    if (!(group.rows >= 0 && group.rows <= Number.MAX_SAFE_INTEGER))
      throw damaged('a row group has no number of rows');
    groups.push(group);
  }
  return groups;
}

interface Opening {
  footer: Bytes;
  source: Source;
  budget: Budget;
  newMemory: Chunk['newMemory'];
}

function openColumns(nodes: Node[], { rows, at }: Group, opening: Opening): OpenColumn[] {
  const wanted = new Set(nodes.flatMap(leavesOf).map(({ leaf }) => leaf.index));
  const chunks = at < 0 ? new Map<number, FoundChunk>() : chunksIn(opening, at, wanted);
  return nodes.map(node => ({
    node,
    cursors: leavesOf(node).map(({ leaf }) => {
      const place = placeOf(chunks.get(leaf.index), leaf);
      if (!isPlausible(place, leaf, rows))
        throw damaged(
          `the column ${quoted(leaf.path)} has ${place.values} values, and its row group ${rows} rows`,
        );
      return new LeafCursor({ ...opening, place, leaf });
    }),
  }));
}

/** Values that a column of lists may have: so many for each row, plus so many for each byte. Runs can claim millions in a few bytes. */
const MAX_VALUES_A_ROW = 100_000;
const MAX_VALUES_A_BYTE = 100;

const isPlausible = ({ values, length }: Chunk['place'], { maxRepetition }: Leaf, rows: number): boolean =>
  maxRepetition === 0
    ? values === rows
    : values >= 0 && values <= rows * MAX_VALUES_A_ROW + length * MAX_VALUES_A_BYTE;

type FoundChunk = Struct<typeof CHUNK>;

/** The wanted column chunks of the row group whose list of them begins at `at`, by their places in the list. */
function chunksIn(
  { footer, budget }: Opening,
  at: number,
  wanted: ReadonlySet<number>,
): Map<number, FoundChunk> {
  const thrift = new Thrift(footer, at);
  const chunks = new Map<number, FoundChunk>();
  const { left } = thrift.list();
  for (let index = 0; index < left; index++) {
    budget.part();
    if (wanted.has(index)) chunks.set(index, thrift.struct(CHUNK));
    else thrift.skip(T.STRUCT);
  }
  return chunks;
}

function placeOf(chunk: FoundChunk | undefined, { path }: Leaf): Chunk['place'] {
  if (chunk?.encryption) throw notRead(`the encrypted column ${quoted(path)}`);
  if (!chunk?.column) throw damaged(`a row group lacks the column ${quoted(path)}`);
  const { codec = '', values = -1, length = -1, pagesAt = -1, dictionaryAt } = chunk.column;
  return { codec, values, length, at: dictionaryAt || pagesAt };
}

const textOf = (bytes: Bytes): string => String.fromCharCode(...bytes);
