/**
 * All statistics of a source's history, fitted: everything that a verdict needs of the past and that does not depend on the batch. It costs
 * milliseconds and is made once for a baseline, after the answer to the batch before where that was adaptive too.
 */
import type { Baseline } from '../../baseline/baseline.ts';
import { type BatchStatistics, Statistic } from '../../baseline/statistics.ts';
import { Turns } from '../../baseline/turns.ts';
import { LEARNED_BATCHES } from '../../policy.ts';
import type { Past } from './distance.ts';
import { type Forecast, fit } from './forecast.ts';
import {
  FIELD_MEASURES,
  type Measure,
  numbersOf,
  PAIR_MEASURES,
  type Reading,
  ROW_COUNT,
} from './measures.ts';
import { pooledRanks, type RankOf } from './ranks.ts';

type Numbers = (which: Statistic) => number;

/** One statistic of one field, or of the batch. */
export interface Test {
  /** Null for the batch as a whole. */
  field: string | null;
  measure: Measure;
  /** Null where the batch has nothing to read. */
  read(batch: BatchStatistics): Past | null;
  /** Null where nothing is expected of such a batch. */
  judge(now: Past): Forecast | null;
}

/** A test with what only the whole history is asked for. */
interface Fitted extends Test {
  hindcast: Float64Array;
}

export interface History {
  batches: readonly BatchStatistics[];
  tests: Test[];
  /** Of each batch that was forecast its greatest surprise. */
  worst: number[];
}

/** Tests of all histories that are held, about 600 bytes each: as many as of 75 sources of 20 fields. */
const MOST_TESTS = 40_000;

const histories = new WeakMap<Baseline, History>();
/** In the order in which they were made. A baseline that nobody holds any more takes its history along. */
const held: { baseline: WeakRef<Baseline>; tests: number }[] = [];
let heldTests = 0;

function hold(baseline: Baseline, history: History): void {
  histories.set(baseline, history);
  held.push({ baseline: new WeakRef(baseline), tests: history.tests.length });
  heldTests += history.tests.length;
  while (heldTests > MOST_TESTS && held.length > 1) {
    const oldest = held.shift()!;
    heldTests -= oldest.tests;
    const left = oldest.baseline.deref();
    if (left) histories.delete(left);
  }
}

/** The fitted history of a baseline; made when it is first asked for. */
export function historyOf(baseline: Baseline): History {
  const known = histories.get(baseline);
  if (known) return known;
  const made = fitted(batchesOf(baseline));
  hold(baseline, made);
  return made;
}

/** Those that are being made: a batch that comes meanwhile waits for the same. */
const pending = new WeakMap<Baseline, Promise<History>>();

/**
 * The same made a field at a time, so that other requests get through: ahead of a batch, or for the first that needs it.
 */
export async function prepareHistory(baseline: Baseline, turns = new Turns()): Promise<History> {
  const known = histories.get(baseline) ?? pending.get(baseline);
  if (known) return known;
  const made = fittedInTurns(batchesOf(baseline), turns);
  pending.set(baseline, made);
  try {
    const history = await made;
    hold(baseline, history);
    return history;
  } finally {
    pending.delete(baseline);
  }
}

async function fittedInTurns(batches: readonly BatchStatistics[], turns: Turns): Promise<History> {
  const fields: Fitted[][] = [rowCountTest(batches)];
  for (const field of fieldsOf(batches)) {
    if (batches.length < LEARNED_BATCHES) break;
    fields.push(fittedField(field, batches));
    const turn = turns.next();
    if (turn) await turn;
  }
  return historyFrom(batches, fields.flat());
}

const batchesOf = ({ provisional, recent }: Baseline): readonly BatchStatistics[] =>
  provisional ? [] : recent;

const fieldsOf = (batches: readonly BatchStatistics[]): Set<string> =>
  new Set(batches.flatMap(batch => [...batch.places.keys()]));

/** `batches` in the order of time. */
export function fitted(batches: readonly BatchStatistics[]): History {
  const tests = [...fieldsOf(batches)].flatMap(field => fittedField(field, batches));
  return historyFrom(batches, [...rowCountTest(batches), ...tests]);
}

const fittedField = (field: string, batches: readonly BatchStatistics[]): Fitted[] => [
  ...testsOf(field, FIELD_MEASURES, batches, false),
  ...testsOf(field, PAIR_MEASURES, batches, true),
];

