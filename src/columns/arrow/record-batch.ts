/** The vectors of one record batch: finds the buffers of each field, and checks that they have the bytes that their values need. */

import { CompressionType } from 'apache-arrow/fb/compression-type';
import type { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Layout } from '../../../assembly/abi.ts';
import { quoted } from '../../terms/errors.ts';
import { ColumnsError } from '../columns-error.ts';
import { type Field, NOTHING, type Region, type Space, type Vector } from '../field.ts';
import { inflated, lz4Frame } from '../compression.ts';
import { decimalBytes } from './types.ts';

/** What lies where a batch's metadata says. */
export interface Located {
  metadata: RecordBatch;
  /** The address of its body, and the bytes of it. */
  bodyAt: number;
  bodyLength: number;
  isBigEndian: boolean;
  space: Space;
  /** Counts compressed bytes: two buffers may name the same ones. Throws `ColumnsError` for too many. */
  countPacked(bytes: number): void;
}

/** Throws `ColumnsError`. */
export function vectorsOf(fields: Field[], located: Located): { vectors: Vector[]; rows: number } {
  const rows = safe(located.metadata.length(), 'number of rows');
  const walk = new Walk(located);
  const vectors = fields.map(field => walk.vectorOf(field, false));
  const uneven = vectors.find(vector => vector.length !== rows);
  if (uneven) throw damaged(`the column ${quoted(uneven.field.name)} has ${uneven.length} rows, not ${rows}`);
  return { vectors, rows };
}

/** Bytes of a value. */
const WIDTHS: Partial<Record<Layout, number>> = {
  [Layout.INT8]: 1,
  [Layout.UINT8]: 1,
  [Layout.INT16]: 2,
  [Layout.UINT16]: 2,
  [Layout.INT32]: 4,
  [Layout.UINT32]: 4,
  [Layout.INT64]: 8,
  [Layout.UINT64]: 8,
  [Layout.FLOAT16]: 2,
  [Layout.FLOAT32]: 4,
  [Layout.FLOAT64]: 8,
  [Layout.DATE32]: 4,
  [Layout.DATE64]: 8,
  [Layout.TIME32]: 4,
  [Layout.TIME64]: 8,
  [Layout.TIMESTAMP]: 8,
  [Layout.TEXT_VIEW]: 16,
  [Layout.BYTES_VIEW]: 16,
};

const OFFSET_BYTES: Partial<Record<Layout, number>> = {
  [Layout.TEXT32]: 4,
  [Layout.BYTES32]: 4,
  [Layout.TEXT64]: 8,
  [Layout.BYTES64]: 8,
};

/** Bytes of a value where every value has as many; 0 for bits and texts. */
export function widthOf({ layout, parameter }: Pick<Field, 'layout' | 'parameter'>): number {
  if (layout === Layout.DECIMAL) return decimalBytes(parameter);
  if (layout === Layout.BYTES_FIXED) return parameter;
  return WIDTHS[layout!] ?? 0;
}

/** Views hold numbers and texts. No writer of big-endian data has them. */
function swappedWidthOf(field: Field): number {
  return field.layout === Layout.BYTES_FIXED ? 1 : widthOf(field);
}

class Walk {
  readonly #located: Located;
  #node = 0;
  #buffer = 0;
  #variadic = 0;

  constructor(located: Located) {
    this.#located = located;
  }

  /** `isEntry`: of a dictionary, whose entries are not indexes. */
  vectorOf(field: Field, isEntry: boolean): Vector {
    const { length, nulls } = this.#nextNode(field);
    const vector: Vector = {
      field,
      length,
      validity: null,
      offsets: NOTHING,
      values: NOTHING,
      buffers: [],
      children: [],
    };
    if (field.dictionary !== null && !isEntry) {
      vector.validity = this.#validity(field, length, nulls);
      const width = WIDTHS[field.dictionary.indexes]!;
      vector.values = this.#region(field, length * width, width);
    } else if (field.nesting === null) this.#fill(vector, nulls);
    else this.#nest(vector, nulls);
    return vector;
  }

