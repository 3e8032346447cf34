/**
 * Reads a Parquet file that lies in memory, when it is complete: its directory stands at its end. hyparquet reads the directory and
 * assembles nested values; pages are decoded by our own code, because hyparquet trusts the lengths in them.
 */
import { type FileMetaData, parquetMetadata, parquetSchema, type SchemaTree } from 'hyparquet';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { Fault, MAX_CELLS, MAX_DEPTH, MAX_FIELDS, MAX_ROWS } from '../../../assembly/abi.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import type { Sink, Space, Vector } from '../field.ts';
import { type ColumnPlan, planOf, vectorOf } from './columns.ts';
import { damaged } from './damaged.ts';
import { GuardedView } from './guarded-view.ts';
import type { Budget } from './pages.ts';

const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
/** hyparquet walks the schema once for each column of each row group. */
const MAX_STEPS = 50_000_000;
/** Values at all levels. Each of a nested column is an object. */
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

  advance(): void {}

  /** The body is complete, with `total` bytes. Throws `ColumnsError`. */
  end(total: number): void {
    const metadata = this.#metadata(total);
    const plans = plansOf(metadata);
    this.#check(metadata, plans);
    this.#sink.begin(plans.map(plan => plan.field));
    const budget: Budget = { bytes: 4 * this.#maxBytes, values: MAX_VALUES };
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      const metas = new Map(
        group.columns.map(({ meta_data }) => [meta_data?.path_in_schema.join('.'), meta_data]),
      );
      const chunkOf = (path: string) => {
        const meta = metas.get(path);
        if (!meta) throw damaged(`a row group lacks the column '${path}'`);
        return {
          meta,
          bytes: this.#chunk(
            Number(meta.dictionary_page_offset || meta.data_page_offset),
            Number(meta.total_compressed_size),
            total,
          ),
        };
      };
      const vectors: Vector[] = plans.map(plan => vectorOf(plan, rows, chunkOf, this.#space, budget));
      this.#sink.append(vectors, rows, new Map());
    }
  }

  #check({ row_groups }: FileMetaData, plans: ColumnPlan[]): void {
    if (plans.length === 0) throw new ColumnsError('The Parquet file has no columns: at least one is needed');
    if (plans.length > MAX_FIELDS) throw tooLarge(Fault.FIELDS);
    if (row_groups.some(({ num_rows }) => !(num_rows >= 0n)))
      throw damaged('a row group has no number of rows');
    const rows = row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
    if (rows > MAX_ROWS) throw tooLarge(Fault.ROWS);
    if (rows * plans.length > MAX_CELLS) throw tooLarge(Fault.CELLS);
  }

  #metadata(total: number): FileMetaData {
    const mark = this.#text(total - MAGIC.length);
    if (mark === ENCRYPTED) throw new ColumnsError('The Parquet file is encrypted, which is not read');
    if (total < 12 || mark !== MAGIC || this.#text(0) !== MAGIC)
      throw new ColumnsError('The Parquet file is cut: it does not end with its directory');
    const length = new DataView(this.#copy(total - 8, 4).buffer).getUint32(0, true);
    if (length > total - 12) throw damaged(`its directory has ${length} bytes, more than the file`);
    const footer = this.#copy(total - 8 - length, length + 8);
    try {
      checkFooter(footer, length);
      return parquetMetadata(footer, { geoparquet: false });
    } catch (error) {
      if (error instanceof ColumnsError) throw error;
      throw damaged('its directory cannot be read');
    }
  }

  #chunk(from: number, length: number, total: number): Uint8Array<ArrayBuffer> {
    if (!(from >= 4) || !(length >= 0) || from + length > total)
      throw damaged('a column lies outside of the file');
    return this.#copy(from, length);
  }

  #copy(from: number, length: number): Uint8Array<ArrayBuffer> {
    return this.#space.bytes().slice(this.#at + from, this.#at + from + length);
  }

  #text(from: number): string {
    return from < 0 ? '' : String.fromCharCode(...this.#copy(from, MAGIC.length));
  }
}

type Thrift = Record<string, unknown>;

/** Reads the directory once with a guard, and counts what hyparquet would walk. */
function checkFooter(footer: Uint8Array<ArrayBuffer>, length: number): void {
  const view = new GuardedView(new DataView(footer.buffer, 0, length)) as unknown as DataView;
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

function plansOf(metadata: FileMetaData): ColumnPlan[] {
  let tree: SchemaTree;
  try {
    tree = parquetSchema(metadata);
  } catch {
    throw damaged('its schema cannot be read');
  }
  return tree.children.map(child => planOf(tree, child));
}
