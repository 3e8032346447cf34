/** How far a reading lies from its forecast, in standard errors of sampling. */
import type { Forecasting, Kind, Reading } from '../../statistics/statistic.ts';
import type { Pooled } from './pooled.ts';

/** What distances need to know of a statistic. */
export type Measured = { kind: Kind } & Pick<Forecasting, 'withSize'>;

/** Of a distribution: its buckets less one. */
export const degreesOfFreedom = ({ counts }: Reading): number => (counts?.length ?? 2) - 1;

/**
 * Positive if the reading is above the forecast. For a distribution the root of the deviance divided by its degrees of freedom, never negative.
 */
export function distanceOf({ kind, withSize }: Measured, now: Reading, pooled: Pooled): number {
  if (kind === 'distribution') return Math.sqrt(multinomialDeviance(now, pooled) / degreesOfFreedom(now));
  const expected = pooled.value / pooled.size;
  if (kind === 'level') return (now.value - expected) / standardError(kind, now, pooled);
  if (withSize === 'rises') return risingDistance(now, pooled);
  return withSize === 'falls'
    ? fallingDistance(now, pooled, expected)
    : shareDistance(now, pooled.value, pooled.size);
}

/** From a share of `parts` in `size`. */
function shareDistance(now: Reading, parts: number, size: number): number {
  const own = now.value * now.size;
  const both = (own + parts) / (now.size + size);
  const deviance = 2 * (logLikelihoodRatio(own, now.size, both) + logLikelihoodRatio(parts, size, both));
  return withSignOf(now.value - parts / size, Math.sqrt(Math.max(0, deviance)));
}

/** Without `Math.sign`, which is a call. */
const withSignOf = (signed: number, size: number): number =>
  signed > 0 ? size : signed < 0 ? -size : signed * size;

/**
 * The share of distinct values falls as the number of cells grows. If all values are equally frequent, it falls as that of uniform draws does;
 * if some are rare, it falls less. Any share between these two has no distance; others have that from the nearer of the two.
 */
function fallingDistance(now: Reading, { batches, value, size }: Pooled, expected: number): number {
  const other = ofUniformDraws(expected, (now.size * batches) / size);
  if (other === expected) return shareDistance(now, value, size);
  const [low, high] = other < expected ? [other, expected] : [expected, other];
  if (now.value >= low && now.value <= high) return 0;
  const nearer = now.value < low ? low : high;
  return shareDistance(now, nearer * size, size);
}

/**
 * Rows repeat others by mistake, as often in a batch of any size; or by chance, as often as there are pairs of rows. Whichever explains more.
 */
function risingDistance(now: Reading, { batches, value, size }: Pooled): number {
  const ofRows = shareDistance(now, value, size);
  const times = (now.size * batches) / size;
  if (times <= 1) return ofRows;
  // What earlier pairs are worth in rows of a batch as large as this one.
  const ofPairs = shareDistance(now, value, Math.max(value, size / times));
  return Math.abs(ofPairs) < Math.abs(ofRows) ? ofPairs : ofRows;
}

/** If uniform draws have this share of distinct values: the share that `times` as many draws have. */
function ofUniformDraws(share: number, times: number): number {
  if (share >= 1 || share <= 0) return share;
  const distinctOf = (draws: number): number => -Math.expm1(-draws) / draws;
  // Draws a value, so that (1 − e^−x) / x is the share: Newton's steps for x s = 1 − e^−x.
  let draws = share > 0.5 ? 2 * (1 - share) * (2 - share) : 1 / share;
  for (let step = 0; step < 6; step++) {
    const rest = Math.exp(-draws);
    draws -= (draws * share - 1 + rest) / (share - rest);
  }
  return draws > 1e-9 ? distinctOf(draws * times) : share;
}

/** Of a binomial sample's own share to the common one. */
const logLikelihoodRatio = (parts: number, size: number, common: number): number =>
  timesLog(parts, parts / size / common) + timesLog(size - parts, (1 - parts / size) / (1 - common));

const timesLog = (factor: number, ratio: number): number => (factor > 1e-9 ? factor * Math.log(ratio) : 0);

function multinomialDeviance({ counts: now, size }: Reading, { counts: before, size: all }: Pooled): number {
  let sum = 0;
  for (let i = 0; i < now!.length; i++) {
    const a = now![i]!;
    const b = before![i]!;
    const both = (a + b) / (size + all);
    sum += timesLog(a, a / size / both) + timesLog(b, b / all / both);
  }
  return Math.max(0, 2 * sum);
}

/** Share of a batch's cells that lie in other buckets than forecast: half the sum of the differences. */
export function movedShare(
  { counts: now, size }: Reading,
  { counts: before, size: all }: Pick<Pooled, 'counts' | 'size'>,
): number {
  let sum = 0;
  for (let i = 0; i < now!.length; i++) sum += Math.abs(now![i]! / size - before![i]! / all);
  return sum / 2;
}

/** What one unit of the distance moves: of a distribution the share of its cells, of others the standard error. `distance`: as `distanceOf` says. */
export const stepOf = (kind: Kind, now: Reading, pooled: Pooled, distance: number): number =>
  kind === 'distribution'
    ? movedShare(now, pooled) / Math.max(1e-9, distance)
    : standardError(kind, now, pooled);

/** Standard error of the difference. For a share that of the forecast share, with half a success and half a failure added. */
export function standardError(kind: Exclude<Kind, 'distribution'>, now: Reading, pooled: Pooled): number {
  const share = (pooled.value + 0.5) / (pooled.size + 1);
  const variance = kind === 'level' ? pooled.variance / pooled.size : share * (1 - share);
  return Math.sqrt(variance * (1 / now.size + 1 / pooled.size) + now.extraVariance + pooled.extraVariance);
}

/**
 * How far a difference between batches shows: the variance that one unit of it adds to the squared distance. It grows with the cells of the
 * batch, as the sampling error falls. The mean of several batches differs less than a single one.
 */
export function exposureOf(kind: Kind, now: Reading, pooled: Pooled): number {
  const differing = 1 + 1 / pooled.batches;
  if (kind === 'level') return differing / standardError(kind, now, pooled) ** 2;
  return differing / (1 / now.size + 1 / pooled.size);
}
