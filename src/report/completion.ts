/** What is kept of an answered request. */
import { byName } from '../by-name.ts';
import { answerOf, type Claim } from '../account/idempotency.ts';
import type { Report } from '../contract/report.ts';
import { type Pieces, sorting } from '../cooperative-yield.ts';
import type { FieldDescription, ProfileDescription } from '../profile/describe.ts';
import type { Completion, JobTrend } from '../stores/ports.ts';
import { boundedEvents, boundedMembers, gravestFirst, MAX_JOB_BYTES, MAX_TREND_BYTES } from './bounds.ts';
import { type RedactedField, redactProfile } from './redact-profile.ts';
import { type ReportInput, reportWithoutValues } from './report.ts';
import type { Response200 } from './response.ts';
import { firstCharacters } from '../wording.ts';

/** A request that is about to be answered. */
export interface Answered {
  account: string;
  /** Start of the billing period that its rows count in, in ms. */
  periodStart: number;
  reported: ReportInput;
  /** As it is answered. */
  report: Report;
  description: ProfileDescription;
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
}

/**
 * With `storeValues` off, report, profile and stored answer hold no value of the payload and no figure of values. The state of a BLOCKed
 * batch is what its baseline would keep, quantiles included: without it nobody could accept the batch.
 */
export function* completing(answered: Answered, storeValues: boolean): Pieces<Completion> {
  const { account, periodStart, reported, report, description, response, claim } = answered;
  const { id, source, at, latencyMs } = reported.screening;
  const shown = storeValues ? report : yield* reportWithoutValues(reported);
  // What a later look at the job shows, and what a repeat of the request gets.
  const kept = storeValues ? response.body : JSON.stringify(shown);
  const room = MAX_JOB_BYTES - Buffer.byteLength(kept);
  yield;
  const whole = storeValues ? description : redactProfile(description);
  const profile = yield* boundedProfile(whole, room, reported);
  yield;
  const document = { report: kept, profile };
  const trend = yield* trendOf(shown, description);
  return {
    account,
    job: {
      id,
      source,
      status: report.status,
      healthScore: report.health_score,
      rowsReceived: report.stats.rows_received,
      driftCount: (report.drift?.length ?? 0) + (report.stats.left_out?.drift ?? 0),
      latencyMs,
      createdAt: at,
    },
    document,
    trend,
    periodStart,
    state: answered.state,
    mostBytes: answered.mostBytes,
    isPerson: answered.isPerson,
    reason: report.status === 'PASS' ? null : firstCharacters(shown.decision.reason, MAX_REASON_CHARACTERS),
    answer: claim && answerOf(claim, at, response.headers),
  };
}

/** As JSON. A field with findings stays before one without. */
function* boundedProfile(
  { fields }: { fields: Record<string, FieldDescription | RedactedField> },
  room: number,
  { assessment: { findings } }: ReportInput,
) {
  const gravest = (yield* sorting(findings, gravestFirst)).flatMap(({ field }) => field ?? []);
  const { json, leftOut } = yield* boundedMembers(fields, room - PROFILE_BYTES, gravest);
  return `{"fields":${json}${leftOut > 0 ? `,"left_out":${leftOut}` : ''}}`;
}

/** Of an alert. */
const MAX_REASON_CHARACTERS = 1000;

/** `{"fields":{},"left_out":2000}` and what the list entry of a job adds. */
const PROFILE_BYTES = 2048;

function* trendOf({ drift = [] }: Report, { fields }: ProfileDescription): Pieces<JobTrend> {
  const rates = byName(Object.entries(fields).map(([name, { null_rate }]) => [name, null_rate] as const));
  const { json, leftOut } = yield* boundedMembers(rates, MAX_TREND_BYTES);
  return {
    drift: JSON.stringify(yield* boundedEvents(drift, MAX_TREND_BYTES)),
    nullRates: json,
    ...(leftOut > 0 && { nullRatesLeftOut: leftOut }),
  };
}
