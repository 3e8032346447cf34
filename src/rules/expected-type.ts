/** The type that a field's values ought to have. */
import type { Baseline } from '../baseline/baseline.ts';
import { isDefinite, mostFrequentType } from '../profile/field-type.ts';
import { type FieldProfile, VALUE_TYPES, type ValueType } from '../profile/profile.ts';

/**
 * The baseline's type where it is definite, else the one that most values have (the dominant one where there is one). A
 * provisional baseline does not count: a BLOCKed batch made it, and must not block the batch that would replace it.
 */
export function expectedType(field: FieldProfile, baseline: Baseline | null): ValueType {
  const before = baseline?.provisional ? undefined : baseline?.fields.get(field.name)?.type;
  return before !== undefined && isDefinite(before) ? before : mostFrequentType(field.counts);
}

/** The types of the field's values besides the expected one. */
export const otherTypes = ({ counts }: FieldProfile, expected: ValueType): ValueType[] =>
  VALUE_TYPES.filter(type => type !== expected && counts[type] > 0);
