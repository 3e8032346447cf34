/** Rules that hold by what was measured of all rows: nobody has to look at the cells again. */
import type { FieldProfile, Profile } from '../../profile/profile.ts';
import type { Constraint } from '../declared/constraint.ts';
import type { Operator } from '../declared/document.ts';
import type { Columns } from './checked-batch.ts';

export function isProven(profile: Profile, columns: Columns, constraint: Constraint): boolean {
  const field = constraint.field === null ? undefined : columns.field(constraint.field);
  if (field === undefined) return false;
  if (constraint.kind === 'nullable') return field.nulls === 0;
  if (profile.analysedRows < profile.rows) return false;
  const { values, distinct } = field.measured;
  if (constraint.kind === 'unique') return constraint.fields.length === 1 && distinct === values;
  const range = rangeOf(field);
  if (range === null) return false;
  switch (constraint.kind) {
    case 'type':
      return constraint.expected.includes('number');
    case 'minimum':
      return range.lowest >= constraint.expected;
    case 'maximum':
      return range.highest <= constraint.expected;
    case 'exclusive_minimum':
      return range.lowest > constraint.expected;
    case 'exclusive_maximum':
      return range.highest < constraint.expected;
    case 'compare': {
      const other = otherRange(constraint.with, columns);
      return other !== null && (LIE_APART[constraint.op]?.(range, other) ?? false);
    }
    default:
      return false;
  }
}

interface Range {
  lowest: number;
  highest: number;
}

/** Null unless all values are finite numbers. A text of a CSV may look like a number. */
function rangeOf({ measured: { numeric, values } }: FieldProfile): Range | null {
  if (numeric === null || numeric.count < values) return null;
  return { lowest: numeric.quantiles[0]!, highest: numeric.quantiles.at(-1)! };
}

function otherRange(other: { field: string } | { value: unknown }, columns: Columns): Range | null {
  if ('value' in other)
    return typeof other.value === 'number' ? { lowest: other.value, highest: other.value } : null;
  const field = columns.field(other.field);
  return field === undefined ? null : rangeOf(field);
}

/** Whether the comparison holds for each number of the left range with each of the right one. */
const LIE_APART: Partial<Record<Operator, (left: Range, right: Range) => boolean>> = {
  '<': (left, right) => left.highest < right.lowest,
  '<=': (left, right) => isAtMost(left.highest, right.lowest),
  '>': (left, right) => left.lowest > right.highest,
  '>=': (left, right) => isAtMost(right.highest, left.lowest),
};

/** Integers of more than 53 bits may differ where their doubles are equal. */
const isAtMost = (a: number, b: number): boolean =>
  a < b || (a === b && Math.abs(a) <= Number.MAX_SAFE_INTEGER);
