/**
 * All statistics of a batch against the history of its source.
 *
 * Many are tested at once, so the budget of false alarms is divided by their number (Bonferroni): a batch is unusual as its
 * most unusual statistic is. Whether that holds for this source is asked of the hindcast: had every past batch been judged, its most
 * unusual statistic would have been that of a clean batch. Where these lie higher than chance explains, everything is divided by how
 * much higher.
 */
import type { BatchStatistics } from '../../baseline/statistics.ts';
import { Statistic, statistic } from '../../baseline/statistics.ts';
import { BLOCK_SHARE, TAIL } from '../policy.ts';
import { type Forecast, forecast, type Past } from './forecast.ts';
import { FIELD_MEASURES, type Measure, type Reading, ROW_COUNT, readField } from './measures.ts';
import { deviateOf } from './unusual.ts';

/** What was found of one statistic. */
export interface Finding {
  /** Null for the batch as a whole. */
  field: string | null;
  measure: Measure;
  observed: number;
  forecast: Forecast;
  /** −log10 of the chance of anything as unusual in a clean batch. May be below 0. */
  unusual: number;
}

export interface Assessment {
  /** Every statistic, the most unusual first. */
  findings: Finding[];
  /** Lines of `unusual`. */
  warn: number;
  block: number;
  /** Share of clean batches that will be WARN, as the hindcast lets expect. */
  expectedFalseAlarmRate: number;
}

/** Batches' worth of belief that the statistics are as calibrated as they claim. */
const PRIOR = 4;

/** `history` in the order of time. A chunk's row count is not judged, nor that of chunks before. */
export function assess(
  history: readonly BatchStatistics[],
  batch: BatchStatistics,
  falseAlarmRate: number,
): Assessment {
  const raw = forecasts(history, batch);
  const tests = Math.log10(Math.max(1, raw.length));
  const past = worstOf(raw, history.length);
  const stretch = stretchOf(past, tests);
  const findings = raw
    .map(finding => ({ ...finding, unusual: finding.forecast.surprise / stretch - tests }))
    .sort((a, b) => b.unusual - a.unusual);
  const warn = -Math.log10(falseAlarmRate);
  // A surprise grows with the square of the distance.
  const block = (warn + tests) * BLOCK_SHARE ** (-2 / TAIL) - tests;
  const alarms = past.filter(worst => worst / stretch - tests > warn).length;
  const expectedFalseAlarmRate = (alarms + PRIOR * falseAlarmRate) / (past.length + PRIOR);
  return { findings, warn, block, expectedFalseAlarmRate };
}

type Raw = Omit<Finding, 'unusual'>;

function forecasts(history: readonly BatchStatistics[], batch: BatchStatistics): Raw[] {
  const found: Raw[] = [];
  const test = (
    field: string | null,
    measure: Measure,
    read: (each: BatchStatistics) => Reading | null,
  ): void => {
    const now = read(batch);
    if (now === null) return;
    const past = history.map(each => pastOf(read(each), each.at));
    const result = forecast(measure, past, { ...now, at: batch.at });
    if (result) found.push({ field, measure, observed: now.value, forecast: result });
  };
  if (!batch.chunk) test(null, ROW_COUNT, each => (each.chunk ? null : ROW_COUNT.read(() => 0, each.rows)));
  for (const field of batch.places.keys()) {
    for (const measure of FIELD_MEASURES) test(field, measure, each => readField(each, field, measure));
  }
  return found;
}

const pastOf = (reading: Reading | null, at: number): Past | null => reading && { ...reading, at };

/** Of each batch of the history that was forecast its greatest surprise. */
function worstOf(found: readonly Raw[], batches: number): number[] {
  const worst = Array<number>(batches).fill(Number.NaN);
  for (const { forecast: each } of found) {
    for (let i = 0; i < batches; i++) {
      const surprise = each.hindcast[i]!;
      if (!(surprise <= worst[i]!) && !Number.isNaN(surprise)) worst[i] = surprise;
    }
  }
  return worst.filter(each => !Number.isNaN(each));
}

/** Mean of the largest of n exponential variates is that of the harmonic number: Euler's constant behind the logarithm. */
const EULER_LOG10 = 0.5772156649 / Math.LN10;

/** By how much the past lies higher than chance explains; at least 1. */
function stretchOf(past: readonly number[], tests: number): number {
  const usual = tests + EULER_LOG10;
  const sum = past.reduce((total, worst) => total + worst, PRIOR * usual);
  return Math.max(1, sum / ((past.length + PRIOR) * usual));
}

/** Between these the statistic would not have crossed the line. */
export function expectedRange(
  { measure, forecast: each }: Finding,
  surpriseAtLine: number,
): [number, number] {
  const reach = deviateOf(Math.max(0, surpriseAtLine)) * each.step;
  const [low, high] = [each.expected - reach, each.expected + reach];
  if (measure === ROW_COUNT) return [Math.exp(low), Math.exp(high)];
  return measure.kind === 'share' ? [Math.max(0, low), Math.min(1, high)] : [low, high];
}

/**
 * The past batch whose content this one repeats, column by column whatever the order of its rows; null without one, and of a source that
 * repeated itself before.
 */
export function repeatedBatch(
  history: readonly BatchStatistics[],
  batch: BatchStatistics,
): BatchStatistics | null {
  const repeats = (now: BatchStatistics, before: readonly BatchStatistics[]) =>
    before.findLast(each => sameContent(each, now)) ?? null;
  if (history.some((each, i) => repeats(each, history.slice(0, i)))) return null;
  return repeats(batch, history);
}

function sameContent(a: BatchStatistics, b: BatchStatistics): boolean {
  if (a.rows !== b.rows || b.places.size === 0) return false;
  // Unknown contents are NaN and equal nothing.
  return [...b.places.keys()].every(
    name => statistic(a, name, Statistic.CONTENT) === statistic(b, name, Statistic.CONTENT),
  );
}
