/** The verdict on one batch, from what its columns look like and what the source looked like before. Pure. */
import type { Baseline } from '../baseline/baseline.ts';
import type { ColumnQueries } from '../engine/queries.ts';
import type { Profile } from '../profile/profile.ts';
import { findDrift } from './drift.ts';
import { collectSignals, healthScore } from './health.ts';
import { reportIssues } from './issues.ts';
import type { ScreenOptions } from './options.ts';
import { findOutliers } from './outliers.ts';
import { measureRates } from './rates.ts';
import type { Judgement } from './report.ts';
import { fingerprint, inferSchema } from './schema.ts';
import { decide, explain } from './verdict.ts';

/** `baseline` is null for a source never seen before: then nothing drifts. `look` answers while the engine holds the batch. */
export function judge(
  profile: Profile,
  look: ColumnQueries,
  baseline: Baseline | null,
  { thresholds, chunk }: ScreenOptions,
): Judgement {
  const schema = inferSchema(profile);
  const rates = measureRates(profile, baseline);
  const outliers = findOutliers(rates, look, baseline);
  const drift = findDrift(profile, look, baseline, chunk);
  const issues = reportIssues(profile, look, thresholds, rates, outliers, drift);
  const signals = collectSignals(profile, thresholds, rates, outliers, drift.events);
  const health_score = healthScore(signals);
  const status = decide(signals, health_score, thresholds);
  const reason = explain(status, signals, health_score, thresholds);
  const schema_fingerprint = fingerprint(schema);
  return { status, health_score, reason, schema, schema_fingerprint, issues, drift: drift.events };
}
