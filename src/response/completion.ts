/** What is kept of an answered request. */
import { describe } from '../profile/describe.ts';
import type { Profile } from '../profile/profile.ts';
import type { Completion } from '../stores/ports.ts';
import type { Report, Screening } from './report.ts';

/** `body` is the answer's, as it is sent. */
export function completionOf(
  account: string,
  periodStart: number,
  screening: Screening,
  report: Report,
  profile: Profile,
  body: string,
): Completion {
  const { id, source, at, latencyMs } = screening;
  const nullRates = Object.fromEntries(profile.fields.map(field => [field.name, field.nulls / profile.rows]));
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
    document: { report: body, profile: JSON.stringify(describe(profile)) },
    trend: { drift: JSON.stringify(report.drift ?? []), nullRates: JSON.stringify(nullRates) },
    periodStart,
    answer: null,
  };
}
