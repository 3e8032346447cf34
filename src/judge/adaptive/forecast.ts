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

type Way = (past: readonly Past[], index: number, at: number) => Sums | null;

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
  const { way, distances } = bestWay(past, kind);
  const sums = way(past, past.length, now.at) ?? everything(past, past.length, now.at)!;
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

function add(sums: Sums, { value, size, variance }: Reading): void {
  sums.size += size;
  sums.value += size * value;
  sums.variance += size * variance;
}

function sumOver(
  past: readonly Past[],
  from: number,
  to: number,
  keep: (each: Past) => boolean,
): Sums | null {
  const sums = { size: 0, value: 0, variance: 0 };
  for (let i = from; i < to; i++) if (keep(past[i]!)) add(sums, past[i]!);
  return sums.size > 0 ? sums : null;
}

const everything: Way = (past, index) => sumOver(past, 0, index, () => true);
const newest: Way = (past, index) => sumOver(past, Math.max(0, index - NEWEST), index, () => true);

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const weekdayOf = (at: number): number => Math.floor(at / DAY_MS) % 7;
const hourOf = (at: number): number => Math.floor(at / HOUR_MS) % 24;
const seasonal =
  (season: (at: number) => number): Way =>
  (past, index, at) =>
    sumOver(past, 0, index, each => season(each.at) === season(at));

/** A season that all batches are in is none. */
function waysFor(past: readonly Past[]): Way[] {
  const differ = (season: (at: number) => number): boolean =>
    past.some(each => season(each.at) !== season(past[0]!.at));
  return [
    everything,
    newest,
    ...(differ(weekdayOf) ? [seasonal(weekdayOf)] : []),
    ...(differ(hourOf) ? [seasonal(hourOf)] : []),
  ];
}

/**
 * The way that would have come closest in the past. Another than all batches together only where it is better by more than
 * its standard error in a sum of so many squares.
 */
function bestWay(past: readonly Past[], kind: Measure['kind']): { way: Way; distances: number[] } {
  const plain = distancesOf(everything, past, kind);
  const far = FAR * Math.max(1, medianOf(plain.slice(1).map(Math.abs)));
  let best = { way: everything, distances: plain };
  let least = 1 - 1 / Math.sqrt(2 * past.length);
  for (const way of waysFor(past).slice(1)) {
    const distances = distancesOf(way, past, kind);
    const common = distances.map((distance, i) => (Number.isNaN(distance) ? -1 : i)).filter(i => i >= 0);
    if (common.length < 3) continue;
    const ratio =
      farness(
        common.map(i => distances[i]!),
        far,
      ) /
      farness(
        common.map(i => plain[i]!),
        far,
      );
    if (ratio < least) {
      least = ratio;
      best = { way, distances };
    }
  }
  return best;
}

const farness = (distances: readonly number[], far: number): number =>
  distances.reduce((sum, distance) => sum + Math.min(distance * distance, far * far), 0);

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Each batch of the past by those before it; NaN where there are none. */
function distancesOf(way: Way, past: readonly Past[], kind: Measure['kind']): number[] {
  return past.map((each, i) => {
    const sums = i === 0 ? null : way(past, i, each.at);
    return sums ? distanceOf(kind, each, sums) : Number.NaN;
  });
}

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
