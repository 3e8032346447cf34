/** The answer's shapes, named and spelled as the interface document has them. */
import type { FieldType, ValueType } from '../profile/profile.ts';
import type { Verdict } from '../verdict.ts';

export type { Verdict };

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
/** Kinds that say by themselves that the structure is another. In adaptive mode all others stand in `anomalies` too. */
export const STRUCTURAL_KINDS: ReadonlySet<DriftKind> = new Set([
  'field_added',
  'field_removed',
  'type_changed',
]);

/**
 * The first rows of a finding, ascending, at most ROWS_LISTED: of JSON and NDJSON their indexes from 0, of CSV the lines on which they begin, from 1 with the
 * file's first line, blank ones and those within quotes counted.
 */
export type RowNumbers = number[];
export const ROW_NUMBERINGS = ['index', 'line'] as const;
export type RowNumbering = (typeof ROW_NUMBERINGS)[number];
export type RowSeverity = 'info' | IssueSeverity;

/** What is wrong with a row. */
export const ROW_CODES = [
  'type_mismatch',
  'ragged',
  'null',
  'empty',
  'new_value',
  'outlier',
  'repeated_value',
  'unusual_number',
  'unusual_text',
] as const;
export type RowCode = (typeof ROW_CODES)[number];

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
  rows?: RowNumbers;
}

export interface NullRate {
  actual: number;
  threshold: number;
  severity: IssueSeverity;
  /** Only where the field normally has a value. */
  rows?: RowNumbers;
}

export interface Outliers {
  count: number;
  min: number;
  max: number;
  severity: RowSeverity;
  rows?: RowNumbers;
}

export interface RaggedRows {
  count: number;
  rate: number;
  first_line: number;
  severity: RowSeverity;
  rows?: RowNumbers;
}

export interface Issues {
  type_mismatches?: Record<string, TypeMismatch>;
  null_rates?: Record<string, NullRate>;
  outliers?: Record<string, Outliers>;
  duplicate_fields?: string[];
  row_count_anomaly?: true;
  new_enum_values?: Record<string, string[]>;
  /** By the same fields. */
  new_enum_value_rows?: Record<string, RowNumbers>;
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
  /** Where there are rows without which it would hardly have been found. */
  rows?: RowNumbers;
}

/** The rows to hold back, so that the others may pass. */
export interface Quarantine {
  /** Rows in it. */
  count: number;
  /** The gravest first. */
  reasons: RowReason[];
  /** Each row, numbered as in `RowNumbers`, with its reasons by their places in `reasons`: the first 8 that it has. Ascending. */
  rows: [row: number, reasons: number[]][];
  /** Findings that no choice of rows does away with. */
  whole_batch: BatchReason[];
}

export interface RowReason {
  code: RowCode;
  /** `*` of ragged rows. */
  field: string;
  severity: RowSeverity;
  /** Rows that have it. */
  count: number;
}

export interface BatchReason {
  /** A kind of drift, `null_rates`, or an anomaly's statistic; `anomalies` where there are more than the report lists. */
  code: string;
  /** `*` where it concerns no field. */
  field: string;
  severity: IssueSeverity;
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
  /** In contract mode only a batch that repeats an earlier one. */
  anomalies?: Anomaly[];
  /** What numbers of rows mean; absent where no row is named. */
  rowNumbers?: RowNumbering;
  /** Only where it was asked for. */
  quarantine?: Quarantine;
}

/** A map of the report keyed by names from the payload: without a prototype, so that `__proto__` is a name like any other. */
export function byName<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const map: Record<string, Value> = Object.create(null);
  for (const [name, value] of entries) map[name] = value;
  return map;
}
