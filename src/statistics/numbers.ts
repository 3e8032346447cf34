/** Finite numbers: where they lie, how far they spread, their extremes, and what sort of numbers they are. */
import { DISTINCT_SHARE, MIN_NUMBERS, SERIAL_SHARE } from '../terms/policy.ts';
import { Column, Like, QUANTILES } from '../../assembly/abi.ts';
import { COUNTS } from './counts.ts';
import { addedByBaseline, count, type Definition, measurementFamily, summary } from './measurement.ts';
import {
  type At,
  at,
  DECIDED_BY_RULE,
  type Description,
  type Forecasting,
  inBothDirections,
  level,
  likeness,
  onRise,
  ROUGHLY_KNOWN,
  type Reader,
  type Statistic,
  share,
  UNKNOWN_AT_FIRST,
} from './statistic.ts';
import { independence, shareOfDraws, VALUES } from './values.ts';

/** The quantile at p: one of the order statistics that the engine measures. */
const quantileAt = (p: number): Definition => {
  const index = p * (QUANTILES - 1);
  return summary([Column.FIRST_QUANTILE + index], ({ points }) => points[index]!);
};

export const NUMBERS = measurementFamily(VALUES.end, {
  // Over the analysed rows.
  finite: count(Column.FINITE, 'rows'),
  /** Outside Q1 - 3 IQR .. Q3 + 3 IQR. */
  outliers: count(Column.OUTLIERS, 'rows'),
  mean: summary([Column.MEAN], ({ mean }) => mean),
  standard_deviation: summary([Column.M2], ({ m2 }, finite) => Math.sqrt(m2 / finite)),
  minimum: quantileAt(0),
  quantile_1_16: quantileAt(1 / 16),
  quartile_1: quantileAt(1 / 4),
  median: quantileAt(1 / 2),
  quartile_3: quantileAt(3 / 4),
  quantile_15_16: quantileAt(15 / 16),
  maximum: quantileAt(1),
  // Over the inspected cells.
  inspected_numbers: count(Column.INSPECTED_NUMBERS, 'cells'),
  integers: count(Column.INTEGERS, 'cells'),
  zeros: count(Column.ZEROS, 'cells'),
  negatives: count(Column.NEGATIVES, 'cells'),
  multiples_of_10: count(Column.MULTIPLES_OF_10, 'cells'),
  one_decimal: count(Column.ONE_DECIMAL, 'cells'),
  two_decimals: count(Column.TWO_DECIMALS, 'cells'),
  /** Over the analysed rows: beyond the reach of the source's earlier numbers, see `baseline/reach.ts`. */
  far: addedByBaseline('history'),
});

const { numbers } = COUNTS.place;
const {
  distinct,
  values,
  top_share: topShare,
  adjacent,
  adjacent_equal: adjacentEqual,
  adjacent_rising: adjacentRising,
} = VALUES.place;
const {
  finite,
  outliers,
  mean,
  standard_deviation: standardDeviation,
  minimum,
  quantile_1_16: low,
  quartile_1: quartile1,
  median,
  quartile_3: quartile3,
  quantile_15_16: high,
  maximum,
  inspected_numbers: inspectedNumbers,
  integers,
  zeros,
  negatives,
  multiples_of_10: multiplesOf10,
  one_decimal: oneDecimal,
  two_decimals: twoDecimals,
  far,
} = NUMBERS.place;

/**
 * Sampling variance of a quantile of normal numbers: p(1 − p) / (n f²), where f is the density there (Cramér 1946, 28.5). In squares of
 * the interquartile range, which is 1.349 standard deviations.
 */
const AT_MEDIAN = 0.863;
const AT_QUARTILE = 1.02;
const AT_SIXTEENTH = 2.13;
/** The same for the logarithm of the interquartile range, and for that of the standard deviation of numbers with a kurtosis of 5. */
const OF_LOG_RANGE = 1.36;
const OF_LOG_DEVIATION = 1;
/** For the logarithm of the largest distance: about 0.1 for exponential numbers, nearly 0.5 for Pareto's with an exponent of 1.5. */
const OF_LOG_DISTANCE = 0.25;

const ENOUGH_NUMBERS = { minCells: MIN_NUMBERS };

