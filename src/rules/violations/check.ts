/**
 * Checks a batch by declared rules, over all rows. The engine finds the rows that fail; this says what it is asked. Rules about the same rows are
 * checked side by side, some at a time.
 */
import { MAX_CHECKS } from '../../../assembly/abi.ts';
import type { RowCheck, RuleChecks } from '../../engine/row-check.ts';
import type { Condition, Constraint, DeclaredRules } from '../declared/constraint.ts';
import { conditionFieldOf, fieldsOf, type MissingField, missingFields } from '../declared/missing-fields.ts';
import { type CheckedBatch, Columns } from './checked-batch.ts';
import { batchViolation } from './of-batch.ts';
import { isProven } from './proven.ts';
import { rowCheckOf } from './row-checks.ts';
import type { Violation } from './violation.ts';

/** What the rules say of a batch. */
export interface CheckedRules {
  violations: Violation[];
  /** Fields that no row has. */
  missing: MissingField[];
}

export function checkRules(batch: CheckedBatch, rules: DeclaredRules): CheckedRules {
  const columns = new Columns(batch.profile);
  const violations: Violation[] = [];
  /** Conditions that no row meets. */
  const idle = new Set<number>();
  for (const condition of [null, ...rules.conditions.keys()]) {
    const constraints = rules.constraints.filter(each => each.condition === condition);
    const chosen =
      condition === null
        ? batch.checks.chooseAll()
        : choose(batch.checks, columns, rules.conditions[condition]!);
    if (chosen === 0 && condition !== null) idle.add(condition);
    if (chosen === 0) continue;
    for (let from = 0; from < constraints.length; from += MAX_CHECKS)
      violations.push(...violationsOf(batch, columns, constraints.slice(from, from + MAX_CHECKS), chosen));
  }
  return { violations, missing: missingIn(batch.profile, rules, violations, idle) };
}

/**
 * Fields that no row has, of rules that hold for want of it. What is violated has been said, and so has a missing field that is required. Rules
 * of a condition that no row meets are about nothing.
 */
function missingIn(
  { fields }: CheckedBatch['profile'],
  rules: DeclaredRules,
  violations: readonly Violation[],
  idle: ReadonlySet<number>,
): MissingField[] {
  const names = new Set(fields.filter(({ present }) => present > 0).map(({ name }) => name));
  const said = new Set(violations.map(({ constraint }) => constraint));
  for (const { kind, field } of said) if (kind === 'required') names.add(field!);
  return missingFields(rules, names, constraint => {
    if (said.has(constraint)) return [];
    const condition = conditionFieldOf(constraint, rules);
    return idle.has(constraint.condition!) ? condition : [...condition, ...fieldsOf(constraint)];
  });
}

/** Makes rules about the rows of the condition, and says how many these are. */
function choose(checks: RuleChecks, columns: Columns, condition: Condition): number {
  checks.chooseAll();
  const column = columns.column(condition.field);
  if ('null' in condition) return checks.choose(checks.nulls(column), condition.null);
  if (column === null) return 0;
  return checks.choose(checks.listed(column, condition.values, true), true);
}

function violationsOf(
  batch: CheckedBatch,
  columns: Columns,
  constraints: readonly Constraint[],
  chosen: number,
): Violation[] {
  const { checks, profile } = batch;
  const found = new Map<Constraint, Violation | null>();
  const asked: { constraint: Constraint; check: RowCheck }[] = [];
  for (const constraint of constraints) {
    if (isProven(profile, columns, constraint)) continue;
    const check = rowCheckOf(batch, columns, constraint);
    if (check) asked.push({ constraint, check });
    found.set(constraint, check ? null : batchViolation(batch, columns, constraint, chosen));
  }
  while (asked.length > 0) {
    const ran = checks.run(asked.map(({ check }) => check));
    for (const [i, { constraint }] of asked.splice(0, ran).entries())
      found.set(constraint, rowViolation(batch, columns, constraint, chosen, i));
  }
  return constraints.flatMap(constraint => found.get(constraint) ?? []);
}

/** `i`: of the check that ran. */
function rowViolation(
  { checks, rowsListed }: CheckedBatch,
  columns: Columns,
  constraint: Constraint,
  chosen: number,
  i: number,
): Violation | null {
  const { count, rows } = checks.failing(i, rowsListed);
  const rate = count / chosen;
  const { tolerance } = constraint;
  if (count === 0 || (tolerance < 1 ? rate : count) <= tolerance) return null;
  const sample = sampleOf(checks, columns, constraint, rows[0]!);
  return { constraint, count, rate, rows, ...(sample !== undefined && { sample }) };
}

/** The value of the row that fails; of several fields by their names. */
function sampleOf(checks: RuleChecks, columns: Columns, constraint: Constraint, row: number): unknown {
  if (constraint.kind === 'nullable') return undefined;
  const names = fieldsOf(constraint);
  const sample = (name: string) => checks.value(columns.column(name)!, row);
  return names.length === 1 ? sample(names[0]!) : Object.fromEntries(names.map(name => [name, sample(name)]));
}
