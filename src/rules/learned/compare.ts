/**
 * Compares all statistics of a batch with the history of its source.
 *
 * Many statistics are tested at once, so the budget of false alarms is divided by their number (Bonferroni): a batch is
 * as unusual as its most unusual statistic. Whether that holds for this source is checked by hindcast: each past batch, judged
 * by the ones before it, should be as unusual as a clean batch is by chance. Where the past is more unusual than that, all
 * surprises are divided by the same factor. So they are where more batches were WARN than was asked for: the line then lies where as many would have
 * been as were asked for (after the adaptive conformal inference of Gibbs and Candès 2021).
 */
import { type BatchStatistics, measurementOf } from '../../baseline/batch-statistics.ts';
import {
  BLOCK_FACTOR,
  DESTROYED,
  EXPLAINING_SURPRISE,
  EXTREME_EXCESS,
  LARGE,
  MAX_QUIET_CELLS,
  MIN_BATCHES,
  MIN_NUMBERS,
  PRIOR_BATCHES,
  ROUNDING,
  SPARED_OCCASIONS,
  UNIQUE_RATIO,
} from '../../terms/policy.ts';
import type { Severity } from '../../report-schema/report.ts';
import { SPREAD } from '../../statistics/numbers.ts';
import { PLACE } from '../../statistics/registry.ts';
import type { Reading, Statistic } from '../../statistics/statistic.ts';
import { movedShare } from './distance.ts';
import type { Forecast } from './forecast.ts';
import { type FittedField, type FittedStatistic, judgedIn } from './fitted-statistic.ts';
import type { History } from './history.ts';
import { type Arrival, arrivalAfter, isSerial, type Part, partOf, readingOf } from './part.ts';
import { deviateOfSurprise } from './tail-probability.ts';

/** How one statistic of the batch lies. */
export interface Deviation {
  /** Null for the batch as a whole. */
  field: string | null;
  statistic: Statistic;
  observed: number;
  forecast: Forecast;
  /** −log10 of the chance of anything as unusual in a clean batch. May be below 0. */
  unusual: number;
  severity: Severity;
  /** An earlier batch, which was loaded, was so similar that this is at most WARN. */
  wasThere: boolean;
  /** The surprise at the line of WARN. */
  surpriseAtWarn: number;
  /** Whether the batch would be beyond the line of WARN with this value in place of the one that it has. Not for distributions. */
  crossesWith(value: number): boolean;
}

export interface Comparison {
  /** Batches of history. */
  history: number;
  /** Those beyond the line of WARN, the most unusual first; without any, the most unusual one alone. */
  deviations: Deviation[];
  /** By field: how its share of new values lies. */
  newValues: ReadonlyMap<string | null, Deviation>;
  /** Lines of `unusual`. */
  warn: number;
  block: number;
  /** Share of clean batches that will be WARN, as the hindcast lets expect. */
  expectedFalseAlarmRate: number;
}

/** How surprises of so many tests count. */
interface Scale {
  log10Tests: number;
  /** Batches of history. */
  history: number;
  /** How many times as unusual as by chance the past is; at least 1. */
  inflation: number;
  /** Line of `unusual`. */
  warn: number;
}

/** `falseAlarmRate`: share of clean batches that may be WARN. */
function scaleOf({ worst, batches, occasions }: History, tests: number, falseAlarmRate: number): Scale {
  const log10Tests = Math.log10(Math.max(1, tests));
  const warn = -Math.log10(falseAlarmRate);
  const usually = (occasions - SPARED_OCCASIONS) / batches.length;
  const inflation = Math.max(
    inflationOf(worst, log10Tests),
    usually > falseAlarmRate ? (log10Tests + warn) / (log10Tests - Math.log10(usually)) : 1,
  );
  return { log10Tests, history: batches.length, inflation, warn };
}

/** Of how many tests it is one, as a logarithm. */
const log10TestsOf = ({ budget = 0 }: Statistic, { log10Tests, history }: Scale): number =>
  history < MIN_BATCHES ? log10Tests : Math.min(log10Tests, -Math.log10(budget));

const surpriseAt = (scale: Scale, statistic: Statistic): number =>
  (scale.warn + log10TestsOf(statistic, scale)) * scale.inflation;

