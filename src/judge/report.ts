/** The answer's shapes, named and spelled as the interface document has them. */
import type { FieldType, ValueType } from '../profile/profile.ts';

export type Verdict = 'PASS' | 'WARN' | 'BLOCK';
export type IssueSeverity = 'warning' | 'critical';
export type DriftSeverity = 'info' | 'warn' | 'block';

export const DRIFT_KINDS = [
  'field_added',
  'field_removed',
  'type_changed',
  'null_spike',
  'cardinality_change',
  'new_enum_value',
  'row_count_anomaly',
  'empty_string_spike',
] as const;
export type DriftKind = (typeof DRIFT_KINDS)[number];

export interface SchemaField {
  type: FieldType;
  /** Share of the non-null values that have the dominant (for mixed, the most frequent) type. */
  confidence: number;
}

export interface TypeMismatch {
  expected: ValueType;
  found: ValueType[];
  sample_value: unknown;
  rate: number;
  severity: IssueSeverity;
}

export interface NullRate {
  actual: number;
  threshold: number;
  severity: IssueSeverity;
}

export interface Outliers {
  count: number;
  min: number;
  max: number;
  severity: 'info' | IssueSeverity;
}

export interface RaggedRows {
  count: number;
  rate: number;
  first_line: number;
  severity: 'info' | IssueSeverity;
}

export interface Issues {
  type_mismatches?: Record<string, TypeMismatch>;
  null_rates?: Record<string, NullRate>;
  outliers?: Record<string, Outliers>;
  duplicate_fields?: string[];
  row_count_anomaly?: true;
  new_enum_values?: Record<string, string[]>;
  ragged_rows?: RaggedRows;
}

/** `field` is `*` for row_count_anomaly, which concerns the batch as a whole. */
export interface DriftEvent {
  field: string;
  kind: DriftKind;
  severity: DriftSeverity;
  detail: string;
  previous: string;
  current: string;
}

export interface Judgement {
  status: Verdict;
  health_score: number;
  reason: string;
  schema: Record<string, SchemaField>;
  schema_fingerprint: string;
  issues: Issues | undefined;
  drift: DriftEvent[];
}

/** A map of the report keyed by names from the payload: without a prototype, so that `__proto__` is a name like any other. */
export function byName<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const map: Record<string, Value> = Object.create(null);
  for (const [name, value] of entries) map[name] = value;
  return map;
}
