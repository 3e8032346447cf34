/** What is kept of an answered request. */
import type { ProfileDescription } from '../profile/describe.ts';
import type { Completion } from '../stores/ports.ts';
import type { Report, Screening } from './report.ts';

/** `body` is the answer's, as it is sent. */
export function completionOf(
  account: string,
  periodStart: number,
  screening: Screening,
  report: Report,
  profile: ProfileDescription,
  body: string,
): Completion {
  const { id, source, at, latencyMs } = screening;
  const nullRates = Object.entries(profile.fields).map(([name, field]) => [name, field.null_rate]);
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
    document: { report: body, profile: JSON.stringify(profile) },
    trend: {
      drift: JSON.stringify(report.drift ?? []),
      nullRates: JSON.stringify(Object.fromEntries(nullRates)),
    },
    periodStart,
    answer: null,
  };
}
