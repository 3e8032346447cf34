/** The last batches' statistics, one by one, so that thresholds can be learned from them. */
import { QUANTILES } from '../../assembly/abi.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import type { BatchFacts, BatchState, FieldState, NumericState } from './state.ts';

/** Batches whose statistics stay readable one by one. */
export const RECENT_BATCHES = 32;

/** One field's numbers of one batch. Counts first: exact, at most MAX_ROWS. The measures after FINITE are NaN without numbers. */
export enum Statistic {
  PRESENT,
  NULLS,
  /** Non-null values by type, in the order of VALUE_TYPES. */
  FIRST_TYPE,
  EMPTIES = FIRST_TYPE + 5,
  VALUES,
  DISTINCT,
  TEXTS,
  DISTINCT_TEXTS,
  FINITE,
  OUTLIERS,
  MEAN,
  STANDARD_DEVIATION,
  MINIMUM,
  /** The quantiles 1/16, 1/4, 1/2, 3/4, 15/16. */
  LOW,
  QUARTILE_1,
  MEDIAN,
  QUARTILE_3,
  HIGH,
  MAXIMUM,
  /** From here on the profile's traits in their order (see `Trait`), NaN of a batch whose traits are not known. */
  CONTENT,
  LOOKED,
  TOP,
  NEIGHBOURS,
  SAMES,
  RISES,
  BESIDE,
  PAIRED,
  PAIRS,
  COMPARED,
  AGREEING,
  FIRST_MIX,
  LAST_MIX = FIRST_MIX + 7,
  LOOKED_NUMBERS,
  WHOLE,
  ZEROS,
  NEGATIVES,
  TENS,
  TENTHS,
  HUNDREDTHS,
  /** NaN without a text, as all up to LENGTH_DEVIATION. */
  LOOKED_TEXTS,
  PADDED,
  WITH_DIGIT,
  WITH_UPPER,
  WITH_SPACE,
  WITH_WIDE,
  SHAPES,
  TOP_SHAPE,
  FIRST_SHAPE_MIX,
  LAST_SHAPE_MIX = FIRST_SHAPE_MIX + 7,
  FIRST_FORM_MIX,
  LAST_FORM_MIX = FIRST_FORM_MIX + 7,
  CHARACTERS,
  DIGITS,
  UPPERS,
  SPACES,
  LENGTH_MEAN,
  LENGTH_DEVIATION,
  TRUES,
  /** Cells looked at whose value the baseline had never seen; NaN of a field that was new then. */
  FRESH,
  LENGTH,
}

/** Statistics from here on are traits. */
export const FIRST_TRAIT = Statistic.CONTENT;
export const TRAITS = Statistic.LENGTH - FIRST_TRAIT;

/** Statistics below this are counts. */
export const COUNTS = Statistic.MEAN;

const QUANTILE_STATISTICS = [0, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 15 / 16, 1].map(p => p * (QUANTILES - 1));

export interface BatchStatistics extends Omit<BatchFacts, 'provisional'> {
  rows: number;
  /** Where in `numbers` a field's statistics begin, in units of Statistic.LENGTH. */
  places: ReadonlyMap<string, number>;
  /** NaN throughout for a field that the batch lacks. f32: a number beyond its range is infinite. */
  numbers: Float32Array;
}

/** One number; NaN when the batch lacks the field, or numbers in it. */
export function statistic(batch: BatchStatistics, name: string, which: Statistic): number {
  const place = batch.places.get(name);
  return place === undefined ? Number.NaN : batch.numbers[place * Statistic.LENGTH + which]!;
}

/** `last`: the places of the batch before. A source's batches have the same fields as a rule, and share them then. */
export function statisticsOf(
  state: BatchState,
  last: ReadonlyMap<string, number> = new Map(),
): BatchStatistics {
  const { id, at, chunk, accepted, verdict, health, rows, fields } = state;
  const places = samePlaces(last, fields) ? last : placesOf(fields);
  const numbers = new Float32Array(fields.size * Statistic.LENGTH);
  let start = 0;
  for (const field of fields.values()) {
    writeField(numbers, start, field);
    start += Statistic.LENGTH;
  }
  return { id, at, chunk, ...(accepted && { accepted }), verdict, health, rows, places, numbers };
}

/** Whether these are the same names in the same order, from the first place on. */
function samePlaces(places: ReadonlyMap<string, number>, fields: ReadonlyMap<string, FieldState>): boolean {
  if (places.size !== fields.size) return false;
  let place = 0;
  for (const name of fields.keys()) if (places.get(name) !== place++) return false;
  return true;
}

const placesOf = (fields: ReadonlyMap<string, FieldState>): Map<string, number> =>
  new Map([...fields.keys()].map((name, place) => [name, place]));

function writeField(numbers: Float32Array, start: number, field: FieldState): void {
  numbers[start + Statistic.PRESENT] = field.present;
  numbers[start + Statistic.NULLS] = field.nulls;
  for (let type = 0; type < VALUE_TYPES.length; type++) {
    numbers[start + Statistic.FIRST_TYPE + type] = field.counts[VALUE_TYPES[type]!];
  }
  numbers[start + Statistic.EMPTIES] = field.empties;
  numbers[start + Statistic.VALUES] = field.values;
  numbers[start + Statistic.DISTINCT] = field.distinct;
  numbers[start + Statistic.TEXTS] = field.texts;
  numbers[start + Statistic.DISTINCT_TEXTS] = field.distinctTexts;
  numbers[start + Statistic.FINITE] = field.numeric?.count ?? 0;
  numbers[start + Statistic.OUTLIERS] = field.numeric?.outliers ?? 0;
  if (field.numeric) writeMeasures(numbers, start, field.numeric);
  else numbers.fill(Number.NaN, start + COUNTS, start + FIRST_TRAIT);
  if (field.traits) numbers.set(field.traits, start + FIRST_TRAIT);
  else numbers.fill(Number.NaN, start + FIRST_TRAIT, start + Statistic.LENGTH);
}

function writeMeasures(
  numbers: Float32Array,
  start: number,
  { count, mean, m2, points }: NumericState,
): void {
  numbers[start + Statistic.MEAN] = mean;
  numbers[start + Statistic.STANDARD_DEVIATION] = Math.sqrt(m2 / count);
  for (let i = 0; i < QUANTILE_STATISTICS.length; i++) {
    numbers[start + Statistic.MINIMUM + i] = points[QUANTILE_STATISTICS[i]!]!;
  }
}
