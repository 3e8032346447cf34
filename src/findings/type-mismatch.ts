/** type_mismatch: values of another type than the field's. */
import { byName } from '../names/by-name.ts';
import { quoted } from '../terms/errors.ts';
import type { ValueType } from '../profile/profile.ts';
import { percent } from '../terms/wording.ts';
import { type FindingOf, type Kind, rowsIn } from './finding.ts';
import { type Limits, ratePenalty } from './rates.ts';
import { inIssuesFromWarn } from './severity.ts';

/** What is known of values of other types, whichever rule asked. */
export interface OtherTypes {
  expected: ValueType;
  found: ValueType[];
  /** Share of the non-null values: 0..1. */
  rate: number;
}

export interface TypeMismatchEvidence extends OtherTypes {
  limits: Limits;
  /** One of them, where the finding is about the field. */
  values?: { example: unknown };
}

export const typeMismatch: Kind<'type_mismatch', TypeMismatchEvidence> = {
  name: 'type_mismatch',
  description: 'Values have another type than the field',
  comparesWithBaseline: false,
  healthGroup: 'type_mismatches',
  penalty: ({ scope, evidence }) => (scope === 'rows' ? 0 : ratePenalty(evidence.rate, evidence.limits)),
  words: ({ field, evidence: { rate, expected } }) =>
    `Type mismatch in ${quoted(field!)} (${percent(rate)} not ${expected})`,
  rowCode: 'type_mismatch',
  rows: ({ field, evidence }, finder) => ({
    find: finder.mistyped(finder.field(field)!, evidence.expected),
  }),
  thresholdRate: ({ evidence }) => ({ type_mismatch: evidence.rate }),
  // Its rows are always known.
  batchCode: () => null,
  listsInfo: true,
  issue(finding, issues) {
    const { field, severity, scope, evidence } = finding;
    if (scope === 'rows') return;
    if (severity === 'info') {
      issues.slight_type_mismatches ??= byName([]);
      issues.slight_type_mismatches[field!] = slightIssue(finding, evidence, evidence.values);
      return;
    }
    issues.type_mismatches ??= byName([]);
    issues.type_mismatches[finding.field!] = mismatchIssue(
      finding,
      finding.evidence,
      finding.evidence.values,
    );
  },
};

type Located = Pick<FindingOf<string, object>, 'severity' | 'rows'>;
type Example = { example?: unknown } | undefined;

/** As `issues.slight_type_mismatches` has it. */
const slightIssue = (finding: Located, types: OtherTypes, values: Example) => ({
  ...mismatch(types, values),
  ...rowsIn(finding),
});

/** As `issues.type_mismatches` has it. */
export const mismatchIssue = (finding: Located, types: OtherTypes, values: Example) => ({
  ...mismatch(types, values),
  severity: inIssuesFromWarn(finding.severity),
  ...rowsIn(finding),
});

const mismatch = ({ expected, found, rate }: OtherTypes, values: Example) => ({
  expected,
  found,
  ...(values?.example !== undefined && { sample_value: values.example }),
  rate,
});
