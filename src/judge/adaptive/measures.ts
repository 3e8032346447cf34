/** What is compared from batch to batch: of every field some shares, levels and mixes, each with how exactly a batch of its size can tell it. */
import { BUCKETS, PACK } from '../../../assembly/abi.ts';
import { type BatchStatistics, Statistic } from '../../baseline/statistics.ts';
import { OUTLIER_MIN_NUMBERS, VALUES_PER_DISTINCT } from '../../policy.ts';

/** One statistic of one batch. */
export interface Reading {
  /** The statistic itself: a share in 0..1, or a level in a unit in which a step means the same everywhere. Not read of mixes. */
  value: number;
  /** Cells behind it, above 0. */
  size: number;
  /** Levels: variance of one cell, so that `value` has the sampling variance `variance / size`. Not read of shares. */
  variance: number;
  /** Levels: variance that the one farthest number of the batch brings with it. One cell must not make an alarm. */
  own?: number;
  /** Mixes: cells by bucket. */
  counts?: Float64Array;
  /** Shares that become less the more cells there are, as that of distinct ones does. */
  shrinks?: boolean;
}

export type Kind = 'share' | 'level' | 'mix';

export interface Measure {
  name: string;
  kind: Kind;
  /** A rise is all that counts: what is new becomes less as more is known. */
  onlyRise: boolean;
  /** Spread that is believed in before there is a history, in sampling errors: see `forecast.ts`. */
  usualSpread: number;
  /** Whether a single cell may make an alarm. */
  ofOneCell: boolean;
  /** A quantile, or two that it is the distance of: how many of all numbers lie below it, or between them, limits how unusual it is. */
  ranks?: readonly Statistic[];
  /** Its first batches tell how little was known then: the oldest third of them is left out. */
  burnsIn?: boolean;
  /** Numbers that were never below zero, and are now, count only where they lie a width of the bulk lower than any before: else a level has gone on down. */
  ofSign?: boolean;
  /** Counts only where this extreme lies beyond all that the source has had. */
  beyond?: Statistic;
  /** What people know of a value that is a logarithm; absent of others. */
  known?(value: number): number;
  /** Null where the batch has nothing to read. */
  read(at: (which: Statistic) => number, rows: number): Reading | null;
}

type Reader = (at: (which: Statistic) => number, rows: number) => number;

const of =
  (which: Statistic): Reader =>
  at =>
    at(which);

const USUAL = { onlyRise: false, usualSpread: 1, ofOneCell: false };

function share(
  name: string,
  part: Reader,
  whole: Reader,
  more: Partial<Measure> = {},
  shrinks = false,
): Measure {
  return {
    name,
    kind: 'share',
    ...USUAL,
    ...more,
    read(at, rows) {
      const size = whole(at, rows);
      const value = part(at, rows) / size;
      return size > 0 && value >= 0 ? { value: Math.min(1, value), size, variance: 0, shrinks } : null;
    },
  };
}

/** Of distinct ones among cells. */
const distinct = (name: string, which: Statistic, whole: Statistic): Measure =>
  share(name, of(which), of(whole), {}, true);

interface OfLevels extends Partial<Measure> {
  own?: Reader;
  /** Cells below which nothing is read. */
  least?: number;
}

function level(
  name: string,
  value: Reader,
  size: Reader,
  variance: Reader,
  { own: ownOf, least = 1, ...more }: OfLevels = {},
): Measure {
  return {
    name,
    kind: 'level',
    ...USUAL,
    ...more,
    read(at, rows) {
      if (!(size(at, rows) >= least)) return null;
      const own = ownOf?.(at, rows) ?? 0;
      const reading = { value: value(at, rows), size: size(at, rows), variance: variance(at, rows), own };
      const isKnown = Number.isFinite(reading.value) && Number.isFinite(reading.variance);
      return isKnown ? reading : null;
    },
  };
}