/** Above this share they are not outliers but the other half of a clustered bulk. */
const MAX_OUTLIER_SHARE = 1 / 8;

/** Squared width of the bulk. If nearly all values are equal it has no width: then the deviation counts, and at least a millionth of the median. */
const squaredWidth: Reader = read => {
  const range = read(quartile3) - read(quartile1);
  const spread = range > 0 ? range : read(standardDeviation);
  return Math.max(spread, 1e-6 * Math.abs(read(median)), 1e-12) ** 2;
};

/** Mean distance between adjacent distinct values of the bulk; at least 1 for integers. A quantile of few values jumps from one to the next. */
const gap: Reader = read => {
  const meanGap = (read(high) - read(low)) / (0.875 * Math.max(1, read(distinct)));
  return read(integers) === read(inspectedNumbers) ? Math.max(1, meanGap) : meanGap;
};

/** Logarithm of a spread; a spread below a millionth of the level counts as that much. */
const logOf = (spread: number, around: number): number =>
  Math.log(Math.max(spread, 1e-6 * Math.abs(around), 1e-12));

/** The interquartile range plus one gap, within which it is not known. */
const blurredRange: Reader = (read, rows) => read(quartile3) - read(quartile1) + gap(read, rows);
const logRange: Reader = (read, rows) => logOf(blurredRange(read, rows), read(median));
const varianceOfLogRange: Reader = (read, rows) => {
  const blur = gap(read, rows) / Math.max(blurredRange(read, rows), 1e-300);
  return OF_LOG_RANGE + blur * blur * read(finite);
};

/** Share of the sum of squared deviations that the farthest number causes: 0..1. */
const shareOfFarthest: Reader = read => {
  const far = Math.max(read(maximum) - read(mean), read(mean) - read(minimum));
  const squares = read(standardDeviation) ** 2 * read(finite);
  return squares > 0 ? Math.min(1, (far * far) / squares) : 0;
};

/** A batch that happens to lack the farthest number has another mean and another deviation: that is chance, too. */
const varianceOfMean: Reader = (read, rows) => {
  const variance = read(standardDeviation) ** 2 * (1 + shareOfFarthest(read, rows));
  return Math.max(variance, 1e-12 * read(mean) ** 2, 1e-24);
};
/** Rows that come in groups, such as hours of rain, are fewer draws than rows. */
const extraVarianceOfMean: Reader = (read, rows) => {
  const repeats = 1 / independence(read, rows) - 1;
  return (read(standardDeviation) ** 2 * (shareOfFarthest(read, rows) + repeats)) / read(finite);
};
const extraVarianceOfLogDeviation: Reader = (read, rows) =>
  (0.5 * Math.log(Math.max(1e-6, 1 - shareOfFarthest(read, rows)))) ** 2;

/** All numbers, if enough differ from the most frequent one: a deviation that a handful causes says how many these are, which is a share of its own. */
const numbersIfEnoughDiffer: Reader = read =>
  (1 - read(topShare)) * read(finite) >= MIN_NUMBERS ? read(finite) : 0;

/** Numbers of rows that follow one another are alike, and counters rise: where the next batch lies is hardly known. */
const ANYWHERE_NEAR = { assumed: { deviations: 1, ratio: 0.3 } };

/** Figures of the numbers themselves. */
const ofNumbers = (id: string, label: string, unit: Description['unit'] = 'value') => ({
  id,
  label,
  unit,
  family: 'numbers' as const,
  isPrivate: true,
  rows: inBothDirections({ query: 'outliers' }),
});

function quantile(
  described: ReturnType<typeof ofNumbers>,
  place: number,
  factor: number,
  more: Partial<Forecasting> = UNKNOWN_AT_FIRST,
): Statistic {
  const variance: Reader = (read, rows) =>
    factor * squaredWidth(read, rows) + gap(read, rows) ** 2 * read(finite);
  return level(described, at(place), at(finite), variance, {
    ...ROUGHLY_KNOWN,
    ...ENOUGH_NUMBERS,
    ...more,
    limitedByRanks: [place],
  });
}

const ofMiddle = (id: string, label: string) => ({ ...ofNumbers(id, label), needsManyRows: true });

