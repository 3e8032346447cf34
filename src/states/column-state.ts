/** What is known of one column of a part of a batch. Parts merge in any order and grouping, and the result has the same bits. */
import { BUCKETS, Column, MAX_ENUM, MAX_INSPECTED, PACK } from '../../assembly/abi.ts';
import type { HashCounts, PartMeasures } from '../engine/part-measures.ts';
import type { Unsettled } from '../engine/reading.ts';
import type { ColumnRecord } from '../engine/records.ts';
import type { Meanings } from '../semantics/semantic-type.ts';
import type { SignCounts } from '../signs/sign.ts';
import { MEASUREMENTS } from '../statistics/registry.ts';
import { NO_ROWS, type RowsByKind } from './first-rows.ts';
import { type Moments, momentsOf, NO_MOMENTS } from './moments.ts';
import { keptOf } from './part-bounds.ts';
import type { Place } from './place.ts';
import { bounded, NO_RANKS, type Ranks, ranksOf } from './ranks.ts';
import { type Against, type ColumnFinds, NOTHING_NEW } from './slice-rows.ts';
import { HASH_END, MAX_VALUES, type Values } from './values.ts';

export interface ColumnState {
  name: string;
  /** The type that an Arrow or Parquet body declares; of several the first by name. Null in texts. */
  physicalType: string | null;
  /** Where the column was first seen: orders the columns of the batch. */
  first: Place;
  isRepeated: boolean;
  /** By `COUNTED`. An inspected cell counts as many times as it stands for. */
  counts: Float64Array;
  /** Cells that were inspected. */
  inspected: number;
  /** By `BUCKETED`, BUCKETS for each. */
  buckets: Float64Array;
  // Five summaries of the same values:
  /** The sum of the hashes of all values that are not null, modulo 2^64: identifies the content. */
  hashSum: bigint;
  /** Counts of the values with the smallest hashes: how many values differ, and the most frequent one of few. */
  values: Values;
  /** Counts of all values by SLOTS equal intervals of their hashes: the share of one frequent value among many. Null while `values` has all of them. */
  slots: Float64Array | null;
  /** HyperLogLog registers, as baselines keep them. */
  registers: Uint8Array;
  /** The distinct strings by hash, ascending, when there are at most `MAX_ENUM`: the most frequent texts. Else null. */
  listed: readonly Listed[] | null;
  /** CSV: how its cells could be read; else null. */
  unsettled: Unsettled | null;
  /** CSV: words such as `NA`, ascending by hash. `nulls`: of slices that read them as null; the other fields lack them. `words`: of slices that read them as texts. */
  nulls: readonly Listed[];
  words: readonly Listed[];
  /** The finite numbers. */
  moments: Moments;
  ranks: Ranks;
  /** CSV: the finite numbers of slices that read the column as texts. */
  codeMoments: Moments;
  codeRanks: Ranks;
  // Of the inspected cells:
  lengths: Moments;
  formats: Values;
  dateForms: Values;
  dates: DatesState | null;
  /** By the neighbour's name, ascending. */
  neighbours: readonly NeighbourState[];
  /** The first rows with something that a finding may be about. */
  rows: RowsByKind;
  against: Against;
  /** Cells that may be damaged. */
  signs: SignCounts;
  /** About how many values mean what. */
  meanings: Meanings;
}

export interface Listed {
  hash: bigint;
  count: number;
  /** Its first 64 characters. */
  text: string;
  first: Place;
}

export interface DatesState {
  /** The `DateOrder` of each part, a bit for each order. */
  orders: number;
  /** The longest of day, hour, minute, second and millisecond that all dates are multiples of, in ms. 0: less than a millisecond. Infinite: unknown. */
  unit: number;
  low: number;
  high: number;
  /** Of all texts, in ms since 1970. Infinite: the order of day and month is unknown in a slice. */
  earliest: number;
  latest: number;
}

export interface NeighbourState {
  /** 24 bits of its name. */
  name: number;
  /** Rows in which both have a value; in which both are numbers that change; in which they change in the same direction. */
  paired: number;
  compared: number;
  agreeing: number;
  pairs: Values;
}

/** Counts over all rows. */
export const OF_ROWS: readonly Column[] = [
  ...[Column.NULLS, Column.FALSES, Column.TRUES, Column.NUMBERS, Column.STRINGS, Column.EMPTIES],
  ...[Column.OBJECTS, Column.ARRAYS, Column.VALUES, Column.TEXTS, Column.MISSING_TEXTS],
];

