/** The answer's body. */
import type { Baseline } from '../baseline/baseline.ts';
import { untracked } from '../baseline/limits.ts';
import { timeOf } from '../intake/request-id.ts';
import type { Advice } from '../judge/advice.ts';
import type { Run } from '../judge/blocked-run.ts';
import type {
  Anomaly,
  DriftEvent,
  Gate,
  Issues,
  Judgement,
  Quarantine,
  RowNumbering,
  SchemaField,
  Verdict,
} from '../judge/report.ts';
import type { Profile } from '../profile/profile.ts';

const SAMPLE_VERSION = 'stratified-1';

/** Spelled as in the interface. */
export interface Report {
  request_id: string;
  status: Verdict;
  health_score: number;
  decision: { action: Verdict; reason: string };
  schema: Record<string, SchemaField>;
  schema_fingerprint: string;
  issues?: Issues;
  drift?: DriftEvent[];
  /** What is unusual, the most unusual first; in contract mode only that the batch repeats an earlier one. */
  anomalies?: Anomaly[];
  /** Adaptive mode only: what the verdict rests on. */
  gate?: Gate;
  /** With `options.row_verdicts`. */
  quarantine?: Quarantine;
  /** A field for which batches before this one were BLOCKed blocks it too; absent otherwise. */
  blocked_since?: BlockedSince;
  /** Contract mode: what to set where usual batches keep crossing a threshold; absent when there is nothing. */
  advice?: Advice[];
  stats: {
    rows_received: number;
    rows_sampled: number;
    sample_ratio: number;
    sample_version: string;
    source: string;
    /** Fields for which the source's baseline has no room; absent when there are none. */
    untracked_fields?: string[];
    /** What numbers of rows mean: indexes from 0, or lines of the body from 1 (CSV). Absent where no row is named. */
    row_numbers?: RowNumbering;
    /** Nothing was learnt, kept or counted; absent otherwise. */
    dry_run?: true;
    /** The source is pinned: its baseline learns nothing; absent otherwise. */
    pinned?: true;
  };
  latency_ms: number;
  timestamp: string;
}

/** Since when a source is BLOCKed. */
export interface BlockedSince {
  /** The first batch, and when it came. */
  job_id: string;
  timestamp: string;
  /** How many there are with this one. */
  batches: number;
  /** What to do if this is the new normal, for people. */
  accept: string;
}

/** How the batch stands beside those before it. */
export interface Standing {
  /** Null unless it is BLOCK. */
  run: Run | null;
  advice: Advice[];
  pinned: boolean;
}

/** What was screened, when (ms), how long it took (ms, whole), and whether that was all. */
export interface Screening {
  id: string;
  source: string;
  at: number;
  latencyMs: number;
  dryRun: boolean;
}

export function reportOf(
  screening: Screening,
  profile: Profile,
  baseline: Baseline | null,
  judgement: Judgement,
  { run, advice, pinned }: Standing,
): Report {
  const { id, at, latencyMs } = screening;
  const {
    status,
    health_score,
    reason,
    schema,
    schema_fingerprint,
    issues,
    drift,
    anomalies,
    gate,
    quarantine,
  } = judgement;
  return {
    request_id: id,
    status,
    health_score,
    decision: { action: status, reason },
    schema,
    schema_fingerprint,
    ...(issues && { issues }),
    ...(drift.length > 0 && { drift }),
    ...(anomalies && { anomalies }),
    ...(gate && { gate }),
    ...(quarantine && { quarantine }),
    ...(run && run.batches > 1 && { blocked_since: blockedSince(screening, run) }),
    ...(advice.length > 0 && { advice }),
    stats: statsOf(screening, profile, baseline, judgement, pinned),
    latency_ms: latencyMs,
    timestamp: new Date(at).toISOString(),
  };
}

function statsOf(
  { source, dryRun }: Screening,
  profile: Profile,
  baseline: Baseline | null,
  { rowNumbers }: Judgement,
  pinned: boolean,
): Report['stats'] {
  const names = untracked(
    baseline,
    profile.fields.map(field => field.name),
  );
  return {
    rows_received: profile.rows,
    rows_sampled: profile.analysedRows,
    sample_ratio: profile.analysedRows / profile.rows,
    sample_version: SAMPLE_VERSION,
    source,
    ...(names.length > 0 && { untracked_fields: names }),
    ...(rowNumbers && { row_numbers: rowNumbers }),
    ...(dryRun && { dry_run: true }),
    ...(pinned && { pinned: true }),
  };
}

/** A dry run has no job that could be accepted. */
function blockedSince({ id, source, dryRun }: Screening, { since, batches }: Run): BlockedSince {
  const body = JSON.stringify({ job_id: dryRun ? since : id });
  return {
    job_id: since,
    timestamp: new Date(timeOf(since)).toISOString(),
    batches,
    accept: `If this is how the source is from now on: POST /v1/schema/${encodeURIComponent(source)}/accept ${body}`,
  };
}
