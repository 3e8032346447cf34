/** Values of any type: how many differ, how frequent they are, which are new, and how they follow one another. */
import { MIN_NUMBERS, VALUES_PER_DISTINCT } from '../terms/policy.ts';
import { Column } from '../../assembly/abi.ts';
import { COUNTS, nonNull } from './counts.ts';
import { addedByBaseline, buckets, count, hashBits, measurementFamily, real } from './measurement.ts';
import {
  at,
  DECIDED_BY_RULE,
  distinctShare,
  distribution,
  type Forecasting,
  onFall,
  onRise,
  ROUGHLY_KNOWN,
  type Reader,
  type Statistic,
  share,
  UNKNOWN_AT_FIRST,
} from './statistic.ts';

export const VALUES = measurementFamily(COUNTS.end, {
  // Over the analysed rows.
  values: count(Column.VALUES, 'rows'),
  distinct: count(Column.DISTINCT, 'rows'),
  texts: count(Column.TEXTS, 'rows'),
  distinct_texts: count(Column.DISTINCT_TEXTS, 'rows'),
  /** 24 bits that identify the content over all rows, in any order. */
  content: hashBits(Column.CONTENT, 'cells'),
  // Over the inspected cells, which are some of the analysed ones.
  inspected: count(Column.INSPECTED, 'cells'),
  top_share: real(Column.TOP_SHARE, 'cells'),
  /** Values in rows that follow one another; equal ones, and rising ones. */
  adjacent: count(Column.ADJACENT, 'cells'),
  adjacent_equal: count(Column.ADJACENT_EQUAL, 'cells'),
  adjacent_rising: count(Column.ADJACENT_RISING, 'cells'),
  value_buckets: buckets(Column.FIRST_VALUE_BUCKET, Column.LAST_VALUE_BUCKET, 'cells'),
  /** Inspected cells whose value the baseline had never seen. */
  new_values: addedByBaseline('history'),
  /** String fields of few values: rows, of all, whose value the baseline had never seen. */
  unseen: addedByBaseline('history'),
});

const { strings } = COUNTS.place;
const {
  values,
  distinct,
  inspected,
  top_share: topShare,
  adjacent,
  adjacent_equal: adjacentEqual,
  adjacent_rising: adjacentRising,
  value_buckets: valueBuckets,
  new_values: newValues,
  unseen,
} = VALUES.place;

/**
 * Share of the cells that are independent draws: 0.1..1. Rows often come in groups, such as the lines of one order: then adjacent values
 * are equal more often than the frequencies of the values explain.
 */
export const independence: Reader = read => {
  const pairs = read(adjacent);
  if (!(pairs >= MIN_NUMBERS) || read(adjacentEqual) === 0) return 1;
  const top = read(topShare);
  const others = Math.max(1, read(distinct) - 1);
  const equalByChance = top ** 2 + (1 - top) ** 2 / others;
  const changes = (1 - read(adjacentEqual) / pairs) / Math.max(1e-9, 1 - equalByChance);
  return Math.min(1, Math.max(0.1, changes));
};

const independentCells: Reader = (read, rows) => independence(read, rows) * read(inspected);

/** A share of cells, sized by their independent draws. Where all values are equal, nothing shows how rows are grouped. */
export function shareOfDraws(...given: Parameters<typeof share>): Statistic {
  const ofCells = share(...given);
  return {
    ...ofCells,
    read(read, rows) {
      const reading = ofCells.read(read, rows);
      if (reading !== null && read(distinct) > 1) reading.size *= independence(read, rows);
      return reading;
    },
  };
}

/** Of a field that has few values all strings count. Before it is known to be one, its inspected cells show how many are new. */
const newTexts: Reader = read => (read(unseen) >= 0 ? read(unseen) : read(newValues));
/** If at least half of the values are texts. */
const cellsOfTexts: Reader = (read, rows) => {
  if (read(unseen) >= 0) return read(strings);
  return 2 * read(strings) >= nonNull(read, rows) ? read(inspected) : 0;
};
/** Of other fields those with few distinct values: measured numbers are new each time. */
const cellsOfFewValues: Reader = (read, rows) =>
  2 * read(strings) < nonNull(read, rows) && VALUES_PER_DISTINCT * read(distinct) <= read(values)
    ? read(inspected)
    : 0;

/** The more is known, the fewer values are new. */
const FALLS_WITH_KNOWLEDGE: Partial<Forecasting> = {
  onlyRise: true,
  ignoresOldest: true,
  keepsStrays: true,
  atMostWarn: true,
  ...UNKNOWN_AT_FIRST,
};

const newValueShare = (fresh: Reader, cells: Reader, forecasting: Partial<Forecasting>): Statistic =>
  share(
    {
      id: 'new_value_share',
      label: 'share of values that were never seen',
      family: 'values',
      isPrivate: false,
      rows: onRise({ query: 'new' }),
    },
    fresh,
    cells,
    forecasting,
  );

/** One statistic with two forecasts: a batch has it by one of them at most. */
export const NEW_VALUE_SHARES: readonly Statistic[] = [
  newValueShare(newTexts, cellsOfTexts, { ...DECIDED_BY_RULE, ...FALLS_WITH_KNOWLEDGE }),
  newValueShare(at(newValues), cellsOfFewValues, FALLS_WITH_KNOWLEDGE),
];

export const FREQUENCIES: readonly Statistic[] = [
  distinctShare(
    {
      id: 'distinct_share',
      label: 'share of distinct values',
      family: 'values',
      isPrivate: false,
      rows: onFall({ query: 'repeated' }),
    },
    distinct,
    values,
  ),
  share(
    {
      id: 'top_value_share',
      label: 'share of the most frequent value',
      family: 'values',
      isPrivate: false,
    },
    (read, rows) => read(topShare) * independentCells(read, rows),
    independentCells,
  ),
  // A file may have dates or numbers of its own: one batch does not show how others mix.
  distribution(
    { id: 'value_distribution', label: 'mix of values', family: 'values', isPrivate: false },
    { buckets: valueBuckets, cells: inspected, distinct },
    independence,
    UNKNOWN_AT_FIRST,
  ),
];

export const ADJACENT_VALUES: readonly Statistic[] = [
  share(
    {
      id: 'adjacent_equal_share',
      label: 'share of rows with the value of the row before',
      family: 'values',
      isPrivate: false,
    },
    at(adjacentEqual),
    at(adjacent),
    { ...ROUGHLY_KNOWN, ...UNKNOWN_AT_FIRST },
  ),
  share(
    {
      id: 'adjacent_rising_share',
      label: 'share of rows with a higher value than the row before',
      family: 'values',
      isPrivate: false,
    },
    at(adjacentRising),
    read => read(adjacent) - read(adjacentEqual),
    { ...ROUGHLY_KNOWN, ...UNKNOWN_AT_FIRST },
  ),
];