  #fill(vector: Vector, nulls: number): void {
    const { field, length } = vector;
    if (field.layout === Layout.NULL) return;
    vector.validity = this.#validity(field, length, nulls);
    const offsetBytes = OFFSET_BYTES[field.layout!];
    if (offsetBytes !== undefined) {
      vector.offsets = this.#region(field, length === 0 ? 0 : (length + 1) * offsetBytes, offsetBytes);
      vector.values = this.#region(field, 0);
    } else if (field.layout === Layout.BOOLEAN) vector.values = this.#region(field, bitBytes(length));
    else vector.values = this.#region(field, length * widthOf(field), swappedWidthOf(field));
    if (field.layout === Layout.TEXT_VIEW || field.layout === Layout.BYTES_VIEW)
      vector.buffers = this.#variadicBuffers(field);
  }

  #nest(vector: Vector, nulls: number): void {
    const { field, length } = vector;
    const { nesting } = field;
    if (nesting !== 'run_end_encoded') vector.validity = this.#validity(field, length, nulls);
    const offsetBytes = nesting === 'large_list' || nesting === 'large_list_view' ? 8 : 4;
    if (nesting === 'list' || nesting === 'large_list' || nesting === 'map')
      vector.offsets = this.#region(field, length === 0 ? 0 : (length + 1) * offsetBytes, offsetBytes);
    if (nesting === 'list_view' || nesting === 'large_list_view') {
      vector.offsets = this.#region(field, length * offsetBytes, offsetBytes);
      vector.values = this.#region(field, length * offsetBytes, offsetBytes);
    }
    vector.children = field.children.map(child => this.vectorOf(child, false));
  }

  #nextNode(field: Field): { length: number; nulls: number } {
    const node =
      this.#node < this.#located.metadata.nodesLength() ? this.#located.metadata.nodes(this.#node++) : null;
    if (node === null) throw damaged(`the record batch has no entry for the column ${quoted(field.name)}`);
    return { length: safe(node.length(), 'number of values'), nulls: Number(node.nullCount()) };
  }

  #validity(field: Field, length: number, nulls: number): Region | null {
    const region = this.#region(field, 0);
    if (nulls === 0) return null;
    if (region.length === 0 && nulls < 0) return null;
    if (region.length < bitBytes(length)) throw tooShort(field, region.length, bitBytes(length));
    return region;
  }

  /** The next buffer, which has at least `needed` bytes. `width`: bytes of a number in it. */
  #region(field: Field, needed: number, width = 1): Region {
    const { metadata, bodyLength } = this.#located;
    const buffer = this.#buffer < metadata.buffersLength() ? metadata.buffers(this.#buffer++) : null;
    if (buffer === null)
      throw damaged(`the record batch has too few buffers for the column ${quoted(field.name)}`);
    const [offset, length] = [safe(buffer.offset(), 'offset'), safe(buffer.length(), 'length of a buffer')];
    if (offset + length > bodyLength)
      throw damaged(
        `a buffer of the column ${quoted(field.name)} ends ${offset + length - bodyLength} bytes behind its batch`,
      );
    const region = this.#plain({ at: this.#located.bodyAt + offset, length });
    if (region.length < needed) throw tooShort(field, region.length, needed);
    return this.#located.isBigEndian && width > 1 ? this.#swapped(region, width) : region;
  }

  #swapped({ at, length }: Region, width: number): Region {
    const to = this.#located.space.allocate(length);
    const bytes = this.#located.space.bytes();
    for (let i = 0; i + width <= length; i += width)
      for (let k = 0; k < width; k++) bytes[to + i + k] = bytes[at + i + width - 1 - k]!;
    return { at: to, length };
  }

  #variadicBuffers(field: Field): Region[] {
    const { metadata } = this.#located;
    const count =
      this.#variadic < metadata.variadicBufferCountsLength()
        ? metadata.variadicBufferCounts(this.#variadic++)
        : null;
    const most = metadata.buffersLength() - this.#buffer;
    if (count === null || count < 0n || count > BigInt(most))
      throw damaged(`the column ${quoted(field.name)} names buffers that are not there`);
    return Array.from({ length: Number(count) }, () => this.#region(field, 0));
  }

  /** The bytes themselves where the buffer is compressed: its length as an i64, then the compressed bytes; -1 where they are not. */
  #plain(region: Region): Region {
    const { metadata, space, countPacked } = this.#located;
    const compression = metadata.compression();
    if (compression === null || region.length === 0) return region;
    if (region.length < 8) throw damaged('a compressed buffer is shorter than its length');
    const length = new DataView(space.bytes().buffer, region.at).getBigInt64(0, true);
    const rest = { at: region.at + 8, length: region.length - 8 };
    if (length === -1n) return rest;
    countPacked(rest.length);
    const plain = {
      at: space.allocate(safe(length, 'length of a compressed buffer')),
      length: Number(length),
    };
    const bytes = space.bytes();
    const [from, to] = [rest, plain].map(({ at, length }) => bytes.subarray(at, at + length)) as [
      Uint8Array,
      Uint8Array,
    ];
    const isZstd = compression.codec() === CompressionType.ZSTD;
    const isWhole = isZstd ? inflated('ZSTD', from, to) : lz4Frame(from, to);
    if (!isWhole) throw damaged('a compressed buffer cannot be decompressed to its length');
    return plain;
  }
}

const bitBytes = (bits: number): number => Math.ceil(bits / 8);

/** Beyond every body, so that sums stay exact. */
const MOST = 2n ** 40n;

function safe(value: bigint, what: string): number {
  if (value < 0n || value > MOST) throw damaged(`it has the ${what} ${value}`);
  return Number(value);
}

export const damaged = (why: string): ColumnsError => new ColumnsError(`The Arrow data is damaged: ${why}`);

const tooShort = (field: Field, has: number, needed: number): ColumnsError =>
  damaged(`a buffer of the column ${quoted(field.name)} has ${has} bytes where its rows need ${needed}`);
