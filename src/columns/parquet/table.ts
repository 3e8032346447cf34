/**
 * A Parquet file: its directory, and its columns row group by row group. hyparquet reads the directory and the headers of pages; pages are
 * decoded by our own code, because hyparquet trusts the lengths in them.
 */
import { type FileMetaData, parquetMetadata, parquetSchema, type RowGroup } from 'hyparquet';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { Fault, MAX_DEPTH } from '../../../assembly/abi.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import type { Source } from '../source.ts';
import { damaged } from './damaged.ts';
import { GuardedView } from './guarded-view.ts';
import { LeafCursor } from './leaf-cursor.ts';
import { leavesOf, type Node, nodeOf } from './nodes.ts';
import type { Budget } from './pages.ts';
import type { Bytes } from './values.ts';
import type { OpenColumn } from './vectors.ts';

const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
/** hyparquet walks the schema once for each column of each row group. */
const MAX_STEPS = 50_000_000;

export interface ParquetTable {
  /** The columns of the schema. */
  nodes: Node[];
  groups: { rows: number; open(nodes: Node[]): OpenColumn[] }[];
}

/** Throws `ColumnsError`. */
export function openTable(source: Pick<Source, 'size' | 'read'>, budget: Budget): ParquetTable {
  const metadata = metadataOf(source);
  const nodes = nodesOf(metadata);
  if (nodes.length === 0) throw new ColumnsError('The Parquet file has no columns: at least one is needed');
  const groups = metadata.row_groups.map(group => ({
    rows: rowsOf(group),
    open: (chosen: Node[]) => told(() => openColumns(chosen, group, source, budget)),
  }));
  return { nodes, groups };
}

function rowsOf({ num_rows }: RowGroup): number {
  if (!(num_rows >= 0n && num_rows <= Number.MAX_SAFE_INTEGER))
    throw damaged('a row group has no number of rows');
  return Number(num_rows);
}

function openColumns(
  nodes: Node[],
  group: RowGroup,
  source: Pick<Source, 'size' | 'read'>,
  budget: Budget,
): OpenColumn[] {
  const rows = rowsOf(group);
  const metas = new Map(
    group.columns.map(({ meta_data }) => [meta_data?.path_in_schema.join('.'), meta_data]),
  );
  return nodes.map(node => ({
    node,
    cursors: leavesOf(node).map(({ leaf }) => {
      const meta = metas.get(leaf.path);
      if (!meta) throw damaged(`a row group lacks the column '${leaf.path}'`);
      if (leaf.maxRepetition === 0 && Number(meta.num_values) !== rows)
        throw damaged(
          `the column '${leaf.path}' has ${meta.num_values} values, and its row group ${rows} rows`,
        );
      return new LeafCursor({ source, meta, leaf, budget });
    }),
  }));
}

function metadataOf(source: Pick<Source, 'size' | 'read'>): FileMetaData {
  const { size } = source;
  const end = size < 12 ? null : source.read(size - 8, 8);
  const mark = end === null ? '' : textOf(end.subarray(4));
  if (mark === ENCRYPTED) throw new ColumnsError('The Parquet file is encrypted, which is not read');
  if (end === null || mark !== MAGIC || textOf(source.read(0, MAGIC.length)) !== MAGIC)
    throw new ColumnsError('The Parquet file is cut: it does not end with its directory');
  const length = new DataView(end.buffer, end.byteOffset).getUint32(0, true);
  if (length > size - 12) throw damaged(`its directory has ${length} bytes, more than the file`);
  const footer = source.read(size - 8 - length, length + 8);
  return told(() => {
    checkFooter(footer, length);
    return parquetMetadata(footer.slice().buffer, { geoparquet: false });
  });
}

/** What hyparquet gives of a hostile directory may be of any type. */
function told<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ColumnsError) throw error;
    throw damaged('its directory cannot be read');
  }
}

const textOf = (bytes: Bytes): string => String.fromCharCode(...bytes);

type Thrift = Record<string, unknown>;

/** Reads the directory once with a guard, and counts what hyparquet would walk. */
function checkFooter(footer: Bytes, length: number): void {
  const view = new GuardedView(new DataView(footer.buffer, footer.byteOffset, length)) as unknown as DataView;
  const file = deserializeTCompactProtocol({ view, offset: 0 }) as Thrift;
  const schema = listOf(file.field_2);
  const chunks = listOf(file.field_4).reduce<number>(
    (sum, group) => sum + listOf((group as Thrift).field_1).length,
    0,
  );
  if (schema.length * (chunks + 1) > MAX_STEPS) throw damaged('its directory names too many columns');
  let open: number[] = [];
  for (const element of schema) {
    const children = Number((element as Thrift).field_5 ?? 0);
    if (open.length > 0) open[open.length - 1]!--;
    open.push(children);
    while (open.length > 0 && open.at(-1)! <= 0) open = open.slice(0, -1);
    if (open.length > MAX_DEPTH * 2) throw tooLarge(Fault.DEPTH);
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const nodesOf = (metadata: FileMetaData): Node[] => told(() => parquetSchema(metadata).children.map(nodeOf));
