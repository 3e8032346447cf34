/**
 * Reads the measurements of older versions: 1 and 2 had fixed positions, 3 had optional ones apart from the others. Programs of the
 * first hours of version 2 wrote drafts of it under the same number.
 */
import { nothingMeasured, summarise } from '../statistics/measure.ts';
import { PLACE, WIDTH, MEASUREMENTS } from '../statistics/registry.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import { ByteReader, DamagedBytes } from './bytes.ts';
import {
  inGroups,
  type Layout,
  layoutOf,
  readLayout,
  readNumbers,
  targetAt,
  unknownNumbers,
} from './layout.ts';
import { checkEnd } from './envelope.ts';
import { readHashes, readHead, readList, readMap, readPoints } from './parts.ts';
import type { FieldState } from './state.ts';
import { FIRST_MEASUREMENTS, VERSION_1, VERSION_2, VERSION_3 } from './format-versions.ts';

type FirstId = (typeof FIRST_MEASUREMENTS)[number][0];

const PLACES: ReadonlyMap<string, number> = new Map(MEASUREMENTS.map(({ id, place }) => [id, place]));

/** Places of the numbers from one measurement to another; RETIRED for one that the registry has no more. */
function between(first: FirstId, last: FirstId): number[] {
  const ids = FIRST_MEASUREMENTS.map(([id]) => id);
  return FIRST_MEASUREMENTS.slice(ids.indexOf(first), ids.indexOf(last) + 1).flatMap(([id, , width]) =>
    Array.from({ length: width }, (_, i) => (PLACES.has(id) ? PLACES.get(id)! + i : RETIRED)),
  );
}
const RETIRED = -1;

const COUNTS = between('present', 'outliers');
const COUNTS_OF_STATE = between('present', 'distinct_texts');
const OF_NUMBERS = between('mean', 'maximum');
const OF_CELLS = between('inspected', 'trues');
const OF_TEXTS = between('inspected_texts', 'spaces');
const LENGTHS = between('length_mean', 'length_standard_deviation');

/** Places of what a field may have or lack. */
interface Optional {
  cells: readonly number[];
  texts: readonly number[];
}

const retired = (count: number): number[] => Array(count).fill(RETIRED);
const AS_RELEASED: Optional = { cells: OF_CELLS, texts: OF_TEXTS };
/** What only drafts had is unknown, and so is what they measured in another way: all of it is skipped. */
const DRAFTS: readonly Optional[] = [
  { cells: retired(OF_CELLS.length), texts: retired(OF_TEXTS.length + 2) },
  { cells: retired(6), texts: retired(12) },
];

/** Reads to the end. What is not as version 2 was released is one of its drafts: a checksum says that it is not damaged. */
function toEnd<T>(reader: ByteReader, version: number, read: (optional: Optional) => T): T {
  const start = reader.position;
  let damage: unknown;
  for (const optional of version === VERSION_2 ? [AS_RELEASED, ...DRAFTS] : [AS_RELEASED]) {
    try {
      reader.rewind(start);
      const value = read(optional);
      checkEnd(reader);
      return value;
    } catch (error) {
      damage ??= error;
    }
  }
  throw damage;
}

type Numbers = { [place: number]: number };

function readCounts(reader: ByteReader, numbers: Numbers, start: number, places: readonly number[]): void {
  for (const place of places) set(numbers, start, place, reader.count());
}

function readFloats(reader: ByteReader, numbers: Numbers, start: number, places: readonly number[]): void {
  for (const place of places) set(numbers, start, place, reader.f32());
}

function set(numbers: Numbers, start: number, place: number, value: number): void {
  if (place !== RETIRED) numbers[start + place] = value;
}

/** The fields of a state, which are its end. */
export const readOldFields = (reader: ByteReader, version: number): Map<string, FieldState> =>
  toEnd(reader, version, optional => readMap(reader, () => readFieldState(reader, version, optional)));

function readFieldState(reader: ByteReader, version: number, optional: Optional): FieldState {
  const numbers = nothingMeasured();
  readCounts(reader, numbers, 0, COUNTS_OF_STATE);
  const sketch = reader.blob();
  const listed = readHashes(reader);
  const summary = readSummary(reader, numbers);
  if (version !== VERSION_1) readOptional(reader, numbers, 0, optional);
  summarise(numbers, summary);
  return { numbers, sketch, listed, summary };
}

