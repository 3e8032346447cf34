/** outliers: numbers far from the bulk of their field. By themselves they never make a WARN: heavy tails are normal. */
import type { Fences } from '../baseline/fences.ts';
import { byName } from '../names/by-name.ts';
import type { OutlierSummary, RowSeverity, Severity } from '../report-schema/report.ts';
import { quoted } from '../terms/errors.ts';
import { OUTLIER_CRITICAL, OUTLIER_PENALTY, OUTLIER_PENALTY_CAP, OUTLIER_WARNING } from '../terms/policy.ts';
import { percent } from '../terms/wording.ts';
import { type FindingOf, type Kind, rowsIn } from './finding.ts';
import { inIssues } from './severity.ts';

export interface OutliersEvidence {
  count: number;
  /** Of the field's finite numbers: 0..1, above 0. */
  share: number;
  values?: {
    /** The smallest and the largest outlier. */
    range: Range;
    fences: Fences;
  };
}

export interface Range {
  min: number;
  max: number;
}

export type Outliers = FindingOf<'outliers', OutliersEvidence>;

export const outliers: Kind<'outliers', OutliersEvidence> = {
  name: 'outliers',
  description: 'Numbers lie far from the bulk of the field',
  comparesWithBaseline: false,
  healthGroup: 'outliers',
  penalty: ({ evidence }) => Math.min(OUTLIER_PENALTY_CAP, OUTLIER_PENALTY * evidence.share),
  words: ({ field, evidence }) => `Outliers in ${quoted(field!)} (${percent(evidence.share)} of its numbers)`,
  rowCode: 'outlier',
  rows({ field, evidence: { values } }, finder) {
    const profile = finder.field(field)!;
    return values ? { find: finder.outside(profile, values.fences.low, values.fences.high) } : null;
  },
  batchCode: () => null,
  listsInfo: true,
  issue(finding, issues) {
    const { count, values, share } = finding.evidence;
    issues.outliers ??= byName([]);
    issues.outliers[finding.field!] = outlierSummary(count, values?.range, inIssues(gradeOf(share)), finding);
  },
  rowSeverity: ({ evidence }) => gradeOf(evidence.share),
};

/** As `issues.outliers` has it. */
export const outlierSummary = (
  count: number,
  range: Range | undefined,
  severity: RowSeverity,
  finding: Pick<FindingOf<string, object>, 'rows'>,
): OutlierSummary => ({ count, ...range, severity, ...rowsIn(finding) });

/** How grave the report calls a share of outliers; no verdict rests on it. */
function gradeOf(share: number): Severity {
  if (share >= OUTLIER_CRITICAL) return 'block';
  return share >= OUTLIER_WARNING ? 'warn' : 'info';
}
