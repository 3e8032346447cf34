/** The type that a field's values ought to have. */
import type { Baseline } from '../baseline/baseline.ts';
import type { OtherTypes } from '../findings/type-mismatch.ts';
import { isDefinite, isReadAnew, mostFrequentType, valuesIn } from '../profile/field-type.ts';
import { type FieldProfile, VALUE_TYPES, type ValueType } from '../profile/profile.ts';

/**
 * The baseline's type where it is definite, else the one that most values have (the dominant one where there is one). A
 * provisional baseline does not count: a BLOCKed batch made it, and must not block the batch that would replace it.
 */
export function expectedType(field: FieldProfile, baseline: Baseline | null): ValueType {
  const before = baseline?.provisional ? undefined : baseline?.fields.get(field.name)?.type;
  const isKnown = before !== undefined && isDefinite(before) && !isReadAnew(field, before);
  return isKnown ? before : mostFrequentType(field.counts);
}

/** The field's values of other types than the expected one, and their share of the non-null values; null without any. */
export function mismatchOf({ counts }: FieldProfile, expected: ValueType): OtherTypes | null {
  const found = VALUE_TYPES.filter(type => type !== expected && counts[type] > 0);
  if (found.length === 0) return null;
  const values = valuesIn(counts);
  return { expected, found, rate: (values - counts[expected]) / values };
}