/** The surprise from which on a statistic is a WARN, among all that are fitted. */
export const surpriseAtWarn = (
  history: History,
  falseAlarmRate: number,
): ((statistic: Statistic) => number) => {
  const scale = scaleOf(history, history.tests, falseAlarmRate);
  return statistic => surpriseAt(scale, statistic);
};

/** Compares a batch with the fitted history; `falseAlarmRate`: share of clean batches that may be WARN. */
export function compare(fittedHistory: History, batch: BatchStatistics, falseAlarmRate: number): Comparison {
  const { fields, known, worst: past, batches } = fittedHistory;
  const arrival = arrivalAfter(batches.at(-1), batch.at, known);
  const all: Raw[] = [];
  for (const field of fields) {
    addForecasts(all, field, batch, arrival);
  }
  const raw = withoutExplained(withoutCounted(all), batch);
  const scale = scaleOf(fittedHistory, raw.length, falseAlarmRate);
  const { log10Tests, inflation, warn } = scale;
  // A surprise grows with the square of the distance.
  const block = (warn + log10Tests) * BLOCK_FACTOR - log10Tests;
  const lines = { ...scale, block, batches };
  const newValues = new Map<string | null, Deviation>();
  const crossing: Deviation[] = [];
  let [worst, most] = [raw[0], Number.NEGATIVE_INFINITY];
  for (const found of raw) {
    const unusual = unusualOf(found, lines);
    if (unusual > most) [worst, most] = [found, unusual];
    if (unusual > warn) crossing.push(deviationOf(found, lines));
    if (found.fitted.statistic.id === 'new_value_share')
      newValues.set(found.field, deviationOf(found, lines));
  }
  const deviations =
    crossing.length > 0
      ? crossing.toSorted((a, b) => b.unusual - a.unusual)
      : worst
        ? [deviationOf(worst, lines)]
        : [];
  const alarms = past.filter(surprise => surprise / inflation - log10Tests > warn).length;
  const expectedFalseAlarmRate = (alarms + PRIOR_BATCHES * falseAlarmRate) / (past.length + PRIOR_BATCHES);
  return {
    history: batches.length,
    deviations,
    newValues,
    warn,
    block,
    expectedFalseAlarmRate,
  };
}

interface Raw {
  field: string | null;
  fitted: FittedStatistic;
  part: Part;
  now: Reading;
  forecast: Forecast;
}

function addForecasts(
  to: Raw[],
  { field, neighbour, statistics }: FittedField,
  batch: BatchStatistics,
  arrival: Arrival,
): void {
  const part = partOf(batch, field, arrival);
  if (!part) return;
  for (const fitted of statistics) {
    const now = judgedIn(fitted, part, neighbour);
    const forecast = now && fitted.judge.forecast(now, part);
    if (forecast) to.push({ field, fitted, part, now, forecast });
  }
}

/** How far a counter reaches follows from the number of rows: an unusual number explains an unusual spread. */
function withoutCounted(all: Raw[]): Raw[] {
  const rows = all.find(({ fitted }) => fitted.statistic.id === 'row_count')?.forecast;
  if (rows === undefined || rows.surprise <= EXPLAINING_SURPRISE) return all;
  return all.filter(
    ({ fitted: { statistic }, part, forecast }) =>
      !SPREAD.includes(statistic) || !isSerial(part.read) || forecast.distance * rows.distance < 0,
  );
}

/** Where a column has fewer distinct values, or more, so has each pair of columns that it belongs to. */
function withoutExplained(all: Raw[], batch: BatchStatistics): Raw[] {
  const distinct = new Map<string | null, Forecast>();
  for (const { field, fitted, forecast } of all)
    if (fitted.statistic.id === 'distinct_share' && forecast.surprise > EXPLAINING_SURPRISE)
      distinct.set(field, forecast);
  if (distinct.size === 0) return all;
  const neighbours = neighboursIn(batch);
  return all.filter(({ field, fitted, forecast }) => {
    if (fitted.statistic.id !== 'distinct_pair_share') return true;
    const columns = [distinct.get(field), distinct.get(neighbours.get(field!) ?? null)];
    return !columns.some(column => column !== undefined && column.distance * forecast.distance > 0);
  });
}

