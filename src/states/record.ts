/** The record of a whole batch, as the engine would have measured it, from the state of its parts. */
import { BUCKETS, Column, FENCE_FACTOR, MAX_INSPECTED, PACK, QUANTILES } from '../../assembly/abi.ts';
import { DateOrder } from '../../assembly/abi-dates.ts';
import { SLOTS } from '../../assembly/abi-parts.ts';
import type { PastOf } from '../engine/reading.ts';
import type { BatchRecord, ColumnRecord } from '../engine/records.ts';
import {
  BUCKETED,
  COUNTED,
  type ColumnState,
  type DatesState,
  type NeighbourState,
  OF_ROWS,
} from './column-state.ts';
import { readMoments } from './moments.ts';
import { inspectedShare } from './queries.ts';
import { outsideIn, quantilesOf } from './rank-queries.ts';
import { settledColumns } from './settle.ts';
import { slotsOf } from './slots.ts';
import { type State, signsIn } from './state.ts';
import { areAll, distinctIn, distinctInSample, mostFrequentIn } from './values.ts';

/** `lineOf`: the line of the batch, from 1, on which a line of a part stands. `pastOf`: what is known of its columns. */
export function recordOf(
  state: State,
  lineOf: (part: number, line: number) => number,
  pastOf: PastOf | null = null,
): BatchRecord {
  const { count, first } = state.ragged;
  return {
    rows: state.rows,
    analysedRows: state.rows,
    ragged: { count, firstLine: first === null ? 0 : lineOf(first[0], first[1]) },
    endsEarly: state.endsEarly,
    signs: signsIn(state),
    duplicateRows: state.duplicateRows,
    // Names have been made different in each part.
    hasHeader: false,
    columns: settledColumns(state, pastOf).map(column =>
      columnRecord(column, column.isRepeated || state.repeatedNames.has(column.name)),
    ),
  };
}

function columnRecord(state: ColumnState, isRepeated: boolean): ColumnRecord {
  const numbers = new Float64Array(Column.LENGTH);
  const share = inspectedShare(state);
  COUNTED.forEach((column, i) => {
    const isOfRows = column === Column.TYPED_TEXTS || OF_ROWS.includes(column);
    numbers[column] = isOfRows ? state.counts[i]! : Math.round(share * state.counts[i]!);
  });
  numbers[Column.REPEATED] = isRepeated ? 1 : 0;
  putValues(numbers, state);
  putNumbers(numbers, state);
  putBuckets(numbers, state.buckets, share);
  putTexts(numbers, state, share);
  putNeighbour(numbers, state.neighbours, share);
  const { name, physicalType, registers, listed, signs, meanings } = state;
  return {
    name,
    physicalType,
    numbers,
    registers,
    listed: listed?.map(({ hash, count }) => ({ hash, count })) ?? null,
    signs,
    meanings,
    part: null,
  };
}

// ---- values ----

const CHAIN = 0x9e3779b97f4a7c15n;
const MIX = 0xd6e8feb86659fd93n;

function putValues(numbers: Float64Array, state: ColumnState): void {
  const { values, listed, hashSum } = state;
  const count = numbers[Column.VALUES]!;
  const distinct = distinctInSample(values, 1, count);
  const texts = numbers[Column.TEXTS]!;
  numbers[Column.DISTINCT] = distinct;
  numbers[Column.LISTED] = listed?.length ?? 0;
  numbers[Column.DISTINCT_TEXTS] = listed?.length ?? Math.min(texts, distinct);
  const most = areAll(values)
    ? mostFrequentIn(values)
    : Math.max(mostFrequentIn(values), excessOf(slotsOf(state), count));
  numbers[Column.TOP_SHARE] = count === 0 ? 0 : most / count;
  numbers[Column.CONTENT] = Number(mixed(hashSum + CHAIN * BigInt(count)) >> 40n);
}

/** By how much the fullest slot exceeds the mean of the others: so often does one value occur, if it is frequent. */
function excessOf(slots: Float64Array, count: number): number {
  const most = slots.reduce((a, b) => Math.max(a, b), 0);
  return Math.max(0, most - (count - most) / (SLOTS - 1));
}

/** As `mix` of `assembly/hash.ts`. */
function mixed(sum: bigint): bigint {
  let hash = BigInt.asUintN(64, sum);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 32n)) * MIX);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 32n)) * MIX);
  return hash ^ (hash >> 32n);
}

// ---- numbers ----

