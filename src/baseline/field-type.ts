/** What type the values of a field have, by counts. */
import { type FieldType, VALUE_TYPES, type ValueType } from '../profile/profile.ts';

/** The type of more than half of the non-null values, else 'mixed'; 'null' without any (`rules.md` section 3). */
export function dominantType(counts: Readonly<Record<ValueType, number>>): FieldType {
  const values = VALUE_TYPES.reduce((sum, type) => sum + counts[type], 0);
  if (values === 0) return 'null';
  return VALUE_TYPES.find(type => counts[type] > values / 2) ?? 'mixed';
}

/** A type that a value can have: neither 'mixed' nor 'null'. */
export const isDefinite = (type: FieldType): type is ValueType => type !== 'mixed' && type !== 'null';