/** Counts over the inspected cells that are more than a sum: of what differs, and of a neighbour. */
const NO_SUMS: readonly Column[] = [
  ...[Column.FORMATS, Column.TOP_FORMAT],
  ...[Column.NEIGHBOUR, Column.PAIRED, Column.PAIRS, Column.COMPARED, Column.AGREEING],
];

/** The other counts over the inspected cells: whatever is measured of them is added up. */
const OF_INSPECTED: readonly Column[] = MEASUREMENTS.flatMap(({ storage, group, width, source }) => {
  const isCount = storage === 'count' && width === 1 && (group === 'cells' || group === 'texts');
  if (!isCount || source.from !== 'engine' || source.column === null) return [];
  return [...OF_ROWS, ...NO_SUMS, Column.TYPED_TEXTS].includes(source.column) ? [] : [source.column];
});

/** Counts of the engine's record that are added up; the last is unknown in other formats than CSV. */
export const COUNTED: readonly Column[] = [...OF_ROWS, ...OF_INSPECTED, Column.TYPED_TEXTS];

/** The first column of each family of buckets. */
export const BUCKETED: readonly Column[] = [
  Column.FIRST_VALUE_BUCKET,
  Column.FIRST_FORMAT_BUCKET,
  Column.FIRST_TRANSITION_BUCKET,
  Column.FIRST_HOUR_BUCKET,
];

/** Formats, and pairs with a neighbour: of few inspected cells of each slice, and judged by their rough number. */
const MAX_INSPECTED_VALUES = 2048;

/** Of a record that was measured as a part. `columns`: how many its slice has. */
export function columnState(
  record: ColumnRecord,
  name: string,
  first: Place,
  columns: number,
  { rows, against }: ColumnFinds = NO_FINDS,
): ColumnState {
  const { numbers, registers, physicalType } = record;
  const part = record.part!;
  const at = (entry: Column): number => numbers[entry]!;
  const finite = at(Column.FINITE);
  const weight = weightOf(record);
  const kept = keptOf(columns);
  const mostInspected = Math.min(MAX_INSPECTED_VALUES, kept.values);
  const inspected = (listed: HashCounts, most = mostInspected) =>
    weighted({ ...listed, end: HASH_END, most }, weight);
  return {
    name,
    physicalType,
    first,
    isRepeated: at(Column.REPEATED) === 1,
    counts: countsIn(numbers, weight),
    inspected: at(Column.INSPECTED),
    buckets: bucketsIn(numbers, part.inspected, weight),
    hashSum: part.hashSum,
    ...part.values,
    registers,
    listed: listedOf(record, first),
    unsettled: part.unsettled,
    ...nullishOf(record, first),
    moments: finite === 0 ? NO_MOMENTS : momentsOf(finite, at(Column.MEAN), at(Column.M2)),
    ranks: bounded({ ...part.ranks, most: kept.ranks }),
    ...codesOf(record, kept.ranks),
    lengths: lengthsOf(numbers, weight),
    formats: inspected(part.formats),
    dateForms: inspected(part.dateForms, MAX_VALUES),
    dates: datesOf(numbers, part),
    neighbours: neighboursOf(numbers, weight, inspected(part.pairs)),
    rows,
    against,
    signs: record.signs,
    meanings: record.meanings,
  };
}

const NO_FINDS: ColumnFinds = { rows: NO_ROWS, against: NOTHING_NEW };

/**
 * How many cells an inspected one stands for: a whole number, so that sums are exact. Of a short slice nearly all cells are inspected, of a long one 192.
 */
export function weightOf({ numbers }: ColumnRecord): number {
  const cells = numbers[Column.VALUES]! + numbers[Column.NULLS]!;
  return Math.max(1, Math.round(cells / MAX_INSPECTED));
}

/** Numbers that the slice holds as texts. */
function codesOf(
  { numbers, part }: ColumnRecord,
  most: number,
): Pick<ColumnState, 'codeMoments' | 'codeRanks'> {
  const { codes } = part!;
  if (codes.length === 0 || numbers[Column.NUMBERS]! > 0)
    return { codeMoments: NO_MOMENTS, codeRanks: NO_RANKS };
  const mean = codes.reduce((sum, x) => sum + x / codes.length, 0);
  const m2 = codes.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return { codeMoments: momentsOf(codes.length, mean, m2), codeRanks: ranksOf(codes, undefined, most) };
}

