/**
 * What a source's statistics have in common, while each of them has a short past. Where most of its shares, or most of its levels, lie further from their
 * forecast than sampling explains, so may the others: the spread that is assumed of each of them is multiplied with that of all. As the moderated
 * variances of Smyth (2004), with a median, so that a few odd fields do not decide.
 */
import type { Kind } from '../../statistics/statistic.ts';
import type { WithHindcast } from './fitted-statistic.ts';
import type { Fittable } from './forecast.ts';

/** By kind, at least 1. */
export type Priors = Readonly<Record<Kind, number>>;

export const NO_PRIORS: Priors = { share: 1, level: 1, distribution: 1 };

/** Median of the magnitude of a normal deviate; of a distribution's mean square it is nearly 1. */
const MEDIAN: Priors = { share: 0.6745, level: 0.6745, distribution: 1 };

/** Fewer distances do not show what is usual. */
const MIN_DISTANCES = 8;

export const priorsFrom = (fitted: readonly WithHindcast[]): Priors => ({
  share: priorOf('share', fitted),
  level: priorOf('level', fitted),
  distribution: priorOf('distribution', fitted),
});

function priorOf(kind: Kind, fitted: readonly WithHindcast[]): number {
  const sizes = fitted
    .filter(({ statistic }) => statistic.kind === kind && statistic.family !== 'rows')
    .flatMap(({ distances = [] }) => distances.filter(each => each !== 0 && !Number.isNaN(each)))
    .map(Math.abs)
    .sort((a, b) => a - b);
  return sizes.length < MIN_DISTANCES ? 1 : Math.max(1, sizes[sizes.length >> 1]! / MEDIAN[kind]);
}

/** The statistic with the prior spread of its kind. */
export const withPrior = <Of extends Fittable>(statistic: Of, priors: Priors): Of =>
  priors[statistic.kind] === 1
    ? statistic
    : { ...statistic, priorSpread: statistic.priorSpread * priors[statistic.kind] };