/** By field: the last one before it that all rows have. */
function neighboursIn(batch: BatchStatistics): Map<string, string> {
  const neighbours = new Map<string, string>();
  let last: string | undefined;
  // A batch's own places are in the order of its columns.
  for (const name of batch.places.keys()) {
    if (last !== undefined) neighbours.set(name, last);
    if (measurementOf(batch, name, PLACE.present) === batch.rows) last = name;
  }
  return neighbours;
}

type Lines = Scale & Pick<Comparison, 'block'> & Pick<History, 'batches'>;

function deviationOf(raw: Raw, lines: Lines): Deviation {
  const { field, fitted, now, forecast, part } = raw;
  const { statistic } = fitted;
  const observed = statistic.kind === 'distribution' ? forecast.step * forecast.distance : now.value;
  const unusual = unusualOf(raw, lines);
  const severity = severityOf(raw, unusual, lines);
  return {
    field,
    statistic,
    observed,
    forecast,
    unusual,
    severity,
    wasThere: severity === 'block' && wasThere(raw, lines.batches),
    surpriseAtWarn: surpriseAt(lines, statistic),
    crossesWith(value) {
      const moved = { ...now, value };
      const other = fitted.judge.forecast(moved, part);
      return other !== null && unusualOf({ ...raw, now: moved, forecast: other }, lines) > lines.warn;
    },
  };
}

function unusualOf(raw: Raw, lines: Lines): number {
  const unusual = raw.forecast.surprise / lines.inflation - log10TestsOf(raw.fitted.statistic, lines);
  return unusual <= lines.warn ? unusual : Math.min(unusual, mostUnusual(raw, lines));
}

/** Whether an earlier batch, which was loaded, differs so little that compared with it this one would be no BLOCK. */
function wasThere(raw: Raw, batches: Lines['batches']): boolean {
  const { field, fitted, part } = raw;
  const { statistic } = fitted;
  const neighbour = part.read(PLACE.neighbour);
  return batches.some(batch => {
    const earlier = partOf(batch, field, part);
    const reading = earlier && readingOf(statistic, earlier, neighbour);
    if (!reading) return false;
    const from = { ...raw, forecast: { ...raw.forecast, ...differenceFrom(reading, raw.now) } };
    return !isLarge(from) && !isDestroyed(from);
  });
}

/** Of a distribution the share of cells that lie elsewhere. */
const differenceFrom = (earlier: Reading, now: Reading): Partial<Forecast> =>
  earlier.counts
    ? { step: 1, distance: movedShare(now, earlier) }
    : { expected: earlier.value, usualVariance: earlier.variance };

function severityOf(raw: Raw, unusual: number, { warn, block }: Lines): Severity {
  if (unusual <= warn) return 'info';
  return unusual > block || isDestroyed(raw) ? 'block' : 'warn';
}

/** The most that the statistic can say, however far it lies. */
function mostUnusual(raw: Raw, { warn, block, history }: Lines): number {
  const { statistic, atMostWarn } = raw.fitted;
  const { now, forecast } = raw;
  if (isOfOneCell(statistic, now, forecast)) return warn;
  if (statistic.kind === 'level' && statistic.onlyBeyond) return warn + EXTREME_EXCESS;
  // What is only assumed of a source is not certain.
  return history < MIN_BATCHES || atMostWarn || statistic.atMostWarn || !isLarge(raw)
    ? block
    : Number.POSITIVE_INFINITY;
}

/**
 * BLOCK is for damage that nobody would want written, however certain a small difference is. A handful of cells is no such damage, nor is a column
 * that fills.
 */
function isLarge({ fitted: { statistic }, now, forecast }: Raw): boolean {
  const { kind, family, limitedByRanks } = statistic;
  const { expected, step, distance, usualVariance } = forecast;
  if (family === 'rows' || now.size < MIN_NUMBERS) return false;
  if ((family === 'nulls' || family === 'empties') && now.value < expected) return false;
  if (kind === 'distribution') return step * distance >= LARGE.share;
  const difference = Math.abs(now.value - expected);
  if (kind === 'share') return difference >= (family === 'types' ? LARGE.types : LARGE.share);
  // Damage makes cells vary more: what moves only with many of them is compared with the usual variance, if that is less.
  const variance = limitedByRanks ? Math.min(now.variance, usualVariance) : now.variance;
  // A level whose cells do not vary is a logarithm of a spread, or a length.
  return difference >= LARGE.deviations * Math.sqrt(variance);
}

