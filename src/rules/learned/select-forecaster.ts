/**
 * Selects the forecaster that would have come closest to the past. One other than `fromAll` is selected only if it is better by more than the
 * best of so many is by chance.
 */
import { EXPLAINED_SQUARE, STRAY_DISTANCES } from '../../policy.ts';
import type { Statistic } from '../../statistics/statistic.ts';
import { distanceOf, exposureOf } from './distance.ts';
import { type Forecaster, forecastersFor, fromAll, orElse } from './forecasters.ts';
import type { Observation, Pooled } from './observation.ts';
import { expectedMaximum } from './tail-probability.ts';

export interface Selected {
  /** Of each observation from its forecast; NaN without a forecast. */
  distances: number[];
  /** `exposureOf` each; NaN without a forecast. */
  exposures: number[];
  /** Knows the whole past. */
  forecaster: Forecaster;
  /** By what factor the selected forecaster comes closer to the past than to the future, because it was selected: 0..1. */
  selectionBias: number;
}

export function selectForecaster({ kind }: Pick<Statistic, 'kind'>, past: readonly Observation[]): Selected {
  const all = hindcast(fromAll(), past);
  const plain = eachFrom(distanceOf, kind, past, all.forecasts);
  const selected = (
    { forecaster, forecasts }: Hindcast,
    distances: number[],
    selectionBias: number,
  ): Selected => ({
    distances,
    exposures: eachFrom(exposureOf, kind, past, forecasts),
    forecaster,
    selectionBias,
  });
  if (meanSquare(plain) <= EXPLAINED_SQUARE) return selected(all, plain, 1);
  const far = STRAY_DISTANCES * Math.max(1, medianOf(plain.slice(1).map(Math.abs)));
  const others = forecastersFor(kind, past);
  const byChance = 1 - expectedMaximum(others.length) / Math.sqrt(2 * past.length);
  let [best, least] = [selected(all, plain, 1), byChance];
  for (const other of others) {
    const { forecaster, forecasts } = hindcast(other, past);
    const distances = eachFrom(distanceOf, kind, past, forecasts);
    const ratio = squaresRatio(distances, plain, far);
    if (!(ratio < least)) continue;
    least = ratio;
    const next = orElse(forecaster, all.forecaster);
    best = selected({ forecaster: next, forecasts }, distances, Math.sqrt(byChance));
  }
  return best;
}

interface Hindcast {
  /** Of each observation, from those before it. */
  forecasts: (Pooled | null)[];
  /** Knows the whole past. */
  forecaster: Forecaster;
}

function hindcast(forecaster: Forecaster, past: readonly Observation[]): Hindcast {
  const forecasts: (Pooled | null)[] = [];
  for (const each of past) {
    forecasts.push(forecaster.forecast(each));
    forecaster = forecaster.with(each);
  }
  return { forecasts, forecaster };
}

function eachFrom(
  measure: typeof distanceOf,
  kind: Statistic['kind'],
  past: readonly Observation[],
  forecasts: readonly (Pooled | null)[],
): number[] {
  const measured: number[] = [];
  for (let i = 0; i < past.length; i++) {
    const forecast = forecasts[i];
    measured.push(forecast ? measure(kind, past[i]!, forecast) : Number.NaN);
  }
  return measured;
}

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
