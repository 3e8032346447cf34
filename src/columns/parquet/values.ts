/** The values of a page without its nulls: all of one width, or byte arrays that lie somewhere in their page. */
import type { Memory } from '../scratch.ts';
import { damaged, notRead } from './damaged.ts';
import type { SchemaElement } from './metadata.ts';
import { quoted } from '../../terms/errors.ts';
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

/** What the values of a page are read with. */
export interface Reading {
  element: SchemaElement;
  memory: Memory;
  /** Counts bytes that values take in addition to those of their page. Throws `ColumnsError` if there are too many. */
  countBytes(bytes: number): void;
}

/** `version`: of the data page. Throws `ColumnsError`. */
export function readValues(
  cursor: Cursor,
  encoding: string,
  count: number,
  dictionary: Values | null,
  version: 1 | 2,
  reading: Reading,
): Values {
  const { element, memory } = reading;
  if (TYPES[encoding]?.includes(element.type!) === false)
    throw damaged(`a column of ${element.type} has values in ${encoding}`);
  switch (encoding) {
    case 'PLAIN':
      return readPlain(cursor, count, reading);
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY': {
      if (count === 0) return NOTHING;
      const indexes = memory.integers(count);
      readRuns(cursor, cursor.byte(), indexes);
      return looked(indexes, dictionary, reading);
    }
    case 'RLE': {
      if (version === 1 || cursor.left >= 4) cursor.take(4);
      const bytes = memory.bytes(count);
      readRuns(cursor, 1, bytes);
      return { width: 1, bytes };
    }
    case 'DELTA_BINARY_PACKED': {
      const isLong = element.type === 'INT64';
      const values = readDeltas(cursor, count, isLong, memory);
      return { width: isLong ? 8 : 4, bytes: new Uint8Array(values.buffer) };
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const lengths = readDeltas(cursor, count, false, memory);
      const texts = collected(cursor, count, i => lengths[i]!, memory);
      memory.release(lengths);
      return texts;
    }
    case 'DELTA_BYTE_ARRAY':
      return readPrefixed(cursor, count, reading);
    case 'BYTE_STREAM_SPLIT':
      return readSplit(cursor, count, reading);
    default:
      throw notRead(`the encoding ${encoding}`);
  }
}

export function readPlain(cursor: Cursor, count: number, { element, memory }: Reading): Values {
  switch (element.type) {
    case 'BOOLEAN': {
      const bits = cursor.take(Math.ceil(count / 8));
      const bytes = memory.bytes(count);
      for (let i = 0; i < count; i++) bytes[i] = (bits[i >> 3]! >> (i & 7)) & 1;
      return { width: 1, bytes };
    }
    case 'INT96':
      return microseconds(cursor.take(count * 12), count, { element, memory });
    case 'BYTE_ARRAY':
      return collected(cursor, count, () => lengthAt(cursor), memory);
    default: {
      const width = widthOf(element);
      const bytes = memory.bytes(count * width);
      bytes.set(cursor.take(count * width));
      return { width, bytes };
    }
  }
}

const WIDTHS: Record<string, number> = { INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8 };

function widthOf({ type, width }: SchemaElement): number {
  const bytes = type === 'FIXED_LEN_BYTE_ARRAY' ? width : (WIDTHS[type ?? ''] ?? 0);
  if (!(bytes > 0)) throw damaged(`a column of ${type} has values of ${bytes} bytes`);
  return bytes;
}

