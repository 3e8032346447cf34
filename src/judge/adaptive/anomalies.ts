/**
 * All statistics of a batch against the history of its source.
 *
 * Many are tested at once, so the budget of false alarms is divided by their number (Bonferroni): a batch is unusual as its
 * most unusual statistic is. Whether that holds for this source is asked of the hindcast: had every past batch been judged, its most
 * unusual statistic would have been that of a clean batch. Where these lie higher than chance explains, everything is divided by how
 * much higher.
 */
import type { BatchStatistics } from '../../baseline/batch-statistics.ts';
import type { FittedStatistic } from '../../rules/learned/fitted-statistic.ts';
import type { Forecast } from '../../rules/learned/forecast.ts';
import type { History } from '../../rules/learned/history.ts';
import type { Observation } from '../../rules/learned/observation.ts';
import { deviateOfSurprise } from '../../rules/learned/tail.ts';
import type { Statistic } from '../../statistics/statistic.ts';
import { BLOCK_SHARE, TAIL, THRESHOLDS } from '../policy.ts';

/** What was found of one statistic. */
export interface Finding {
  /** Null for the batch as a whole. */
  field: string | null;
  statistic: Statistic;
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

/** A chunk's row count is not judged, nor that of chunks before. */
export function assess(
  { fitted, worst: past }: History,
  batch: BatchStatistics,
  falseAlarmRate: number,
): Assessment {
  const raw = fitted.flatMap(test => judged(test, batch));
  const many = Math.log10(Math.max(1, raw.length));
  const stretch = stretchOf(past, many);
  const warn = -Math.log10(falseAlarmRate);
  // A surprise grows with the square of the distance.
  const block = (warn + many) * BLOCK_SHARE ** (-2 / TAIL) - many;
  const findings = raw
    .map(each => findingOf(each, each.forecast.surprise / stretch - many, { warn, block }))
    .sort((a, b) => b.unusual - a.unusual);
  const alarms = past.filter(worst => worst / stretch - many > warn).length;
  const expectedFalseAlarmRate = (alarms + PRIOR * falseAlarmRate) / (past.length + PRIOR);
  return { findings, warn, block, expectedFalseAlarmRate };
}

interface Raw {
  test: FittedStatistic;
  now: Observation;
  forecast: Forecast;
}

function judged(test: FittedStatistic, batch: BatchStatistics): Raw[] {
  const now = test.read(batch);
  const forecast = now && test.judge(now);
  return forecast ? [{ test, now, forecast }] : [];
}

type Lines = Pick<Assessment, 'warn' | 'block'>;

function findingOf(raw: Raw, unusual: number, lines: Lines): Finding {
  const { test, now, forecast } = raw;
  const { field, statistic } = test;
  const observed = statistic.kind === 'distribution' ? forecast.step * forecast.distance : now.value;
  return { field, statistic, observed, forecast, unusual: Math.min(unusual, mostOf(raw, lines)) };
}

/** What the finding says at most, however far it lies. */
function mostOf({ test: { statistic }, now, forecast }: Raw, { warn, block }: Lines): number {
  if (isOfOneCell(statistic, now, forecast)) return warn;
  if (statistic.onlyBeyond) return warn + FAR_NUMBER;
  return movedBy(statistic, now, forecast) < GRAVE_SHARE ? block : Number.POSITIVE_INFINITY;
}

/** Cells that are no alarm by themselves: the first new customer, the first note that is missing. They lower health like any other. */
const ODD_CELLS = 1.5;

/** What a single number, however far, may be more unusual than an alarm. */
const FAR_NUMBER = 0.5;

/** Cells of a batch that are other than usual, from which it is BLOCK: the contract's line for types. Fewer are worth a word, however surely they are other. */
const GRAVE_SHARE = THRESHOLDS.type_mismatch_block;

function movedBy(
  { kind }: Statistic,
  { value }: Observation,
  { expected, step, distance }: Forecast,
): number {
  if (kind === 'level') return 1;
  return kind === 'distribution' ? step * distance : Math.abs(value - expected);
}

const isOfOneCell = (
  { kind, oneCellCounts }: Statistic,
  { value, size }: Observation,
  { expected }: Forecast,
): boolean => kind === 'share' && !oneCellCounts && Math.abs(value - expected) * size <= ODD_CELLS;

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
  { statistic, forecast: each }: Finding,
  surpriseAtLine: number,
): [number, number] {
  // A surprise grows with the square of the distance.
  if (statistic.kind === 'distribution')
    return [0, each.step * each.distance * Math.sqrt(surpriseAtLine / each.surprise)];
  const reach = deviateOfSurprise(Math.max(0, surpriseAtLine)) * each.step;
  const [low, high] = [each.expected - reach, each.expected + reach];
  if (statistic.inverse) return [statistic.inverse(low), statistic.inverse(high)];
  return statistic.kind === 'share' ? [Math.max(0, low), Math.min(1, high)] : [low, high];
}
