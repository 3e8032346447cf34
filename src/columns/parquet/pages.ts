/** The pages of a column chunk, one after the other, with their levels. */
import type { PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import type { Pieces } from '../../cooperative-yield.ts';
import { ColumnsError } from '../columns-error.ts';
import { decompressed } from './codecs.ts';
import { damaged } from './damaged.ts';
import { Cursor, readRuns } from './runs.ts';
import type { Source } from '../source.ts';
import { Thrift } from './thrift.ts';
import { type Bytes, readPlain, readValues, type Values } from './values.ts';
import { quoted } from '../../errors.ts';

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

/** Limits what a file takes. Each throws `ColumnsError` where it is too much. */
export interface Budget {
  /** A column chunk or a page. */
  part(): void;
  /** Of a page, decompressed. */
  bytes(count: number): void;
  /** Of a page, nulls included. */
  values(count: number): void;
}

/** What the directory says of a column chunk; not checked yet. */
export interface ChunkPlace {
  codec: string;
  /** Values and nulls of all its pages. */
  values: number;
  /** Of its first page. */
  at: number;
  /** In bytes. */
  length: number;
}

export interface Chunk {
  source: Pick<Source, 'size' | 'read'>;
  place: ChunkPlace;
  leaf: Leaf;
  budget: Budget;
}

/** Old writers do not count the header of the dictionary among the bytes of a column (PARQUET-816). */
const UNCOUNTED_BYTES = 100;

/** Null between two pages, also those that hold nothing: a pause may be made there. Throws `ColumnsError`. */
export function* pagesOf({ source, place, leaf, budget }: Chunk): Generator<Page | null, undefined> {
  const { codec, length } = place;
  let { at, values: left } = place;
  if (!(at >= 4 && length >= 0 && at + length <= source.size))
    throw damaged(`the column ${quoted(leaf.path)} lies outside of the file`);
  const end = Math.min(source.size, at + length + UNCOUNTED_BYTES);
  let dictionary: Values | null = null;
  while (left > 0 && at < end) {
    const { header, headerBytes } = yield* pausing(headerAt(source, at, end - at));
    yield null;
    const size = header.compressed_page_size;
    at += headerBytes;
    if (!(isCount(size) && size <= end - at)) throw damaged(`a page of ${quoted(leaf.path)} is cut`);
    if (!isCount(header.uncompressed_page_size))
      throw damaged(`a page of ${quoted(leaf.path)} has no length`);
    budget.part();
    budget.bytes(header.uncompressed_page_size);
    const read = PAGES[header.type];
    if (header.type === 'DICTIONARY_PAGE') {
      const count = counted(header.dictionary_page_header?.num_values, budget);
      const plain = decompressed(source.read(at, size), codec, header.uncompressed_page_size);
      dictionary = readPlain(new Cursor(plain), leaf.element, count);
    } else if (read !== undefined) {
      const { num_values } = header.data_page_header ?? header.data_page_header_v2 ?? {};
      if (!(isCount(num_values) && num_values <= left))
        throw damaged(`a page of ${quoted(leaf.path)} has ${num_values} values`);
      const context = { leaf, dictionary, codec, budget };
      const page = yield* pausing(read(source.read(at, size), header, context));
      left -= page.count;
      yield page;
    }
    at += size;
  }
  if (left > 0) throw damaged(`the column ${quoted(leaf.path)} lacks ${left} values`);
}

/** Most headers are shorter; those with long statistics are read again with more bytes. */
const HEADER_BYTES = 1024;
const MAX_HEADER_BYTES = 8 * 1024 * 1024;

function* headerAt(
  source: Pick<Source, 'size' | 'read'>,
  at: number,
  most: number,
): Pieces<{ header: PageHeader; headerBytes: number }> {
  for (let length = HEADER_BYTES; ; length *= 16) {
    const thrift = new Thrift(source.read(at, Math.min(length, most, MAX_HEADER_BYTES)));
    try {
      const header = (yield* thrift.struct(parquetHeader)) as PageHeader;
      return { header, headerBytes: thrift.at };
    } catch (error) {
      if (error instanceof ColumnsError) throw error;
    }
    if (length >= Math.min(most, MAX_HEADER_BYTES)) throw damaged('the header of a page cannot be read');
  }
}

function* pausing<Read>(work: Pieces<Read>): Generator<null, Read> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    yield null;
  }
}

/** hyparquet gives what the file says, whose numbers may be texts, lists or of 64 bits. */
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function counted(values: number | undefined, budget: Budget): number {
  if (!isCount(values)) throw damaged(`a page has ${values} values`);
  budget.values(values);
  return values;
}

interface PageContext {
  leaf: Leaf;
  dictionary: Values | null;
  codec: string;
  budget: Budget;
}

const PAGES: Record<string, (page: Bytes, header: PageHeader, context: PageContext) => Pieces<Page>> = {
  DATA_PAGE: pageOfVersion1,
  DATA_PAGE_V2: pageOfVersion2,
};

function readLevels(bytes: Bytes, max: number, count: number): Uint32Array {
  const levels = readRuns(new Cursor(bytes), 32 - Math.clz32(max), count);
  for (let i = 0; i < count; i++) if (levels[i]! > max) throw damaged(`a page has the level ${levels[i]}`);
  return levels;
}

function* pageOfVersion1(
  page: Bytes,
  header: PageHeader,
  { leaf, dictionary, codec, budget }: PageContext,
): Pieces<Page> {
  const { num_values, encoding = '' } = header.data_page_header ?? {};
  const count = counted(num_values, budget);
  const cursor = new Cursor(decompressed(page, codec, header.uncompressed_page_size));
  yield;
  const levels = (max: number) => {
    if (max === 0) return null;
    cursor.skip(4);
    const length = cursor.view.getUint32(cursor.at - 4, true);
    return readLevels(cursor.take(length), max, count);
  };
  const repetition = levels(leaf.maxRepetition);
  yield;
  const definition = levels(leaf.maxDefinition);
  yield;
  const present = presentIn(definition, leaf, 0, count);
  const values = readValues(cursor, encoding, leaf.element, present, dictionary, 1);
  return { repetition, definition: present === count ? null : definition, count, values };
}

function* pageOfVersion2(
  page: Bytes,
  header: PageHeader,
  { leaf, dictionary, codec, budget }: PageContext,
): Pieces<Page> {
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
  yield;
  const definition = levels(leaf.maxDefinition, behind);
  yield;
  const present = presentIn(definition, leaf, 0, count);
  const rest = cursor.take(cursor.left);
  const length = header.uncompressed_page_size - before - behind;
  // Old writers compress such a page and say that they have not (ARROW-17100).
  const isPlain = head.is_compressed === false && rest.length === length;
  const plain = isPlain ? rest : decompressed(rest, codec, length);
  yield;
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
