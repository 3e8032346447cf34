/** The rates of a batch that have thresholds, whether or not they cross them. */
import type { Baseline } from '../baseline/baseline.ts';
import { valuesIn } from '../profile/field-type.ts';
import type { FieldProfile, Profile, ValueType } from '../profile/profile.ts';
import { share } from './crossing.ts';
import { expectedType } from './schema.ts';

export interface FieldRates {
  field: FieldProfile;
  expected: ValueType;
  /** Share of the rows that are null or lack the field. */
  nullRate: number;
  /** Share of the non-null values that do not have the expected type. */
  mismatchRate: number;
}

export function measureRates(profile: Profile, baseline: Baseline | null): FieldRates[] {
  return profile.fields.map(field => {
    const expected = expectedType(field, baseline);
    const values = valuesIn(field.counts);
    return {
      field,
      expected,
      nullRate: share(field.nulls, profile.rows),
      mismatchRate: share(values - field.counts[expected], values),
    };
  });
}

export const raggedRate = (profile: Profile): number => share(profile.ragged.count, profile.rows);
