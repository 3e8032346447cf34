/** An assessment as the report shows it. */
import type { Baseline } from '../../src/baseline/baseline.ts';
import type { DriftEvent, Report } from '../../src/report-schema/report.ts';
import type { Assessment } from '../../src/judge/assess.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { reportOf } from '../../src/report/report.ts';

export type Judgement = Pick<
  Report,
  'status' | 'health_score' | 'schema' | 'schema_fingerprint' | 'issues' | 'anomalies' | 'gate' | 'quarantine'
> & { reason: string; drift: DriftEvent[] };

const SCREENING = { id: `req_${'0'.repeat(26)}`, source: 's', at: 0, latencyMs: 0, dryRun: false };

export const judgementOf = (assessment: Assessment, profile: Profile, baseline: Baseline | null): Judgement =>
  judgementIn(
    reportOf({
      screening: SCREENING,
      profile,
      baseline,
      assessment,
      run: null,
      advice: [],
      pinned: false,
    }),
  );

/** What a report says of its batch. */
export function judgementIn(report: Report): Judgement {
  const { status, health_score, schema, schema_fingerprint, issues, drift = [] } = report;
  const { anomalies, gate, quarantine, decision } = report;
  return {
    status,
    health_score,
    reason: decision.reason,
    schema,
    schema_fingerprint,
    ...(issues && { issues }),
    drift,
    ...(anomalies && { anomalies }),
    ...(gate && { gate }),
    ...(quarantine && { quarantine }),
  };
}
