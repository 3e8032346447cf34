/** The type of a field, by the types of its values. */
import { type FieldProfile, type FieldType, VALUE_TYPES, type ValueType } from './profile.ts';

type TypeCounts = Readonly<Record<ValueType, number>>;

/** Non-null values in all. */
export const valuesIn = (counts: TypeCounts): number =>
  VALUE_TYPES.reduce((sum, type) => sum + counts[type], 0);

/** The type that more than half of the non-null values have; 'mixed' if none does, 'null' without values. */
export function dominantType(counts: TypeCounts): FieldType {
  const values = valuesIn(counts);
  if (values === 0) return 'null';
  const type = mostFrequentType(counts);
  return counts[type] * 2 > values ? type : 'mixed';
}

/** Of equally frequent types the first in `VALUE_TYPES`. */
export const mostFrequentType = (counts: TypeCounts): ValueType =>
  VALUE_TYPES.reduce((best, type) => (counts[type] > counts[best] ? type : best));

/** Share of the non-null values that have the type: 0..1. NaN without values, and for a type that no value can have. */
export const shareOfType = (type: FieldType, counts: TypeCounts): number =>
  isDefinite(type) ? counts[type] / valuesIn(counts) : Number.NaN;

/** A type that a value can have: neither 'mixed' nor 'null'. */
export const isDefinite = (type: FieldType): type is ValueType => type !== 'mixed' && type !== 'null';

/** Whether a CSV column of numbers turns out to hold codes: it is read as texts, though its past was read as numbers. No type has changed then. */
export const isReadAnew = (
  { counts, typedTexts }: Pick<FieldProfile, 'counts' | 'typedTexts'>,
  before: FieldType,
): boolean => before === 'number' && typedTexts > 0 && counts.number === 0;
