/** Which check of the engine a rule about rows is. */
import { TextFormat, Declared, Operator } from '../../../assembly/abi.ts';
import type { RowCheck } from '../../engine/row-check.ts';
import type { Constraint, ConstraintKind } from '../declared/constraint.ts';
import { isMultiple, stepOf } from '../declared/decimal.ts';
import type { DeclaredFormat, DeclaredType, Operator as Op } from '../declared/document.ts';
import { FORMAT_PATTERNS } from '../declared/formats.ts';
import { compile } from '../declared/pattern.ts';
import type { CheckedBatch, Columns } from './checked-batch.ts';

const TYPES: Record<DeclaredType, Declared> = {
  string: Declared.STRING,
  number: Declared.NUMBER,
  integer: Declared.INTEGER,
  boolean: Declared.BOOLEAN,
  object: Declared.OBJECT,
  array: Declared.ARRAY,
};

const OPERATORS: Record<Op, Operator> = {
  '==': Operator.EQUAL,
  '!=': Operator.NOT_EQUAL,
  '<': Operator.BELOW,
  '<=': Operator.AT_MOST,
  '>': Operator.ABOVE,
  '>=': Operator.AT_LEAST,
};

/** The others are patterns. */
const FORMATS: Partial<Record<DeclaredFormat, TextFormat>> = {
  date: TextFormat.DATE,
  'date-time': TextFormat.DATE_TIME,
  time: TextFormat.TIME,
  uuid: TextFormat.UUID,
};

const NO_MOST = 0xffffffff;
/** No bound: nothing is below, above or equal to it. */
const NONE = Number.NaN;

type Ask<Kind extends ConstraintKind> = (
  batch: CheckedBatch,
  column: number,
  constraint: Extract<Constraint, { kind: Kind }>,
  columns: Columns,
) => RowCheck;

/** Rules about the values of a field, which hold where the batch lacks it. */
const OF_VALUES: { [Kind in ConstraintKind]?: Ask<Kind> } = {
  type: ({ checks }, column, { expected }) =>
    checks.types(
      column,
      expected.reduce((bits, type) => bits | TYPES[type], 0),
    ),
  minimum: ({ checks }, column, { expected }) => checks.outside(column, expected, NONE, false),
  maximum: ({ checks }, column, { expected }) => checks.outside(column, NONE, expected, false),
  exclusive_minimum: ({ checks }, column, { expected }) => checks.outside(column, expected, NONE, true),
  exclusive_maximum: ({ checks }, column, { expected }) => checks.outside(column, NONE, expected, true),
  multiple_of({ checks }, column, { expected }) {
    const { m, scale } = stepOf(expected);
    return checks.noMultiples(column, m, scale, x => isMultiple(x, expected));
  },
  min_length: ({ checks }, column, { expected }) => checks.lengths(column, expected, NO_MOST),
  max_length: ({ checks }, column, { expected }) => checks.lengths(column, 0, expected),
  enum: ({ checks }, column, { expected }) => checks.listed(column, expected, false),
  format: ({ checks }, column, { expected }) => checks.misformed(column, FORMATS[expected]!),
  monotonic: ({ checks }, column, { expected }) => checks.disordered(column, expected === 'decreasing'),
  compare({ checks }, column, { op, with: other }, columns) {
    if ('value' in other) return checks.unlike(column, OPERATORS[op], other.value);
    const right = columns.column(other.field);
    return right === null ? checks.none() : checks.unordered(column, OPERATORS[op], right);
  },
};

/** How the engine finds the rows that fail. Null where the rule is not about rows. */
export function rowCheckOf(batch: CheckedBatch, columns: Columns, constraint: Constraint): RowCheck | null {
  const { checks } = batch;
  const { kind, field } = constraint;
  const column = field === null ? null : columns.column(field);
  const pattern = patternOf(constraint);
  if (kind === 'nullable') return checks.nulls(column);
  if (kind === 'unique') return checks.repeated(constraint.fields.map(name => columns.column(name)));
  const ask = OF_VALUES[kind] as Ask<ConstraintKind> | undefined;
  if (ask === undefined && pattern === null) return null;
  if (column === null) return checks.none();
  return pattern === null ? ask!(batch, column, constraint, columns) : patternCheck(batch, column, pattern);
}

function patternOf(constraint: Constraint): string | null {
  if (constraint.kind === 'pattern') return constraint.expected;
  return constraint.kind === 'format' ? (FORMAT_PATTERNS[constraint.expected] ?? null) : null;
}

function patternCheck({ checks, patterns }: CheckedBatch, column: number, pattern: string): RowCheck {
  let compiled: ReturnType<typeof compile> | undefined;
  return checks.unmatched(column, patterns.automatonOf(pattern), text => {
    compiled ??= compile(pattern);
    return compiled.test(text);
  });
}
