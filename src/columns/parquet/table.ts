/**
 * A Parquet file: its directory, and its columns row group by row group. A row group's part of the directory is read only when its turn
 * comes. hyparquet reads small structs of it; pages are decoded by our own code, because hyparquet trusts the lengths in them.
 */
import { parquetMetadata, parquetSchema, type SchemaElement } from 'hyparquet';
import { CompressionCodecs } from 'hyparquet/src/constants.js';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { Fault, MAX_DEPTH } from '../../../assembly/abi.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import type { Memory } from '../scratch.ts';
import { damaged } from './damaged.ts';
import { LeafCursor } from './leaf-cursor.ts';
import { leavesOf, type Node, nodeOf } from './nodes.ts';
import type { Budget, ChunkPlace, Leaf, ParquetSource } from './pages.ts';
import { T, Thrift } from './thrift.ts';
import type { Bytes } from './values.ts';
import type { OpenColumn } from './vectors.ts';
import { quoted } from '../../errors.ts';

const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
/** Of the schema, groups of nested columns included. */
const MAX_ELEMENTS = 10_000;
const MAX_GROUPS = 100_000;
/** Elements that hyparquet reads in one call: it makes an object for each of their values, and an element may have 10,000. */
const ELEMENTS_AT_ONCE = 128;

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

/** Pages are decoded in `memory`. Throws `ColumnsError`. */
export function openTable(source: ParquetSource, budget: Budget, memory: Memory): ParquetTable {
  const footer = footerOf(source);
  const { schema, groups } = damagedOnError(() => directoryOf(footer));
  const nodes = damagedOnError(() => nodesOf(schema));
  if (nodes.length === 0) throw new ColumnsError('The Parquet file has no columns: at least one is needed');
  return {
    nodes,
    groups: groups.map(group => ({
      rows: group.rows,
      open: chosen => damagedOnError(() => openColumns(chosen, group, { footer, source, budget, memory })),
    })),
  };
}

function footerOf(source: ParquetSource): Bytes {
  const { size } = source;
  const end = size < 12 ? null : source.read(size - 8, 8);
  const mark = end === null ? '' : textOf(end.subarray(4));
  if (mark === ENCRYPTED) throw new ColumnsError('The Parquet file is encrypted, which is not read');
  if (end === null || mark !== MAGIC || textOf(source.read(0, MAGIC.length)) !== MAGIC)
    throw new ColumnsError('The Parquet file is cut: it does not end with its directory');
  const length = new DataView(end.buffer, end.byteOffset).getUint32(0, true);
  if (length > size - 12) throw damaged(`its directory has ${length} bytes, more than the file`);
  return source.read(size - 8 - length, length);
}

/** hyparquet may return or throw anything for a hostile directory: every error means that the file is damaged. */
function damagedOnError<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof ColumnsError) throw error;
    throw damaged('its directory cannot be read');
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
  for (const { id, type } of thrift.fields()) {
    if (id === SCHEMA && type === T.LIST) schema = schemaOf(thrift);
    else if (id === ROW_GROUPS && type === T.LIST) groups = groupsOf(thrift);
    else thrift.skip(type);
  }
  return { schema, groups };
}

function schemaOf(thrift: Thrift): SchemaElement[] {
  const { left } = thrift.list();
  if (left > MAX_ELEMENTS) throw damaged(`its schema has ${left} elements, more than ${MAX_ELEMENTS}`);
  const schema: SchemaElement[] = [];
  while (schema.length < left) {
    const from = thrift.at;
    const count = Math.min(ELEMENTS_AT_ONCE, left - schema.length);
    for (let i = 0; i < count; i++) thrift.struct(() => null);
    schema.push(...elementsOf(count, thrift.bytes.subarray(from, thrift.at)));
  }
  return schema;
}

/** A directory with these elements and without row groups: hyparquet reads nothing less. */
function elementsOf(count: number, bytes: Bytes): SchemaElement[] {
  const head = [0x15, 2, 0x19, 0xf0 | T.STRUCT, (count & 0x7f) | 0x80, count >> 7];
  const rest = [0x16, 0, 0x19, T.STRUCT, T.STOP];
  const directory = new Uint8Array(head.length + bytes.length + rest.length + 8);
  directory.set(head);
  directory.set(bytes, head.length);
  directory.set(rest, head.length + bytes.length);
  new DataView(directory.buffer).setUint32(directory.length - 8, directory.length - 8, true);
  directory.set(new TextEncoder().encode(MAGIC), directory.length - 4);
  return parquetMetadata(directory, { geoparquet: false }).schema;
}

