/** The values of a column chunk, page by page, with their levels. */
import type { ColumnMetaData, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressed } from './codecs.ts';
import { damaged, notRead } from './damaged.ts';
import { GuardedView } from './guarded-view.ts';
import { Cursor, readDeltas, readRuns } from './runs.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Values that are there, without nulls. Bytes of texts are parts of their page. */
export type Values =
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array
  | Uint8Array
  | (Uint8Array | bigint)[];

export interface Leaf {
  element: SchemaElement;
  maxDefinition: number;
  maxRepetition: number;
}

export interface Page {
  /** Empty where every value is there. */
  definition: Uint32Array | null;
  repetition: Uint32Array | null;
  values: Values;
  /** Values and nulls. */
  count: number;
}

/** What pages of a body may take. */
export interface Budget {
  bytes: number;
  values: number;
}

/** Throws `ColumnsError`. */
export function* pagesOf(chunk: Bytes, meta: ColumnMetaData, leaf: Leaf, budget: Budget): Generator<Page> {
  const cursor = new Cursor(chunk);
  let dictionary: Values | null = null;
  let left = Number(meta.num_values);
  while (left > 0 && cursor.left > 0) {
    const header = headerAt(cursor);
    const page = cursor.take(header.compressed_page_size);
    budget.bytes -= header.uncompressed_page_size;
    if (!(header.uncompressed_page_size >= 0) || budget.bytes < 0)
      throw damaged('its pages take more bytes than a body may have');
    if (header.type === 'DICTIONARY_PAGE') {
      const count = counted(header.dictionary_page_header?.num_values, budget);
      const plain = decompressed(page, meta.codec, header.uncompressed_page_size);
      dictionary = readPlain(new Cursor(plain), leaf.element, count);
    } else if (header.type === 'DATA_PAGE' || header.type === 'DATA_PAGE_V2') {
      const read = header.type === 'DATA_PAGE' ? pageOfVersion1 : pageOfVersion2;
      const result = read(page, header, { leaf, dictionary, codec: meta.codec, budget });
      left -= result.count;
      yield result;
    }
  }
  if (left > 0) throw damaged(`a column lacks ${left} values`);
}

function headerAt(cursor: Cursor): PageHeader {
  const reader = { view: new GuardedView(cursor.view) as unknown as DataView, offset: cursor.at };
  try {
    const header = parquetHeader(reader) as PageHeader;
    cursor.at = reader.offset;
    return header;
  } catch {
    throw damaged('the header of a page cannot be read');
  }
}

function counted(values: number | undefined, budget: Budget): number {
  if (values === undefined || values < 0 || values > budget.values)
    throw damaged(`a page has ${values} values, more than a batch may have`);
  budget.values -= values;
  return values;
}

interface PageContext {
  leaf: Leaf;
  dictionary: Values | null;
  codec: string;
  budget: Budget;
}

const bitsFor = (level: number): number => 32 - Math.clz32(level);

function pageOfVersion1(
  page: Bytes,
  header: PageHeader,
  { leaf, dictionary, codec, budget }: PageContext,
): Page {
  const { num_values, encoding } = header.data_page_header ?? {};
  const count = counted(num_values, budget);
  const cursor = new Cursor(decompressed(page, codec, header.uncompressed_page_size));
  const levels = (max: number) => {
    if (max === 0) return null;
    const length = new DataView(cursor.take(4).slice().buffer).getUint32(0, true);
    return readRuns(new Cursor(cursor.take(length)), bitsFor(max), count);
  };
  const repetition = levels(leaf.maxRepetition);
  const definition = levels(leaf.maxDefinition);
  const present = presentIn(definition, leaf, count);
  return {
    repetition,
    definition,
    count,
    values: readValues(cursor, encoding ?? '', leaf.element, present, dictionary, 1),
  };
}

function pageOfVersion2(
  page: Bytes,
  header: PageHeader,
  { leaf, dictionary, codec, budget }: PageContext,
): Page {
  const head = header.data_page_header_v2;
  if (!head) throw damaged('a page has no header');
  const count = counted(head.num_values, budget);
  const cursor = new Cursor(page);
  const levels = (max: number, length: number) => {
    const bytes = cursor.take(length);
    return max === 0 ? null : readRuns(new Cursor(bytes), bitsFor(max), count);
  };
  const { repetition_levels_byte_length: before, definition_levels_byte_length: behind } = head;
  const repetition = levels(leaf.maxRepetition, before);
  const definition = levels(leaf.maxDefinition, behind);
  const present = presentIn(definition, leaf, count);
  const rest = cursor.take(cursor.left);
  const length = header.uncompressed_page_size - before - behind;
  const plain = head.is_compressed === false ? rest : decompressed(rest, codec, length);
  return {
    repetition,
    definition,
    count,
    values: readValues(new Cursor(plain), head.encoding, leaf.element, present, dictionary, 2),
  };
}

function presentIn(definition: Uint32Array | null, { maxDefinition }: Leaf, count: number): number {
  if (definition === null) return count;
  let present = 0;
  for (const level of definition) if (level === maxDefinition) present++;
  return present;
}

