/**
 * How far the numbers of a source reach, so that a batch whose numbers lie beyond it is news, whatever their distribution.
 *
 * Quantiles near the ends are not known: a batch keeps its order statistics 1/32 apart. Its smallest and its largest number are. So the reach is what they
 * span in the last batches, and as much again on either side: light tails never get there, and of heavy ones hardly ever two numbers in one batch.
 */
import { FAR_BATCHES_SHARE, MIN_BATCHES } from '../terms/policy.ts';
import { PLACE } from '../statistics/registry.ts';
import type { Baseline } from './baseline.ts';
import { isSuspect, numberAt } from './batch-statistics.ts';
import type { Fences } from './fences.ts';

/**
 * Numbers outside lie far from nearly all earlier ones. Batches that were alarmed are left out, and of ten or more those that lie farthest: then neither
 * damage nor a single odd number hides what comes next. Null while too few batches are known, and where all numbers were equal.
 */
export function reachOf({ recent, batches }: Baseline, field: string): Fences | null {
  const older = batches - recent.length;
  const minima: number[] = [];
  const maxima: number[] = [];
  for (let i = 0; i < recent.length; i++) {
    const batch = recent[i]!;
    const index = batch.places.get(field);
    if (index === undefined || isSuspect(batch, older + i) || !(numberAt(batch, index, PLACE.finite) > 0))
      continue;
    minima.push(numberAt(batch, index, PLACE.minimum));
    maxima.push(-numberAt(batch, index, PLACE.maximum));
  }
  if (minima.length < MIN_BATCHES) return null;
  const low = withoutFarthest(minima);
  const high = -withoutFarthest(maxima);
  const span = high - low;
  return span > 0 ? { low: low - span, high: high + span } : null;
}

/** The smallest one that is left. A typed array is sorted as numbers, without a call for each comparison. */
const withoutFarthest = (ends: readonly number[]): number =>
  Float64Array.from(ends).sort()[Math.floor(FAR_BATCHES_SHARE * ends.length)]!;