/** Takes texts one after the other; `nextLength` may read the length before each. */
function collected(cursor: Cursor, count: number, nextLength: (i: number) => number, memory: Memory): Texts {
  const [begins, ends] = [memory.integers(count), memory.integers(count)];
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

function looked(indexes: Uint32Array<ArrayBuffer>, dictionary: Values | null, reading: Reading): Values {
  if (dictionary === null) throw damaged('a page has indexes, but its column has no dictionary');
  const [length, count] = [countOf(dictionary), indexes.length];
  for (let i = 0; i < count; i++)
    if (indexes[i]! >= length) throw damaged('a page has an index that its dictionary lacks');
  if (!isTexts(dictionary)) {
    const values = gathered(indexes, dictionary, reading);
    reading.memory.release(indexes);
    return values;
  }
  const [begins, ends] = [reading.memory.integers(count), reading.memory.integers(count)];
  for (let i = 0; i < count; i++) {
    begins[i] = dictionary.begins[indexes[i]!]!;
    ends[i] = dictionary.ends[indexes[i]!]!;
  }
  reading.memory.release(indexes);
  return { bytes: dictionary.bytes, begins, ends };
}

function gathered(indexes: Uint32Array, { width, bytes }: Fixed, reading: Reading): Fixed {
  const count = indexes.length;
  // A few bytes may repeat a long value millions of times.
  reading.countBytes(count * width);
  const out = reading.memory.bytes(count * width);
  if (width === 4 || width === 8) {
    const [words, from, to] = [width / 4, integersOf(bytes), integersOf(out)];
    for (let i = 0; i < count; i++)
      for (let k = 0; k < words; k++) to[words * i + k] = from[words * indexes[i]! + k]!;
  } else
    for (let i = 0; i < count; i++)
      for (let k = 0; k < width; k++) out[width * i + k] = bytes[width * indexes[i]! + k]!;
  return { width, bytes: out };
}

const integersOf = ({ buffer, byteOffset, length }: Bytes): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length / 4);

function readPrefixed(cursor: Cursor, count: number, { element, memory, countBytes }: Reading): Values {
  const prefixes = readDeltas(cursor, count, false, memory);
  const suffixes = readDeltas(cursor, count, false, memory);
  const [begins, ends] = [memory.integers(count), memory.integers(count)];
  let total = cursor.left;
  for (let i = 0; i < count; i++) total += prefixes[i]!;
  // Prefixes repeat without bytes of their own.
  countBytes(total);
  const bytes = memory.bytes(total);
  for (let [i, before, at] = [0, 0, 0]; i < count; i++) {
    const [prefix, suffix] = [prefixes[i]!, suffixes[i]!];
    if (prefix > at - before) throw damaged('a text repeats more of the text before than there is');
    bytes.copyWithin(at, before, before + prefix);
    const from = cursor.at;
    cursor.skip(suffix);
    bytes.set(cursor.bytes.subarray(from, cursor.at), at + prefix);
    begins[i] = before = at;
    ends[i] = at += prefix + suffix;
  }
  memory.release(prefixes);
  memory.release(suffixes);
  const read = { bytes, begins, ends };
  return element.type === 'FIXED_LEN_BYTE_ARRAY' ? evened(read, widthOf(element)) : read;
}

function evened({ bytes, begins, ends }: Texts, width: number): Fixed {
  for (let i = 0; i < begins.length; i++)
    if (ends[i]! - begins[i]! !== width) throw damaged(`a column has values that do not have ${width} bytes`);
  // The values follow each other without gaps.
  return { width, bytes: bytes.subarray(0, begins.length * width) };
}

function readSplit(cursor: Cursor, count: number, { element, memory }: Reading): Fixed {
  const width = widthOf(element);
  const streams = cursor.take(count * width);
  const bytes = memory.bytes(count * width);
  for (let k = 0; k < width; k++)
    for (let i = 0; i < count; i++) bytes[i * width + k] = streams[k * count + i]!;
  return { width, bytes };
}

/** The day of 1970-01-01, and microseconds of a day. */
const JULIAN_1970 = 2_440_588n;
const DAY_MICROSECONDS = 86_400_000_000n;

/** Nanoseconds of the day, then a Julian day: as microseconds, because nanoseconds of 64 bits end in 2262. Refuses times that are beyond those too. */
function microseconds(
  bytes: Bytes,
  count: number,
  { element, memory }: Pick<Reading, 'element' | 'memory'>,
): Fixed {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const out = memory.bytes(count * 8);
  const to = new DataView(out.buffer);
  for (let i = 0; i < count; i++) {
    const days = BigInt(view.getInt32(i * 12 + 8, true)) - JULIAN_1970;
    const time = days * DAY_MICROSECONDS + view.getBigInt64(i * 12, true) / 1000n;
    if (time !== BigInt.asIntN(64, time))
      throw notRead(`a time in ${quoted(element.name)} that is more than 292,000 years from 1970`);
    to.setBigInt64(i * 8, time, true);
  }
  return { width: 8, bytes: out };
}