/** Counts in BUCKETS, two in a number. Cells that are nearly all different fill them evenly, whatever they are. */
function mix(name: string, first: Statistic, whole: Statistic, distinct?: Statistic): Measure {
  return {
    name,
    kind: 'mix',
    ...USUAL,
    read(at) {
      const cells = at(whole);
      if (!(cells > 0) || (distinct && at(distinct) > NEARLY_ALL * cells)) return null;
      const share = independent(at, 0);
      const counts = new Float64Array(BUCKETS);
      for (let i = 0; i < BUCKETS; i += 2) {
        const two = at(first + i / 2);
        counts[i] = share * (two % PACK);
        counts[i + 1] = share * Math.floor(two / PACK);
      }
      return { value: 0, size: share * cells, variance: 0, counts };
    },
  };
}
const NEARLY_ALL = 0.9;

/**
 * Rows often come in groups, such as the lines of one order: then neighbours are the same more often than values that frequent would be by chance, and
 * a batch holds fewer independent draws than cells. 0.1..1 of them.
 */
const independent: Reader = at => {
  const neighbours = at(Statistic.NEIGHBOURS);
  if (!(neighbours >= OUTLIER_MIN_NUMBERS)) return 1;
  const top = at(Statistic.TOP);
  const others = Math.max(1, at(Statistic.DISTINCT) - 1);
  const byChance = top ** 2 + (1 - top) ** 2 / others;
  const changes = (1 - at(Statistic.SAMES) / neighbours) / Math.max(1e-9, 1 - byChance);
  return Math.min(1, Math.max(0.1, changes));
};
const draws: Reader = (at, rows) => independent(at, rows) * at(Statistic.LOOKED);

const nonNull: Reader = at => {
  let values = 0;
  for (let type = 0; type < 5; type++) values += at(Statistic.FIRST_TYPE + type);
  return values;
};
const NUMBER = Statistic.FIRST_TYPE;
const BOOLEAN = NUMBER + 1;
const STRING = NUMBER + 4;

const ofLooked = (name: string, which: Statistic, whole: Statistic, more: Partial<Measure> = {}): Measure =>
  share(name, of(which), of(whole), more);
/** Characters of one text resemble each other: what a batch can tell goes by its texts. */
const ofCharacters = (name: string, which: Statistic): Measure =>
  share(
    name,
    at => (at(which) / Math.max(1, at(Statistic.CHARACTERS))) * at(Statistic.LOOKED_TEXTS),
    of(Statistic.LOOKED_TEXTS),
  );

/**
 * Sampling variance of a quantile of normal numbers is p(1 − p) / (n f²), f the density there (Cramér 1946, 28.5); in squares of
 * their interquartile range, which is 1.349 deviations.
 */
const AT_MEDIAN = 0.863;
const AT_QUARTILE = 1.02;
const AT_SIXTEENTH = 2.13;
/** The same of the logarithm of the interquartile range, and of the deviation of numbers with a kurtosis of 5. */
const OF_LOG_RANGE = 1.36;
const OF_LOG_DEVIATION = 1;
/** Of the logarithm of the farthest number's distance: of exponential numbers about a tenth, of Pareto's with an exponent of 1.5 nearly a half. */
const OF_LOG_REACH = 0.25;

/** Squared width of the bulk. A column of nearly one value has none: then its deviation counts, and at least a millionth of its size. */
const width: Reader = at => {
  const range = at(Statistic.QUARTILE_3) - at(Statistic.QUARTILE_1);
  const spread = range > 0 ? range : at(Statistic.STANDARD_DEVIATION);
  return Math.max(spread, 1e-6 * Math.abs(at(Statistic.MEDIAN)), 1e-12) ** 2;
};

/** Mean distance between neighbours among the values of the bulk, 1 at least of whole numbers. A quantile of few values jumps from one to the next. */
const gap: Reader = at => {
  const mean = (at(Statistic.HIGH) - at(Statistic.LOW)) / (0.875 * Math.max(1, at(Statistic.DISTINCT)));
  return at(Statistic.WHOLE) === at(Statistic.LOOKED_NUMBERS) ? Math.max(1, mean) : mean;
};

/** The factors below are those of normal numbers. Where others are sparse about a quartile it errs by several times as much. And neighbours are not independent draws. */
const OF_UNKNOWN_SHAPE = { usualSpread: 2 };

