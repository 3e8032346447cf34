/** What is kept of an answered request. */
import { byName } from '../names/by-name.ts';
import { answerOf, type Claim } from '../account/idempotency.ts';
import type { Quarantine, Report, WindowSoFar } from '../report-schema/report.ts';
import type { FieldDescription, ProfileDescription } from '../profile/describe.ts';
import type { Completion, Job, JobTrend } from '../stores/ports.ts';
import { boundedEvents, boundedMembers, gravestFirst, MAX_JOB_BYTES, MAX_TREND_BYTES } from './bounds.ts';
import { type RedactedField, redactProfile } from './redact-profile.ts';
import { type ReportInput, reportWithoutValues } from './report.ts';
import type { Response200 } from './response.ts';
import { firstCharacters } from '../terms/wording.ts';

/** A batch that was judged, with its report as it is answered. */
export interface Reported {
  reported: ReportInput;
  report: Report;
  /** The report as JSON. */
  body: string;
  description: ProfileDescription;
}

/** What a job keeps of its batch; the latency is not known yet. */
export type KeptOfBatch = Pick<Completion, 'document' | 'trend' | 'reason'> & { job: Job };

/**
 * With `storeValues` off, report, profile and stored answer hold no value of the payload and no figure of values. The state of a BLOCKed
 * batch is what its baseline would keep, quantiles included: without it nobody could accept the batch.
 */
export function keptOf({ reported, report, body, description }: Reported, storeValues: boolean): KeptOfBatch {
  const { id, source, at } = reported.screening;
  const shown = storeValues ? report : reportWithoutValues(reported);
  // What a later look at the job shows, and what a repeat of the request gets.
  const kept = storeValues ? body : JSON.stringify(shown);
  const whole = storeValues ? description : redactProfile(description);
  const profile = boundedProfile(whole, MAX_JOB_BYTES - Buffer.byteLength(kept), reported);
  return {
    job: {
      id,
      source,
      status: report.status,
      healthScore: report.health_score,
      rowsReceived: report.stats.rows_received,
      driftCount: (report.drift?.length ?? 0) + (report.stats.left_out?.drift ?? 0),
      latencyMs: 0,
      createdAt: at,
    },
    document: { report: kept, profile },
    trend: trendOf(shown, description),
    reason: report.status === 'PASS' ? null : firstCharacters(shown.decision.reason, MAX_REASON_CHARACTERS),
  };
}

/** A request that is about to be answered. */
export interface Answered {
  account: string;
  /** Start of the billing period that its rows count in, in ms. */
  periodStart: number;
  kept: KeptOfBatch;
  /** In ms, whole. */
  latencyMs: number;
  /** As it is sent. */
  response: Response200;
  /** That of the request's Idempotency-Key. */
  claim: Claim | null;
  /** To be kept with the job; null: nothing. */
  state: Uint8Array | null;
  /** Bytes that the account's jobs may take. */
  mostBytes: number;
  /** Sent by a person who is signed in. */
  isPerson: boolean;
  /** Its rows are in the ledger already. */
  isCounted: boolean;
}

export function completionOf({ kept, latencyMs, response, claim, ...answered }: Answered): Completion {
  const { job, document, trend, reason = null } = kept;
  return {
    ...answered,
    job: { ...job, latencyMs },
    document: { ...document, report: withLatency(document.report, latencyMs) },
    trend,
    reason,
    answer: claim && answerOf(claim, job.createdAt, response.headers),
  };
}

/** A report as JSON, with its latency, which is known last. Behind it a report has only its timestamp, so no text of a client is taken for it. */
export function withLatency(report: string, latencyMs: number): string {
  const at = report.lastIndexOf(NO_LATENCY);
  return report.slice(0, at) + LATENCY + latencyMs + report.slice(at + NO_LATENCY.length);
}

/** A report as JSON, whose latency is not known yet, with the rows to hold back. */
export function withQuarantine(report: string, quarantine: Quarantine): string {
  const at = report.lastIndexOf(NO_LATENCY);
  return `${report.slice(0, at)}"quarantine":${JSON.stringify(quarantine)},${report.slice(at)}`;
}

/** A report as JSON, whose latency is not known yet, with the window that its rows belong to. */
export function withWindow(report: string, window: WindowSoFar): string {
  const at = report.lastIndexOf(NO_LATENCY);
  return `${report.slice(0, at)}"window":${JSON.stringify(window)},${report.slice(at)}`;
}

const LATENCY = '"latency_ms":';
const NO_LATENCY = `${LATENCY}0`;

/** As JSON. A field with findings stays before one without. */
function boundedProfile(
  { fields }: { fields: Record<string, FieldDescription | RedactedField> },
  room: number,
  { assessment: { findings } }: ReportInput,
) {
  const gravest = findings.toSorted(gravestFirst).flatMap(({ field }) => field ?? []);
  const { json, leftOut } = boundedMembers(fields, room - PROFILE_BYTES, gravest);
  return `{"fields":${json}${leftOut > 0 ? `,"left_out":${leftOut}` : ''}}`;
}

/** Of an alert. */
const MAX_REASON_CHARACTERS = 1000;

/** `{"fields":{},"left_out":2000}` and what the list entry of a job adds. */
const PROFILE_BYTES = 2048;

function trendOf({ drift = [] }: Report, { fields }: ProfileDescription): JobTrend {
  const rates = byName(Object.entries(fields).map(([name, { null_rate }]) => [name, null_rate] as const));
  const { json, leftOut } = boundedMembers(rates, MAX_TREND_BYTES);
  return {
    drift: JSON.stringify(boundedEvents(drift, MAX_TREND_BYTES)),
    nullRates: json,
    ...(leftOut > 0 && { nullRatesLeftOut: leftOut }),
  };
}
