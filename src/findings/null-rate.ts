/** null_rate: rows of a field without a value, against the contract's thresholds. */
import { byName } from '../names/by-name.ts';
import { quoted } from '../terms/errors.ts';
import { percent } from '../terms/wording.ts';
import { type Kind, rowsIn } from './finding.ts';
import { crossedLimit, type Limits, ratePenalty } from './rates.ts';
import { inIssuesFromWarn } from './severity.ts';

export interface NullRateEvidence {
  /** Share of the rows that are null or lack the field: 0..1. */
  rate: number;
  limits: Limits;
  /** The field never had a null in many rows, so each one is news. */
  wasNeverNull: boolean;
}

export const nullRate: Kind<'null_rate', NullRateEvidence> = {
  name: 'null_rate',
  description: 'Too many rows have no value in the field',
  comparesWithBaseline: false,
  healthGroup: 'null_rates',
  penalty: ({ scope, evidence }) => (scope === 'rows' ? 0 : ratePenalty(evidence.rate, evidence.limits)),
  words: ({ field, severity, evidence }) =>
    `${severity === 'info' ? 'Null rate' : 'High null rate'} in ${quoted(field!)} (${percent(evidence.rate)})`,
  rowCode: 'null',
  rows({ field, severity, evidence }, finder) {
    const find = finder.unusualNulls(finder.field(field)!);
    return find && (severity !== 'info' || evidence.wasNeverNull) ? { find } : null;
  },
  thresholdRate: ({ evidence }) => ({ null_rate: evidence.rate }),
  batchCode: ({ severity }) => (severity === 'info' ? null : 'null_rates'),
  listsInfo: false,
  issue(finding, issues) {
    const { field, severity, evidence } = finding;
    if (severity === 'info') return;
    issues.null_rates ??= byName([]);
    issues.null_rates[field!] = {
      actual: evidence.rate,
      threshold: crossedLimit(severity, evidence.limits),
      severity: inIssuesFromWarn(severity),
      ...rowsIn(finding),
    };
  },
};
