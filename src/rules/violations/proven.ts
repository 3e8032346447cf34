/** Rules that hold by what was measured of all rows: nobody has to look at the cells again. */
import type { FieldProfile, Profile } from '../../profile/profile.ts';
import type { Constraint } from '../declared/constraint.ts';

export function isProven(profile: Profile, field: FieldProfile, constraint: Constraint): boolean {
  if (constraint.kind === 'nullable') return field.nulls === 0;
  if (profile.analysedRows < profile.rows) return false;
  const { values, distinct, numeric } = field.measured;
  if (constraint.kind === 'unique') return constraint.fields.length === 1 && distinct === values;
  // A text of a CSV may look like a number, and not every number is finite.
  if (numeric === null || numeric.count < values) return false;
  const [lowest, highest] = [numeric.quantiles[0]!, numeric.quantiles.at(-1)!];
  switch (constraint.kind) {
    case 'minimum':
      return lowest >= constraint.expected;
    case 'maximum':
      return highest <= constraint.expected;
    case 'exclusive_minimum':
      return lowest > constraint.expected;
    case 'exclusive_maximum':
      return highest < constraint.expected;
    default:
      return false;
  }
}