/** Surprises of the past are not kept, only the greatest of each batch. */
const historyFrom = (batches: readonly BatchStatistics[], all: readonly Fitted[]): History => ({
  batches,
  worst: worstOf(all, batches.length),
  tests: all.map(({ field, measure, read, judge }) => ({ field, measure, read, judge })),
});

function worstOf(tests: readonly Fitted[], batches: number): number[] {
  const worst = new Float64Array(batches).fill(Number.NaN);
  for (const { hindcast } of tests) {
    for (let i = 0; i < batches; i++) {
      const surprise = hindcast[i]!;
      if (!(surprise <= worst[i]!) && !Number.isNaN(surprise)) worst[i] = surprise;
    }
  }
  return [...worst].filter(each => !Number.isNaN(each));
}

/** Row counts of chunks say nothing. */
function rowCountTest(batches: readonly BatchStatistics[]): Fitted[] {
  const read = (batch: BatchStatistics): Past | null =>
    batch.chunk
      ? null
      : pastOf(
          ROW_COUNT.read(() => 0, batch.rows),
          batch.at,
        );
  return testOf(null, ROW_COUNT, batches.map(read), read);
}

/** `beside`: only batches in which the field stood beside the same as in the newest count. */
function testsOf(
  field: string,
  measures: readonly Measure[],
  batches: readonly BatchStatistics[],
  beside: boolean,
): Fitted[] {
  const numbers = batches.map(batch => numbersOf(batch, field));
  let pooled: RankOf | undefined;
  const newest = numbers.findLast(each => each !== null)?.(Statistic.BESIDE) ?? 0;
  const neighbour = beside ? newest : null;
  return measures.flatMap(measure => {
    const read = batches.map((batch, i) => readFrom(measure, numbers[i]!, batch, neighbour));
    const past = measure.burnsIn ? withoutOldest(read) : read;
    const tests = testOf(field, measure, past, reader(field, measure, neighbour));
    if (measure.ofSign) return tests.map(test => ofSign(test, numbers));
    if (measure.beyond) return tests.map(test => beyondAll(test, measure.beyond!, numbers));
    if (!measure.ranks || tests.length === 0) return tests;
    pooled ??= pooledRanks(numbers);
    return tests.map(test => limitedByRank(test, numbers, batches, pooled!));
  });
}

/** Where enough is left. */
function withoutOldest(past: readonly (Past | null)[]): (Past | null)[] {
  const known = past.filter(each => each !== null);
  const oldest = new Set(
    known.slice(0, Math.min(Math.ceil(known.length / 3), known.length - LEARNED_BATCHES)),
  );
  return past.map(each => (each && oldest.has(each) ? null : each));
}

/** `neighbour`: what the field has to stand beside, null where it does not matter. */
function readFrom(
  measure: Measure,
  at: Numbers | null,
  { rows, at: time }: BatchStatistics,
  neighbour: number | null,
): Past | null {
  if (!at || (neighbour !== null && (neighbour === 0 || at(Statistic.BESIDE) !== neighbour))) return null;
  return pastOf(measure.read(at, rows), time);
}

const reader =
  (field: string, measure: Measure, neighbour: number | null): Test['read'] =>
  batch =>
    readFrom(measure, numbersOf(batch, field), batch, neighbour);

/** A reading is made to be read once: it becomes what it is of. */
function pastOf(reading: Reading | null, at: number): Past | null {
  if (!reading) return null;
  const past = reading as Past;
  past.at = at;
  return past;
}

function testOf(
  field: string | null,
  measure: Measure,
  past: readonly (Past | null)[],
  read: Test['read'],
): Fitted[] {
  const made = fit(measure, past);
  return made ? [{ field, measure, read, ...made }] : [];
}

// ---- numbers that cluster ----

