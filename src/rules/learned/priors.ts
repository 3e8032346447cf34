/**
 * What a source's statistics have in common, while each of them has a short past. Where most of its shares, or most of its levels, lie further from their
 * forecast than sampling explains, so may the others: the spread that is assumed of each of them is multiplied with that of all. How much this assumption
 * weighs, in batches, follows from how alike they are. As the moderated variances of Smyth (2004), with quantiles, so that a few odd fields do not decide.
 */
import { MAX_PRIOR_BATCHES, PRIOR_BATCHES } from '../../terms/policy.ts';
import type { Kind } from '../../statistics/statistic.ts';
import type { WithHindcast } from './fitted-statistic.ts';
import type { Fittable } from './forecast.ts';

export interface Prior {
  /** What the spread that is assumed of a statistic is multiplied with: at least 1. */
  spread: number;
  /** Weight of the assumption. */
  batches: number;
}

export type Priors = Readonly<Record<Kind, Prior>>;

const NO_PRIOR: Prior = { spread: 1, batches: PRIOR_BATCHES };
export const NO_PRIORS: Priors = { share: NO_PRIOR, level: NO_PRIOR, distribution: NO_PRIOR };

/** Median of the magnitude of a normal deviate; of a distribution's mean square it is nearly 1. */
const MEDIAN: Readonly<Record<Kind, number>> = { share: 0.6745, level: 0.6745, distribution: 1 };

/** Fewer distances do not show what is usual, or how far the farthest lie. */
const MIN_DISTANCES = 8;
const MIN_FOR_TAIL = 50;
/** The magnitude of normal deviates below which 98 in 100 lie, in medians. Of Student's t it is larger by about 1.6 / its degrees of freedom. */
const TAIL = 0.98;
const NORMAL_TAIL = 3.449;
const TAIL_OF_T = 1.6;

type Fitted = Pick<WithHindcast, 'statistic' | 'distances'>;

export const priorsFrom = (fitted: readonly Fitted[]): Priors => ({
  share: priorOf('share', fitted),
  level: priorOf('level', fitted),
  distribution: priorOf('distribution', fitted),
});

function priorOf(kind: Kind, fitted: readonly Fitted[]): Prior {
  const sizes = fitted
    .filter(({ statistic }) => statistic.kind === kind && statistic.family !== 'rows')
    .flatMap(({ distances = [] }) => [...distances].filter(each => each !== 0 && !Number.isNaN(each)))
    .map(Math.abs)
    .sort((a, b) => a - b);
  if (sizes.length < MIN_DISTANCES) return NO_PRIOR;
  const median = sizes[sizes.length >> 1]!;
  return { spread: Math.max(1, median / MEDIAN[kind]), batches: weightOf(sizes, median, kind) };
}

/** Alike if the farthest lie no further than those of equally wide normal distances. */
function weightOf(ascending: readonly number[], median: number, kind: Kind): number {
  if (kind === 'distribution' || ascending.length < MIN_FOR_TAIL) return PRIOR_BATCHES;
  const tail = ascending[Math.floor(TAIL * ascending.length)]! / median / NORMAL_TAIL - 1;
  return Math.min(MAX_PRIOR_BATCHES, Math.max(PRIOR_BATCHES, TAIL_OF_T / Math.max(0, tail)));
}

/** The statistic with the prior of its kind. */
export function withPrior<Of extends Fittable>(statistic: Of, priors: Priors): Of {
  const prior = priors[statistic.kind];
  if (prior === NO_PRIOR) return statistic;
  const { spread, batches } = prior;
  return { ...statistic, priorSpread: statistic.priorSpread * spread, priorBatches: batches };
}