/** A column whose content is gone: nothing is left to be certain about. */
function isDestroyed({
  fitted: { statistic, atMostWarn },
  now: { value, size },
  forecast: { expected },
}: Raw): boolean {
  if (statistic.family === 'nulls' || statistic.family === 'empties')
    return value - expected >= DESTROYED.nulls - ROUNDING;
  if (atMostWarn || size < MIN_NUMBERS) return false;
  if (statistic.id === 'distinct_share') return expected >= UNIQUE_RATIO && value * size <= 1;
  return statistic.id === 'top_value_share' && value === 1 && expected <= DESTROYED.top;
}

function isOfOneCell(
  { kind, oneCellCounts, isMean }: Statistic,
  { value, size, variance }: Reading,
  { expected }: Forecast,
): boolean {
  const difference = Math.abs(value - expected);
  if (kind === 'share') return !oneCellCounts && difference * size <= MAX_QUIET_CELLS;
  // So many cells that lie equally far make this difference of the mean and this variance.
  return isMean === true && difference ** 2 * size <= MAX_QUIET_CELLS * variance;
}

/** The mean of the largest of n exponential variates is that of the harmonic number: Euler's constant behind the logarithm. */
const EULER_LOG10 = 0.5772156649 / Math.LN10;

/** How many times as unusual as by chance the past is; at least 1. */
function inflationOf(past: readonly number[], log10Tests: number): number {
  const usual = log10Tests + EULER_LOG10;
  const sum = past.reduce((total, worst) => total + worst, PRIOR_BATCHES * usual);
  return Math.max(1, sum / ((past.length + PRIOR_BATCHES) * usual));
}

/** Roughly the range in which the statistic would not have crossed the line, on the scale that people know. */
export function expectedRange(
  { statistic, forecast }: Pick<Deviation, 'statistic' | 'forecast'>,
  surpriseAtLine: number,
): [low: number, high: number] {
  const { expected, step, distance, surprise, riseFactor } = forecast;
  if (statistic.kind === 'distribution') return [0, step * distance * Math.sqrt(surpriseAtLine / surprise)];
  const reach = deviateOfSurprise(Math.max(0, surpriseAtLine)) * step;
  return shownRange(statistic, expected - reach, expected + reach / riseFactor);
}

/** The same range as the judge of the batch sees it. */
export function passingRange(deviation: Deviation, surpriseAtLine: number): [low: number, high: number] {
  const { statistic, forecast } = deviation;
  if (statistic.kind === 'distribution') return expectedRange(deviation, surpriseAtLine);
  const reach = deviateOfSurprise(Math.max(0, surpriseAtLine)) * forecast.step;
  return shownRange(statistic, passingEdge(deviation, -1, reach), passingEdge(deviation, 1, reach));
}

function shownRange(statistic: Statistic, low: number, high: number): [low: number, high: number] {
  if (statistic.kind === 'share') return [Math.max(0, low), Math.min(1, high)];
  const shown = statistic.inverse ?? (value => value);
  return [statistic.unit === 'characters' ? Math.max(0, shown(low)) : shown(low), shown(high)];
}

/** No edge is so many times farther than expected. */
const DOUBLINGS = 32;
/** The edge is exact to a ten-thousandth of the range. */
const HALVINGS = 14;

/** The value farthest from the forecast, to one side, that does not cross the line. `reach`: roughly how far it lies from the forecast. */
function passingEdge(
  { statistic, forecast: { expected }, crossesWith }: Deviation,
  side: 1 | -1,
  reach: number,
): number {
  const isShare = statistic.kind === 'share';
  const limit = isShare ? (side + 1) / 2 : expected + side * reach * 2 ** DOUBLINGS;
  // No value is too far on this side.
  if (!crossesWith(limit)) return isShare ? limit : expected + side * reach;
  const within = (value: number) => (side > 0 ? Math.min(value, limit) : Math.max(value, limit));
  let [inside, outside] = [expected, reach > 0 ? within(expected + side * reach) : limit];
  for (let i = 0; i < DOUBLINGS && !crossesWith(outside); i++) {
    inside = outside;
    outside = within(expected + 2 * (outside - expected));
  }
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (inside + outside) / 2;
    if (crossesWith(middle)) outside = middle;
    else inside = middle;
  }
  return inside;
}
