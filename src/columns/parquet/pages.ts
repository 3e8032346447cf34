/** The pages of a column chunk, one after the other, with their levels. */
import type { ColumnMetaData, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressed } from './codecs.ts';
import { damaged } from './damaged.ts';
import { GuardedView } from './guarded-view.ts';
import { Cursor, readRuns } from './runs.ts';
import type { Source } from '../source.ts';
import { type Bytes, readPlain, readValues, type Values } from './values.ts';

export interface Leaf {
  /** Names from the top, joined with dots. */
  path: string;
  element: SchemaElement;
  maxDefinition: number;
  maxRepetition: number;
}

export interface Page {
  /** Null where every value is there. */
  definition: Uint32Array | null;
  /** Null where nothing repeats. */
  repetition: Uint32Array | null;
  values: Values;
  /** Values and nulls. */
  count: number;
}

/** Limits what pages take. */
export interface Budget {
  /** Throws `ColumnsError` where a page of so many bytes, decompressed, or so many values is too much. */
  take(bytes: number, values: number): void;
}

export interface Chunk {
  source: Pick<Source, 'size' | 'read'>;
  meta: ColumnMetaData;
  leaf: Leaf;
  budget: Budget;
}

/** Old writers do not count the header of the dictionary among the bytes of a column (PARQUET-816). */
const UNCOUNTED_BYTES = 100;

/** Throws `ColumnsError`. */
export function* pagesOf({ source, meta, leaf, budget }: Chunk): Generator<Page, undefined> {
  let at = Number(meta.dictionary_page_offset || meta.data_page_offset);
  const length = Number(meta.total_compressed_size);
  if (!(at >= 4 && length >= 0 && at + length <= source.size))
    throw damaged(`the column '${leaf.path}' lies outside of the file`);
  const end = Math.min(source.size, at + length + UNCOUNTED_BYTES);
  let dictionary: Values | null = null;
  let left = Number(meta.num_values);
  while (left > 0 && at < end) {
    const { header, headerBytes } = headerAt(source, at, end - at);
    const size = header.compressed_page_size;
    at += headerBytes;
    if (!(isCount(size) && size <= end - at)) throw damaged(`a page of '${leaf.path}' is cut`);
    if (!isCount(header.uncompressed_page_size)) throw damaged(`a page of '${leaf.path}' has no length`);
    budget.take(header.uncompressed_page_size, 0);
    const read = PAGES[header.type];
    if (header.type === 'DICTIONARY_PAGE') {
      const count = counted(header.dictionary_page_header?.num_values, budget);
      const plain = decompressed(source.read(at, size), meta.codec, header.uncompressed_page_size);
      dictionary = readPlain(new Cursor(plain), leaf.element, count);
    } else if (read !== undefined) {
      const { num_values } = header.data_page_header ?? header.data_page_header_v2 ?? {};
      if (!(isCount(num_values) && num_values <= left))
        throw damaged(`a page of '${leaf.path}' has ${num_values} values`);
      const page = read(source.read(at, size), header, { leaf, dictionary, codec: meta.codec, budget });
      left -= page.count;
      yield page;
    }
    at += size;
  }
  if (left > 0) throw damaged(`the column '${leaf.path}' lacks ${left} values`);
}

/** Most headers are shorter; those with long statistics are read again with more bytes. */
const HEADER_BYTES = 1024;
const MAX_HEADER_BYTES = 8 * 1024 * 1024;

function headerAt(
  source: Pick<Source, 'size' | 'read'>,
  at: number,
  most: number,
): { header: PageHeader; headerBytes: number } {
  for (let length = HEADER_BYTES; ; length *= 16) {
    const bytes = source.read(at, Math.min(length, most));
    const view = new GuardedView(new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
    const reader = { view: view as unknown as DataView, offset: 0 };
    try {
      const header = parquetHeader(reader) as PageHeader;
      if (reader.offset <= bytes.length) return { header, headerBytes: reader.offset };
    } catch {}
    if (length >= Math.min(most, MAX_HEADER_BYTES)) throw damaged('the header of a page cannot be read');
  }
}

/** hyparquet gives what the file says, whose numbers may be texts, lists or of 64 bits. */
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function counted(values: number | undefined, budget: Budget): number {
  if (!isCount(values)) throw damaged(`a page has ${values} values`);
  budget.take(0, values);
  return values;
}

interface PageContext {
  leaf: Leaf;
  dictionary: Values | null;
  codec: string;
  budget: Budget;
}

const PAGES: Record<string, (page: Bytes, header: PageHeader, context: PageContext) => Page> = {
  DATA_PAGE: pageOfVersion1,
  DATA_PAGE_V2: pageOfVersion2,
};

function readLevels(bytes: Bytes, max: number, count: number): Uint32Array {
  const levels = readRuns(new Cursor(bytes), 32 - Math.clz32(max), count);
  for (let i = 0; i < count; i++) if (levels[i]! > max) throw damaged(`a page has the level ${levels[i]}`);
  return levels;
}

function pageOfVersion1(
  page: Bytes,
  header: PageHeader,
  { leaf, dictionary, codec, budget }: PageContext,
): Page {
  const { num_values, encoding = '' } = header.data_page_header ?? {};
  const count = counted(num_values, budget);
  const cursor = new Cursor(decompressed(page, codec, header.uncompressed_page_size));
  const levels = (max: number) => {
    if (max === 0) return null;
    cursor.skip(4);
    const length = cursor.view.getUint32(cursor.at - 4, true);
    return readLevels(cursor.take(length), max, count);
  };
  const repetition = levels(leaf.maxRepetition);
  const definition = levels(leaf.maxDefinition);
  const present = presentIn(definition, leaf, 0, count);
  const values = readValues(cursor, encoding, leaf.element, present, dictionary, 1);
  return { repetition, definition: present === count ? null : definition, count, values };
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
    return max === 0 ? null : readLevels(bytes, max, count);
  };
  const { repetition_levels_byte_length: before, definition_levels_byte_length: behind } = head;
  if (!isCount(before) || !isCount(behind)) throw damaged('the levels of a page have no length');
  const repetition = levels(leaf.maxRepetition, before);
  const definition = levels(leaf.maxDefinition, behind);
  const present = presentIn(definition, leaf, 0, count);
  const rest = cursor.take(cursor.left);
  const length = header.uncompressed_page_size - before - behind;
  // Old writers compress such a page and say that they have not (ARROW-17100).
  const isPlain = head.is_compressed === false && rest.length === length;
  const plain = isPlain ? rest : decompressed(rest, codec, length);
  const values = readValues(new Cursor(plain), head.encoding, leaf.element, present, dictionary, 2);
  return { repetition, definition: present === count ? null : definition, count, values };
}

/** Values that are there among the entries in [from, to). */
export function presentIn(
  definition: Uint32Array | null,
  { maxDefinition }: Leaf,
  from: number,
  to: number,
): number {
  if (definition === null) return to - from;
  let present = 0;
  for (let i = from; i < to; i++) if (definition[i] === maxDefinition) present++;
  return present;
}