export const LOCATION: readonly Statistic[] = [
  quantile(ofMiddle('median', 'median'), median, AT_MEDIAN, ANYWHERE_NEAR),
  level(ofNumbers('mean', 'mean'), at(mean), at(finite), varianceOfMean, {
    ...ANYWHERE_NEAR,
    extraVariance: extraVarianceOfMean,
  }),
  quantile(ofNumbers('quantile_1_16', 'lowest sixteenth'), low, AT_SIXTEENTH),
  quantile(ofMiddle('quartile_1', 'lower quartile'), quartile1, AT_QUARTILE),
  quantile(ofMiddle('quartile_3', 'upper quartile'), quartile3, AT_QUARTILE),
  quantile(ofNumbers('quantile_15_16', 'highest sixteenth'), high, AT_SIXTEENTH),
];

export const SPREAD: readonly Statistic[] = [
  level(ofMiddle('interquartile_range', 'interquartile range'), logRange, at(finite), varianceOfLogRange, {
    inverse: Math.exp,
    ...ROUGHLY_KNOWN,
    ...ENOUGH_NUMBERS,
    ...UNKNOWN_AT_FIRST,
    limitedByRanks: [quartile1, quartile3],
  }),
  level(
    ofNumbers('standard_deviation', 'standard deviation'),
    read => logOf(read(standardDeviation), read(mean)),
    numbersIfEnoughDiffer,
    (read, rows) => OF_LOG_DEVIATION + extraVarianceOfLogDeviation(read, rows) * read(finite),
    { ...UNKNOWN_AT_FIRST, extraVariance: extraVarianceOfLogDeviation, inverse: Math.exp },
  ),
];

/** How far the farthest number lies from the median, in interquartile ranges. */
const distanceOfExtreme = (
  id: string,
  which: string,
  extreme: 'minimum' | 'maximum',
  distance: Reader,
): Statistic =>
  level(
    ofNumbers(id, `distance of the ${which} number from the median`, 'widths'),
    (read, rows) => Math.log1p(Math.max(0, distance(read, rows)) / Math.sqrt(squaredWidth(read, rows))),
    read => (read(quartile3) > read(quartile1) && read(finite) >= MIN_NUMBERS ? 1 : 0),
    () => OF_LOG_DISTANCE,
    { onlyRise: true, onlyBeyond: extreme, inverse: Math.expm1, ...UNKNOWN_AT_FIRST },
  );

export const EXTREMES: readonly Statistic[] = [
  distanceOfExtreme('max_distance', 'largest', 'maximum', read => read(maximum) - read(median)),
  distanceOfExtreme('min_distance', 'smallest', 'minimum', read => read(median) - read(minimum)),
  shareOfDraws(
    {
      id: 'outlier_share',
      label: 'share of outliers',
      family: 'numbers',
      isPrivate: false,
      rows: inBothDirections({ query: 'outliers' }),
    },
    at(outliers),
    read => (read(outliers) <= MAX_OUTLIER_SHARE * read(finite) ? read(finite) : 0),
    // The fences move with the bulk.
    { onlyRise: true, onlyBeyond: 'either' },
  ),
  shareOfDraws(
    {
      id: 'far_number_share',
      label: 'share of numbers far outside the earlier range',
      family: 'numbers',
      isPrivate: false,
      rows: onRise({ query: 'far' }),
    },
    at(far),
    // Where most of the numbers lie there, the level has moved, or a counter: that is not judged again.
    read => (2 * read(far) <= read(finite) ? read(finite) : 0),
    { onlyRise: true, atMostWarn: true, ...DECIDED_BY_RULE, ...UNKNOWN_AT_FIRST },
  ),
];

/** A value among others has so many times their mean frequency at most. */
const ATOM = 3;
/** A bulk of so many tens has as many multiples of 10 wherever it lies. */
const TENS = 2;
/** Share of the numbers other than zero. */
const NEARLY_ALL = 0.9;

/** Among numbers to both sides of it, zero is one value of many: how frequent it is goes with their level. It says something where it is clearly more frequent than they are. */
const isZeroApart = (read: At): boolean => {
  const isCrossed = read(negatives) > 0 && read(negatives) + read(zeros) < read(inspectedNumbers);
  return !isCrossed || read(zeros) * read(distinct) > ATOM * read(inspectedNumbers);
};

