/**
 * How far a source's batches usually lie from their forecast, in standard errors of sampling.
 *
 * Batches differ by sampling, and besides by what differs from day to day. The first falls with the number of cells, the second does not. So a batch of
 * many cells lies more standard errors away than one of few, and nothing is wrong with it. The variance between batches is estimated as in a
 * random-effects meta-analysis (DerSimonian and Laird 1986): what the squared distances exceed sampling by, to how much of it each batch shows. The range
 * for the next batch is that of Higgins, Thompson and Spiegelhalter (2009). PRIOR_BATCHES batches that behaved as sampling predicts count too.
 */
import { PRIOR_BATCHES } from '../../terms/policy.ts';
import type { Reading, Statistic } from '../../statistics/statistic.ts';
import { degreesOfFreedom } from './distance.ts';
import { expectedMaximum, expectedMaximumRoot } from './tail-probability.ts';

/** What spreads need to know of a statistic. */
export type Spreading = Pick<Statistic, 'kind' | 'priorSpread'> & {
  /** Weight of the prior spread, by default PRIOR_BATCHES. */
  priorBatches?: number;
};

export const priorBatchesOf = ({ priorBatches = PRIOR_BATCHES }: Pick<Spreading, 'priorBatches'>): number =>
  priorBatches;

export interface Spread {
  /** Variance of a distance that sampling causes, in squared standard errors. */
  sampling: number;
  /** Variance between batches, to be multiplied with the exposure of a batch. */
  between: number;
  /** By how much the largest distance exceeds what these two let expect; at least 1. */
  factor: number;
}

/** Standard deviation of the distance of a batch with this exposure. */
export const spreadAt = ({ sampling, between, factor }: Spread, exposure: number): number =>
  factor * Math.sqrt(sampling + between * exposure);

export interface Spreads {
  /** Degrees of freedom. */
  freedom: number;
  all: Spread;
  /** Standard deviation of the distance of the batch at that index, from all others. */
  deviationWithout(index: number): number;
}

/** `distances` and `exposures` are NaN where there was no forecast. */
export function spreadsOf(
  statistic: Spreading,
  past: readonly Reading[],
  distances: Float64Array,
  exposures: Float64Array,
): Spreads {
  let [count, sum, exposed] = [0, 0, 0];
  for (let i = 0; i < distances.length; i++) {
    const distance = distances[i]!;
    if (Number.isNaN(distance)) continue;
    count++;
    sum += evidence(statistic, distance);
    exposed += exposures[i]!;
  }
  const freedom = degreesOfFreedom(past[0]!);
  const [usual, usualWithout] = [
    usualMaximum(statistic, freedom, count),
    usualMaximum(statistic, freedom, count - 1),
  ];
  const spread = variancesOf(statistic, sum, exposed, count);
  const [largest, second] = farthestTwo(distances, exposures, spread);
  const factorOf = (variances: Spread, by: number, expected: number): number =>
    by < 0 ? 1 : Math.max(1, Math.abs(distances[by]!) / spreadAt(variances, exposures[by]!) / expected);
  return {
    freedom: priorBatchesOf(statistic) + count,
    all: { ...spread, factor: factorOf(spread, largest, usual) },
    deviationWithout(i) {
      const squares = sum - evidence(statistic, distances[i]!);
      const others = variancesOf(statistic, squares, exposed - exposures[i]!, count - 1);
      const factor = factorOf(others, i === largest ? second : largest, usualWithout);
      return factor * spreadAt(others, exposures[i]!);
    },
  };
}

/** Indices of the farthest distance and the one after it, in units of spread; -1 where there are fewer. */
function farthestTwo(
  distances: Float64Array,
  exposures: Float64Array,
  spread: Spread,
): [largest: number, second: number] {
  let [largest, second, most, more] = [-1, -1, -1, -1];
  for (let i = 0; i < distances.length; i++) {
    const relative = Math.abs(distances[i]!) / spreadAt(spread, exposures[i]!);
    if (relative > most) [second, more, largest, most] = [largest, most, i, relative];
    else if (relative > more) [second, more] = [i, relative];
  }
  return [largest, second];
}

/** If a share was 0 or 1 throughout, its distances do not show how far it may vary: each counts as the prior spread. */
const evidence = ({ kind, priorSpread }: Spreading, distance: number): number =>
  kind === 'share' && distance === 0 ? priorSpread ** 2 : distance ** 2;

/** From the sum of the squares of so many distances, and that of their exposures. */
function variancesOf(statistic: Spreading, squares: number, exposed: number, count: number): Spread {
  const { priorSpread } = statistic;
  const before = priorBatchesOf(statistic);
  const all = before + count;
  const total = (before * priorSpread ** 2 + Math.max(0, squares)) / all;
  // The formula of the sampling error is only roughly known where more than 1 is assumed.
  const sampling = Math.min(total, Math.max(1, priorSpread ** 2));
  const usualExposure = exposed / Math.max(1, count);
  return {
    sampling,
    between: usualExposure > 0 ? (total - sampling) / usualExposure : 0,
    factor: 1,
  };
}

/** The largest distance that so many batches have by chance. */
const usualMaximum = ({ kind }: Spreading, freedom: number, count: number): number =>
  kind === 'distribution' ? expectedMaximumRoot(count, freedom) : expectedMaximum(Math.max(1, count));
