/**
 * One statistic against its own past.
 *
 * The distance of a batch from those before it is counted in standard errors of sampling: for shares the signed root of the
 * deviance of two binomial samples, which holds where a share was always 0; for levels the difference by its standard error; for mixes the root
 * of the deviance of two multinomial samples by its degrees of freedom. Every batch of the history is judged so by those before it
 * (hindcast). How far these distances spread says in what units the present one has to be read: sources whose batches differ by more than
 * sampling explains have a spread above 1, fields that never vary one below. The spread starts from PRIOR batches that behaved as sampling
 * says, and is raised where a single one strayed further than the others let expect. What is expected is one of the ways of `ways.ts`.
 *
 * All of this depends on the history only and is fitted once; a batch then costs one distance a statistic.
 */
import { distanceOf, errorOf, freedomOf, type Past, type Sums } from './distance.ts';
import type { Measure } from './measures.ts';
import { expectedLargest, largestOfMix, normalOf, normalOfRatio, surprise } from './unusual.ts';
import { bestWay, type Chosen } from './ways.ts';

/** Batches' worth of belief that sampling explains all. With few of its own a source is judged by Student's t of as many degrees of freedom. */
export const PRIOR = 4;
/** Batches of history that a statistic needs. */
const LEAST = 3;

/** How one batch lies. */
export interface Forecast {
  /** What was expected, in the measure's own unit, and by how much one unit of spread moves it. Of a mix: 0, and the share of cells that one unit moves. */
  expected: number;
  step: number;
  /** Of the present reading, in units of spread; signed. */
  distance: number;
  /** −log10 of the chance of such a distance. */
  surprise: number;
}

export interface Fit {
  /** Null where nothing is expected of such a batch. */
  judge(now: Past): Forecast | null;
  /** Surprise of each batch of the history, without itself; by its index, NaN where nothing was expected. */
  readonly hindcast: Float64Array;
}

/** Null where fewer than three batches of the history have a reading. `history` is in the order of time. */
export function fit(measure: Measure, history: readonly (Past | null)[]): Fit | null {
  const past = history.filter(each => each !== null);
  if (past.length < LEAST) return null;
  const same = measure.kind === 'share' ? sharedExtreme(past) : null;
  return same === null ? varied(measure, history, past) : unvaried(measure, history, past, same);
}

/** 0 or 1, when a share was that throughout. Most are: arrays among numbers, padding, characters beyond ASCII. */
function sharedExtreme(past: readonly Past[]): number | null {
  const { value } = past[0]!;
  return (value === 0 || value === 1) && past.every(each => each.value === value) ? value : null;
}

/** What `varied` would come to, at hardly any cost. */
function unvaried(
  measure: Measure,
  history: readonly (Past | null)[],
  past: readonly Past[],
  value: number,
): Fit {
  const size = past.reduce((sum, each) => sum + each.size, 0);
  const sums = { batches: past.length, size, value: value * size, variance: 0 };
  return {
    hindcast: Float64Array.from(history, each => (each ? 0 : Number.NaN)),
    judge: judgeUnvaried(measure, sums, PRIOR + past.length),
  };
}

const judgeUnvaried =
  (measure: Measure, sums: Sums, freedom: number): Fit['judge'] =>
  now => {
    const expected = sums.value / sums.size;
    return now.value === expected
      ? { expected, step: 0, distance: 0, surprise: 0 }
      : forecastOf(measure, now, sums, measure.usualSpread, freedom);
  };

function varied(measure: Measure, history: readonly (Past | null)[], past: readonly Past[]): Fit {
  const { distances, next, luck } = bestWay(measure, past);
  const known = distances.filter(distance => !Number.isNaN(distance));
  const freedom = PRIOR + known.length;
  const squares = known.reduce((sum, distance) => sum + evidence(measure, distance), 0);
  const [largest, second] = largestTwo(known);
  const spreadOf = spreads(measure, past, luck);
  const spread = spreadOf(squares, largest, known.length);
  let at = 0;
  const hindcast = Float64Array.from(history, each => {
    const distance = each ? distances[at++]! : Number.NaN;
    if (Number.isNaN(distance)) return Number.NaN;
    const others = Math.abs(distance) === largest ? second : largest;
    const own = spreadOf(squares - evidence(measure, distance), others, known.length - 1);
    return surpriseOf(measure, distance / own, freedom - 1, each!);
  });
  return {
    hindcast,
    judge: judgeBy(measure, next, spread, freedom),
  };
}

/** A function of its own, so that a fit holds nothing of the history but this. */
const judgeBy =
  (measure: Measure, next: Chosen['next'], spread: number, freedom: number): Fit['judge'] =>
  now => {
    const sums = next(now.at);
    return sums && forecastOf(measure, now, sums, spread, freedom);
  };

/** Of a share that was 0 or 1 throughout no distance says how far it may vary: each counts as what was believed before. */
const evidence = ({ kind, usualSpread }: Measure, distance: number): number =>
  kind === 'share' && distance === 0 ? usualSpread ** 2 : distance ** 2;

function largestTwo(distances: readonly number[]): [number, number] {
  let [largest, second] = [0, 0];
  for (const distance of distances) {
    const size = Math.abs(distance);
    if (size > largest) [largest, second] = [size, largest];
    else second = Math.max(second, size);
  }
  return [largest, second];
}

/** From the sum of the squares of so many distances, and the largest of them. */
function spreads({ kind, usualSpread }: Measure, past: readonly Past[], luck: number) {
  const freedom = freedomOf(past[0]!);
  const usual = (count: number): number =>
    kind === 'mix' ? largestOfMix(count, freedom) : expectedLargest(Math.max(1, count));
  // Two counts are asked for: all, and all but one.
  const usually = new Map<number, number>();
  return (squares: number, largest: number, count: number): number => {
    if (!usually.has(count)) usually.set(count, usual(count));
    const spread = Math.sqrt((PRIOR * usualSpread ** 2 + Math.max(0, squares)) / (PRIOR + count));
    return Math.max(spread, largest / usually.get(count)!) / luck;
  };
}

function forecastOf(measure: Measure, now: Past, sums: Sums, spread: number, freedom: number): Forecast {
  const distance = distanceOf(measure.kind, now, sums) / spread;
  return {
    expected: measure.kind === 'mix' ? 0 : sums.value / sums.size,
    step: spread * errorOf(measure.kind, now, sums),
    distance,
    surprise: surpriseOf(measure, distance, freedom, now),
  };
}

function surpriseOf({ kind, onlyRise }: Measure, distance: number, freedom: number, of: Past): number {
  if (kind === 'mix') return surprise(Math.max(0, normalOfRatio(distance ** 2, freedomOf(of), freedom)));
  return onlyRise && distance < 0 ? 0 : surprise(normalOf(Math.abs(distance), freedom));
}
