/**
 * Selects the forecaster that would have come closest to the past. One other than `fromAll` is selected only if it is better by more than the
 * best of so many is by chance.
 */
import { EXPLAINED_SQUARE, STRAY_DISTANCES } from '../../terms/policy.ts';
import type { Reading } from '../../statistics/statistic.ts';
import { distanceOf, exposureOf, type Measured } from './distance.ts';
import { type Forecaster, forecastersFor, FromAll, type Moment, OrElse } from './forecasters.ts';
import { expectedMaximum } from './tail-probability.ts';

/** The batches that have a statistic, in the order of time. */
export interface Past {
  readings: readonly Reading[];
  moments: readonly Moment[];
}

/** A forecaster, and how it would have done in the past. */
export interface Selected {
  /** Of each batch from its forecast by the batches before it; NaN without a forecast. */
  distances: Float64Array;
  /** `exposureOf` each; NaN without a forecast. */
  exposures: Float64Array;
  /** Knows the whole past. */
  forecaster: Forecaster;
  /** By what factor the selected forecaster comes closer to the past than to the future, because it was selected: 0..1. */
  selectionBias: number;
}

export function selectForecaster(statistic: Measured, past: Past): Selected {
  const plain = hindcast(statistic, new FromAll(), past);
  let best = plain;
  if (meanSquare(plain.distances) <= EXPLAINED_SQUARE) return best;
  const far = STRAY_DISTANCES * Math.max(1, medianOf(plain.distances.slice(1).map(Math.abs)));
  const others = forecastersFor(statistic.kind, past.moments);
  const byChance = 1 - expectedMaximum(others.length) / Math.sqrt(2 * past.readings.length);
  let least = byChance;
  for (const other of others) {
    const found = hindcast(statistic, other, past);
    const ratio = squaresRatio(found.distances, plain.distances, far);
    if (!(ratio < least)) continue;
    least = ratio;
    const forecaster = new OrElse(found.forecaster, plain.forecaster);
    best = { ...found, forecaster, selectionBias: Math.sqrt(byChance) };
  }
  return best;
}

/** A single loop without objects of its own: most of a fit is spent here. */
function hindcast(statistic: Measured, forecaster: Forecaster, { readings, moments }: Past): Selected {
  const distances = new Float64Array(readings.length).fill(Number.NaN);
  const exposures = new Float64Array(readings.length).fill(Number.NaN);
  for (let i = 0; i < readings.length; i++) {
    const reading = readings[i]!;
    const moment = moments[i]!;
    const forecast = forecaster.forecast(moment);
    if (forecast) {
      distances[i] = distanceOf(statistic, reading, forecast);
      exposures[i] = exposureOf(statistic.kind, reading, forecast);
    }
    forecaster.add(reading, moment);
  }
  return { distances, exposures, forecaster, selectionBias: 1 };
}

function meanSquare(distances: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < distances.length; i++) if (!Number.isNaN(distances[i]!)) sum += distances[i]! ** 2;
  return sum / Math.max(1, distances.length - 1);
}

/** Sum of squared distances to that of `plain`, over the batches that have both. NaN if these are fewer than three, or than a third of all. */
function squaresRatio(distances: Float64Array, plain: Float64Array, far: number): number {
  let [common, own, others] = [0, 0, 0];
  for (let i = 0; i < plain.length; i++) {
    if (Number.isNaN(distances[i]!) || Number.isNaN(plain[i]!)) continue;
    common++;
    own += Math.min(distances[i]! ** 2, far * far);
    others += Math.min(plain[i]! ** 2, far * far);
  }
  return common >= Math.max(3, plain.length / 3) ? own / others : Number.NaN;
}

const medianOf = (values: Float64Array): number => values.toSorted()[values.length >> 1]!;
