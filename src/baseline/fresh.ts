/** How many values of a batch a source has never had, as far as the registers of its baseline tell. */
import type { ColumnQueries } from '../engine/queries.ts';
import type { Profile } from '../profile/profile.ts';
import type { Baseline } from './baseline.ts';

/**
 * By field: of its cells looked at, those with a value that is surely new. A value that is new is found with a probability that falls with the
 * number of values seen before: nearly 1 for a hundred, 0.5 for 500, hardly ever for 10,000. Fields that are new themselves are left out.
 */
export function freshValues(
  profile: Profile,
  look: ColumnQueries,
  baseline: Baseline | null,
): Map<string, number> {
  const fresh = new Map<string, number>();
  for (const { name, column, measured } of profile.fields) {
    const before = baseline?.fields.get(name);
    if (before && measured.values > 0) fresh.set(name, look.fresh(column, before.registers));
  }
  return fresh;
}
