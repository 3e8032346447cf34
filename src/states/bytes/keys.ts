/** Keys of the rows of a part, slice by slice, as bytes: so rows that repeat others are found among all parts. */
import { MAX_NAME_BYTES, MAX_ROWS } from '../../../assembly/abi.ts';
import type { RowKeys, SliceKeys, UnsettledCells } from '../../engine/row-keys.ts';
import { ByteWriter } from '../../baseline/bytes.ts';
import {
  array,
  BoundedReader,
  check,
  type Codec,
  count,
  F64_BYTES,
  list,
  nullable,
  record,
  text,
} from './codec.ts';

/** Keys of a slice: of whole rows, and of each `unique` rule. */
export interface KeysOfSlice {
  /** Its first row in the part. */
  row: number;
  sets: readonly SliceKeys[];
}

/** More than rules are. */
const MAX_SETS = 100_000;

/** Ascending rows, as their differences. */
const ROWS: Codec<Uint16Array> = {
  layout: 'rows',
  write(writer, rows) {
    writer.count(rows.length);
    let next = 0;
    for (const row of rows) {
      writer.count(row - next);
      next = row + 1;
    }
  },
  read(reader) {
    const rows = new Uint16Array(reader.items(MAX_ROWS, 2));
    let next = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = next + reader.count();
      check(row < MAX_ROWS, `a slice of more than ${MAX_ROWS} rows`);
      rows[i] = row;
      next = row + 1;
    }
    return rows;
  },
};

/** Rows in the order of the engine. */
const ANY_ROWS: Codec<Uint16Array> = {
  layout: 'any rows',
  write(writer, rows) {
    writer.count(rows.length);
    for (const row of rows) writer.count(row);
  },
  read(reader) {
    const rows = new Uint16Array(reader.items(MAX_ROWS, 2));
    for (let i = 0; i < rows.length; i++) {
      const row = reader.count();
      check(row < MAX_ROWS, `a slice of more than ${MAX_ROWS} rows`);
      rows[i] = row;
    }
    return rows;
  },
};

const KEYS: Codec<BigUint64Array> = {
  layout: 'keys',
  write(writer, keys) {
    writer.count(keys.length);
    writer.raw(new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength));
  },
  read: reader => new BigUint64Array(reader.raw(F64_BYTES * reader.items(MAX_ROWS, F64_BYTES)).buffer),
};

const areAsMany = ({ rows, keys }: RowKeys): boolean => rows.length === keys.length;

const CELLS = record<UnsettledCells>({ name: text(MAX_NAME_BYTES), rows: ANY_ROWS, keys: KEYS }, areAsMany);

const UNSETTLED = record<NonNullable<SliceKeys['unsettled']>>(
  { rows: ROWS, keys: KEYS, fields: array(CELLS) as Codec<UnsettledCells[]> },
  areAsMany,
);

const SET = record<SliceKeys>({ rows: ROWS, keys: KEYS, unsettled: nullable(UNSETTLED) }, areAsMany);

const SLICE = record<KeysOfSlice>(
  { row: count(), sets: array(SET, MAX_SETS) },
  ({ sets }) => sets.length > 0,
);

export const KEYS_OF_PART: Codec<readonly KeysOfSlice[]> = list(SLICE, (a, b) => a.row < b.row);

/** As a store keeps them. */
export function encodeKeys(slices: readonly KeysOfSlice[]): Uint8Array {
  const writer = new ByteWriter();
  KEYS_OF_PART.write(writer, slices);
  return writer.written();
}

/** Throws `DamagedBytes`. */
export const decodeKeys = (bytes: Uint8Array): readonly KeysOfSlice[] =>
  KEYS_OF_PART.read(new BoundedReader(bytes));

/** Of rows and of their cells. */
export const keysIn = (slices: readonly KeysOfSlice[]): number =>
  slices.reduce((sum, { sets }) => sum + keysInSets(sets), 0);

export const keysInSets = (sets: readonly SliceKeys[]): number =>
  sets.reduce((sum, set) => sum + keysOfSet(set), 0);

const keysOfSet = ({ rows, unsettled }: SliceKeys): number =>
  rows.length +
  (unsettled === null
    ? 0
    : unsettled.fields.reduce((sum, each) => sum + each.rows.length, unsettled.rows.length));
