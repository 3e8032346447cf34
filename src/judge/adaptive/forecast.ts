/**
 * One statistic against its own past.
 *
 * The distance of a batch from those before it is counted in standard errors of sampling: for shares the signed root of the
 * deviance of two binomial samples, which holds where a share was always 0; for levels the difference by its standard error.
 * Every batch of the history is judged so by those before it (hindcast). How far these distances spread says in what units
 * the present one has to be read: sources whose batches differ by more than sampling explains have a spread above 1, fields that never vary one
 * below. The spread starts from PRIOR batches that behaved as sampling says, and is raised where a single one strayed further than
 * the others let expect. What is expected is the mean of all batches, of the newest ones, or of those of the same weekday or
 * hour, whichever would have been best in the past.
 */
import type { Measure, Reading } from './measures.ts';
import { expectedLargest, normalOf, surprise } from './unusual.ts';

/** Batches' worth of belief that sampling explains all. With few of its own a source is judged by Student's t of as many degrees of freedom. */
const PRIOR = 4;
/** Newest batches that may be expected to go on where all together do not: three still average out a single odd one. */
const NEWEST = 3;
/** A distance beyond this many usual ones counts as so many when ways to expect are compared: one stray batch must not decide. */
const FAR = 4;

export interface Past extends Reading {
  /** When the batch came, in ms. */
  at: number;
}

export interface Forecast {
  /** What was expected, in the measure's own unit, and by how much one unit of spread moves it. */
  expected: number;
  step: number;
  /** Of the present reading, in units of spread; signed. */
  distance: number;
  /** −log10 of the chance of such a distance. */
  surprise: number;
  /** Degrees of freedom behind it. */
  freedom: number;
  /** The same of the hindcast, each without itself; by index of the history, NaN where nothing was expected. */
  hindcast: Float64Array;
}

/** Sums over the batches that something is expected from. */
interface Sums {
  size: number;
  value: number;
  variance: number;
}

/** For each batch of the past, and last for one that comes at `at`, what is expected of it; null where there is nothing to expect it from. */
type Way = (past: readonly Past[], at: number) => (Sums | null)[];

/** Null where fewer than three batches of the history have a reading. `history` is in the order of time. */
export function forecast(
  { kind, onlyRise, usualSpread }: Measure,
  history: readonly (Past | null)[],
  now: Past,
): Forecast | null {
  const places: number[] = [];
  for (let i = 0; i < history.length; i++) if (history[i]) places.push(i);
  if (places.length < 3) return null;
  const past = places.map(i => history[i]!);
  if (kind === 'share' && neverVaried(past, now)) return unvaried(now.value, history);
  const { sums, distances } = bestWay(past, kind, now.at);
  const known = distances.filter(distance => !Number.isNaN(distance));
  // Of a share that was 0 or 1 throughout no distance says how far it may vary: each counts as what was believed before.
  const evidence = (distance: number): number =>
    kind === 'share' && distance === 0 ? usualSpread ** 2 : distance ** 2;
  const squares = known.reduce((sum, distance) => sum + evidence(distance), 0);
  const freedom = PRIOR + known.length;
  const prior = PRIOR * usualSpread ** 2;
  const spread = spreadOf(prior + squares, known, known.length, Number.NaN);
  const distance = distanceOf(kind, now, sums) / spread;
  const hindcast = new Float64Array(history.length).fill(Number.NaN);
  for (let i = 0; i < past.length; i++) {
    const each = distances[i]!;
    if (Number.isNaN(each)) continue;
    const others = spreadOf(prior + Math.max(0, squares - evidence(each)), known, known.length - 1, each);
    hindcast[places[i]!] = surpriseOf(each / others, freedom - 1, onlyRise);
  }
  return {
    expected: sums.value / sums.size,
    step: spread * errorOf(kind, now, sums),
    distance,
    surprise: surpriseOf(distance, freedom, onlyRise),
    freedom,
    hindcast,
  };
}

/** A share that is and was 0 throughout, or 1. Most are: arrays among numbers, padding, characters beyond ASCII. */
const neverVaried = (past: readonly Past[], { value }: Past): boolean =>
  (value === 0 || value === 1) && past.every(each => each.value === value);

/** What all that follows would come to. */
const unvaried = (expected: number, history: readonly (Past | null)[]): Forecast => ({
  expected,
  step: 0,
  distance: 0,
  surprise: 0,
  freedom: PRIOR,
  hindcast: Float64Array.from(history, each => (each ? 0 : Number.NaN)),
});

const surpriseOf = (distance: number, freedom: number, onlyRise: boolean): number =>
  onlyRise && distance < 0 ? 0 : surprise(normalOf(Math.abs(distance), freedom));

/** `without`: a distance that is left out of the largest. */
function spreadOf(squares: number, distances: readonly number[], count: number, without: number): number {
  let largest = 0;
  for (const distance of distances) if (distance !== without) largest = Math.max(largest, Math.abs(distance));
  const spread = Math.sqrt(squares / (PRIOR + count));
  return Math.max(spread, largest / expectedLargest(Math.max(1, count)));
}

