/** One statistic in one batch of the history, and what several batches have together. */
import type { Reading } from '../../statistics/statistic.ts';

export interface Observation extends Reading {
  /** When the batch came, in ms. */
  at: number;
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

/** The sums with one more batch; null: without any. */
export function pooledWith(pooled: Pooled | null, { value, size, variance, counts }: Reading): Pooled {
  const next: Pooled = {
    batches: (pooled?.batches ?? 0) + 1,
    size: (pooled?.size ?? 0) + size,
    value: (pooled?.value ?? 0) + size * value,
    variance: (pooled?.variance ?? 0) + size * variance,
  };
  if (counts) next.counts = pooled?.counts ? pooled.counts.map((each, i) => each + counts[i]!) : counts;
  return next;
}
