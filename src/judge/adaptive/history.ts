/**
 * All statistics of a source's history, fitted: everything that a verdict needs of the past and that does not depend on the batch. It costs
 * milliseconds and is made once for a baseline, after the answer to the batch before where that was adaptive too.
 */
import type { Baseline } from '../../baseline/baseline.ts';
import { type BatchStatistics, Statistic } from '../../baseline/statistics.ts';
import type { Past } from './distance.ts';
import { type Fit, type Forecast, fit } from './forecast.ts';
import { FIELD_MEASURES, type Measure, numbersOf, PAIR_MEASURES, type Reading, ROW_COUNT } from './measures.ts';
import { pooledRanks, type RankOf } from './ranks.ts';

type Numbers = (which: Statistic) => number;

/** One statistic of one field, or of the batch. */
export interface Test {
  /** Null for the batch as a whole. */
  field: string | null;
  measure: Measure;
  fit: Fit;
  /** Null where the batch has nothing to read. */
  read(batch: BatchStatistics): Past | null;
}

export interface History {
  batches: readonly BatchStatistics[];
  tests: Test[];
  /** Of each batch that was forecast its greatest surprise. */
  worst: number[];
}

const histories = new WeakMap<Baseline, History>();

/** The fitted history of a baseline; made when it is first asked for. */
export function historyOf(baseline: Baseline): History {
  const known = histories.get(baseline);
  if (known) return known;
  const made = fitted(baseline.provisional ? [] : baseline.recent);
  histories.set(baseline, made);
  return made;
}

/** `batches` in the order of time. */
export function fitted(batches: readonly BatchStatistics[]): History {
  const fields = new Set(batches.flatMap(batch => [...batch.places.keys()]));
  const tests = [...fields].flatMap(field => [
    ...testsOf(field, FIELD_MEASURES, batches, false),
    ...testsOf(field, PAIR_MEASURES, batches, true),
  ]);
  const all = [...rowCountTest(batches), ...tests];
  return { batches, tests: all, worst: worstOf(all, batches.length) };
}

function worstOf(tests: readonly Test[], batches: number): number[] {
  const worst = new Float64Array(batches).fill(Number.NaN);
  for (const { fit } of tests) {
    for (let i = 0; i < batches; i++) {
      const surprise = fit.hindcast[i]!;
      if (!(surprise <= worst[i]!) && !Number.isNaN(surprise)) worst[i] = surprise;
    }
  }
  return [...worst].filter(each => !Number.isNaN(each));
}

/** Row counts of chunks say nothing. */
function rowCountTest(batches: readonly BatchStatistics[]): Test[] {
  const read = (batch: BatchStatistics): Past | null =>
    batch.chunk ? null : pastOf(ROW_COUNT.read(() => 0, batch.rows), batch.at);
  return testOf(null, ROW_COUNT, batches.map(read), read);
}

/** `beside`: only batches in which the field stood beside the same as in the newest count. */
function testsOf(
  field: string,
  measures: readonly Measure[],
  batches: readonly BatchStatistics[],
  beside: boolean,
): Test[] {
  const numbers = batches.map(batch => numbersOf(batch, field));
  let pooled: RankOf | undefined;
  const newest = numbers.findLast(each => each !== null)?.(Statistic.BESIDE) ?? 0;
  const counts = (at: Numbers): boolean =>
    !beside || (newest > 0 && at(Statistic.BESIDE) === newest);
  return measures.flatMap(measure => {
    const readFrom = (
      at: Numbers | null,
      { rows, at: time }: BatchStatistics,
    ): Past | null => (at && counts(at) ? pastOf(measure.read(at, rows), time) : null);
    const past = batches.map((batch, i) => readFrom(numbers[i]!, batch));
    const read = (batch: BatchStatistics): Past | null => readFrom(numbersOf(batch, field), batch);
    const tests = testOf(field, measure, past, read);
    if (measure.beyond) return tests.map(test => beyondAll(test, measure.beyond!, numbers));
    if (!measure.ranks || tests.length === 0) return tests;
    pooled ??= pooledRanks(numbers);
    return tests.map(test => limitedByRank(test, numbers, batches, pooled!));
  });
}

const pastOf = (reading: Reading | null, at: number): Past | null => reading && { ...reading, at };

function testOf(
  field: string | null,
  measure: Measure,
  past: readonly (Past | null)[],
  read: Test['read'],
): Test[] {
  const made = fit(measure, past);
  return made ? [{ field, measure, fit: made, read }] : [];
}

// ---- numbers that cluster ----

/** Judges only batches whose extreme the source has not had: where its bulk is narrow for once, what was always there lies far from it. */
function beyondAll(test: Test, extreme: Statistic, numbers: readonly (Numbers | null)[]): Test {
  const sign = extreme === Statistic.MAXIMUM ? 1 : -1;
  const farthest = Math.max(...numbers.map(at => (at && at(Statistic.FINITE) > 0 ? sign * at(extreme) : -Infinity)));
  const read = (batch: BatchStatistics): Past | null => {
    const at = numbersOf(batch, test.field!);
    return at && sign * at(extreme) > farthest ? test.read(batch) : null;
  };
  return { ...test, read };
}

/** A rank is a share: how many of all numbers lie below. */
const RANK: Measure = {
  name: 'rank',
  kind: 'share',
  onlyRise: false,
  usualSpread: 1,
  ofOneCell: true,
  read: () => null,
};

/**
 * A quantile of numbers that cluster jumps from one cluster to the next, which is far in numbers and near in ranks. So one that stays within what
 * the source has had is no more unusual than its rank is: the share of all earlier numbers below it.
 */
function limitedByRank(
  test: Test,
  numbers: readonly (Numbers | null)[],
  batches: readonly BatchStatistics[],
  pooled: RankOf,
): Test {
  const [first, second] = test.measure.ranks!;
  const rankOf = (at: Numbers | null, time: number): Past | null => {
    const from = at && pooled(at(first!));
    const to = at && second !== undefined ? pooled(at(second)) : 0;
    if (from === null || to === null) return null;
    const value = second === undefined ? from : Math.max(0, to - from);
    return { value, size: at!(Statistic.FINITE), variance: 0, at: time };
  };
  const past = batches.map((batch, i) => (test.fit.hindcast[i]! >= 0 ? rankOf(numbers[i]!, batch.at) : null));
  const byRank = fit(RANK, past);
  if (!byRank) return test;
  const least = (a: number, b: number): number => (Number.isNaN(b) ? a : Math.min(a, b));
  const limit = (forecast: Forecast | null, rank: Past | null): Forecast | null => {
    const limited = forecast && rank && byRank.judge(rank);
    return limited ? { ...forecast!, surprise: Math.min(forecast!.surprise, limited.surprise) } : forecast;
  };
  return {
    ...test,
    read: batch => {
      const reading = test.read(batch);
      const rank = reading && rankOf(numbersOf(batch, test.field!), batch.at);
      return reading && { ...reading, rank };
    },
    fit: {
      hindcast: test.fit.hindcast.map((each, i) => least(each, byRank.hindcast[i]!)),
      judge: now => limit(test.fit.judge(now), now.rank ?? null),
    },
  };
}
