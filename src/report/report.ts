/** The answer's body: projections of the findings, made last. */
import type { Baseline } from '../baseline/baseline.ts';
import { untracked } from '../baseline/limits.ts';
import type { Advice, BlockedSince, Gate, LeftOut, Report } from '../report-schema/report.ts';
import { isAnomaly, withoutValues } from '../findings/kinds.ts';
import type { Finding } from '../findings/kinds.ts';
import { timeOf } from '../names/request-id.ts';
import type { Assessment } from '../judge/assess.ts';
import type { BlockedRun } from '../judge/blocked-run.ts';
import { rounded } from '../judge/health.ts';
import { FREE_STRAYS, MIN_BATCHES } from '../terms/policy.ts';
import { plural } from '../terms/wording.ts';
import { explain } from '../judge/verdict.ts';
import type { Profile } from '../profile/profile.ts';
import { fingerprint, inferSchema } from '../profile/schema.ts';
import { boundedLists, type Lists } from './bounds.ts';
import { anomaliesIn, driftIn, issuesIn } from './lists.ts';

const SAMPLE_VERSION = 'stratified-1';

/** What was screened, when (ms), how long it took (ms, whole), and whether it was a dry run. */
export interface Screening {
  id: string;
  source: string;
  at: number;
  latencyMs: number;
  dryRun: boolean;
}

/** Everything that a report tells. */
export interface ReportInput {
  screening: Screening;
  profile: Profile;
  baseline: Baseline | null;
  assessment: Assessment;
  /** Null unless the verdict is BLOCK, or the batch proposes a new normal. */
  run: BlockedRun | null;
  advice: Advice[];
  pinned: boolean;
  /** The baseline had no room to learn the batch. */
  storageFull?: boolean;
}

export function reportOf(reported: ReportInput): Report {
  const { screening, assessment, run, advice } = reported;
  const { status, health, thresholds, findings, learned } = assessment;
  const whole = listsOf(reported);
  const reason = explain(status, findings, health, thresholds);
  const decision = {
    action: status,
    reason: reason + proposalWords(reported) + saidOf(whole.untracked),
  };
  const { lists, leftOut } = boundedLists(whole, findings, { screening, decision, advice });
  const unlisted = findings.filter(isAnomaly).length - lists.anomalies.length;
  const { schema, issues, drift, anomalies, quarantine } = lists;
  const schemaFingerprint = fingerprint(whole.schema);
  return {
    request_id: screening.id,
    batch_id: screening.id,
    status,
    health_score: health,
    decision,
    schema,
    schema_fingerprint: schemaFingerprint,
    ...(issues && { issues }),
    ...(drift.length > 0 && { drift }),
    ...(anomalies.length > 0 && { anomalies }),
    gate: gateOf(learned),
    ...(quarantine && { quarantine }),
    ...(run && run.batches > 1 && { blocked_since: blockedSince(reported, run) }),
    ...(advice.length > 0 && { advice }),
    stats: statsOf(reported, lists.untracked, unlisted > 0 ? { ...leftOut, anomalies: unlisted } : leftOut),
    latency_ms: screening.latencyMs,
    timestamp: new Date(screening.at).toISOString(),
  };
}

/** As long as they are. */
function listsOf({ profile, baseline, assessment: { findings, quarantine } }: ReportInput): Lists {
  const names = profile.fields.map(field => field.name);
  return {
    schema: inferSchema(profile),
    issues: issuesIn(findings),
    drift: driftIn(findings),
    anomalies: anomaliesIn(findings),
    quarantine,
    untracked: untracked(baseline, names),
  };
}

/**
 * The report without values of the payload and figures of such values: what is kept with `STORE_VALUES=false`. They are
 * dropped from the findings before any sentence is made.
 */
export function reportWithoutValues(reported: ReportInput): Report {
  const { assessment } = reported;
  const findings = assessment.findings.map(withoutValues);
  return reportOf({ ...reported, assessment: { ...assessment, findings } });
}

function gateOf({ mode, history, comparison, falseAlarmRate }: Assessment['learned']): Gate {
  return {
    mode,
    history,
    learning: history < MIN_BATCHES,
    false_alarm_rate: falseAlarmRate,
    ...(comparison && { expected_false_alarm_rate: rounded(comparison.expectedFalseAlarmRate) }),
  };
}

/** A verdict that does not watch all fields says so. */
const saidOf = ({ length }: readonly string[]): string =>
  length === 0 ? '' : `. ${plural(length, 'field')} not compared: the baseline has no room`;

function statsOf(
  { screening, profile, assessment, pinned, storageFull }: ReportInput,
  names: string[],
  leftOut: LeftOut | null,
): Report['stats'] {
  return {
    rows_received: profile.rows,
    rows_sampled: profile.analysedRows,
    sample_ratio: profile.analysedRows / profile.rows,
    sample_version: SAMPLE_VERSION,
    source: screening.source,
    ...(names.length > 0 && { untracked_fields: names }),
    ...(leftOut && { left_out: leftOut }),
    ...(assessment.rowNumbers && { row_numbers: assessment.rowNumbers }),
    ...(screening.dryRun && { dry_run: true }),
    ...(pinned && { pinned: true }),
    ...(storageFull && { storage_full: true }),
  };
}

function proposalWords(reported: ReportInput): string {
  const { newNormal } = reported.assessment;
  if (!newNormal) return '';
  const { since, batches } = newNormal;
  const after = settlesAfter(reported);
  const settles = after === null ? '' : `, or it becomes the baseline after ${after}`;
  return `. A new normal since ${new Date(timeOf(since)).toISOString()}, ${plural(batches, 'batch', 'batches')}: accept it${settles}`;
}

/**
 * Batches that a proposed new normal has when it becomes the baseline; null: it never does. Learned batches count, and FREE_STRAYS that were BLOCK: of
 * a source that was pinned there may be more.
 */
function settlesAfter({ baseline, assessment: { newNormal, settleAfter } }: ReportInput): number | null {
  if (!newNormal || !Number.isFinite(settleAfter)) return null;
  const { since, batches } = newNormal;
  const learned = baseline?.recent.filter(({ id, proposed }) => proposed && id >= since).length ?? 0;
  return batches + Math.max(0, settleAfter - FREE_STRAYS - learned - 1);
}

/** Accepting changes what was learned, never what the owner declared. */
function acceptWords(source: string, job: string, findings: readonly Finding[]): string {
  const path = `/v1/schema/${encodeURIComponent(source)}`;
  const grave = findings.filter(({ severity }) => severity === 'block');
  const declared = grave.filter(({ kind }) => kind === 'rule_violation').length;
  const change = `Declared rules block it, and accepting does not change them. If they are wrong: PUT ${path}/rules, or change options.rules`;
  const accept = `If this is how the source is from now on: POST ${path}/accept ${JSON.stringify({ job_id: job })}`;
  if (declared === 0) return accept;
  return declared === grave.length ? change : `${change}. ${accept}`;
}

/** A dry run has no job that could be accepted. */
function blockedSince(reported: ReportInput, { since, batches }: BlockedRun): BlockedSince {
  const { id, source, dryRun } = reported.screening;
  const after = settlesAfter(reported);
  return {
    job_id: since,
    timestamp: new Date(timeOf(since)).toISOString(),
    batches,
    ...(after !== null && { settles_after: after }),
    accept: acceptWords(source, dryRun ? since : id, reported.assessment.findings),
  };
}
