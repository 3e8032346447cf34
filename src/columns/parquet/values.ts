/** The values of a page without its nulls: all of one width, or byte arrays that lie somewhere in their page. */
import type { SchemaElement } from 'hyparquet';
import { damaged, notRead } from './damaged.ts';
import { type Cursor, readDeltas, readRuns } from './runs.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

export interface Fixed {
  width: number;
  /** Aligned to the width of a number. */
  bytes: Bytes;
}

/** Text `i` is from `begins[i]` to `ends[i]`. */
export interface Texts {
  bytes: Bytes;
  begins: Uint32Array;
  ends: Uint32Array;
}

export type Values = Fixed | Texts;

export const isTexts = (values: Values): values is Texts => 'begins' in values;

const countOf = (values: Values): number =>
  isTexts(values) ? values.begins.length : values.bytes.length / values.width;

const NOTHING: Fixed = { width: 1, bytes: new Uint8Array() };

/** Encodings that not every type may have. */
const TYPES: Record<string, string[]> = {
  RLE: ['BOOLEAN'],
  DELTA_BINARY_PACKED: ['INT32', 'INT64'],
  DELTA_LENGTH_BYTE_ARRAY: ['BYTE_ARRAY'],
  DELTA_BYTE_ARRAY: ['BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'],
};

/** `version`: of the data page. Throws `ColumnsError`. */
export function readValues(
  cursor: Cursor,
  encoding: string,
  element: SchemaElement,
  count: number,
  dictionary: Values | null,
  version: 1 | 2,
): Values {
  if (TYPES[encoding]?.includes(element.type!) === false)
    throw damaged(`a column of ${element.type} has values in ${encoding}`);
  switch (encoding) {
    case 'PLAIN':
      return readPlain(cursor, element, count);
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      return count === 0 ? NOTHING : looked(readRuns(cursor, cursor.byte(), count), dictionary);
    case 'RLE': {
      if (version === 1 || cursor.left >= 4) cursor.take(4);
      return { width: 1, bytes: Uint8Array.from(readRuns(cursor, 1, count)) };
    }
    case 'DELTA_BINARY_PACKED':
      return deltas(cursor, element, count);
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const lengths = readDeltas(cursor, count);
      return collected(cursor, count, i => Number(lengths[i]!));
    }
    case 'DELTA_BYTE_ARRAY':
      return readPrefixed(cursor, element, count);
    case 'BYTE_STREAM_SPLIT':
      return readSplit(cursor, element, count);
    default:
      throw notRead(`the encoding ${encoding}`);
  }
}

export function readPlain(cursor: Cursor, element: SchemaElement, count: number): Values {
  switch (element.type) {
    case 'BOOLEAN': {
      const bits = cursor.take(Math.ceil(count / 8));
      const bytes = new Uint8Array(count);
      for (let i = 0; i < count; i++) bytes[i] = (bits[i >> 3]! >> (i & 7)) & 1;
      return { width: 1, bytes };
    }
    case 'INT96':
      return nanoseconds(cursor.take(count * 12), count);
    case 'BYTE_ARRAY':
      return collected(cursor, count, () => lengthAt(cursor));
    default: {
      const width = widthOf(element);
      return { width, bytes: cursor.take(count * width).slice() };
    }
  }
}

const WIDTHS: Record<string, number> = { INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8 };

function widthOf({ type, type_length = 0 }: SchemaElement): number {
  const width = type === 'FIXED_LEN_BYTE_ARRAY' ? type_length : (WIDTHS[type ?? ''] ?? 0);
  if (!(width > 0)) throw damaged(`a column of ${type} has values of ${width} bytes`);
  return width;
}

/** Takes texts one after the other; `nextLength` may read the length before each. */
function collected(cursor: Cursor, count: number, nextLength: (i: number) => number): Texts {
  const begins = new Uint32Array(count);
  const ends = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const length = nextLength(i);
    begins[i] = cursor.at;
    cursor.skip(length);
    ends[i] = cursor.at;
  }
  return { bytes: cursor.bytes, begins, ends };
}

function lengthAt(cursor: Cursor): number {
  cursor.skip(4);
  return cursor.view.getUint32(cursor.at - 4, true);
}

