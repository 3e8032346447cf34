/** The statistics of a field that its description shows: those of the registry with `inProfile`. */
import { measure } from '../statistics/measure.ts';
import { PROFILE_STATISTICS } from '../statistics/registry.ts';
import type { Statistic } from '../statistics/statistic.ts';
import type { FieldProfile } from './profile.ts';

/** By the id of the statistic; null if there is nothing to show. */
export function describeStatistics(
  field: FieldProfile,
  rows: number,
  shown: readonly Statistic[] = PROFILE_STATISTICS,
): Record<string, number> | null {
  if (shown.length === 0) return null;
  const { record, numeric } = field.measured;
  const summary = numeric && { mean: numeric.mean, m2: numeric.m2, points: numeric.quantiles };
  const numbers = measure(record, rows, summary, null);
  const entries = shown.flatMap(({ id, read, inverse }) => {
    const reading = read(place => numbers[place]!, rows);
    return reading ? [[id, inverse?.(reading.value) ?? reading.value] as const] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
