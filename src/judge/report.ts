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

/** One statistic that is not as this source's past lets expect. */
export interface Anomaly {
  /** `*` where it concerns the batch as a whole. */
  field: string;
  statistic: string;
  observed: number;
  /** Between these it would not have been reported. */
  expected: [low: number, high: number];
  /** −log10 of the chance of anything as unusual in a whole clean batch: 2 is one batch in a hundred. At most 99. */
  unusual: number;
  severity: DriftSeverity;
  detail: string;
}

/** Adaptive mode: what the verdict rests on. */
export interface Gate {
  mode: 'adaptive';
  /** Batches of history, at most 32. */
  history: number;
  /** There is too little of it: only types and presence are judged. */
  learning: boolean;
  /** Share of clean batches that may be WARN, as asked for, and as the history lets expect. */
  false_alarm_rate: number;
  expected_false_alarm_rate?: number;
}

export interface Judgement {
  status: Verdict;
  health_score: number;
  reason: string;
  schema: Record<string, SchemaField>;
  schema_fingerprint: string;
  issues: Issues | undefined;
  drift: DriftEvent[];
  /** Adaptive mode only. */
  gate?: Gate;
  anomalies?: Anomaly[];
}

/** A map of the report keyed by names from the payload: without a prototype, so that `__proto__` is a name like any other. */
export function byName<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const map: Record<string, Value> = Object.create(null);
  for (const [name, value] of entries) map[name] = value;
  return map;
}
