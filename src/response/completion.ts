/** What is kept of an answered request. */
import type { ProfileDescription } from '../profile/describe.ts';
import type { Completion } from '../stores/ports.ts';
import { redactProfile, redactReport } from './redact.ts';
import type { Report, Screening } from './report.ts';

/** `body` is the answer's, as it is sent. With `storeValues` off, values of the payload are left out of all that is kept. */
export function completionOf(
  account: string,
  periodStart: number,
  screening: Screening,
  report: Report,
  profile: ProfileDescription,
  body: string,
  storeValues: boolean,
): Completion {
  const { id, source, at, latencyMs } = screening;
  const nullRates = Object.entries(profile.fields).map(([name, field]) => [name, field.null_rate]);
  const shown = storeValues ? report : redactReport(report);
  // What a later look at the job shows, and what a repeat of the request gets.
  const kept = storeValues ? body : JSON.stringify(shown);
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
    document: { report: kept, profile: JSON.stringify(storeValues ? profile : redactProfile(profile)) },
    trend: {
      drift: JSON.stringify(shown.drift ?? []),
      nullRates: JSON.stringify(Object.fromEntries(nullRates)),
    },
    periodStart,
    answer: null,
  };
}
