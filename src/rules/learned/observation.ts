/** One statistic in one batch of the history, and what several batches have together. */
import type { Reading } from '../../statistics/statistic.ts';

export interface Observation extends Reading {
  /** When the batch came, in ms. */
  at: number;
  /** Its place in the history, which a fit sets: batches that are left out keep theirs. */
  order?: number;
  /** A quantile's rank among all numbers of the history; null beyond them. */
  rank?: Observation | null;
  /** How great the surprise can be at most, if the quantile lies beyond them. */
  maxSurprise?: number;
  /** All values of the column are equal: the batch is one draw of it. */
  isOneDraw?: boolean;
}

/** Sums over the batches from which something is forecast. */
export interface Pooled {
  batches: number;
  size: number;
  /** Sum of value times size; `value / size` is the pooled value. */
  value: number;
  variance: number;
  /** Distributions: cells by bucket. */
  counts?: Float64Array;
  /** Levels: variance of the forecast beyond that of sampling. */
  extraVariance?: number;
}

const NOTHING: Pooled = { batches: 0, size: 0, value: 0, variance: 0 };

/** The sums with one more batch; null: without any. */
export function pooledWith(pooled: Pooled | null, { value, size, variance, counts }: Reading): Pooled {
  const before = pooled ?? NOTHING;
  const next: Pooled = {
    batches: before.batches + 1,
    size: before.size + size,
    value: before.value + size * value,
    variance: before.variance + size * variance,
  };
  if (counts) next.counts = before.counts ? sumOf(before.counts, counts) : counts;
  return next;
}

/** A loop: `map` calls a function for each bucket. */
function sumOf(a: Float64Array, b: Float64Array): Float64Array {
  const sum = a.slice();
  for (let i = 0; i < sum.length; i++) sum[i]! += b[i]!;
  return sum;
}