/** Judges only batches whose extreme the source has not had: where its bulk is narrow for once, what was always there lies far from it. */
function beyondAll(test: Fitted, extreme: Statistic, numbers: readonly (Numbers | null)[]): Fitted {
  const sign = extreme === Statistic.MAXIMUM ? 1 : -1;
  const farthest = Math.max(
    ...numbers.map(at => (at && at(Statistic.FINITE) > 0 ? sign * at(extreme) : -Infinity)),
  );
  return { ...test, read: readBeyond(test, extreme, sign, farthest) };
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
  test: Fitted,
  numbers: readonly (Numbers | null)[],
  batches: readonly BatchStatistics[],
  pooled: RankOf,
): Fitted {
  const rankOf = rankIn(pooled, test.measure.ranks!);
  const before = numbers.reduce((sum, at) => sum + (at?.(Statistic.FINITE) ?? 0), 0);
  const past = batches.map((batch, i) => (test.hindcast[i]! >= 0 ? rankOf(numbers[i]!, batch.at) : null));
  const byRank = fit(RANK, past);
  if (!byRank) return test;
  const least = (a: number, b: number): number => (Number.isNaN(b) ? a : Math.min(a, b));
  return {
    ...test,
    hindcast: test.hindcast.map((each, i) => least(each, byRank.hindcast[i]!)),
    ...judgedByBoth(test, byRank.judge, rankOf, mostBeyondAll(test.measure.ranks!, before)),
  };
}

function ofSign(test: Fitted, numbers: readonly (Numbers | null)[]): Fitted {
  const known = numbers.filter(at => at !== null && at(Statistic.FINITE) > 0);
  const lowest = Math.min(...known.map(at => at!(Statistic.MINIMUM)));
  if (!(lowest >= 0)) return test;
  const widths = known.map(at => at!(Statistic.QUARTILE_3) - at!(Statistic.QUARTILE_1));
  const width = widths.reduce((sum, each) => sum + each, 0) / widths.length;
  return { ...test, read: readBeyond(test, Statistic.MINIMUM, -1, width - lowest) };
}

const readBeyond =
  ({ field, read }: Test, extreme: Statistic, sign: 1 | -1, farthest: number): Test['read'] =>
  batch => {
    const at = numbersOf(batch, field!);
    return at && sign * at(extreme) > farthest ? read(batch) : null;
  };

type RankIn = (at: Numbers | null, time: number) => Past | null;

const rankIn =
  (pooled: RankOf, [first, second]: readonly Statistic[]): RankIn =>
  (at, time) => {
    const from = at && pooled(at(first!));
    const to = at && second !== undefined ? pooled(at(second)) : 0;
    if (from === null || to === null) return null;
    const value = second === undefined ? from : Math.max(0, to - from);
    return { value, size: at!(Statistic.FINITE), variance: 0, at: time };
  };

/**
 * Whatever numbers are distributed like, the chance that so many of a batch are all beyond the `before` numbers that were there is at most that of
 * draws from one urn: (n / (n + before)) for each.
 */
const mostBeyondAll =
  ([which, other]: readonly Statistic[], before: number) =>
  (at: Numbers): number => {
    if (other !== undefined) return Number.POSITIVE_INFINITY;
    const count = at(Statistic.FINITE);
    const tail = TAILS.get(which!)!;
    return Math.max(1, Math.floor(tail * count)) * Math.log10((count + before) / count);
  };
/** Of each quantile the share of numbers that lie at least as far out. */
const TAILS: ReadonlyMap<Statistic, number> = new Map([
  [Statistic.LOW, 1 / 16],
  [Statistic.QUARTILE_1, 1 / 4],
  [Statistic.MEDIAN, 1 / 2],
  [Statistic.QUARTILE_3, 1 / 4],
  [Statistic.HIGH, 1 / 16],
]);

const judgedByBoth = (
  { field, read, judge }: Pick<Fitted, 'field' | 'read' | 'judge'>,
  judgeRank: Fitted['judge'],
  rankOf: RankIn,
  mostBeyond: (at: Numbers) => number,
): Pick<Fitted, 'read' | 'judge'> => ({
  read: batch => {
    const reading = read(batch);
    if (!reading) return null;
    const at = numbersOf(batch, field!)!;
    reading.rank = rankOf(at, batch.at);
    if (!reading.rank) reading.most = mostBeyond(at);
    return reading;
  },
  judge: now => {
    const forecast = judge(now);
    if (!forecast) return null;
    const limit = now.rank ? judgeRank(now.rank)?.surprise : now.most;
    return limit === undefined ? forecast : { ...forecast, surprise: Math.min(forecast.surprise, limit) };
  },
});
