/** Violations of declared rules as findings, the gravest first. */
import { shortened } from '../../terms/wording.ts';
import type { BatchRule, UnlistedFinding } from '../rule.ts';
import type { Violation } from './violation.ts';

/** Values of an enumeration that a report shows, and characters of each. */
const VALUES_SHOWN = 20;
const CHARACTERS_SHOWN = 64;

export const ruleViolationsRule: BatchRule = ({ violations = [] }) =>
  violations.toSorted(gravestFirst).map(findingOf);

const gravestFirst = (a: Violation, b: Violation): number =>
  Number(b.constraint.severity === 'block') - Number(a.constraint.severity === 'block') || b.rate - a.rate;

function findingOf({ constraint, count, rate, rows, sample }: Violation): UnlistedFinding {
  const { kind, rule, field, severity, description, expected } = constraint;
  const isEnum = kind === 'enum';
  const values = {
    ...(sample !== undefined && { sample }),
    ...(isEnum && { expected: shownValues(constraint.expected) }),
  };
  return {
    kind: 'rule_violation',
    field,
    severity,
    scope: field === null ? 'batch' : 'field',
    evidence: {
      rule,
      check: kind,
      ...(!isEnum && { expected: kind === 'type' && expected.length === 1 ? expected[0] : expected }),
      count,
      rate,
      failing: rows,
      ...(kind === 'unique' && field === null && { fields: constraint.fields }),
      ...(kind === 'statistic' && { statistic: constraint.statistic }),
      ...(description !== undefined && { description }),
      ...(Object.keys(values).length > 0 && { values }),
    },
  };
}

const shownValues = (values: readonly unknown[]): unknown[] =>
  values
    .slice(0, VALUES_SHOWN)
    .map(value => (typeof value === 'string' ? shortened(value, CHARACTERS_SHOWN) : value));