// ---- what is expected ----

const added = (sums: Sums | null, { value, size, variance }: Reading): Sums => ({
  size: (sums?.size ?? 0) + size,
  value: (sums?.value ?? 0) + size * value,
  variance: (sums?.variance ?? 0) + size * variance,
});

const everything: Way = past => running(past, () => 0, 0);

/** Sums over all earlier batches of the same season. */
function running(past: readonly Past[], season: (at: number) => number, at: number): (Sums | null)[] {
  const seasons = new Map<number, Sums>();
  const before: (Sums | null)[] = [];
  for (const each of past) {
    const key = season(each.at);
    const sums = seasons.get(key) ?? null;
    before.push(sums);
    seasons.set(key, added(sums, each));
  }
  before.push(seasons.get(season(at)) ?? null);
  return before;
}

const newest: Way = past => {
  const before: (Sums | null)[] = [null];
  for (let i = 1; i <= past.length; i++) {
    let sums: Sums | null = null;
    for (let j = Math.max(0, i - NEWEST); j < i; j++) sums = added(sums, past[j]!);
    before.push(sums);
  }
  return before;
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const weekdayOf = (at: number): number => Math.floor(at / DAY_MS) % 7;
const hourOf = (at: number): number => Math.floor(at / HOUR_MS) % 24;
const seasonal =
  (season: (at: number) => number): Way =>
  (past, at) =>
    running(past, season, at);

/** A season that all batches are in is none. */
function waysFor(past: readonly Past[]): Way[] {
  const differ = (season: (at: number) => number): boolean =>
    past.some(each => season(each.at) !== season(past[0]!.at));
  return [
    newest,
    ...(differ(weekdayOf) ? [seasonal(weekdayOf)] : []),
    ...(differ(hourOf) ? [seasonal(hourOf)] : []),
  ];
}

/**
 * The way that would have come closest in the past. Another than all batches together only where it is better by more than
 * its standard error in a sum of so many squares.
 */
function bestWay(
  past: readonly Past[],
  kind: Measure['kind'],
  at: number,
): { sums: Sums; distances: number[] } {
  const all = everything(past, at);
  const plain = distancesOf(all, past, kind);
  let best = { sums: all.at(-1)!, distances: plain };
  const far = FAR * Math.max(1, medianOf(plain.slice(1).map(Math.abs)));
  let least = 1 - 1 / Math.sqrt(2 * past.length);
  for (const way of waysFor(past)) {
    const expected = way(past, at);
    const distances = distancesOf(expected, past, kind);
    const ratio = farnessRatio(distances, plain, far);
    const sums = expected.at(-1);
    if (!sums || !(ratio < least)) continue;
    least = ratio;
    best = { sums, distances };
  }
  return best;
}

/** Over the batches that both expect something of, three at least. */
function farnessRatio(distances: readonly number[], plain: readonly number[], far: number): number {
  const common = distances.map((_, i) => i).filter(i => !Number.isNaN(distances[i]!));
  if (common.length < 3) return Number.NaN;
  const farness = (of: readonly number[]): number =>
    common.reduce((sum, i) => sum + Math.min(of[i]! ** 2, far * far), 0);
  return farness(distances) / farness(plain);
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Each batch of the past by what was expected of it; NaN where nothing was. */
const distancesOf = (
  expected: readonly (Sums | null)[],
  past: readonly Past[],
  kind: Measure['kind'],
): number[] => past.map((each, i) => (expected[i] ? distanceOf(kind, each, expected[i]) : Number.NaN));

// ---- distance ----

/** In standard errors of sampling, positive where the reading is above what is expected. */
export function distanceOf(kind: Measure['kind'], now: Reading, sums: Sums): number {
  const expected = sums.value / sums.size;
  if (kind === 'level') return (now.value - expected) / errorOf(kind, now, sums);
  const parts = now.value * now.size;
  const both = (parts + sums.value) / (now.size + sums.size);
  const deviance = 2 * (binomial(parts, now.size, both) + binomial(sums.value, sums.size, both));
  return Math.sign(now.value - expected) * Math.sqrt(Math.max(0, deviance));
}

/** Log-likelihood ratio of a sample's own share to the common one. */
const binomial = (parts: number, size: number, common: number): number =>
  timesLog(parts, parts / size / common) + timesLog(size - parts, (1 - parts / size) / (1 - common));

const timesLog = (factor: number, ratio: number): number => (factor > 1e-9 ? factor * Math.log(ratio) : 0);

/** Standard error of the difference. A share's is that of the expected one, with half a success and half a failure more. */
function errorOf(kind: Measure['kind'], now: Reading, sums: Sums): number {
  const share = (sums.value + 0.5) / (sums.size + 1);
  const variance = kind === 'level' ? sums.variance / sums.size : share * (1 - share);
  return Math.sqrt(variance * (1 / now.size + 1 / sums.size) + (now.own ?? 0));
}
