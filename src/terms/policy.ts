/**
 * The limits, weights and penalties that decide a verdict, with their units and reasons. A rate is a fraction in 0..1.
 * A request can override `THRESHOLDS` and `FALSE_ALARM_RATE`. How far a statistic usually moves stands with the statistic, how fast
 * a baseline forgets in `baseline/decay.ts`, what the engine computes with in `assembly/abi.ts`.
 */
import { MAX_ENUM } from '../../assembly/abi.ts';

/** Fractions in 0..1. `warn` of a rate is at most its `block`; `health_block` is at most `health_warn`. */
export interface Thresholds {
  null_rate_warn: number;
  null_rate_block: number;
  type_mismatch_warn: number;
  type_mismatch_block: number;
  health_warn: number;
  health_block: number;
}

/** Rates and health in 0..1. The interface document's defaults. */
export const THRESHOLDS: Readonly<Thresholds> = Object.freeze({
  null_rate_warn: 0.3,
  null_rate_block: 0.7,
  type_mismatch_warn: 0.05,
  type_mismatch_block: 0.2,
  health_warn: 0.8,
  health_block: 0.5,
});

/**
 * Slack of "at least" comparisons of two rates. 0.3 - 0.2 is a little under 0.1 in doubles; two rates of 10,000
 * rows that truly differ do so by 1e-8 or more, so this much never decides a case of its own.
 */
export const ROUNDING = 1e-9;

/** Finite numbers that quantiles, outliers and deviations need: fewer tell nothing. */
export const MIN_NUMBERS = 8;
/** Share of the numbers from which outliers are `warning` and `critical`: 1% is noise in heavy tails, 5% a second population. */
export const OUTLIER_WARNING = 0.01;
export const OUTLIER_CRITICAL = 0.05;

/** New enum values the report lists of one field. */
export const NEW_VALUES_LISTED = 20;

/** A type of fewer values has a bare majority: if the others tip the scale, the field is as mixed as it was. */
export const CLEAR_MAJORITY = 2 / 3;

/** A field counts as removed when the chance of a batch without it, had nothing changed, is below this: one false alarm in a thousand. */
export const REMOVED_CHANCE = 0.001;
/** Share of baseline rows with a value from which a removed field blocks: below it consumers already cope without. */
export const REQUIRED_SHARE = 0.99;

/** Distinct per value from which a field is unique-like (an identifier with a few repeats). */
export const UNIQUE_RATIO = 0.9;
/** A low-cardinality string field has at most this many distinct values (the engine lists no more), */
export const LOW_CARDINALITY_DISTINCT = MAX_ENUM;
/** was seen with at least this many values, */
export const LOW_CARDINALITY_VALUES = 100;
/** and with at least this many for each distinct one: enough that an unseen value is news. */
export const VALUES_PER_DISTINCT = 10;
/** Share of the rows with new values, and how many, that is `warn` before the source has shown how many are usual. */
export const FEW_NEW_VALUES = Object.freeze({ rate: 0.1, rows: 5 });
/** Standard errors that a share of outliers may lie above the usual one. */
export const USUAL_ERRORS = 3;

/** Penalties in 0..1. A rate or event at its warn line costs what takes health to the default health_warn, at its block line to health_block. */
export const PENALTY = Object.freeze({ info: 0.05, warn: 0.2, block: 0.5 });
/** Outliers: penalty per share of the numbers, and its cap, which alone is no WARN: heavy tails are normal in real data. */
export const OUTLIER_PENALTY = 4;
export const OUTLIER_PENALTY_CAP = 0.19;
/** What each further kind of finding multiplies health by. */
export const OTHER_KIND_FACTOR = 0.9;
/** So many further kinds of WARN are no BLOCK by health. */
export const KINDS_BESIDE_WARN = 2;
/** What a WARN of a statistic costs at most: with one other kind of finding it is no BLOCK. */
export const MOST_OF_WARN = 1 - (1 - PENALTY.block) / OTHER_KIND_FACTOR;
/** Health is rounded to 1 / this: four decimals. */
export const HEALTH_STEPS = 10_000;

/** Causes a reason names, and values a drift event quotes: as many as a person reads in one line. */
export const REASON_CAUSES = 5;
export const VALUES_QUOTED = 3;
/** Values that a sign quotes. */
export const SIGN_SAMPLES = 3;

/** Share of clean batches that may be WARN because of their past where nothing else is asked for, and what may be asked for. Below the least no history of 32 batches says anything. */
export const FALSE_ALARM_RATE = 0.01;
export const MIN_FALSE_ALARM_RATE = 0.0001;
export const MAX_FALSE_ALARM_RATE = 0.2;
/** How much further than the line of WARN that of BLOCK lies, as the logarithm of a chance. */
export const BLOCK_FACTOR = 2;
/** Batches of history from which statistics are learned: two do not show how far a third may lie. */
export const MIN_BATCHES = 3;
/** Distinct values of a column that two batches hardly have equally often by chance. */
export const MIN_REPEATED = 8;
/** Anomalies that a report lists. */
export const ANOMALIES_LISTED = 50;