/** A narrow bulk passes a ten, and zeros come and go: then only numbers that are nearly all multiples of 10 were rounded. */
const isRounded = (read: At): boolean => {
  const multiples = read(multiplesOf10) - read(zeros);
  const others = read(inspectedNumbers) - read(zeros);
  if (others > 0 && multiples >= NEARLY_ALL * others) return true;
  return multiples > read(zeros) && read(high) - read(low) >= TENS * 10;
};

/** Whether the numbers rise, or fall, from row to row. */
const isInOrder = (read: At): boolean => {
  const changes = read(adjacent) - read(adjacentEqual);
  return Math.max(read(adjacentRising), changes - read(adjacentRising)) >= SERIAL_SHARE * changes;
};

/**
 * How long a sequence is whose numbers lie evenly in it: n consecutive ones have the variance (n² − 1) / 12. Nearly all numbers differ, and at least a tenth of
 * the sequence is there. Its ends are not exact enough: numbers are kept in single precision. Nor is a sample's deviation, but of numbers in order: then one of each part
 * of the sequence is in it.
 */
const lengthOfSequence: Reader = read => {
  const isOfIntegers = read(finite) >= MIN_NUMBERS && read(integers) === read(inspectedNumbers);
  if (!isOfIntegers || read(distinct) < DISTINCT_SHARE * read(values)) return 0;
  if (read(finite) < read(numbers) && !isInOrder(read)) return 0;
  const all = Math.sqrt(12 * read(standardDeviation) ** 2 + 1);
  return all <= 10 * read(numbers) ? all : 0;
};

/** Rows that are missing here and there leave gaps in their numbers, however many rows a batch has. */
export const SEQUENCE_COMPLETENESS = share(
  {
    id: 'sequence_completeness',
    label: 'completeness of the sequence',
    family: 'numbers',
    isPrivate: false,
  },
  // Over all rows, as the sequence is.
  at(numbers),
  lengthOfSequence,
  { atMostWarn: true, ...UNKNOWN_AT_FIRST },
);

const shareOfNumbers = (
  id: string,
  label: string,
  place: number,
  rows?: Description['rows'],
  forecasting: Partial<Forecasting> = {},
  inProfile?: string,
): Statistic =>
  shareOfDraws(
    {
      id,
      label,
      family: 'numbers',
      isPrivate: false,
      ...(rows && { rows }),
      ...(inProfile && { inProfile }),
    },
    at(place),
    at(inspectedNumbers),
    // A day without rain has whole numbers only.
    { ...forecasting, ...UNKNOWN_AT_FIRST },
  );

export const SORTS_OF_NUMBERS: readonly Statistic[] = [
  shareOfNumbers(
    'integer_share',
    'share of whole numbers',
    integers,
    likeness(Like.INTEGER),
    DECIDED_BY_RULE,
    'Share of the numbers that are whole',
  ),
  share(
    {
      id: 'zero_share',
      label: 'share of zeros',
      family: 'numbers',
      // Of a field that is always zero the share is its value.
      isPrivate: true,
      rows: likeness(Like.ZERO),
    },
    (read, rows) => independence(read, rows) * read(zeros),
    (read, rows) => independence(read, rows) * read(inspectedNumbers),
    { onlyWhere: isZeroApart, ...UNKNOWN_AT_FIRST },
  ),
  shareOfNumbers('negative_share', 'share of negative numbers', negatives, likeness(Like.NEGATIVE), {
    ...DECIDED_BY_RULE,
    onlyFarBelowMinimum: true,
    // Where a level passes zero, its share jumps: what that is worth the level says.
    atMostWarn: true,
    keepsStrays: true,
  }),
  shareOfNumbers('multiple_of_10_share', 'share of multiples of 10', multiplesOf10, undefined, {
    onlyWhere: isRounded,
  }),
  shareOfNumbers(
    'one_decimal_share',
    'share of numbers with at most one decimal',
    oneDecimal,
    undefined,
    DECIDED_BY_RULE,
  ),
  shareOfNumbers(
    'two_decimal_share',
    'share of numbers with at most two decimals',
    twoDecimals,
    undefined,
    DECIDED_BY_RULE,
  ),
];
