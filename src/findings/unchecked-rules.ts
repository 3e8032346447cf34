/** unchecked_rules: declared rules check nothing, because no row has the field. */
import { PENALTY } from '../terms/policy.ts';
import { escaped, plural, quoted } from '../terms/wording.ts';
import { type FindingOf, type Kind, fieldOf } from './finding.ts';

export interface UncheckedRulesEvidence {
  /** Paths of the first ones. */
  rules: string[];
  /** How many there are. */
  count: number;
  /** A field with a similar name. */
  meant?: string;
}

export type UncheckedRules = FindingOf<'unchecked_rules', UncheckedRulesEvidence>;

function words({ field, evidence: { rules, count, meant } }: UncheckedRules): string {
  const what = count === 1 ? `${escaped(rules[0]!)} checks` : `${plural(count, 'rule')} check`;
  return `No row has ${quoted(field!)}, so ${what} nothing${meant === undefined ? '' : `; is it ${quoted(meant)}?`}`;
}

export const uncheckedRules: Kind<'unchecked_rules', UncheckedRulesEvidence> = {
  name: 'unchecked_rules',
  description: 'No row has a field that declared rules are about',
  comparesWithBaseline: false,
  healthGroup: 'rules',
  // Where a field is usually absent, nothing is wrong with the batch.
  penalty: ({ severity }) => (severity === 'info' ? 0 : PENALTY[severity]),
  words,
  rowCode: null,
  rows: () => null,
  batchCode: ({ kind, severity }) => (severity === 'info' ? null : kind),
  listsInfo: true,
  issue(finding, issues) {
    issues.unchecked_rules ??= [];
    issues.unchecked_rules.push({
      field: fieldOf(finding),
      ...finding.evidence,
      severity: finding.severity === 'info' ? 'info' : 'warn',
    });
  },
};
