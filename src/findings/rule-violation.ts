/** rule_violation: a rule that the owner of the source declared does not hold. */
import type { RowList } from '../engine/queries.ts';
import type { Severity } from '../report-schema/report.ts';
import { PENALTY } from '../terms/policy.ts';
import { escaped, figure, percent, plural, quoted, shortened } from '../terms/wording.ts';
import { fieldOf, type FindingOf, type Kind, rowsIn } from './finding.ts';

export interface RuleViolationEvidence {
  /** Its path in the document of rules. */
  rule: string;
  /** What it is about, such as `minimum`. */
  check: string;
  /** What is demanded, unless it may be values of the payload. */
  expected?: unknown;
  /** Rows that fail; 1 where the batch fails as a whole. */
  count: number;
  /** Share of the rows that it is about. */
  rate: number;
  /** The first rows that fail, or all of them; null where the batch fails as a whole. */
  failing: RowList | null;
  /** Fields of which several have a value together. */
  fields?: readonly string[];
  statistic?: string;
  description?: string;
  values?: {
    /** Of the first row that fails, or what was measured. */
    sample?: unknown;
    /** The values of an enumeration. */
    expected?: unknown;
  };
}

export type RuleViolation = FindingOf<'rule_violation', RuleViolationEvidence>;

/** Characters of a description in a reason, and of a bound in a sentence. */
const DESCRIPTION_SHOWN = 100;
const EXPECTED_SHOWN = 64;

const bound = (value: unknown): string =>
  typeof value === 'number' ? figure(value) : escaped(shortened(String(value), EXPECTED_SHOWN));

/** What is wrong with the values of a field, behind its name. */
const OF_VALUES: Readonly<Record<string, (expected: unknown) => string>> = {
  nullable: () => 'has no value',
  type: expected => `is not ${String(expected).replaceAll(',', ' or ')}`,
  minimum: expected => `is below ${bound(expected)}`,
  maximum: expected => `is above ${bound(expected)}`,
  exclusive_minimum: expected => `is not above ${bound(expected)}`,
  exclusive_maximum: expected => `is not below ${bound(expected)}`,
  multiple_of: expected => `is no multiple of ${bound(expected)}`,
  enum: () => 'is not among the allowed values',
  pattern: () => 'does not match its pattern',
  min_length: expected => `is shorter than ${plural(Number(expected), 'character')}`,
  max_length: expected => `is longer than ${plural(Number(expected), 'character')}`,
  format: expected => `is not of the format ${bound(expected)}`,
  monotonic: expected => `is not ${bound(expected)}`,
  unique: () => 'is repeated',
  compare: expected => `is not ${bound(expected)}`,
};

function words({ field, evidence }: RuleViolation): string {
  const { description } = evidence;
  const why = description === undefined ? '' : ` (${escaped(shortened(description, DESCRIPTION_SHOWN))})`;
  return `${whatIsWrong(field, evidence)}${why}`;
}

function whatIsWrong(field: string | null, evidence: RuleViolationEvidence): string {
  const { check, expected, count, rate, fields = [] } = evidence;
  const subject = field === null ? fields.slice(0, 4).map(quoted).join(' with ') : quoted(field);
  const ofValues = OF_VALUES[check];
  if (ofValues) return `${subject} ${ofValues(expected)} in ${plural(count, 'row')} (${percent(rate)})`;
  return ofBatch(subject, evidence);
}

function ofBatch(subject: string, evidence: RuleViolationEvidence): string {
  const { check, expected, rate, count, statistic, values } = evidence;
  const { sample } = values ?? {};
  switch (check) {
    case 'required':
      return `No row has ${subject}`;
    case 'max_null_rate':
      return `${subject} has no value in ${percent(rate)} of the rows, more than ${percent(Number(expected))}`;
    case 'max_age':
      return `The newest ${subject} is older than ${bound(expected)}${sample === undefined ? '' : `: ${bound(sample)}`}`;
    case 'min_rows':
      return `There are fewer than ${plural(Number(expected), 'row')}`;
    case 'max_rows':
      return `There are more than ${plural(Number(expected), 'row')}`;
    case 'closed':
      return `${plural(count, 'field')} that the rules do not name${sample === undefined ? '' : `, such as ${quoted(String(sample))}`}`;
    default:
      return `The ${statistic} of ${subject} is ${sample === undefined ? '' : `${bound(sample)}, `}not ${rangeWords(expected)}`;
  }
}

function rangeWords(expected: unknown): string {
  const { minimum, maximum } = expected as { minimum?: number; maximum?: number };
  if (maximum === undefined) return `at least ${figure(minimum!)}`;
  return minimum === undefined
    ? `at most ${figure(maximum)}`
    : `from ${figure(minimum)} to ${figure(maximum)}`;
}

/** A rule that no single row fails costs what its severity says; failing rows add their share. A warning alone is no BLOCK. */
function penalty({ severity, evidence: { failing, rate } }: RuleViolation): number {
  const most = severity === 'block' ? 1 : PENALTY.block;
  return Math.min(most, PENALTY[severity] + (failing === null ? 0 : rate));
}

export const ruleViolation: Kind<'rule_violation', RuleViolationEvidence> = {
  name: 'rule_violation',
  description: 'A declared rule does not hold',
  comparesWithBaseline: false,
  healthGroup: 'rules',
  penalty,
  words,
  rowCode: 'rule_violation',
  rows: ({ evidence: { failing, rule } }) => failing && { find: limit => failing.subarray(0, limit), rule },
  rule: ({ evidence }) => evidence.rule,
  batchCode: ({ kind }) => kind,
  listsInfo: false,
  issue(finding, issues) {
    const { severity, evidence } = finding;
    const { rule, check, expected, count, rate, description, values } = evidence;
    issues.rule_violations ??= [];
    issues.rule_violations.push({
      rule,
      field: fieldOf(finding),
      kind: check,
      ...(expected !== undefined && { expected }),
      ...(values?.expected !== undefined && { expected: values.expected }),
      count,
      rate,
      ...(values?.sample !== undefined && { sample_value: values.sample }),
      ...rowsIn(finding),
      severity: severity as Exclude<Severity, 'info'>,
      ...(description !== undefined && { description }),
    });
  },
};
