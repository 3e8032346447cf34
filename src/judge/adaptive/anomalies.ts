/**
 * All statistics of a batch against the history of its source.
 *
 * Many are tested at once, so the budget of false alarms is divided by their number (Bonferroni): a batch is unusual as its
 * most unusual statistic is. Whether that holds for this source is asked of the hindcast: had every past batch been judged, its most
 * unusual statistic would have been that of a clean batch. Where these lie higher than chance explains, everything is divided by how
 * much higher.
 */
import type { BatchStatistics } from '../../baseline/statistics.ts';
import { BLOCK_SHARE, TAIL, THRESHOLDS } from '../policy.ts';
import type { Past } from './distance.ts';
import type { Forecast } from './forecast.ts';
import type { History, Test } from './history.ts';
import type { Measure } from './measures.ts';
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

/** A chunk's row count is not judged, nor that of chunks before. */
export function assess(
  { tests, worst: past }: History,
  batch: BatchStatistics,
  falseAlarmRate: number,
): Assessment {
  const raw = tests.flatMap(test => judged(test, batch));
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
  test: Test;
  now: Past;
  forecast: Forecast;
}

function judged(test: Test, batch: BatchStatistics): Raw[] {
  const now = test.read(batch);
  const forecast = now && test.judge(now);
  return forecast ? [{ test, now, forecast }] : [];
}

type Lines = Pick<Assessment, 'warn' | 'block'>;

function findingOf(raw: Raw, unusual: number, lines: Lines): Finding {
  const { test, now, forecast } = raw;
  const { field, measure } = test;
  const observed = measure.kind === 'mix' ? forecast.step * forecast.distance : now.value;
  return { field, measure, observed, forecast, unusual: Math.min(unusual, mostOf(raw, lines)) };
}

/** What the finding says at most, however far it lies. */
function mostOf({ test: { measure }, now, forecast }: Raw, { warn, block }: Lines): number {
  if (isOfOneCell(measure, now, forecast)) return warn;
  if (measure.beyond) return warn + FAR_NUMBER;
  return movedBy(measure, now, forecast) < GRAVE_SHARE ? block : Number.POSITIVE_INFINITY;
}

/** Cells that are no alarm by themselves: the first new customer, the first note that is missing. They lower health like any other. */
const ODD_CELLS = 1.5;

/** What a single number, however far, may be more unusual than an alarm. */
const FAR_NUMBER = 0.5;

/** Cells of a batch that are other than usual, from which it is BLOCK: the contract's line for types. Fewer are worth a word, however surely they are other. */
const GRAVE_SHARE = THRESHOLDS.type_mismatch_block;

function movedBy({ kind }: Measure, { value }: Past, { expected, step, distance }: Forecast): number {
  if (kind === 'level') return 1;
  return kind === 'mix' ? step * distance : Math.abs(value - expected);
}

const isOfOneCell = ({ kind, ofOneCell }: Measure, { value, size }: Past, { expected }: Forecast): boolean =>
  kind === 'share' && !ofOneCell && Math.abs(value - expected) * size <= ODD_CELLS;

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
  // A surprise grows with the square of the distance.
  if (measure.kind === 'mix')
    return [0, each.step * each.distance * Math.sqrt(surpriseAtLine / each.surprise)];
  const reach = deviateOf(Math.max(0, surpriseAtLine)) * each.step;
  const [low, high] = [each.expected - reach, each.expected + reach];
  if (measure.known) return [measure.known(low), measure.known(high)];
  return measure.kind === 'share' ? [Math.max(0, low), Math.min(1, high)] : [low, high];
}