function putNumbers(numbers: Float64Array, { moments, ranks }: ColumnState): void {
  numbers[Column.FINITE] = moments.count;
  if (moments.count === 0) return;
  const { mean, m2 } = readMoments(moments);
  numbers[Column.MEAN] = mean;
  numbers[Column.M2] = m2;
  const quantiles = quantilesOf(ranks, QUANTILES);
  numbers.set(quantiles, Column.FIRST_QUANTILE);
  const [q1, q3] = [quantiles[QUANTILES >> 2]!, quantiles[(QUANTILES >> 2) * 3]!];
  const range = q3 - q1;
  const [low, high] = [q1 - FENCE_FACTOR * range, q3 + FENCE_FACTOR * range];
  if (!(range > 0)) return;
  const { count, min, max } = outsideIn(ranks, low, high);
  if (count === 0) return;
  numbers[Column.OUTLIERS] = count;
  numbers[Column.OUTLIER_MIN] = min;
  numbers[Column.OUTLIER_MAX] = max;
}

// ---- inspected cells ----

const areAllDistinct = (numbers: Float64Array): boolean =>
  numbers[Column.DISTINCT] === numbers[Column.VALUES];

/** Puts two counts in a number. Each must be below PACK, so larger ones are scaled down together. `share`: of inspected cells in those that they stand for. */
function putBuckets(numbers: Float64Array, buckets: Float64Array, share: number): void {
  BUCKETED.forEach((family, i) => {
    if (family === Column.FIRST_VALUE_BUCKET && areAllDistinct(numbers)) return;
    const counts = buckets.subarray(i * BUCKETS, (i + 1) * BUCKETS);
    const most = counts.reduce((a, b) => Math.max(a, b), 0);
    const scale = Math.min(share, (PACK - 1) / Math.max(1, most));
    for (let j = 0; j < BUCKETS; j += 2)
      numbers[family + j / 2] = Math.round(scale * counts[j]!) + PACK * Math.round(scale * counts[j + 1]!);
  });
}

function putTexts(
  numbers: Float64Array,
  { lengths, formats, dateForms, dates }: ColumnState,
  share: number,
): void {
  if (lengths.count > 0) {
    const { mean, m2 } = readMoments(lengths);
    numbers[Column.LENGTH_MEAN] = mean;
    numbers[Column.LENGTH_M2] = share * m2;
  }
  numbers[Column.FORMATS] = distinctInSample(formats, share, numbers[Column.INSPECTED_TEXTS]!);
  numbers[Column.TOP_FORMAT] = Math.round(share * mostFrequentIn(formats));
  if (dates === null) return;
  const usual = dateForms.counts.indexOf(mostFrequentIn(dateForms));
  numbers[Column.DATE_FORMS] = distinctIn(dateForms);
  numbers[Column.TOP_DATE_FORM] = Math.round(share * dateForms.counts[usual]!);
  numbers[Column.DATE_FORM] = dateForms.hashes[usual]!;
  putDates(numbers, dates);
}

function putDates(numbers: Float64Array, { orders, unit, low, high }: DatesState): void {
  const isDayFirst = (orders >> DateOrder.DAY_FIRST) & 1;
  const isMonthFirst = (orders >> DateOrder.MONTH_FIRST) & 1;
  if (isDayFirst !== isMonthFirst)
    numbers[Column.DATE_ORDER] = isDayFirst ? DateOrder.DAY_FIRST : DateOrder.MONTH_FIRST;
  numbers[Column.DATE_UNIT] = Number.isFinite(unit) ? unit : 0;
  if (low > high) return;
  numbers[Column.DATE_LOW] = low;
  numbers[Column.DATE_HIGH] = high;
}

/** The neighbour of most rows, of two the first by name. Columns may come in another order in each part. */
function putNeighbour(numbers: Float64Array, neighbours: readonly NeighbourState[], share: number): void {
  if (neighbours.length === 0) return;
  const { name, paired, compared, agreeing, pairs } = neighbours.reduce((best, each) =>
    each.paired > best.paired ? each : best,
  );
  numbers[Column.NEIGHBOUR] = name;
  // Of as many as in a batch of one slice: the more cells there are, the fewer pairs differ.
  const all = Math.round(share * paired);
  const sample = Math.min(MAX_INSPECTED, all);
  numbers[Column.PAIRED] = sample;
  numbers[Column.PAIRS] = distinctInSample(pairs, share, all, sample);
  numbers[Column.COMPARED] = Math.round(share * compared);
  numbers[Column.AGREEING] = Math.round(share * agreeing);
}
