/** One scale of severities for what issues, drift events and anomalies say. */
import type { DriftSeverity, RowSeverity } from '../report.ts';

/** The gravest is 0. */
export const RANK: Record<RowSeverity, number> = { critical: 0, warning: 1, info: 2 };

export const severityOf = (severity: RowSeverity | DriftSeverity): RowSeverity =>
  severity === 'warn' ? 'warning' : severity === 'block' ? 'critical' : severity;

/** Of what is there of these; `info` of nothing. */
export function gravest(...found: ({ severity: RowSeverity | DriftSeverity } | undefined)[]): RowSeverity {
  let worst: RowSeverity = 'info';
  for (const each of found) {
    const severity = each ? severityOf(each.severity) : 'info';
    if (RANK[severity] < RANK[worst]) worst = severity;
  }
  return worst;
}