/** Quantiles of fewer numbers say nothing. */
const OF_ENOUGH = { least: OUTLIER_MIN_NUMBERS };

const quantile = (name: string, which: Statistic, factor: number): Measure =>
  level(
    name,
    of(which),
    of(Statistic.FINITE),
    (at, rows) => factor * width(at, rows) + gap(at, rows) ** 2 * at(Statistic.FINITE),
    { ...OF_UNKNOWN_SHAPE, ...OF_ENOUGH, ranks: [which] },
  );

/** Least logarithm of a spread that is told from none: a millionth of the level. */
const logOf = (spread: number, around: number): number =>
  Math.log(Math.max(spread, 1e-6 * Math.abs(around), 1e-12));

/** The quartiles' distance, less told apart from none than neighbours are. */
const blurredRange: Reader = (at, rows) =>
  at(Statistic.QUARTILE_3) - at(Statistic.QUARTILE_1) + gap(at, rows);
const logRange: Reader = (at, rows) => logOf(blurredRange(at, rows), at(Statistic.MEDIAN));
const varianceOfLogRange: Reader = (at, rows) => {
  const blur = gap(at, rows) / Math.max(blurredRange(at, rows), 1e-300);
  return OF_LOG_RANGE + blur * blur * at(Statistic.FINITE);
};

/** Of the sum of squared deviations the part that the one farthest number has: 0..1. */
const partOfFarthest: Reader = at => {
  const far = Math.max(
    at(Statistic.MAXIMUM) - at(Statistic.MEAN),
    at(Statistic.MEAN) - at(Statistic.MINIMUM),
  );
  const squares = at(Statistic.STANDARD_DEVIATION) ** 2 * at(Statistic.FINITE);
  return squares > 0 ? Math.min(1, (far * far) / squares) : 0;
};

/** A batch that happens to lack the one farthest number has another mean and another deviation: that, too, is chance. */
const varianceOfMean: Reader = (at, rows) => {
  const variance = at(Statistic.STANDARD_DEVIATION) ** 2 * (1 + partOfFarthest(at, rows));
  return Math.max(variance, 1e-12 * at(Statistic.MEAN) ** 2, 1e-24);
};
const ownOfLogDeviation: Reader = (at, rows) =>
  (0.5 * Math.log(Math.max(1e-6, 1 - partOfFarthest(at, rows)))) ** 2;

/** Lengths are whole: of texts that are nearly all as long as each other a few others say little. */
const HALF_A_CHARACTER = 0.5;

/** Numbers that are not the most frequent one. */
const others: Reader = at => (1 - at(Statistic.TOP)) * at(Statistic.FINITE);
/** A deviation that a handful of numbers makes says how many these are, and that is a share of its own. */
const enoughOthers: Reader = (at, rows) =>
  others(at, rows) >= OUTLIER_MIN_NUMBERS ? at(Statistic.FINITE) : 0;

/** How far the farthest number lies from the median, in widths of the bulk. */
const reach = (name: string, extreme: Statistic, distance: Reader): Measure =>
  level(
    name,
    (at, rows) => Math.log1p(Math.max(0, distance(at, rows)) / Math.sqrt(width(at, rows))),
    at =>
      at(Statistic.QUARTILE_3) > at(Statistic.QUARTILE_1) && at(Statistic.FINITE) >= OUTLIER_MIN_NUMBERS
        ? 1
        : 0,
    () => OF_LOG_REACH,
    { onlyRise: true, beyond: extreme, known: Math.expm1 },
  );

/** Which type a value has is a program's doing and not chance: a type that was never there is news. */
const OF_PROGRAMS = { usualSpread: 0.25, ofOneCell: true };

/** What a rule usually forbids where it never occurs: required fields, trimmed texts, numbers below zero or with a fraction, a closed set of values, one format, one alphabet. Half way between a program's doing and chance. */
const OF_RULES = { usualSpread: 0.5 };

/** What is new becomes less the more is known. */
const OF_NEWS = { onlyRise: true, burnsIn: true };

/** More are no outliers, but the other half of a bulk that lies in clusters. */
const MANY_OUTLIERS = 1 / 8;

