/** new_enum_value: a category that a low-cardinality string field never had. More of them than the past explains are an unusual statistic. */
import { isLowCardinality } from '../../baseline/low-cardinality.ts';
import type { NewValues } from '../../findings/new-enum-value.ts';
import { share } from '../../findings/rates.ts';
import { FEW_NEW_VALUES, NEW_VALUES_LISTED, ROUNDING } from '../../policy.ts';
import type { Facts, FieldFacts } from '../facts.ts';
import type { FieldRule } from '../rule.ts';

export const newEnumValueRule: FieldRule = (field, facts) => {
  const found = newValuesOf(field, facts);
  if (!found) return null;
  const learned = facts.comparison?.newValues.get(field.name);
  if (learned && learned.severity !== 'info') return null;
  const { rate, known, listed } = found;
  return {
    kind: 'new_enum_value',
    field: field.name,
    severity: learned || isDraw(field, facts) || !isRise(rate, found.rows) ? 'info' : 'warn',
    scope: 'field',
    evidence: { rate, known, values: { listed } },
  };
};

/** As few values as batches: the next file has its own. */
const isDraw = ({ now, before }: FieldFacts, { baseline }: Facts): boolean =>
  now!.measured.distinct === 1 && before!.known!.length <= baseline!.batches;

/** Before a batch has shown how many values are new: a rate by 0.1, and not of a single customer. */
const isRise = (rate: number, rows: number): boolean =>
  rate >= FEW_NEW_VALUES.rate - ROUNDING && rows >= FEW_NEW_VALUES.rows;

/** Null if the field has too many distinct values, or no new one. */
export function newValuesOf(
  { now, before, isAbsent }: FieldFacts,
  { queries, profile }: Facts,
): (NewValues & { rows: number; listed: string[] }) | null {
  if (!now || !before || isAbsent || !isLowCardinality(before)) return null;
  const { rows, values } = queries.unseen(now.column, before.known, NEW_VALUES_LISTED);
  if (rows === 0) return null;
  return { rows, rate: share(rows, profile.rows), known: before.known.length, listed: values };
}
