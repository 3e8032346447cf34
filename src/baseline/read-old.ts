/** Reads the measurements of versions 1 and 2, which had fixed positions. */
import { nothingMeasured, summarise } from '../statistics/measure.ts';
import { PLACE, WIDTH, MEASUREMENTS } from '../statistics/registry.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import { ByteReader, DamagedBytes } from './bytes.ts';
import { readHashes, readHead, readList, readPoints } from './parts.ts';
import type { FieldState } from './state.ts';
import { FIRST_MEASUREMENTS, VERSION_1 } from './format-versions.ts';

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

export function readOldFieldState(reader: ByteReader, version: number): FieldState {
  const numbers = nothingMeasured();
  readCounts(reader, numbers, 0, COUNTS_OF_STATE);
  const sketch = reader.blob();
  const listed = readHashes(reader);
  const summary = readSummary(reader, numbers);
  if (version !== VERSION_1) readOptional(reader, numbers, 0);
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

/** Batch by batch, and then field by field what version 2 added. */
export function readOldMeasurements(
  reader: ByteReader,
  version: number,
  places: ReadonlyMap<string, number>,
): BatchStatistics[] {
  const recent = readList(reader, () => readOldBatch(reader, places));
  if (version === VERSION_1) return recent;
  for (let index = 0; index < places.size; index++) {
    const bytes = reader.blob();
    if (bytes.length === 0) continue;
    const each = new ByteReader(bytes);
    for (const { numbers } of recent) readOptional(each, numbers, index * WIDTH);
    if (!each.atEnd) throw new DamagedBytes('bytes follow the measurements');
  }
  return recent;
}

const ABSENT = 0;
const WITH_NUMBERS = 2;

function readOldBatch(reader: ByteReader, places: ReadonlyMap<string, number>): BatchStatistics {
  const { provisional: _, ...head } = readHead(reader);
  const numbers = new Float32Array(places.size * WIDTH).fill(Number.NaN);
  for (let index = 0; index < places.size; index++) {
    const has = reader.u8();
    if (has === ABSENT) continue;
    readCounts(reader, numbers, index * WIDTH, COUNTS);
    if (has === WITH_NUMBERS) readFloats(reader, numbers, index * WIDTH, OF_NUMBERS);
  }
  return { ...head, places, numbers };
}

const TEXTS = 2;
const NEW_VALUES = 4;

function readOptional(reader: ByteReader, numbers: Numbers, start: number): void {
  const has = reader.u8();
  if (has === ABSENT) return;
  set(numbers, start, PLACE.content, reader.u32());
  set(numbers, start, PLACE.top_share, reader.f32());
  readCounts(reader, numbers, start, OF_CELLS);
  if (has & NEW_VALUES) set(numbers, start, PLACE.new_values, reader.count());
  if (!(has & TEXTS)) return;
  readCounts(reader, numbers, start, OF_TEXTS);
  readFloats(reader, numbers, start, LENGTHS);
}
