/** The pages of a column chunk, one after the other, with their levels. */
import { crc32 } from 'node:zlib';
import { quoted } from '../../terms/errors.ts';
import type { Memory, Scratch } from '../scratch.ts';
import type { Source } from '../source.ts';
import { decompressed } from './codecs.ts';
import { damaged } from './damaged.ts';
import { PAGE_HEADER, type PageHeader, type SchemaElement } from './metadata.ts';
import { Cursor, readRuns } from './runs.ts';
import { Thrift } from './thrift.ts';
import { type Bytes, type Reading, readPlain, readValues, type Values } from './values.ts';

export interface Leaf {
  /** Among all leaves of the schema; its column chunk has the same place in each row group. */
  index: number;
  /** Names from the top, joined with dots. */
  path: string;
  element: SchemaElement;
  maxDefinition: number;
  maxRepetition: number;
}

export interface Page {
  /** Null if no value is null. A byte is enough for a level, because the nesting of a schema is limited. */
  definition: Uint8Array | null;
  /** Null where nothing repeats. */
  repetition: Uint8Array | null;
  values: Values;
  /** Values and nulls. */
  count: number;
}

/** A page in the file, which can be decoded again. */
export interface PlacedPage {
  /** Values and nulls. */
  count: number;
  /** Of its column chunk; null without one. */
  readDictionary: ((memory: Memory) => Values) | null;
  decode(memory: Memory, dictionary: Values | null): Page;
}

/** Limits what a file takes. Each throws `ColumnsError` where it is too much. */
export interface Budget {
  /** A column chunk or a page. */
  part(): void;
  /** Bytes of a column that are read of the file, and bytes that decompression or the entries of a dictionary make of them. */
  bytes(count: number, leaf: Leaf): void;
  /** Of a page, nulls included. */
  values(count: number, leaf: Leaf): void;
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
  source: Source;
  place: ChunkPlace;
  leaf: Leaf;
  budget: Budget;
  /** For a page, a dictionary, or headers. */
  newMemory(): Scratch;
}

/** A page of a chunk that is read. */
type PageChunk = Pick<Chunk, 'source' | 'place' | 'leaf' | 'budget'> & { memory: Memory };

/** Old writers do not count the header of the dictionary among the bytes of a column (PARQUET-816). */
const UNCOUNTED_BYTES = 100;

/** Throws `ColumnsError`. */
export function* pagesOf(chunk: Chunk): Generator<PlacedPage, undefined> {
  const { source, place, leaf, budget } = chunk;
  const headers = { ...chunk, memory: chunk.newMemory() };
  let { at, values: left } = place;
  if (!(at >= 4 && place.length >= 0 && at + place.length <= source.size))
    throw damaged(`the column ${quoted(leaf.path)} lies outside of the file`);
  const end = Math.min(source.size, at + place.length + UNCOUNTED_BYTES);
  let readsDictionary: PlacedPage['readDictionary'] = null;
  while (left > 0 && at < end) {
    const { header, headerBytes } = headerAt(headers, at, end - at);
    const { type = '', size = -1, plainSize = -1 } = header;
    at += headerBytes;
    if (!(size >= 0 && size <= end - at)) throw damaged(`a page of ${quoted(leaf.path)} is cut`);
    if (!(plainSize >= 0)) throw damaged(`a page of ${quoted(leaf.path)} has no length`);
    budget.part();
    // The header of a page without compression may claim that it has no bytes.
    budget.bytes(Math.max(size, plainSize), leaf);
    const [begin, decode] = [at, PAGES[type]];
    if (type === 'DICTIONARY_PAGE')
      readsDictionary = memory => {
        const reading = { ...chunk, memory };
        return readDictionary(pageAt(reading, begin, header), header, reading);
      };
    else if (decode !== undefined) {
      const { values } = header.data ?? header.data2 ?? {};
      if (!(values! >= 0 && values! <= left))
        throw damaged(`a page of ${quoted(leaf.path)} has ${values ?? 'no'} values`);
      left -= values!;
      yield {
        count: values!,
        readDictionary: readsDictionary,
        decode(memory, dictionary) {
          const reading = { ...chunk, memory };
          return decode(pageAt(reading, begin, header), header, { ...reading, dictionary });
        },
      };
    }
    at += size;
  }
  if (left > 0) throw damaged(`the column ${quoted(leaf.path)} lacks ${left} values`);
}

/** A page as it is in the file. */
function pageAt(chunk: PageChunk, at: number, { size = 0, crc }: PageHeader): Bytes {
  const page = packedAt(chunk, at, size);
  if (crc !== undefined && crc32(page) !== crc >>> 0)
    throw damaged(`a page of ${quoted(chunk.leaf.path)} does not have its checksum`);
  return page;
}

/** Copies bytes of the file. */
function packedAt({ source, memory }: PageChunk, at: number, size: number): Bytes {
  const packed = memory.bytes(size);
  source.readInto(packed, at);
  return packed;
}

/** Most headers are shorter; those with long statistics are read again with more bytes. */
const HEADER_BYTES = 1024;
const MAX_HEADER_BYTES = 8 * 1024 * 1024;

