/** outliers: numbers far from the bulk of their field. By themselves they never make a WARN: heavy tails are normal. */
import type { Fences } from '../baseline/fences.ts';
import { byName } from '../by-name.ts';
import type { OutlierSummary, RowSeverity, Severity } from '../contract/report.ts';
import { quoted } from '../errors.ts';
import { OUTLIER_CRITICAL, OUTLIER_PENALTY, OUTLIER_PENALTY_CAP, OUTLIER_WARNING } from '../policy.ts';
import { percent } from '../wording.ts';
import { type FindingOf, type Kind, rowsIn } from './finding.ts';
import { inIssues } from './severity.ts';

export interface OutliersEvidence {
  count: number;
  /** Of the field's finite numbers: 0..1, above 0. */
  share: number;
  /** The smallest and the largest outlier. Values of the payload. */
  range?: { min: number; max: number };
  /** Figures of values of the payload. */
  fences?: Fences;
}

export type Outliers = FindingOf<'outliers', OutliersEvidence>;

export const outliers: Kind<'outliers', OutliersEvidence> = {
  name: 'outliers',
  description: 'Numbers lie far from the bulk of the field',
  healthGroup: 'outliers',
  penalty: ({ evidence }) => Math.min(OUTLIER_PENALTY_CAP, OUTLIER_PENALTY * evidence.share),
  valuesIn: () => ['range', 'fences'],
  words: ({ field, evidence }) => `Outliers in ${quoted(field!)} (${percent(evidence.share)} of its numbers)`,
  rowCode: 'outlier',
  rows({ field, evidence: { fences } }, finder) {
    const profile = finder.field(field)!;
    return fences ? { find: finder.outside(profile, fences.low, fences.high) } : null;
  },
  batchCode: () => null,
  listsInfo: true,
  issue(finding, issues) {
    const { count, range, share } = finding.evidence;
    issues.outliers ??= byName([]);
    issues.outliers[finding.field!] = outlierSummary(count, range, inIssues(gradeOf(share)), finding);
  },
  rowSeverity: ({ evidence }) => gradeOf(evidence.share),
};

/** As `issues.outliers` has it. */
export const outlierSummary = (
  count: number,
  range: OutliersEvidence['range'],
  severity: RowSeverity,
  finding: Pick<FindingOf<string, unknown>, 'rows'>,
): OutlierSummary => ({ count, ...range, severity, ...rowsIn(finding) });

/** How grave the report calls a share of outliers; no verdict rests on it. */
function gradeOf(share: number): Severity {
  if (share >= OUTLIER_CRITICAL) return 'block';
  return share >= OUTLIER_WARNING ? 'warn' : 'info';
}
