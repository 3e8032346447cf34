/**
 * Selects the forecaster that would have come closest to the past. One other than `fromAll` is selected only if it is better by more than the
 * best of so many is by chance.
 */
import { EXPLAINED_SQUARE, STRAY_DISTANCES } from '../../policy.ts';
import type { Statistic } from '../../statistics/statistic.ts';
import { distanceOf, exposureOf } from './distance.ts';
import { type Forecasts, forecastersFor, fromAll } from './forecasters.ts';
import type { Observation } from './observation.ts';
import { expectedMaximum } from './tail-probability.ts';

export interface Selected {
  /** Of each observation from its forecast; NaN without a forecast. */
  distances: number[];
  /** `exposureOf` each; NaN without a forecast. */
  exposures: number[];
  next: Forecasts['next'];
  /** By what factor the selected forecaster comes closer to the past than to the future, because it was selected: 0..1. */
  selectionBias: number;
}

export function selectForecaster({ kind }: Pick<Statistic, 'kind'>, past: readonly Observation[]): Selected {
  const distancesFrom = (forecasts: Forecasts): number[] => eachFrom(distanceOf, kind, past, forecasts);
  const exposuresTo = (forecasts: Forecasts): number[] => eachFrom(exposureOf, kind, past, forecasts);
  const all = fromAll(past);
  const plain = distancesFrom(all);
  let best: Selected = {
    distances: plain,
    exposures: exposuresTo(all),
    next: all.next,
    selectionBias: 1,
  };
  if (meanSquare(plain) <= EXPLAINED_SQUARE) return best;
  const far = STRAY_DISTANCES * Math.max(1, medianOf(plain.slice(1).map(Math.abs)));
  const forecasters = forecastersFor(kind, past);
  const byChance = 1 - expectedMaximum(forecasters.length) / Math.sqrt(2 * past.length);
  let least = byChance;
  for (const forecaster of forecasters) {
    const forecasts = forecaster(past);
    const distances = distancesFrom(forecasts);
    const ratio = squaresRatio(distances, plain, far);
    if (!(ratio < least)) continue;
    least = ratio;
    // A season that did not occur yet is forecast from all.
    best = {
      distances,
      exposures: exposuresTo(forecasts),
      next: orElse(forecasts.next, all.next),
      selectionBias: Math.sqrt(byChance),
    };
  }
  return best;
}

function eachFrom(
  measure: typeof distanceOf,
  kind: Statistic['kind'],
  past: readonly Observation[],
  forecasts: Forecasts,
): number[] {
  const measured: number[] = [];
  for (let i = 0; i < past.length; i++) {
    const forecast = forecasts.past[i];
    measured.push(forecast ? measure(kind, past[i]!, forecast) : Number.NaN);
  }
  return measured;
}

const orElse =
  (first: Forecasts['next'], second: Forecasts['next']): Forecasts['next'] =>
  now =>
    first(now) ?? second(now);

const meanSquare = (distances: readonly number[]): number =>
  distances.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : each * each), 0) /
  Math.max(1, distances.length - 1);

/** Sum of squared distances to that of `plain`, over the batches that have both. NaN if these are fewer than three, or than a third of all. */
function squaresRatio(distances: readonly number[], plain: readonly number[], far: number): number {
  let [common, own, others] = [0, 0, 0];
  for (let i = 0; i < plain.length; i++) {
    if (Number.isNaN(distances[i]!) || Number.isNaN(plain[i]!)) continue;
    common++;
    own += Math.min(distances[i]! ** 2, far * far);
    others += Math.min(plain[i]! ** 2, far * far);
  }
  return common >= Math.max(3, plain.length / 3) ? own / others : Number.NaN;
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