/** Row numbers that a report lists of one finding: enough to look at, whatever the batch. */
export const ROWS_LISTED = 20;
/** Reasons that a quarantined row lists: with 10,000 rows that keeps a quarantine at half a megabyte. */
export const ROW_REASONS = 8;
/** Rows of a baseline without a null from which a single null is a row's fault: with 95% certainty fewer than 3% may be null (the rule of three). */
export const NEVER_NULL_ROWS = 100;
/** Batches that must cross a threshold before it counts as usual: two may be one incident. */
export const ADVICE_BATCHES = 3;
/** Newest batches of the history that are looked at for it: what was usual a month ago is not advised on. */
export const ADVICE_WINDOW = 8;
/** How far above the highest usual rate a threshold is advised: batches differ, and what is advised should hold for a while. */
export const ADVICE_MARGIN = 0.05;

/** What `unusual` of an anomaly is at most. */
export const MAX_UNUSUAL = 99;

// ---- what is learned ----

/** Weight of the assumption that a source's batches differ by chance alone, in batches. With few batches of its own a source is judged by Student's t of as many degrees of freedom. */
export const PRIOR_BATCHES = 4;
/** The same at most, in a short history whose statistics are all alike. */
export const MAX_PRIOR_BATCHES = 16;
/**
 * How far any two batches of a source may differ before three are known, as a standard deviation: a share, and in deviations of one cell, so that one
 * of a half may differ by more than one of zero; a level in deviations of one cell; the share of cells that lie elsewhere in a distribution.
 */
export const ASSUMED = Object.freeze({
  share: { difference: 0.04, deviations: 0.2 },
  level: { deviations: 0.25 },
  distribution: { difference: 0.04 },
});
/** Degrees of freedom of that assumption. */
export const SHORT_FREEDOM = 100;
/** Batches from which on a source's own past says enough: before, that of its other fields counts too. */
export const SETTLED_BATCHES = 8;
/** Surprise from which a reading of a WARN batch does not belong to what is usual: one in a thousand. */
export const STRAY_SURPRISE = 3;
/** Surprise from which on a statistic explains another one that follows from it: one in ten. */
export const EXPLAINING_SURPRISE = 1;
/** A statistic that strayed so often, each time after it had been calm, does so usually. */
export const USUAL_OCCASIONS = 3;
/** So many occasions of WARN in a history were right, as far as anybody knows: they do not raise the line. */
export const SPARED_OCCASIONS = 1;
/** Number of agreeing batches after which a new normal holds, unless the source has a setting. */
export const SETTLE_AFTER = 8;
/** The third batch is the first that may propose it, and the history has 32. */
export const MIN_SETTLE_AFTER = 3;
export const MAX_SETTLE_AFTER = 30;
/** The first of these batches are BLOCK and are not learned; from the next one on they are WARN. */
export const FREE_STRAYS = 2;
/** Share of the batches in which a column must be constant to count as one draw a batch: damage may have been among them. */
export const DRAWS_SHARE = 0.75;
/** A number is far from those that were drawn before if it is this many times their range, or itself, away. */
export const FAR_RATIO = 3;
/** Share of a column's values that differ from each other from which on they are codes, each of them new. */
export const DISTINCT_SHARE = 0.95;
/** Share of the changes from row to row that must be rises in a counter, or in a column of times. */
export const SERIAL_SHARE = 0.95;
/** The gaps from batch to batch have the same rhythm up to this factor: days and weekends, hours and nights. */
export const RHYTHM_FACTOR = 20;
/** Shorter gaps are alike: batches come as fast as somebody sends them. In ms. */
export const SHORTEST_GAP_MS = 60_000;
/** Whole numbers up to this may be those of a calendar, which starts again. */
export const SMALL_NUMBER = 366;
/** Newest batches that may be expected to go on where all together do not: three still average out a single odd one. */
export const NEWEST_BATCHES = 3;
/** A history of all 32 batches is fitted once in so many. The fit then is that of 25, so that any of the next seven baselines still has them. */
export const FIT_EVERY = 8;
/** Longest cycle that is looked for, in batches, and how often it must have been seen: a history of 32 has too few returns of a longer one. */
export const LONGEST_CYCLE = 12;
export const CYCLE_RETURNS = 3;
/** Distances are capped at this multiple of the usual one when forecasters are compared: one stray batch must not decide. */
export const STRAY_DISTANCES = 4;
/** Mean square of the distances up to which sampling explains everything: then no other forecaster is tried. */
export const EXPLAINED_SQUARE = 1.5;
/** Cells that by themselves are no alarm: the first new customer, the first missing note. They lower health like any other. */
export const MAX_QUIET_CELLS = 1.5;
/** Share of the batches, those with the farthest numbers, that do not say how far a source's numbers reach: one batch of ten. */
export const FAR_BATCHES_SHARE = 0.1;
/** How far above the line of WARN a single number, however far, can lie. */
export const EXTREME_EXCESS = 0.5;
/**
 * What a BLOCK takes besides certainty. Shares of the cells that are other than usual: most of them, of types the contract's line. A level: deviations of one cell
 * from where it was, so that hardly any cell is where it was.
 */
export const LARGE = Object.freeze({ share: 0.5, types: THRESHOLDS.type_mismatch_block, deviations: 2 });
/** What takes no more certainty than a WARN: so many more nulls; one value throughout where the most frequent one had this share at most. */
export const DESTROYED = Object.freeze({ nulls: 0.4, top: 0.5 });

/** Of the window of a source: with how many rows it ends, and how long after its first post. */
export const WINDOW_ROWS = { least: 1, most: 1_000_000 };
export const WINDOW_MS = { least: 1000, most: 24 * 3600 * 1000 };
