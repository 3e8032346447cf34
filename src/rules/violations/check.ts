/**
 * Checks a batch by declared rules, over all rows. The engine finds the rows that fail; this says what it is asked. One rule after another, so that
 * other requests have their turn between them.
 */
import type { Pieces } from '../../cooperative-yield.ts';
import type { RuleChecks } from '../../engine/queries.ts';
import type { Condition, Constraint, DeclaredRules } from '../declared/constraint.ts';
import { MAX_MATCH_STEPS } from '../declared/limits.ts';
import { askEngine } from './ask-engine.ts';
import { type BudgetedBatch, type CheckedBatch, Columns } from './checked-batch.ts';
import { batchViolation } from './of-batch.ts';
import { isProven } from './proven.ts';
import type { Violation } from './violation.ts';

export function* violationsIn(checked: CheckedBatch, rules: DeclaredRules): Pieces<Violation[]> {
  const batch = { ...checked, steps: { left: MAX_MATCH_STEPS } };
  const columns = new Columns(batch.profile);
  const violations: Violation[] = [];
  let chosen = batch.checks.begin();
  let condition: number | null = null;
  for (const constraint of rules.constraints) {
    if (constraint.condition !== condition) {
      condition = constraint.condition;
      chosen =
        condition === null
          ? batch.checks.begin()
          : choose(batch.checks, columns, rules.conditions[condition]!);
    }
    if (chosen === 0) continue;
    const violation = yield* violationOf(batch, columns, constraint, chosen);
    if (violation) violations.push(violation);
    yield;
  }
  return violations;
}

/** Makes rules about the rows of the condition, and says how many these are. */
function choose(checks: RuleChecks, columns: Columns, condition: Condition): number {
  checks.begin();
  const column = columns.column(condition.field);
  if ('null' in condition) {
    checks.nulls(column);
    return checks.choose(condition.null);
  }
  if (column === null) return 0;
  checks.listed(column, condition.values, true);
  return checks.choose(true);
}

function* violationOf(
  batch: BudgetedBatch,
  columns: Columns,
  constraint: Constraint,
  chosen: number,
): Pieces<Violation | null> {
  const { checks, profile, rowsListed } = batch;
  const field = constraint.field === null ? undefined : columns.field(constraint.field);
  if (field && isProven(profile, field, constraint)) return null;
  if (!(yield* askEngine(batch, columns, constraint)))
    return batchViolation(batch, columns, constraint, chosen);
  const { count, rows } = checks.failing(rowsListed);
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

function fieldsOf(constraint: Constraint): readonly string[] {
  if (constraint.kind === 'unique') return constraint.fields;
  if (constraint.kind !== 'compare' || !('field' in constraint.with)) return [constraint.field!];
  return [constraint.field!, constraint.with.field];
}
