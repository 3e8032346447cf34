/** new_enum_value: a category that a low-cardinality string field never had. */
import { isLowCardinality } from '../../baseline/low-cardinality.ts';
import type { Severity } from '../../contract/report.ts';
import type { NewValues } from '../../findings/new-enum-value.ts';
import { share } from '../../findings/rates.ts';
import { NEW_VALUES_LISTED, NEW_VALUES_WARN_ROWS, NEW_VALUES_WARN_SHARE } from '../../policy.ts';
import type { Facts, FieldFacts } from '../facts.ts';
import type { FieldRule } from '../rule.ts';

export const newEnumValueRule: FieldRule = (field, facts) => {
  const found = newValuesOf(field, facts);
  if (!found) return null;
  const { rows, rate, known, listed } = found;
  return {
    kind: 'new_enum_value',
    field: field.name,
    severity: severityOf(rows, rate),
    scope: 'field',
    evidence: { rate, known, values: { listed } },
  };
};

/** Null if the field has too many distinct values, or no new one. */
export function newValuesOf(
  { now, before, isAbsent }: FieldFacts,
  { queries, profile }: Facts,
): (NewValues & { rows: number; listed: string[] }) | null {
  if (!now || !before || isAbsent || !isLowCardinality(before)) return null;
  const { rows, values } = queries.unseen(now.column, before.known, NEW_VALUES_LISTED);
  if (rows === 0) return null;
  return { rows, rate: share(rows, profile.analysedRows), known: before.known.length, listed: values };
}

const severityOf = (rows: number, rate: number): Severity =>
  rows >= NEW_VALUES_WARN_ROWS && rate >= NEW_VALUES_WARN_SHARE ? 'warn' : 'info';