function readSummary(reader: ByteReader, numbers: Float32Array): FieldState['summary'] {
  numbers[PLACE.finite] = numbers[PLACE.outliers] = 0;
  if (reader.u8() === 0) return null;
  numbers[PLACE.finite] = reader.count();
  const mean = reader.f64();
  const m2 = reader.f64();
  numbers[PLACE.outliers] = reader.count();
  return { mean, m2, points: readPoints(reader) };
}

/** The last batches of a record with these fields, which are its end. */
export const readOldRecent = (
  reader: ByteReader,
  version: number,
  names: readonly string[],
): BatchStatistics[] => toEnd(reader, version, optional => readRecentOf(reader, version, names, optional));

function readRecentOf(
  reader: ByteReader,
  version: number,
  names: readonly string[],
  optional: Optional,
): BatchStatistics[] {
  const places = new Map(names.map((name, place) => [name, place]));
  if (version === VERSION_3) return readRecent(reader, places);
  const recent = readList(reader, () => readOldBatch(reader, places));
  if (version === VERSION_1) return recent;
  // Field by field what version 2 added.
  for (let index = 0; index < places.size; index++) {
    const bytes = reader.blob();
    if (bytes.length === 0) continue;
    const each = new ByteReader(bytes);
    for (const { numbers } of recent) readOptional(each, numbers, index * WIDTH, optional);
    if (!each.atEnd) throw new DamagedBytes('bytes follow the measurements');
  }
  return recent;
}

const CHARGED = layoutOf(inGroups(['rows', 'numbers']));
const OPTIONAL = layoutOf(inGroups(['cells', 'history', 'texts']));

/** Version 3: field by field each batch's charged measurements, then the optional ones with their length. */
function readRecent(reader: ByteReader, places: ReadonlyMap<string, number>): BatchStatistics[] {
  const heads = readList(reader, () => readHead(reader, VERSION_3));
  const charged = readLayout(reader, CHARGED);
  const recent: BatchStatistics[] = heads.map(({ provisional: _, ...head }) => ({
    ...head,
    places,
    numbers: new Float32Array(places.size * WIDTH).fill(Number.NaN),
    brief: NO_NUMBERS,
  }));
  for (let index = 0; index < places.size; index++) readField(reader, charged, recent, index);
  const optional = readLayout(reader, OPTIONAL);
  if (optional.unknownWidth > 0) {
    for (const batch of recent) batch.unknown = unknownNumbers(optional, places.size)!;
  }
  for (let index = 0; index < places.size; index++) {
    const length = reader.count();
    if (length === 0) continue;
    const end = reader.position + length;
    readField(reader, optional, recent, index);
    if (reader.position !== end) throw new DamagedBytes('the measurements have another length');
  }
  return recent;
}

const NO_NUMBERS = new Float32Array();

function readField(
  reader: ByteReader,
  layout: Layout,
  recent: readonly BatchStatistics[],
  index: number,
): void {
  for (let i = 0; i < recent.length; i++) {
    const { numbers, unknown } = recent[i]!;
    readNumbers(reader, layout, targetAt(numbers, index * WIDTH, unknown, index));
  }
}

const ABSENT = 0;
const WITH_NUMBERS = 2;

function readOldBatch(reader: ByteReader, places: ReadonlyMap<string, number>): BatchStatistics {
  const { provisional: _, ...head } = readHead(reader, VERSION_1);
  const numbers = new Float32Array(places.size * WIDTH).fill(Number.NaN);
  for (let index = 0; index < places.size; index++) {
    const has = reader.u8();
    if (has === ABSENT) continue;
    readCounts(reader, numbers, index * WIDTH, COUNTS);
    if (has === WITH_NUMBERS) readFloats(reader, numbers, index * WIDTH, OF_NUMBERS);
  }
  return { ...head, places, numbers, brief: NO_NUMBERS };
}

const TEXTS = 2;
const NEW_VALUES = 4;

function readOptional(reader: ByteReader, numbers: Numbers, start: number, { cells, texts }: Optional): void {
  const has = reader.u8();
  if (has === ABSENT) return;
  set(numbers, start, PLACE.content, reader.u32());
  set(numbers, start, PLACE.top_share, reader.f32());
  readCounts(reader, numbers, start, cells);
  if (has & NEW_VALUES) set(numbers, start, PLACE.new_values, reader.count());
  if (!(has & TEXTS)) return;
  readCounts(reader, numbers, start, texts);
  readFloats(reader, numbers, start, LENGTHS);
}
