/** The API's answers, named and spelled as its document has them. Maps by name are JSON's: see `entriesOf`. */

export type Verdict = 'PASS' | 'WARN' | 'BLOCK';
export type IssueSeverity = 'info' | 'warning' | 'critical';
export type DriftSeverity = 'info' | 'warn' | 'block';
export type Plan = 'developer' | 'starter' | 'growth' | 'scale';
export type ByName<Value> = Record<string, Value>;

export interface Job {
  id: string;
  source: string;
  status: Verdict;
  health_score: number;
  rows_received: number;
  drift_count: number;
  latency_ms: number;
  created_at: string;
}

export interface CompleteJob extends Job {
  report: Report;
  profile: Profile;
}

export interface DriftEvent {
  field: string;
  kind: string;
  severity: DriftSeverity;
  detail: string;
  previous?: string;
  current?: string;
}

/** `sample_value`, `min` and `max` are absent where the service keeps no values. */
export interface Issues {
  type_mismatches?: ByName<{
    expected: string;
    found: string[];
    sample_value?: unknown;
    rate: number;
    severity: IssueSeverity;
  }>;
  null_rates?: ByName<{ actual: number; threshold: number; severity: IssueSeverity }>;
  outliers?: ByName<{ count: number; min?: number; max?: number; severity: IssueSeverity }>;
  duplicate_fields?: string[];
  row_count_anomaly?: boolean;
  new_enum_values?: ByName<string[]>;
  ragged_rows?: { count: number; rate: number; first_line: number; severity: IssueSeverity };
}

export interface Report {
  request_id: string;
  status: Verdict;
  health_score: number;
  decision: { action: Verdict; reason: string };
  schema: ByName<{ type: string; confidence: number }>;
  schema_fingerprint: string;
  issues?: Issues;
  drift?: DriftEvent[];
  blocked_since?: BlockedRun;
  advice?: Advice[];
  stats: {
    rows_received: number;
    rows_sampled: number;
    sample_ratio: number;
    sample_version?: string;
    source: string;
    untracked_fields?: string[];
    dry_run?: boolean;
    pinned?: boolean;
  };
  latency_ms: number;
  timestamp: string;
}

export interface Profile {
  fields: ByName<FieldProfile>;
}

export interface FieldProfile {
  present: number;
  nulls: number;
  null_rate: number;
  empties: number;
  types: ByName<number>;
  booleans?: { true: number; false: number };
  values: number;
  distinct: number;
  /** Only `count` where the service keeps no values. */
  numbers?: { count: number } & Partial<Numbers>;
  top_values?: { value: string; count: number }[];
}

export interface Numbers {
  min: number;
  max: number;
  mean: number;
  standard_deviation: number | null;
  quantiles: ByName<number>;
  histogram: Histogram;
}

export interface Histogram {
  low: number;
  high: number;
  counts: number[];
}

export interface Statistics {
  totalJobs: number;
  passCount: number;
  warnCount: number;
  blockCount: number;
  avgHealth: number;
  totalRows: number;
  sourceCount: number;
  periodDays: number;
  sources: SourceStatistics[];
}

export interface SourceStatistics {
  source: string;
  totalJobs: number;
  passCount: number;
  warnCount: number;
  blockCount: number;
  avgHealthPct: number;
  totalRows: number;
  totalDrift: number;
  lastRun: string;
}

export interface Batch {
  job_id: string;
  created_at: string;
  status: Verdict;
  health_score: number;
  rows_received: number;
  drift_count: number;
  drift: DriftEvent[];
  null_rates: ByName<number>;
}

export interface BaselineEntry {
  source: string;
  batches: number;
  rows: number;
  last_seen: string | null;
}

export type Mode = 'contract' | 'adaptive';

/** What is set for a source; null: the server's default. */
export interface Settings {
  mode: Mode | null;
  thresholds: ByName<number> | null;
  false_alarm_rate: number | null;
}

export interface SourceSettings extends Settings {
  effective: { mode: Mode; thresholds: ByName<number>; false_alarm_rate: number };
}

export interface Advice {
  fields: string[];
  set: Partial<Settings>;
  detail: string;
}

/** Batches BLOCKed for the same field, from the job of this id on. */
export interface BlockedRun {
  job_id: string;
  timestamp: string;
  batches: number;
}

/** Of a baseline, how it stands. */
export interface Baseline {
  pinned: boolean;
  blocked_since?: BlockedRun & { last_job_id: string };
  advice?: Advice[];
}

export interface Version {
  version: number;
  made_at: string;
  reason: string;
  job_id?: string;
  batches: number;
  rows: number;
}

export interface Taught {
  changed: boolean;
  message: string;
  advice?: Advice[];
}

export interface ApiKey {
  id: string;
  name: string;
  key_prefix: string;
  created_at: string;
  last_used: string | null;
}

export interface NewKey {
  key: string;
  id: string;
  name: string;
}

export interface Billing {
  plan: Plan;
  rowsProcessed: number;
  requestCount: number;
  periodStart: string;
  periodEnd: string;
}

/** What an answer's map holds, in its order: own entries only, so that `__proto__` and `constructor` are names like any other. */
export const entriesOf = <Value>(map: ByName<Value> | undefined): [name: string, value: Value][] =>
  Object.entries(map ?? {});

/** A map whose keys are names from the payload, to look them up in. */
export const lookup = <Value>(map: ByName<Value> | undefined): ReadonlyMap<string, Value> =>
  new Map(entriesOf(map));
