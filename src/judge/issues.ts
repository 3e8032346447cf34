/** What is wrong with the batch as it stands, in the report's shapes. */
import type { ColumnQueries } from '../engine/queries.ts';
import { type FieldProfile, type Profile, VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { crossing, mismatchLimits, nullLimits } from './crossing.ts';
import type { Drift } from './drift.ts';
import { duplicateFields } from './duplicates.ts';
import type { Thresholds } from './options.ts';
import type { FieldOutliers } from './outliers.ts';
import { type FieldRates, raggedRate } from './rates.ts';
import { byName, type Issues, type NullRate, type RaggedRows, type TypeMismatch } from './report.ts';

/** A key is there only when it has something to report; undefined when no key is. */
export function reportIssues(
  profile: Profile,
  look: ColumnQueries,
  thresholds: Thresholds,
  rates: readonly FieldRates[],
  outliers: readonly FieldOutliers[],
  drift: Drift,
): Issues | undefined {
  const mismatches = rates.flatMap(rate => typeMismatch(rate, look, thresholds));
  const nulls = rates.flatMap(rate => highNullRate(rate, thresholds));
  const duplicates = duplicateFields(profile);
  const issues: Issues = {};
  if (mismatches.length > 0) issues.type_mismatches = byName(mismatches);
  if (nulls.length > 0) issues.null_rates = byName(nulls);
  if (outliers.length > 0)
    issues.outliers = byName(outliers.map(({ name, issue }) => [name, issue] as const));
  if (duplicates.length > 0) issues.duplicate_fields = duplicates;
  if (drift.events.some(event => event.kind === 'row_count_anomaly')) issues.row_count_anomaly = true;
  if (drift.newValues.size > 0) issues.new_enum_values = byName(drift.newValues);
  if (profile.ragged.count > 0) issues.ragged_rows = raggedRows(profile, thresholds);
  return Object.keys(issues).length > 0 ? issues : undefined;
}

type Named<Detail> = [] | [[name: string, detail: Detail]];

function typeMismatch(rates: FieldRates, look: ColumnQueries, thresholds: Thresholds): Named<TypeMismatch> {
  const { field, expected, mismatchRate: rate } = rates;
  const crossed = crossing(rate, mismatchLimits(thresholds));
  if (crossed === null) return [];
  const sample_value = look.example(field.column, expected);
  const { severity } = crossed;
  return [[field.name, { expected, found: otherTypes(field, expected), sample_value, rate, severity }]];
}

const otherTypes = (field: FieldProfile, expected: ValueType): ValueType[] =>
  VALUE_TYPES.filter(type => type !== expected && field.counts[type] > 0);

function highNullRate({ field, nullRate }: FieldRates, thresholds: Thresholds): Named<NullRate> {
  const crossed = crossing(nullRate, nullLimits(thresholds));
  return crossed === null ? [] : [[field.name, { actual: nullRate, ...crossed }]];
}

function raggedRows(profile: Profile, thresholds: Thresholds): RaggedRows {
  const { count, firstLine: first_line } = profile.ragged;
  const rate = raggedRate(profile);
  const severity = crossing(rate, mismatchLimits(thresholds))?.severity ?? 'info';
  return { count, rate, first_line, severity };
}