function looked(indexes: Uint32Array, dictionary: Values | null): Values {
  if (dictionary === null) throw damaged('a page has indexes, but its column has no dictionary');
  const length = countOf(dictionary);
  for (let i = 0; i < indexes.length; i++)
    if (indexes[i]! >= length) throw damaged('a page has an index that its dictionary lacks');
  return isTexts(dictionary)
    ? {
        bytes: dictionary.bytes,
        begins: indexes.map(index => dictionary.begins[index]!),
        ends: indexes.map(index => dictionary.ends[index]!),
      }
    : { width: dictionary.width, bytes: gathered(indexes, dictionary) };
}

function gathered(indexes: Uint32Array, { width, bytes }: Fixed): Bytes {
  const out = new Uint8Array(indexes.length * width);
  if (width === 4 || width === 8) {
    const [from, to] = [new Uint32Array(bytes.buffer), new Uint32Array(out.buffer)];

    if (width === 4) for (let i = 0; i < indexes.length; i++) to[i] = from[indexes[i]!]!;
    else
      for (let i = 0; i < indexes.length; i++) {
        to[2 * i] = from[2 * indexes[i]!]!;
        to[2 * i + 1] = from[2 * indexes[i]! + 1]!;
      }
  } else
    for (let i = 0; i < indexes.length; i++)
      for (let k = 0; k < width; k++) out[i * width + k] = bytes[indexes[i]! * width + k]!;
  return out;
}

function deltas(cursor: Cursor, { type }: SchemaElement, count: number): Fixed {
  const values: BigInt64Array<ArrayBuffer> = readDeltas(cursor, count);
  if (type !== 'INT32') return { width: 8, bytes: new Uint8Array(values.buffer) };
  const low = new Int32Array(count);
  for (let i = 0; i < count; i++) low[i] = Number(BigInt.asIntN(32, values[i]!));
  return { width: 4, bytes: new Uint8Array(low.buffer) };
}

/** What texts with common beginnings may take: prefixes can repeat without bytes of their own. */
const MAX_PREFIXED_BYTES = 32 * 1024 * 1024;

function readPrefixed(cursor: Cursor, element: SchemaElement, count: number): Values {
  const prefixes = readDeltas(cursor, count);
  const suffixes = readDeltas(cursor, count);
  const begins = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let bytes: Bytes = new Uint8Array(1024);
  for (let i = 0, before = 0, at = 0; i < count; i++) {
    const [prefix, suffix] = [Number(prefixes[i]!), cursor.take(Number(suffixes[i]!))];
    const end = at + prefix + suffix.length;
    if (prefix < 0 || prefix > at - before || end > MAX_PREFIXED_BYTES)
      throw damaged('a text repeats more of the text before than there is');
    if (end > bytes.length) bytes = enlarged(bytes, end);
    bytes.copyWithin(at, before, before + prefix);
    bytes.set(suffix, at + prefix);
    begins[i] = before = at;
    ends[i] = at = end;
  }
  return element.type === 'FIXED_LEN_BYTE_ARRAY'
    ? evened({ bytes, begins, ends }, widthOf(element))
    : { bytes, begins, ends };
}

function enlarged(bytes: Bytes, least: number): Bytes {
  const longer = new Uint8Array(Math.max(least, bytes.length * 2));
  longer.set(bytes);
  return longer;
}

function evened({ bytes, begins, ends }: Texts, width: number): Fixed {
  if (begins.some((begin, i) => ends[i]! - begin !== width))
    throw damaged(`a column has values that do not have ${width} bytes`);
  return { width, bytes: bytes.slice(0, begins.length * width) };
}

function readSplit(cursor: Cursor, element: SchemaElement, count: number): Fixed {
  const width = widthOf(element);
  const streams = cursor.take(count * width);
  const bytes = new Uint8Array(count * width);
  for (let k = 0; k < width; k++)
    for (let i = 0; i < count; i++) bytes[i * width + k] = streams[k * count + i]!;
  return { width, bytes };
}

/** Nanoseconds of the day, then a Julian day. */
function nanoseconds(bytes: Bytes, count: number): Fixed {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const out = new BigInt64Array(count);
  for (let i = 0; i < count; i++) {
    const days = BigInt(view.getUint32(i * 12 + 8, true)) - 2_440_588n;
    out[i] = days * 86_400_000_000_000n + view.getBigInt64(i * 12, true);
  }
  return { width: 8, bytes: new Uint8Array(out.buffer) };
}