function headerAt(chunk: PageChunk, at: number, left: number): { header: PageHeader; headerBytes: number } {
  const most = Math.min(left, MAX_HEADER_BYTES);
  for (let length = HEADER_BYTES; ; length *= 16) {
    // Counts each time: many chunks may share one header.
    if (length > HEADER_BYTES) chunk.budget.bytes(Math.min(length, most), chunk.leaf);
    const bytes = packedAt(chunk, at, Math.min(length, most));
    const thrift = new Thrift(bytes);
    try {
      return { header: thrift.struct(PAGE_HEADER), headerBytes: thrift.at };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    } finally {
      chunk.memory.release(bytes);
    }
    if (length >= most) throw damaged('the header of a page cannot be read');
  }
}

function counted(values: number | undefined, { budget, leaf }: PageChunk): number {
  if (values === undefined || values < 0) throw damaged(`a page has ${values ?? 'no'} values`);
  budget.values(values, leaf);
  return values;
}

/** Decompresses `packed`, the compressed part of `page`, and then releases the page. Without compression the values lie in the page, which stays. */
function plainOf(page: Bytes, packed: Bytes, length: number, { place, memory }: PageChunk): Bytes {
  const plain = decompressed(packed, place.codec, length, memory);
  if (plain !== packed) memory.release(page);
  return plain;
}

function readDictionary(page: Bytes, header: PageHeader, chunk: PageChunk): Values {
  const count = counted(header.dictionary?.values, chunk);
  const plain = plainOf(page, page, header.plainSize!, chunk);
  return readPlain(new Cursor(plain), count, readingOf(chunk));
}

const readingOf = ({ budget, memory, leaf }: PageChunk): Reading => ({
  element: leaf.element,
  memory,
  countBytes: bytes => budget.bytes(bytes, leaf),
});

interface PageContext extends PageChunk {
  dictionary: Values | null;
}

const PAGES: Record<string, (page: Bytes, header: PageHeader, context: PageContext) => Page> = {
  DATA_PAGE: pageOfVersion1,
  DATA_PAGE_V2: pageOfVersion2,
};

function readLevels(bytes: Bytes, max: number, count: number, memory: Memory): Uint8Array {
  const levels = memory.bytes(count);
  readRuns(new Cursor(bytes), 32 - Math.clz32(max), levels);
  for (let i = 0; i < count; i++) if (levels[i]! > max) throw damaged(`a page has the level ${levels[i]}`);
  return levels;
}

function pageOfVersion1(page: Bytes, header: PageHeader, context: PageContext): Page {
  const { leaf, memory } = context;
  const { values, encoding = '' } = header.data ?? {};
  const count = counted(values, context);
  const cursor = new Cursor(plainOf(page, page, header.plainSize!, context));
  const levels = (max: number) => {
    if (max === 0) return null;
    cursor.skip(4);
    const length = cursor.view.getUint32(cursor.at - 4, true);
    return readLevels(cursor.take(length), max, count, memory);
  };
  const repetition = levels(leaf.maxRepetition);
  const definition = levels(leaf.maxDefinition);
  return pageOf({ repetition, definition, count }, cursor, encoding, 1, context);
}

function pageOfVersion2(page: Bytes, header: PageHeader, context: PageContext): Page {
  const { leaf, memory } = context;
  const {
    values,
    encoding = '',
    definitionBytes = 0,
    repetitionBytes = 0,
    isCompressed,
  } = header.data2 ?? {};
  const count = counted(values, context);
  const cursor = new Cursor(page);
  const levels = (max: number, length: number) => {
    const bytes = cursor.take(length);
    return max === 0 ? null : readLevels(bytes, max, count, memory);
  };
  const repetition = levels(leaf.maxRepetition, repetitionBytes);
  const definition = levels(leaf.maxDefinition, definitionBytes);
  const rest = cursor.take(cursor.left);
  const length = header.plainSize! - repetitionBytes - definitionBytes;
  // Old writers compress such a page and say that they have not (ARROW-17100).
  const isPlain = isCompressed === false && rest.length === length;
  const plain = isPlain ? rest : plainOf(page, rest, length, context);
  return pageOf({ repetition, definition, count }, new Cursor(plain), encoding, 2, context);
}

/** Reads the values behind the levels. */
function pageOf(
  { repetition, definition, count }: Omit<Page, 'values'>,
  cursor: Cursor,
  encoding: string,
  version: 1 | 2,
  { dictionary, ...chunk }: PageContext,
): Page {
  const present = presentIn(definition, chunk.leaf, 0, count);
  const values = readValues(cursor, encoding, present, dictionary, version, readingOf(chunk));
  return { repetition, definition: present === count ? null : definition, count, values };
}

/** Values that are there among the entries in [from, to). */
export function presentIn(
  definition: Uint8Array | null,
  { maxDefinition }: Leaf,
  from: number,
  to: number,
): number {
  if (definition === null) return to - from;
  let present = 0;
  for (let i = from; i < to; i++) if (definition[i] === maxDefinition) present++;
  return present;
}