/** A field of texts, or not: half of its values decide. */
const ofTexts: Reader = (at, rows) => (2 * at(STRING) >= nonNull(at, rows) ? at(Statistic.LOOKED) : 0);
/** Of others, numbers above all, only those of few values: numbers that are measured are new each time. */
const ofFew: Reader = (at, rows) =>
  2 * at(STRING) < nonNull(at, rows) && VALUES_PER_DISTINCT * at(Statistic.DISTINCT) <= at(Statistic.VALUES)
    ? at(Statistic.LOOKED)
    : 0;

/** Of each field, in the order in which they are named when two are equally unusual. */
export const FIELD_MEASURES: readonly Measure[] = [
  share('null_rate', of(Statistic.NULLS), (_, rows) => rows, OF_RULES),
  share('number_share', of(NUMBER), nonNull, OF_PROGRAMS),
  share('boolean_share', of(BOOLEAN), nonNull, OF_PROGRAMS),
  share('object_share', of(NUMBER + 2), nonNull, OF_PROGRAMS),
  share('array_share', of(NUMBER + 3), nonNull, OF_PROGRAMS),
  share('string_share', of(STRING), nonNull, OF_PROGRAMS),
  share('empty_rate', of(Statistic.EMPTIES), of(STRING), OF_RULES),
  share('true_share', of(Statistic.TRUES), of(BOOLEAN)),
  ofLooked('padded_share', Statistic.PADDED, Statistic.LOOKED_TEXTS, OF_RULES),
  share('new_value_share', of(Statistic.FRESH), ofTexts, { ...OF_RULES, ...OF_NEWS }),
  share('new_value_share', of(Statistic.FRESH), ofFew, OF_NEWS),
  distinct('distinct_share', Statistic.DISTINCT, Statistic.VALUES),
  share('top_value_share', (at, rows) => at(Statistic.TOP) * draws(at, rows), draws),
  mix('value_mix', Statistic.FIRST_MIX, Statistic.LOOKED, Statistic.DISTINCT),
  quantile('median', Statistic.MEDIAN, AT_MEDIAN),
  level('mean', of(Statistic.MEAN), of(Statistic.FINITE), varianceOfMean, {
    own: (at, rows) =>
      (at(Statistic.STANDARD_DEVIATION) ** 2 * partOfFarthest(at, rows)) / at(Statistic.FINITE),
  }),
  quantile('quantile_1_16', Statistic.LOW, AT_SIXTEENTH),
  quantile('quartile_1', Statistic.QUARTILE_1, AT_QUARTILE),
  quantile('quartile_3', Statistic.QUARTILE_3, AT_QUARTILE),
  quantile('quantile_15_16', Statistic.HIGH, AT_SIXTEENTH),
  level('interquartile_range', logRange, of(Statistic.FINITE), varianceOfLogRange, {
    known: Math.exp,
    ...OF_UNKNOWN_SHAPE,
    ...OF_ENOUGH,
    ranks: [Statistic.QUARTILE_1, Statistic.QUARTILE_3],
  }),
  level(
    'standard_deviation',
    at => logOf(at(Statistic.STANDARD_DEVIATION), at(Statistic.MEAN)),
    enoughOthers,
    at => OF_LOG_DEVIATION + ownOfLogDeviation(at, 0) * at(Statistic.FINITE),
    { own: ownOfLogDeviation, known: Math.exp },
  ),
  reach('reach_up', Statistic.MAXIMUM, at => at(Statistic.MAXIMUM) - at(Statistic.MEDIAN)),
  reach('reach_down', Statistic.MINIMUM, at => at(Statistic.MEDIAN) - at(Statistic.MINIMUM)),
  share(
    'outlier_share',
    of(Statistic.OUTLIERS),
    at => (at(Statistic.OUTLIERS) <= MANY_OUTLIERS * at(Statistic.FINITE) ? at(Statistic.FINITE) : 0),
    { onlyRise: true },
  ),
  ofLooked('whole_share', Statistic.WHOLE, Statistic.LOOKED_NUMBERS, OF_RULES),
  ofLooked('zero_share', Statistic.ZEROS, Statistic.LOOKED_NUMBERS),
  ofLooked('negative_share', Statistic.NEGATIVES, Statistic.LOOKED_NUMBERS, { ...OF_RULES, ofSign: true }),
  ofLooked('tens_share', Statistic.TENS, Statistic.LOOKED_NUMBERS),
  ofLooked('tenths_share', Statistic.TENTHS, Statistic.LOOKED_NUMBERS, OF_RULES),
  ofLooked('hundredths_share', Statistic.HUNDREDTHS, Statistic.LOOKED_NUMBERS, OF_RULES),
  level(
    'mean_length',
    of(Statistic.LENGTH_MEAN),
    of(Statistic.LOOKED_TEXTS),
    at => at(Statistic.LENGTH_DEVIATION) ** 2 + HALF_A_CHARACTER ** 2,
  ),
  level(
    'length_deviation',
    at => Math.log(at(Statistic.LENGTH_DEVIATION) + HALF_A_CHARACTER),
    of(Statistic.LOOKED_TEXTS),
    () => OF_LOG_DEVIATION,
    { ...OF_UNKNOWN_SHAPE, known: value => Math.exp(value) - HALF_A_CHARACTER },
  ),
  ofLooked('top_shape_share', Statistic.TOP_SHAPE, Statistic.LOOKED_TEXTS, OF_RULES),
  distinct('shape_share', Statistic.SHAPES, Statistic.LOOKED_TEXTS),
  mix('shape_mix', Statistic.FIRST_SHAPE_MIX, Statistic.LOOKED_TEXTS, Statistic.SHAPES),
  mix('form_mix', Statistic.FIRST_FORM_MIX, Statistic.LOOKED_TEXTS),
  ofLooked('with_digit_share', Statistic.WITH_DIGIT, Statistic.LOOKED_TEXTS),
  ofLooked('with_upper_share', Statistic.WITH_UPPER, Statistic.LOOKED_TEXTS),
  ofLooked('with_space_share', Statistic.WITH_SPACE, Statistic.LOOKED_TEXTS),
  ofLooked('with_wide_share', Statistic.WITH_WIDE, Statistic.LOOKED_TEXTS, OF_RULES),
  ofCharacters('digit_share', Statistic.DIGITS),
  ofCharacters('upper_share', Statistic.UPPERS),
  ofCharacters('space_share', Statistic.SPACES),
  ofLooked('repeat_share', Statistic.SAMES, Statistic.NEIGHBOURS, OF_UNKNOWN_SHAPE),
  share(
    'rise_share',
    of(Statistic.RISES),
    at => at(Statistic.NEIGHBOURS) - at(Statistic.SAMES),
    OF_UNKNOWN_SHAPE,
  ),
];

