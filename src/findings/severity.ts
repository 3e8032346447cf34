/** The one scale of severities, and how `issues` and `quarantine` spell it. */
import type { IssueSeverity, RowSeverity } from '../report-schema/report.ts';
import { SEVERITIES, type Severity } from '../terms/verdict.ts';

/** 0 for the mildest. */
export const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** The gravest of them; `info` of none. */
export const gravest = (severities: Iterable<Severity>): Severity => {
  let worst: Severity = 'info';
  for (const severity of severities) if (rankOf(severity) > rankOf(worst)) worst = severity;
  return worst;
};

const IN_ISSUES = { info: 'info', warn: 'warning', block: 'critical' } as const satisfies Record<
  Severity,
  RowSeverity
>;

export const inIssues = (severity: Severity): RowSeverity => IN_ISSUES[severity];

/** Of a finding that is listed only from `warn` on. */
export const inIssuesFromWarn = (severity: Severity): IssueSeverity =>
  severity === 'block' ? 'critical' : 'warning';
