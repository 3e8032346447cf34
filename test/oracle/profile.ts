/** The profile of a batch, computed the obvious, slow way: it keeps and sorts everything. */
import type { Batch, Cell, CellType } from './batch.ts';
import { exactNumber } from './exact.ts';

export interface PlainProfile {
  rows: number;
  analysedRows: number;
  /** By name. */
  fields: Map<string, PlainField>;
  /** Sorted. */
  repeatedNames: string[];
  ragged: { count: number; firstLine: number };
  endsEarly: boolean;
  duplicateRows: number;
}

export interface PlainField {
  present: number;
  nulls: number;
  counts: { [type in Exclude<CellType, 'null'>]: number };
  empties: number;
  values: number;
  distinct: number;
  texts: number;
  distinctTexts: number;
  /** How often each distinct string occurs, most frequent first; null if there are more than 50. */
  listed: number[] | null;
  numeric: PlainNumbers | null;
}

export interface PlainNumbers {
  count: number;
  mean: number;
  m2: number;
  /** Quantiles at i / 32, and for each the larger magnitude of the two order statistics around it. */
  quantiles: number[];
  scales: number[];
  /** Undefined if a number is so close to a fence that rounding decides. */
  outliers: Outliers | undefined;
}

export interface Outliers {
  count: number;
  min: number;
  max: number;
}

const MOST_LISTED = 50;

/** @param analysed indexes of the rows whose values are measured; by default all of them. */
export function profileOf(batch: Batch, analysed: number[] = batch.rows.map((_, i) => i)): PlainProfile {
  return {
    rows: batch.rows.length,
    analysedRows: analysed.length,
    fields: new Map(batch.names.map(name => [name, fieldOf(batch, name, analysed)])),
    repeatedNames: [...batch.repeated].sort(),
    ragged: batch.ragged,
    endsEarly: batch.endsEarly,
    duplicateRows: batch.rows.length - new Set(batch.rows.map(row => rowIdentity(row))).size,
  };
}

function fieldOf(batch: Batch, name: string, analysed: number[]): PlainField {
  const given = batch.rows.map(row => row.get(name));
  const count = (type: CellType): number => given.filter(cell => cell?.type === type).length;
  const measured = analysed.map(i => given[i]).filter(isValue);
  const texts = measured.filter(cell => cell.type === 'string').map(cell => cell.text);
  const numbers = measured.map(cell => cell.number).filter(Number.isFinite);
  return {
    present: given.filter(cell => cell !== undefined).length,
    nulls: given.filter(cell => cell === undefined || cell.type === 'null').length,
    counts: {
      number: count('number'),
      boolean: count('boolean'),
      object: count('object'),
      array: count('array'),
      string: count('string'),
    },
    empties: given.filter(cell => cell?.type === 'string' && cell.text === '').length,
    values: measured.length,
    distinct: new Set(measured.map(identity)).size,
    texts: texts.length,
    distinctTexts: new Set(texts).size,
    listed: frequencies(texts),
    numeric: numbers.length === 0 ? null : numbersOf(numbers),
  };
}

const isValue = (cell: Cell | undefined): cell is Cell => cell !== undefined && cell.type !== 'null';

/** Two values are equal if their types and values are: `1` and `1.0`, but not `1` and `"1"`. Nested values are equal if their texts are. */
const identity = (cell: Cell): string =>
  `${cell.type} ${cell.type === 'number' ? exactNumber(cell) : cell.text}`;

/** Null is as good as absent, and the order of the fields does not matter. */
const rowIdentity = (row: ReadonlyMap<string, Cell | undefined>): string =>
  JSON.stringify(
    [...row]
      .filter(([, cell]) => isValue(cell))
      .map(([name, cell]) => [name, identity(cell!)])
      .sort(([a], [b]) => (a! < b! ? -1 : 1)),
  );

function frequencies(texts: string[]): number[] | null {
  const seen = new Map<string, number>();
  for (const text of texts) seen.set(text, (seen.get(text) ?? 0) + 1);
  return seen.size > MOST_LISTED ? null : [...seen.values()].sort((a, b) => b - a);
}

export function numbersOf(numbers: number[]): PlainNumbers {
  const sorted = [...numbers].sort((a, b) => a - b);
  const mean = sorted.reduce((sum, x) => sum + x / sorted.length, 0);
  const ranks = Array.from({ length: 33 }, (_, i) => ((sorted.length - 1) * i) / 32);
  const quantiles = ranks.map(rank => between(sorted, rank));
  return {
    count: sorted.length,
    mean,
    m2: sorted.reduce((sum, x) => sum + (x - mean) ** 2, 0),
    quantiles,
    scales: ranks.map(rank => Math.max(...around(sorted, rank).map(Math.abs))),
    outliers: outsideTukey(sorted, quantiles[8]!, quantiles[24]!),
  };
}

const around = (sorted: number[], rank: number): [number, number] => [
  sorted[Math.floor(rank)]!,
  sorted[Math.ceil(rank)]!,
];

/** Type 7 of Hyndman and Fan (1996): linear between the order statistics around (n - 1) p. */
function between(sorted: number[], rank: number): number {
  const [below, above] = around(sorted, rank);
  const share = rank - Math.floor(rank);
  return below === above ? below : below * (1 - share) + above * share;
}

/** Relative distance from a fence within which two ways of computing it may differ. */
const ROUNDING = 1e-12;

/** Values beyond three interquartile ranges from the quartiles; none when there is no range. */
function outsideTukey(sorted: number[], q1: number, q3: number): Outliers | undefined {
  const range = q3 - q1;
  const fences = [q1 - 3 * range, q3 + 3 * range] as const;
  const near = (x: number) =>
    fences.some(fence => Math.abs(x - fence) <= ROUNDING * (Math.abs(q1) + Math.abs(q3)));
  if (range !== 0 && sorted.some(near)) return undefined;
  const out = range === 0 ? [] : sorted.filter(x => x < fences[0] || x > fences[1]);
  // -0 counts as 0.
  return { count: out.length, min: (out[0] ?? Number.NaN) + 0, max: (out.at(-1) ?? Number.NaN) + 0 };
}
