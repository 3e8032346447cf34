/**
 * Checks a batch by declared rules, over all rows. The engine finds the rows that fail; this says what it is asked. Rules about the same rows are
 * checked side by side, some at a time.
 */
import { MAX_CHECKS } from '../../../assembly/abi.ts';
import type { RowCheck, RuleChecks } from '../../engine/row-check.ts';
import type { Condition, Constraint, DeclaredRules } from '../declared/constraint.ts';
import { conditionFieldOf, fieldsOf, type MissingField, missingFields } from '../declared/missing-fields.ts';
import { type CheckedBatch, Columns } from './checked-batch.ts';
import { batchTally, violationOfBatch } from './of-batch.ts';
import { isProven } from './proven.ts';
import { rowCheckOf } from './row-checks.ts';
import { holding, type Tally } from './tally.ts';
import type { Violation } from './violation.ts';

/** What the rules say of a batch. */
export interface CheckedRules {
  violations: Violation[];
  /** Fields that no row has. */
  missing: MissingField[];
}

export const checkRules = (batch: CheckedBatch, rules: DeclaredRules): CheckedRules =>
  decided(talliesOf(batch, rules), batch, rules);

/** What these rows, which were counted, say of the rules. `batch`: the whole. */
export function decided(
  tallies: ReadonlyMap<Constraint, Tally>,
  batch: Pick<CheckedBatch, 'profile' | 'now'>,
  rules: DeclaredRules,
): CheckedRules {
  const violations = violationsOf(tallies, batch);
  const idle = [...tallies].filter(([{ condition }, { chosen }]) => condition !== null && chosen === 0);
  const conditions = new Set(idle.map(([{ condition }]) => condition!));
  return { violations, missing: missingIn(batch.profile, rules, violations, conditions) };
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

/** The rules that these rows violate. */
function violationsOf(
  tallies: ReadonlyMap<Constraint, Tally>,
  batch: Pick<CheckedBatch, 'profile' | 'now'>,
): Violation[] {
  const columns = new Columns(batch.profile);
  return [...tallies].flatMap(([constraint, tally]) => {
    if (tally.chosen === 0) return [];
    const found =
      tally.rows === null
        ? violationOfBatch(batch, columns, constraint, tally)
        : violationOfRows(constraint, tally, tally.rows);
    return found ?? [];
  });
}

function violationOfRows(
  constraint: Constraint,
  { chosen, count, sample }: Tally,
  rows: NonNullable<Tally['rows']>,
): Violation | null {
  const rate = count / chosen;
  const { tolerance } = constraint;
  if (count === 0 || (tolerance < 1 ? rate : count) <= tolerance) return null;
  return { constraint, count, rate, rows, ...(sample !== undefined && { sample }) };
}

/** Of each rule, by condition. */
export function talliesOf(batch: CheckedBatch, rules: DeclaredRules): Map<Constraint, Tally> {
  const columns = new Columns(batch.profile);
  const tallies = new Map<Constraint, Tally>();
  for (const condition of [null, ...rules.conditions.keys()]) {
    const constraints = rules.constraints.filter(each => each.condition === condition);
    const columnOf = (name: string) => columns.column(name);
    const chosen = chooseRows(
      batch.checks,
      columnOf,
      condition === null ? null : rules.conditions[condition]!,
    );
    for (const constraint of constraints) tallies.set(constraint, holding(chosen));
    if (chosen === 0) continue;
    for (let from = 0; from < constraints.length; from += MAX_CHECKS)
      count(batch, columns, constraints.slice(from, from + MAX_CHECKS), tallies);
  }
  return tallies;
}

/** Makes rules about the rows of the condition, of all rows without one, and says how many these are. */
export function chooseRows(
  checks: RuleChecks,
  columnOf: (field: string) => number | null,
  condition: Condition | null,
): number {
  const all = checks.chooseAll();
  if (condition === null) return all;
  const column = columnOf(condition.field);
  if ('null' in condition) return checks.choose(checks.nulls(column), condition.null);
  if (column === null) return 0;
  return checks.choose(checks.listed(column, condition.values, true), true);
}

/** Completes the tallies of rules about the same rows. */
function count(
  batch: CheckedBatch,
  columns: Columns,
  constraints: readonly Constraint[],
  tallies: Map<Constraint, Tally>,
): void {
  const { checks, profile } = batch;
  const asked: { constraint: Constraint; check: RowCheck }[] = [];
  for (const constraint of constraints) {
    if (isProven(profile, columns, constraint)) continue;
    const check = rowCheckOf(batch, columns, constraint);
    if (check) asked.push({ constraint, check });
    else tallies.set(constraint, batchTally(batch, columns, constraint, tallies.get(constraint)!.chosen));
  }
  while (asked.length > 0) {
    const ran = checks.run(asked.map(({ check }) => check));
    for (const [i, { constraint }] of asked.splice(0, ran).entries())
      tallies.set(constraint, rowTally(batch, columns, constraint, tallies.get(constraint)!.chosen, i));
  }
}

/** `i`: of the check that ran. */
function rowTally(
  { checks, rowsListed }: CheckedBatch,
  columns: Columns,
  constraint: Constraint,
  chosen: number,
  i: number,
): Tally {
  const { count, rows } = checks.failing(i, rowsListed);
  const sample = count === 0 ? undefined : sampleOf(checks, columns, constraint, rows[0]!);
  return { chosen, count, rows, newest: null, ...(sample !== undefined && { sample }) };
}

/** The value of the row that fails; of several fields by their names. */
function sampleOf(checks: RuleChecks, columns: Columns, constraint: Constraint, row: number): unknown {
  if (constraint.kind === 'nullable') return undefined;
  const names = fieldsOf(constraint);
  const sample = (name: string) => checks.value(columns.column(name)!, row);
  return names.length === 1 ? sample(names[0]!) : Object.fromEntries(names.map(name => [name, sample(name)]));
}