function readValues(
  cursor: Cursor,
  encoding: string,
  element: SchemaElement,
  count: number,
  dictionary: Values | null,
  version: 1 | 2,
): Values {
  switch (encoding) {
    case 'PLAIN':
      return readPlain(cursor, element, count);
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      return count === 0 ? [] : looked(readRuns(cursor, cursor.byte(), count), dictionary);
    case 'RLE': {
      if (element.type !== 'BOOLEAN') throw notRead('values in runs that are no booleans');
      if (version === 1 || cursor.left >= 4) cursor.take(4);
      return Uint8Array.from(readRuns(cursor, 1, count));
    }
    case 'DELTA_BINARY_PACKED': {
      const values = readDeltas(cursor, count);
      return element.type === 'INT32'
        ? Int32Array.from(values, value => Number(BigInt.asIntN(32, value)))
        : values;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const lengths = readDeltas(cursor, count);
      return Array.from(lengths, length => cursor.take(Number(length)));
    }
    case 'DELTA_BYTE_ARRAY':
      return readPrefixed(cursor, count);
    case 'BYTE_STREAM_SPLIT':
      return readSplit(cursor, element, count);
    default:
      throw notRead(`the encoding ${encoding}`);
  }
}

function looked(indexes: Uint32Array, dictionary: Values | null): Values {
  if (dictionary === null) throw damaged('a page has indexes, but its column has no dictionary');
  const { length } = dictionary;
  if (indexes.some(index => index >= length)) throw damaged('a page has an index that its dictionary lacks');
  if (Array.isArray(dictionary)) return Array.from(indexes, index => dictionary[index]!);
  const out = new (dictionary.constructor as new (length: number) => Exclude<Values, unknown[]>)(
    indexes.length,
  );
  for (const [i, index] of indexes.entries()) out[i] = dictionary[index]!;
  return out;
}

/** What texts with common beginnings may take: prefixes can repeat without bytes of their own. */
const MAX_PREFIXED_BYTES = 32 * 1024 * 1024;

function readPrefixed(cursor: Cursor, count: number): Uint8Array[] {
  const prefixes = readDeltas(cursor, count);
  const suffixes = readDeltas(cursor, count);
  let [before, total] = [new Uint8Array(), 0] as [Uint8Array, number];
  return Array.from(suffixes, (length, i) => {
    const [prefix, suffix] = [Number(prefixes[i]!), cursor.take(Number(length))];
    total += prefix + suffix.length;
    if (prefix < 0 || prefix > before.length || total > MAX_PREFIXED_BYTES)
      throw damaged('a text repeats more of the text before than there is');
    const text = new Uint8Array(prefix + suffix.length);
    text.set(before.subarray(0, prefix));
    text.set(suffix, prefix);
    before = text;
    return text;
  });
}

const WIDTHS: Record<string, number> = { INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8 };

function widthOf({ type, type_length = 0 }: SchemaElement): number {
  const width = type === 'FIXED_LEN_BYTE_ARRAY' ? type_length : (WIDTHS[type ?? ''] ?? 0);
  if (!(width > 0)) throw damaged(`a column of ${type} has values of ${width} bytes`);
  return width;
}

function readSplit(cursor: Cursor, element: SchemaElement, count: number): Values {
  const width = widthOf(element);
  const streams = cursor.take(count * width);
  const bytes = new Uint8Array(count * width);
  for (let k = 0; k < width; k++)
    for (let i = 0; i < count; i++) bytes[i * width + k] = streams[k * count + i]!;
  return readPlain(new Cursor(bytes), element, count);
}

function readPlain(cursor: Cursor, element: SchemaElement, count: number): Values {
  switch (element.type) {
    case 'BOOLEAN': {
      const bits = cursor.take(Math.ceil(count / 8));
      return Uint8Array.from({ length: count }, (_, i) => (bits[i >> 3]! >> (i & 7)) & 1);
    }
    case 'INT32':
      return new Int32Array(cursor.take(count * 4).slice().buffer);
    case 'INT64':
      return new BigInt64Array(cursor.take(count * 8).slice().buffer);
    case 'FLOAT':
      return new Float32Array(cursor.take(count * 4).slice().buffer);
    case 'DOUBLE':
      return new Float64Array(cursor.take(count * 8).slice().buffer);
    case 'INT96':
      return Array.from({ length: count }, () => nanoseconds(cursor.take(12)));
    case 'BYTE_ARRAY':
      return Array.from({ length: count }, () => cursor.take(lengthAt(cursor)));
    default: {
      const width = widthOf(element);
      return Array.from({ length: count }, () => cursor.take(width));
    }
  }
}

const lengthAt = (cursor: Cursor): number => {
  const at = cursor.at;
  cursor.take(4);
  return cursor.view.getUint32(at, true);
};

/** Nanoseconds of the day, then a Julian day. */
function nanoseconds(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 12);
  const days = BigInt(view.getUint32(8, true)) - 2_440_588n;
  return BigInt.asIntN(64, days * 86_400_000_000_000n + view.getBigInt64(0, true));
}
