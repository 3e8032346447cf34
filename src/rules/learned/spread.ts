/**
 * How far a source's batches usually lie from their forecast, in standard errors of sampling.
 *
 * Batches differ by sampling, and besides by what differs from day to day. The first falls with the number of cells, the second does not. So a batch of
 * many cells lies more standard errors away than one of few, and nothing is wrong with it. The variance between batches is estimated as in a
 * random-effects meta-analysis (DerSimonian and Laird 1986): what the squared distances exceed sampling by, to how much of it each batch shows. The range
 * for the next batch is that of Higgins, Thompson and Spiegelhalter (2009). PRIOR_BATCHES batches that behaved as sampling predicts count too.
 */
import { PRIOR_BATCHES } from '../../policy.ts';
import type { Statistic } from '../../statistics/statistic.ts';
import { degreesOfFreedom } from './distance.ts';
import type { Observation } from './observation.ts';
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
  /** Without the batch at that index. */
  without(index: number): Spread;
}

/** `distances` and `exposures` are NaN where there was no forecast. */
export function spreadsOf(
  statistic: Spreading,
  past: readonly Observation[],
  distances: readonly number[],
  exposures: readonly number[],
): Spreads {
  const known = [...distances.keys()].filter(i => !Number.isNaN(distances[i]!));
  const squares = distances.map(distance => evidence(statistic, distance));
  const [sum, exposed] = [sumOf(squares, known), sumOf(exposures, known)];
  const usual = usualMaximum(statistic, past);
  const spread = variancesOf(statistic, sum, exposed, known.length);
  const relative = (i: number): number => Math.abs(distances[i]!) / spreadAt(spread, exposures[i]!);
  const [largest, second] = known.toSorted((a, b) => relative(b) - relative(a));
  const raised = (variances: Spread, by: number | undefined, count: number): Spread => {
    const far = by === undefined ? 0 : Math.abs(distances[by]!) / spreadAt(variances, exposures[by]!);
    return { ...variances, factor: Math.max(1, far / usual(count)) };
  };
  return {
    freedom: priorBatchesOf(statistic) + known.length,
    all: raised(spread, largest, known.length),
    without: i =>
      raised(
        variancesOf(statistic, sum - squares[i]!, exposed - exposures[i]!, known.length - 1),
        i === largest ? second : largest,
        known.length - 1,
      ),
  };
}

const sumOf = (values: readonly number[], indices: readonly number[]): number =>
  indices.reduce((sum, i) => sum + values[i]!, 0);

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
function usualMaximum({ kind }: Spreading, past: readonly Observation[]): (count: number) => number {
  const freedom = degreesOfFreedom(past[0]!);
  const usual = (count: number): number =>
    kind === 'distribution' ? expectedMaximumRoot(count, freedom) : expectedMaximum(Math.max(1, count));
  // Only two counts occur: all, and all but one.
  const usually = new Map<number, number>();
  return count => {
    const known = usually.get(count) ?? usual(count);
    usually.set(count, known);
    return known;
  };
}