function weighted({ counts, ...values }: Values, weight: number): Values {
  if (weight !== 1) for (let i = 0; i < counts.length; i++) counts[i]! *= weight;
  return { ...values, counts };
}

function countsIn(numbers: Float64Array, weight: number): Float64Array {
  const counts = new Float64Array(COUNTED.length);
  for (let i = 0; i < counts.length; i++)
    counts[i] = (i < OF_ROWS.length ? 1 : weight) * numbers[COUNTED[i]!]!;
  return counts;
}

/** Those of values as the engine counts them, which leaves them out where no value of the part occurs twice. */
function bucketsIn(numbers: Float64Array, inspected: BigUint64Array, weight: number): Float64Array {
  const counts = new Float64Array(BUCKETED.length * BUCKETS);
  const words = wordsOf(inspected);
  for (let i = 0; i < words.length; i += 2) counts[(words[i]! >>> 8) & (BUCKETS - 1)]! += weight;
  for (let i = BUCKETS; i < counts.length; i += 2) {
    const two = numbers[BUCKETED[Math.floor(i / BUCKETS)]! + (i % BUCKETS) / 2]!;
    counts[i] = weight * (two % PACK);
    counts[i + 1] = weight * Math.floor(two / PACK);
  }
  return counts;
}

/** Of each hash the lower half, then the upper one: whole numbers of 64 bits would each be an object. */
const wordsOf = ({ buffer, byteOffset, length }: BigUint64Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, 2 * length);

/** Each with a place behind that of the column, in their order in the slice. */
const listedOf = ({ listed, part }: ColumnRecord, [number, place]: Place): Listed[] | null =>
  listed
    ?.map((entry, i) => ({ ...entry, text: part!.listed[i]!, first: [number, place + i] as const }))
    .sort(byHash) ?? null;

/** Behind the listed texts of the slice: which of both came first is not known. */
function nullishOf(
  { numbers, part }: ColumnRecord,
  [number, place]: Place,
): Pick<ColumnState, 'nulls' | 'words'> {
  const { unsettled, nullish } = part!;
  const listed = nullish
    .map((entry, i) => ({ ...entry, first: [number, place + MAX_ENUM + i] as const }))
    .sort(byHash);
  const areNull = numbers[Column.NULLS] !== unsettled?.nulls;
  return areNull ? { nulls: listed, words: [] } : { nulls: [], words: listed };
}

const byHash = (a: { hash: bigint }, b: { hash: bigint }): number =>
  a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0;

function lengthsOf(numbers: Float64Array, weight: number): Moments {
  const texts = numbers[Column.INSPECTED_TEXTS]!;
  return texts === 0
    ? NO_MOMENTS
    : momentsOf(weight * texts, numbers[Column.LENGTH_MEAN]!, weight * numbers[Column.LENGTH_M2]!);
}

function datesOf(numbers: Float64Array, { earliest, latest }: PartMeasures): DatesState | null {
  if (numbers[Column.DATES] === 0) return null;
  const [low, high] = [numbers[Column.DATE_LOW]!, numbers[Column.DATE_HIGH]!];
  const isKnown = low !== 0 || high !== 0;
  return {
    orders: 1 << numbers[Column.DATE_ORDER]!,
    unit: isKnown || numbers[Column.DATE_UNIT]! > 0 ? numbers[Column.DATE_UNIT]! : Number.POSITIVE_INFINITY,
    low: isKnown ? low : Number.POSITIVE_INFINITY,
    high: isKnown ? high : Number.NEGATIVE_INFINITY,
    earliest: Number.isNaN(earliest) ? Number.NEGATIVE_INFINITY : earliest,
    latest: Number.isNaN(latest) ? Number.POSITIVE_INFINITY : latest,
  };
}

function neighboursOf(numbers: Float64Array, weight: number, pairs: Values): NeighbourState[] {
  const name = numbers[Column.NEIGHBOUR]!;
  if (name === 0) return [];
  return [
    {
      name,
      paired: weight * numbers[Column.PAIRED]!,
      compared: weight * numbers[Column.COMPARED]!,
      agreeing: weight * numbers[Column.AGREEING]!,
      pairs,
    },
  ];
}
