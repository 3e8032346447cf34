/** From the engine's record of a column to the measurements of a field. */
import type { Column } from '../../assembly/abi.ts';
import { dateRangeOf, hoursOf } from './dates.ts';
import type { Group, Measurement, NumberSummary, Source } from './measurement.ts';
import { MEASUREMENTS, PLACE, WIDTH } from './registry.ts';

type From<Kind extends Source['from']> = Measurement & { source: Extract<Source, { from: Kind }> };

const from = <Kind extends Source['from']>(kind: Kind): From<Kind>[] =>
  MEASUREMENTS.filter((each): each is From<Kind> => each.source.from === kind);

const placesOf = ({ place, width }: Measurement): number[] =>
  Array.from({ length: width }, (_, i) => place + i);

// Prepared once: this runs for every field of every batch.
const COMPUTED = from('engine').flatMap(({ place, source: { formula } }) =>
  formula ? [{ place, formula }] : [],
);
const COPIED = from('engine').filter(({ source }) => source.formula === undefined);
const COPIED_TO = Uint16Array.from(COPIED.flatMap(placesOf));
const COPIED_FROM = Uint16Array.from(
  COPIED.flatMap(({ width, source }) => Array.from({ length: width }, (_, i) => source.column! + i)),
);
const FROM_SUMMARY = from('summary').map(({ place, source }) => ({ place, formula: source.formula }));

const inGroup = (group: Group): Uint16Array =>
  Uint16Array.from(MEASUREMENTS.filter(each => each.group === group).flatMap(placesOf));
const OF_TEXTS = inGroup('texts');
const {
  inspected_texts: INSPECTED_TEXTS,
  new_values: NEW_VALUES,
  unseen: UNSEEN,
  far: FAR,
  date_age: DATE_AGE,
  date_range: DATE_RANGE,
  finite: FINITE,
  outliers: OUTLIERS,
} = PLACE;

/** Values unlike all that the baseline has seen. */
export interface NewValues {
  /**
   * Inspected cells whose value is certainly new, as the registers show. One is found with a probability that falls with the number of values seen before:
   * nearly 1 for a hundred, 0.5 for 500, hardly ever for 10,000.
   */
  fresh: number;
  /** In a string field of few values: rows, of all, with another one. NaN in other fields. */
  unseen: number;
  /** Finite numbers far from nearly all earlier ones. NaN without numbers, and where the reach of the earlier ones is not known. */
  far: number;
}

/** What is known of a field about which nothing is known: NaN throughout. */
export const nothingMeasured = (): Float32Array => new Float32Array(WIDTH).fill(Number.NaN);

/**
 * Measurements of a field by place, from the engine's numbers of its column and the rows of the batch. `summary`: null without finite numbers.
 * `at`: when the batch came, in ms. `newValues`: null if the baseline does not know the field.
 */
export function measure(
  record: Float64Array,
  rows: number,
  summary: NumberSummary | null,
  newValues: NewValues | null,
  at = Number.NaN,
): Float32Array {
  const numbers = new Float32Array(WIDTH);
  for (let i = 0; i < COPIED_TO.length; i++) numbers[COPIED_TO[i]!] = record[COPIED_FROM[i]!]!;
  const read = (column: Column): number => record[column]!;
  for (let i = 0; i < COMPUTED.length; i++) {
    const { place, formula } = COMPUTED[i]!;
    numbers[place] = formula(read, rows);
  }
  if (numbers[INSPECTED_TEXTS] === 0)
    for (let i = 0; i < OF_TEXTS.length; i++) numbers[OF_TEXTS[i]!] = Number.NaN;
  numbers[NEW_VALUES] = newValues ? newValues.fresh : Number.NaN;
  numbers[UNSEEN] = newValues ? newValues.unseen : Number.NaN;
  numbers[FAR] = newValues ? newValues.far : Number.NaN;
  const range = dateRangeOf(record, summary);
  numbers[DATE_AGE] = range ? hoursOf(at - range.high) : Number.NaN;
  numbers[DATE_RANGE] = range ? hoursOf(range.high - range.low) : Number.NaN;
  if (summary === null) numbers[FINITE] = numbers[OUTLIERS] = 0;
  summarise(numbers, summary);
  return numbers;
}

/** Sets what follows from the summary of the finite numbers: NaN without one. `finite` must be set. */
export function summarise(numbers: Float32Array, summary: NumberSummary | null): void {
  const finite = numbers[FINITE]!;
  for (let i = 0; i < FROM_SUMMARY.length; i++) {
    const { place, formula } = FROM_SUMMARY[i]!;
    numbers[place] = summary === null ? Number.NaN : formula(summary, finite);
  }
}
