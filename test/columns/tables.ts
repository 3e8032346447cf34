/** Random tables that JSON, CSV and Arrow can all say, and their bodies. */
import {
  Bool,
  Dictionary,
  type DataType,
  Field,
  Float64,
  Int32,
  Int64,
  LargeUtf8,
  List,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';

type Cell = string | number | boolean | null | unknown[] | object;

export interface RandomColumn {
  type: () => DataType;
  cells: Cell[];
}

export type RandomTable = Record<string, RandomColumn>;

/** Where a text has escapes in JSON, the order of texts and the length of one of more than 64 bytes are those of its raw bytes. */
const plain = (text: string): string => text.replace(/["\\\p{Cc}]/gu, 'x');

const text = fc.oneof(
  fc.constantFrom('', 'a', 'paid', 'sent', 'Grüße aus Köln', '🚚', 'ann@example.com', ' padded '),
  fc.string({ maxLength: 30, unit: 'grapheme' }).map(plain),
  fc.string({ minLength: 60, maxLength: 90 }).map(plain),
);
const integer = fc.oneof(fc.integer(), fc.integer({ min: 0, max: 20 }));

/** A name for each kind: what a cell may be, and its type in Arrow. */
const KINDS: Record<string, { cell: fc.Arbitrary<Cell>; type: () => DataType }> = {
  text: { cell: text, type: () => new Utf8() },
  large: { cell: text, type: () => new LargeUtf8() },
  few: { cell: fc.constantFrom('new', 'paid', 'sent'), type: () => new Dictionary(new Utf8(), new Int32()) },
  float: {
    // JSON writes larger ones as integers, of which every digit counts.
    cell: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map(x => x + 0)
      .filter(x => Math.abs(x) < 2 ** 53 || Math.abs(x) >= 2 ** 64),
    type: () => new Float64(),
  },
  price: { cell: fc.integer({ min: 0, max: 99_999 }).map(cents => cents / 100), type: () => new Float64() },
  integer: { cell: integer, type: () => new Int32() },
  long: { cell: fc.maxSafeInteger(), type: () => new Int64() },
  flag: { cell: fc.boolean(), type: () => new Bool() },
  list: {
    cell: fc.array(integer, { maxLength: 4 }),
    type: () => new List(new Field('item', new Int32(), true)),
  },
  object: {
    cell: fc.record({ a: integer, b: text }),
    type: () => new Struct([new Field('a', new Int32(), true), new Field('b', new Utf8(), true)]),
  },
};

const columnOf = (kind: keyof typeof KINDS, rows: number): fc.Arbitrary<RandomColumn> => {
  const { cell, type } = KINDS[kind]!;
  return fc
    .array(fc.option(cell, { freq: 8 }), { minLength: rows, maxLength: rows })
    .map(cells => ({ type, cells }));
};

export const randomTable = (maxRows: number): fc.Arbitrary<RandomTable> =>
  fc
    .tuple(
      fc.integer({ min: 1, max: maxRows }),
      fc.array(fc.constantFrom(...Object.keys(KINDS)), { minLength: 1, maxLength: 8 }),
    )
    .chain(([rows, kinds]) =>
      fc
        .tuple(...kinds.map(kind => columnOf(kind, rows)))
        .map(columns => Object.fromEntries(columns.map((column, i) => [`${kinds[i]}_${i}`, column]))),
    );

export function rowsOf(table: RandomTable): Record<string, Cell>[] {
  const names = Object.keys(table);
  return table[names[0]!]!.cells.map((_, row) =>
    Object.fromEntries(names.map(name => [name, table[name]!.cells[row]!])),
  );
}

export const jsonOf = (table: RandomTable): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ source: 's', rows: rowsOf(table) }));

function arrowTable(table: RandomTable): Table {
  const vectors = Object.entries(table).map(([name, { type, cells }]) => {
    const values =
      type() instanceof Int64 ? cells.map(cell => (cell === null ? null : BigInt(cell as number))) : cells;
    return [name, vectorFromArray(values, type())] as const;
  });
  const schema = new Schema(vectors.map(([name, vector]) => new Field(name, vector.type, true)));
  return new Table(schema, Object.fromEntries(vectors));
}

/** As a stream, or as a file. */
export function arrowOf(table: RandomTable, isFile = false): Uint8Array {
  const writer = isFile ? new RecordBatchFileWriter() : new RecordBatchStreamWriter();
  return writer.writeAll(arrowTable(table)).toUint8Array(true);
}
