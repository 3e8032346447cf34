/** How many values of a batch its source has never had, as far as the registers of its baseline show. */
import type { Pieces } from '../cooperative-yield.ts';
import type { ColumnQueries } from '../engine/queries.ts';
import type { Profile } from '../profile/profile.ts';
import type { Baseline } from './baseline.ts';
import { BRIEF } from './detail.ts';

/**
 * By field: inspected cells whose value is certainly new. A new value is found with a probability that falls with the number of values seen
 * before: nearly 1 for a hundred, 0.5 for 500, hardly ever for 10,000. Fields that are new themselves, or brief in the baseline, are left out.
 */
export function* countingNewValues(
  profile: Profile,
  look: Pick<ColumnQueries, 'fresh'>,
  baseline: Baseline | null,
): Pieces<Map<string, number>> {
  const newValues = new Map<string, number>();
  for (const { name, column, measured } of profile.fields) {
    const before = baseline?.fields.get(name);
    if (before && before.detail !== BRIEF && measured.values > 0)
      newValues.set(name, look.fresh(column, before.registers));
    yield;
  }
  return newValues;
}
