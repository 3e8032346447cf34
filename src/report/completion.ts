/** What is kept of an answered request. */
import { answerOf, type Claim } from '../account/idempotency.ts';
import type { Report } from '../contract/report.ts';
import type { ProfileDescription } from '../profile/describe.ts';
import type { Completion } from '../stores/ports.ts';
import { redactProfile } from './redact-profile.ts';
import { type ReportInput, reportWithoutValues } from './report.ts';
import type { Response200 } from './response.ts';

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
}

/**
 * With `storeValues` off, report, profile and stored answer hold no value of the payload and no figure of values. The state of a BLOCKed
 * batch is what its baseline would keep, quantiles included: without it nobody could accept the batch.
 */
export function completionOf(answered: Answered, storeValues: boolean): Completion {
  const { account, periodStart, reported, report, description, response, claim } = answered;
  const { id, source, at, latencyMs } = reported.screening;
  const nullRates = Object.entries(description.fields).map(([name, field]) => [name, field.null_rate]);
  const shown = storeValues ? report : reportWithoutValues(reported);
  // What a later look at the job shows, and what a repeat of the request gets.
  const kept = storeValues ? response.body : JSON.stringify(shown);
  return {
    account,
    job: {
      id,
      source,
      status: report.status,
      healthScore: report.health_score,
      rowsReceived: report.stats.rows_received,
      driftCount: report.drift?.length ?? 0,
      latencyMs,
      createdAt: at,
    },
    document: {
      report: kept,
      profile: JSON.stringify(storeValues ? description : redactProfile(description)),
    },
    trend: {
      drift: JSON.stringify(shown.drift ?? []),
      nullRates: JSON.stringify(Object.fromEntries(nullRates)),
    },
    periodStart,
    state: answered.state,
    answer: claim && answerOf(claim, at, { headers: response.headers, body: kept }),
  };
}