function groupsOf(thrift: Thrift): Group[] {
  const { left } = thrift.list();
  if (left > MAX_GROUPS) throw damaged(`it has ${left} row groups, more than ${MAX_GROUPS}`);
  const groups: Group[] = [];
  while (groups.length < left) {
    const group = { rows: -1, at: -1 };
    for (const { id, type } of thrift.fields()) {
      if (id === COLUMNS && type === T.LIST) group.at = thrift.at;
      if (id === ROWS && type === T.I64) group.rows = thrift.integer();
      else thrift.skip(type);
    }
    if (!(group.rows >= 0 && group.rows <= Number.MAX_SAFE_INTEGER))
      throw damaged('a row group has no number of rows');
    groups.push(group);
  }
  return groups;
}

interface Opening {
  footer: Bytes;
  source: ParquetSource;
  budget: Budget;
  memory: Memory;
}

function openColumns(nodes: Node[], { rows, at }: Group, opening: Opening): OpenColumn[] {
  const leaves = nodes.map(node => leavesOf(node).map(({ leaf }) => leaf));
  const wanted = new Set(leaves.flat().map(({ path }) => path));
  const places =
    at < 0 ? new Map<string, ChunkPlace>() : placesOf(new Thrift(opening.footer, at), wanted, opening.budget);
  return nodes.map((node, i) => ({
    node,
    cursors: leaves[i]!.map(leaf => {
      const place = places.get(leaf.path);
      if (!place) throw damaged(`a row group lacks the column ${quoted(leaf.path)}`);
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

const isPlausible = ({ values, length }: ChunkPlace, { maxRepetition }: Leaf, rows: number): boolean =>
  maxRepetition === 0
    ? values === rows
    : values >= 0 && values <= rows * MAX_VALUES_A_ROW + length * MAX_VALUES_A_BYTE;

/** Where the columns of a row group lie that are wanted, by their paths. */
function placesOf(thrift: Thrift, wanted: ReadonlySet<string>, budget: Budget): Map<string, ChunkPlace> {
  const places = new Map<string, ChunkPlace>();
  for (let { left } = thrift.list(); left > 0; left--) {
    budget.part();
    const { field_3: meta } = thrift.struct(deserializeTCompactProtocol) as { field_3?: Meta };
    const path = meta?.field_3.map(name => decoder.decode(name)).join('.');
    if (meta && path !== undefined && wanted.has(path)) places.set(path, placeOf(meta));
  }
  return places;
}

/** `ColumnMetaData` of parquet.thrift, if it is not hostile. */
interface Meta {
  field_3: Bytes[];
  field_4: number;
  field_5: bigint;
  field_7: bigint;
  field_9: bigint;
  field_11?: bigint;
}

const placeOf = (meta: Meta): ChunkPlace => ({
  codec: CompressionCodecs[meta.field_4] ?? String(meta.field_4),
  values: Number(meta.field_5),
  length: Number(meta.field_7),
  at: Number(meta.field_11 || meta.field_9),
});

const decoder = new TextDecoder();
const textOf = (bytes: Bytes): string => String.fromCharCode(...bytes);

function nodesOf(schema: SchemaElement[]): Node[] {
  checkShape(schema);
  return parquetSchema({ schema } as Parameters<typeof parquetSchema>[0]).children.map(nodeOf);
}

/** Characters in the paths of all elements together: a long name counts again for each element below it. */
const MAX_PATH_CHARACTERS = 16_000_000;

function checkShape(schema: SchemaElement[]): void {
  // `left`: children that still follow; `path`: characters of the path.
  const open: { left: number; path: number }[] = [];
  let characters = 0;
  for (const { num_children, name } of schema) {
    const above = open.at(-1);
    if (above) above.left--;
    const path = (above?.path ?? 0) + String(name).length + 1;
    characters += path;
    open.push({ left: Number(num_children ?? 0), path });
    while (open.length > 0 && open.at(-1)!.left <= 0) open.pop();
    if (open.length > MAX_DEPTH * 2) throw tooLarge(Fault.DEPTH);
    if (characters > MAX_PATH_CHARACTERS) throw damaged('the names of its schema are too long');
  }
}
