/** What is kept of an answered request. */
import { answerOf, type Claim } from '../account/idempotency.ts';
import { describe } from '../profile/describe.ts';
import type { Profile } from '../profile/profile.ts';
import type { Completion } from '../stores/ports.ts';
import type { Report, Screening } from './report.ts';
import type { Response200 } from './response.ts';

/** `response` is as it is sent; `claim` is that of the request's Idempotency-Key. */
export function completionOf(
  account: string,
  periodStart: number,
  screening: Screening,
  report: Report,
  profile: Profile,
  response: Response200,
  claim: Claim | null,
): Completion {
  const { id, source, at, latencyMs } = screening;
  // What a later look at the job shows, and what a repeat of the request gets.
  const kept = response.body;
  return {
    account,
    job: {
      id,
      source,
      status: report.status,
      healthScore: report.health_score,
      rowsReceived: profile.rows,
      driftCount: report.drift?.length ?? 0,
      latencyMs,
      createdAt: at,
    },
    document: { report: kept, profile: JSON.stringify(describe(profile)) },
    nullRates: Object.fromEntries(profile.fields.map(field => [field.name, field.nulls / profile.rows])),
    periodStart,
    answer: claim && answerOf(claim, at, { headers: response.headers, body: kept }),
  };
}
