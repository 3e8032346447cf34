/** Sums of one statistic over several batches of the history. */
import type { Reading } from '../../statistics/statistic.ts';

/** Sums over the batches from which something is forecast. */
export interface Pooled {
  batches: number;
  size: number;
  /** Sum of value times size; `value / size` is the pooled value. */
  value: number;
  variance: number;
  /** Levels: variance of the forecast beyond that of sampling. */
  extraVariance: number;
  /** Distributions: cells by bucket. */
  counts: Float64Array | null;
}

/** The sums of one batch. */
export const pooledOf = ({ size, value, variance, counts }: Reading): Pooled => ({
  batches: 1,
  size,
  value: size * value,
  variance: size * variance,
  extraVariance: 0,
  counts: counts?.slice() ?? null,
});

/** Changes the sums: a fit adds thousands of readings. */
export function addTo(pooled: Pooled, { size, value, variance, counts }: Reading): void {
  pooled.batches++;
  pooled.size += size;
  pooled.value += size * value;
  pooled.variance += size * variance;
  const sums = pooled.counts;
  if (sums) for (let i = 0; i < sums.length; i++) sums[i]! += counts![i]!;
}

export const copyOf = ({ batches, size, value, variance, extraVariance, counts }: Pooled): Pooled => ({
  batches,
  size,
  value,
  variance,
  extraVariance,
  counts: counts?.slice() ?? null,
});

/** Null without readings. */
export function poolOf(readings: readonly Reading[]): Pooled | null {
  if (readings.length === 0) return null;
  const pooled = pooledOf(readings[0]!);
  for (let i = 1; i < readings.length; i++) addTo(pooled, readings[i]!);
  return pooled;
}
