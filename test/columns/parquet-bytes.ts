/** Parquet files byte by byte, also those that no writer writes: Thrift's compact protocol, pages of plain numbers, a directory. */
import { T } from '../../src/columns/parquet/thrift.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export const joined = (parts: readonly (Uint8Array | readonly number[])[]): Bytes => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

export function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 0x80);
  }
}

type Value = { type: number; bytes: Uint8Array | readonly number[] };

export const integer = (value: number, type = T.I32): Value => ({ type, bytes: varint(2 * value) });
export const text = (value: string): Value => {
  const bytes = new TextEncoder().encode(value);
  return { type: T.BINARY, bytes: joined([varint(bytes.length), bytes]) };
};
/** `size`: what the head says. */
export const list = (type: number, values: readonly Value[], size = values.length): Value => ({
  type: T.LIST,
  bytes: joined([[0xf0 | type], varint(size), ...values.map(({ bytes }) => bytes)]),
});
/** Fields by their ids, which ascend. */
export function struct(fields: Record<number, Value>): Value {
  let last = 0;
  const parts = Object.entries(fields).flatMap(([id, { type, bytes }]) => {
    const head = ((Number(id) - last) << 4) | type;
    last = Number(id);
    return [[head], bytes];
  });
  return { type: T.STRUCT, bytes: joined([...parts, [T.STOP]]) };
}

/** A data page of version 1. */
export function page(values: number, data: Uint8Array, more: Record<number, Value> = {}): Bytes {
  const head = struct({ 1: integer(values), 2: integer(0), 3: integer(3), 4: integer(3) });
  const [size, type] = [integer(data.length), integer(0)];
  return joined([struct({ 1: type, 2: size, 3: size, 5: head, ...more }).bytes, data]);
}

export const leaf = (name: string): Value => struct({ 1: integer(1), 3: integer(0), 4: text(name) });
export const root = (children: number): Value => struct({ 4: text('schema'), 5: integer(children) });

/** A column chunk, of INT32 by default, without compression. */
export function chunk(
  name: string,
  values: number,
  at: number,
  length: number,
  type = 1,
  more: Record<number, Value> = {},
): Value {
  const place = { 5: integer(values, T.I64), 6: integer(length, T.I64), 7: integer(length, T.I64) };
  const path = list(T.BINARY, [text(name)]);
  const meta = struct({
    1: integer(type),
    2: list(T.I32, [integer(0)]),
    3: path,
    4: integer(0),
    ...place,
    9: integer(at, T.I64),
  });
  return struct({ 2: integer(at, T.I64), 3: meta, ...more });
}

export const group = (chunks: readonly Value[], rows: number): Value =>
  struct({ 1: list(T.STRUCT, chunks), 2: integer(1, T.I64), 3: integer(rows, T.I64) });

export function fileOf(
  pages: Uint8Array,
  schema: Value,
  groups: Value,
  more: Record<number, Value> = {},
): Bytes {
  const footer = struct({ 1: integer(2), 2: schema, 3: integer(1, T.I64), 4: groups, ...more }).bytes;
  const magic = new TextEncoder().encode('PAR1');
  const length = new Uint8Array(new Uint32Array([footer.length]).buffer);
  return joined([magic, pages, footer, length, magic]);
}

/** `type` and `converted` as in Thrift's `Type` and `ConvertedType`. */
interface Kind {
  type: number;
  converted?: number;
  plain: (values: readonly never[]) => Uint8Array;
}
const bytesOf = (value: string): Bytes => {
  const bytes = new TextEncoder().encode(value);
  return joined([new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes]);
};
const bits = (values: readonly boolean[]): Bytes => {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (const [i, value] of values.entries()) bytes[i >> 3]! |= Number(value) << (i & 7);
  return bytes;
};
const KINDS: Record<string, Kind> = {
  boolean: { type: 0, plain: bits },
  number: { type: 5, plain: values => new Uint8Array(Float64Array.from(values).buffer) },
  string: { type: 6, converted: 0, plain: values => joined(values.map(bytesOf)) },
};

/** A table of nullable columns of texts, of doubles or of booleans: one row group, one page for each column. */
export function parquetOf(names: readonly string[], rows: readonly Record<string, unknown>[]): Bytes {
  const [leaves, chunks, pages]: [Value[], Value[], Bytes[]] = [[], [], []];
  let at = 4;
  for (const name of names) {
    const cells = rows.map(row => row[name] ?? null);
    const values = cells.filter(cell => cell !== null);
    const { type, converted, plain } = KINDS[values.length > 0 ? typeof values[0] : 'string']!;
    const there = bits(cells.map(cell => cell !== null));
    // One run of whole bytes.
    const levels = joined([varint((there.length << 1) | 1), there]);
    const length = new Uint8Array(new Uint32Array([levels.length]).buffer);
    const one = page(rows.length, joined([length, levels, plain(values as never[])]));
    leaves.push(
      struct({
        1: integer(type),
        3: integer(1),
        4: text(name),
        ...(converted !== undefined && { 6: integer(converted) }),
      }),
    );
    chunks.push(chunk(name, rows.length, at, one.length, type));
    pages.push(one);
    at += one.length;
  }
  const schema = list(T.STRUCT, [root(names.length), ...leaves]);
  return fileOf(joined(pages), schema, list(T.STRUCT, [group(chunks, rows.length)]));
}

/** A table of INT32, one row group, one page for each column. `more`: of the directory. */
export function wideParquet(
  columns: number,
  rows: number,
  name: (column: number) => string,
  more: Record<number, Value> = {},
): Bytes {
  const data = new Uint8Array(Int32Array.from({ length: rows }, (_, row) => row % 10).buffer);
  const one = page(rows, data);
  const names = Array.from({ length: columns }, (_, column) => name(column));
  const chunks = names.map((each, column) => chunk(each, rows, 4 + column * one.length, one.length));
  const pages = joined(Array<Bytes>(columns).fill(one));
  const schema = list(T.STRUCT, [root(columns), ...names.map(leaf)]);
  return fileOf(pages, schema, list(T.STRUCT, [group(chunks, rows)]), more);
}