/** Of a field beside the column before it; compared only with batches in which it stood beside the same. */
export const PAIR_MEASURES: readonly Measure[] = [
  distinct('pair_share', Statistic.PAIRS, Statistic.PAIRED),
  ofLooked('agreement_share', Statistic.AGREEING, Statistic.COMPARED),
];

/** Of the batch: the logarithm of its rows, which counting alone lets vary by 1 / rows: those of usual batches, not of this one. */
export const ROW_COUNT: Measure = {
  name: 'row_count',
  kind: 'level',
  ...USUAL,
  known: Math.exp,
  read: (_, rows) => ({ value: Math.log(rows), size: 1, variance: 1 / rows }),
};

/** A field's statistics in a batch; null when the batch lacks the field. */
export function numbersOf(batch: BatchStatistics, field: string): ((which: Statistic) => number) | null {
  const place = batch.places.get(field);
  if (place === undefined) return null;
  const start = place * Statistic.LENGTH;
  const { numbers } = batch;
  return Number.isNaN(numbers[start]!) ? null : which => numbers[start + which]!;
}

/** Measures whose figures are of the payload's numbers themselves. */
export const VALUE_STATISTICS: ReadonlySet<string> = new Set(
  FIELD_MEASURES.filter(({ kind, name }) => kind === 'level' && !name.includes('length')).map(
    ({ name }) => name,
  ),
);
