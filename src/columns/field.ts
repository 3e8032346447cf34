/** Columns as Arrow lays them out: fields, and vectors whose buffers lie somewhere in one piece of memory. */
import type { Layout } from '../../assembly/abi.ts';

/** How children make up a value. */
export type Nesting =
  | 'list'
  | 'large_list'
  | 'list_view'
  | 'large_list_view'
  | 'fixed_size_list'
  | 'struct'
  | 'map'
  | 'run_end_encoded';

export interface Field {
  name: string;
  /** Of the values; of a dictionary's entries, where there is one. Null: the nesting says. */
  layout: Layout | null;
  nesting: Nesting | null;
  /** As in `Layout`; items of a fixed-size list. */
  parameter: number;
  children: Field[];
  dictionary: { id: bigint; indexes: Layout } | null;
  /** Texts that are JSON (the extension type `arrow.json`). */
  isJson: boolean;
  /** As pyarrow writes the type. */
  physicalType: string;
}

/** A buffer. */
export interface Region {
  at: number;
  length: number;
}

export interface Vector {
  field: Field;
  length: number;
  /** Null: no value is null. */
  validity: Region | null;
  /** Offsets of texts and lists. */
  offsets: Region;
  /** Values, views, or sizes of list views. Of a dictionary's indexes, where there is one. */
  values: Region;
  /** What long views point into. */
  buffers: Region[];
  children: Vector[];
}

/** Memory that buffers lie in. */
export interface Space {
  /** All of it. Not to be kept: the next `allocate` may move it. */
  bytes(): Uint8Array<ArrayBuffer>;
  /** The address of new bytes, a multiple of 8. Throws `ColumnsError` where there is no room. */
  allocate(length: number): number;
}

export type Dictionaries = ReadonlyMap<bigint, Vector>;

/** Rows of every column, in the order of the fields. */
export interface Rows {
  vectors: Vector[];
  rows: number;
  dictionaries: Dictionaries;
}

/** What takes the columns. Throws `ColumnsError`. */
export interface Sink {
  /** The schema, once. */
  begin(fields: Field[]): void;
  append(rows: Rows): void;
}

export const NOTHING: Region = { at: 0, length: 0 };

/** A type of many fields is cut. */
const MAX_TYPE_NAME = 200;

export const shortened = (type: string): string =>
  type.length > MAX_TYPE_NAME ? `${type.slice(0, MAX_TYPE_NAME).toWellFormed()}…` : type;
