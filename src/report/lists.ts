/** Lists of the report, as projections of findings. */
import type { Anomaly, DriftEvent, Issues } from '../report-schema/report.ts';
import { type Finding, isAnomaly, kindOf } from '../findings/kinds.ts';
import { rankOf } from '../findings/severity.ts';
import { ANOMALIES_LISTED } from '../terms/policy.ts';

/** A key is there only when it has something to report; undefined when no key is. */
export function issuesIn(findings: readonly Finding[]): Issues | undefined {
  const issues: Issues = {};
  for (const finding of findings) kindOf(finding).issue?.(finding, issues);
  if (issues.outliers) issues.outlier_fields = Object.keys(issues.outliers);
  return Object.keys(issues).length > 0 ? issues : undefined;
}

/** One event of a kind a field, from the gravest finding that shows as it, of equal ones the first. */
export function driftIn(findings: readonly Finding[]): DriftEvent[] {
  const events = new Map<string, DriftEvent>();
  for (const finding of findings) {
    const event = kindOf(finding).drift?.(finding);
    // Kinds have no spaces, whatever a field is called.
    const key = event ? `${event.kind} ${event.field}` : '';
    const known = events.get(key);
    if (event && (!known || rankOf(event.severity) > rankOf(known.severity))) events.set(key, event);
  }
  return [...events.values()];
}

/** The most unusual first, as many as a report lists. */
export const anomaliesIn = (findings: readonly Finding[]): Anomaly[] =>
  Iterator.from(findings)
    .filter(isAnomaly)
    .take(ANOMALIES_LISTED)
    .map(finding => kindOf(finding).anomaly!(finding)!)
    .toArray();
