/** Rules → a suite of Great Expectations. */
import type { Constraint, DeclaredRules } from '../declared/constraint.ts';
import type { Exporter } from './exporter.ts';
import { share } from './members.ts';

type Kwargs = Record<string, unknown>;
type Said = readonly [type: string, kwargs: Kwargs];

/** A pandas and a SQL name for each type; one of them is enough. */
const TYPES: Record<string, readonly string[]> = {
  string: ['str', 'object_', 'VARCHAR', 'TEXT'],
  number: ['float', 'float64', 'int', 'int64', 'DOUBLE', 'NUMERIC', 'INTEGER'],
  integer: ['int', 'int64', 'INTEGER', 'BIGINT'],
  boolean: ['bool', 'BOOLEAN'],
  object: ['dict'],
  array: ['list'],
};

const FORMATS: Record<string, string> = { date: '%Y-%m-%d', time: '%H:%M:%S' };

const STATISTICS: Record<string, string> = {
  mean: 'mean',
  median: 'median',
  sum: 'sum',
  min: 'min',
  max: 'max',
  distinct_count: 'unique_value_count',
  distinct_share: 'proportion_of_unique_values',
};

export function exportGreatExpectations(
  { document: rules, constraints }: DeclaredRules,
  name: string,
): Exporter {
  const expectations: object[] = [];
  const mustExist = constraints.filter(({ kind, condition }) => kind === 'required' && condition === null);
  const required = new Set(mustExist.map(({ field }) => field));
  return {
    say(constraint) {
      const { tolerance, severity, description, condition } = constraint;
      if (condition !== null) return 'A condition would be in the language of another program';
      if (tolerance >= 1) return 'An expectation tolerates a share of the rows, not a number';
      if (constraint.kind === 'closed' && !constraint.names.every(each => required.has(each)))
        return 'A set of columns says that all of them exist: require each field';
      const said = saidOf(constraint);
      if (said === null) return 'No expectation says the same';
      const [type, kwargs] = said;
      expectations.push({
        type,
        kwargs: { ...kwargs, ...(tolerance > 0 && { mostly: share(1 - tolerance) }) },
        meta: description === undefined ? {} : { notes: description },
        severity: severity === 'warn' ? 'warning' : 'critical',
      });
      return null;
    },
    document: () => ({
      name,
      expectations,
      meta: rules.description === undefined ? {} : { notes: rules.description },
    }),
  };
}

function saidOf(constraint: Constraint): Said | null {
  const { field } = constraint;
  return field === null ? ofTable(constraint) : (ofBounds(constraint, field) ?? ofColumn(constraint, field));
}

function ofTable(constraint: Constraint): Said | null {
  switch (constraint.kind) {
    case 'min_rows':
      return ['expect_table_row_count_to_be_between', { min_value: constraint.expected }];
    case 'max_rows':
      return ['expect_table_row_count_to_be_between', { max_value: constraint.expected }];
    case 'unique': {
      const [first, ...others] = constraint.fields;
      return others.length === 0
        ? ['expect_column_values_to_be_unique', { column: first }]
        : [
            'expect_compound_columns_to_be_unique',
            { column_list: constraint.fields, ignore_row_if: 'any_value_is_missing' },
          ];
    }
    case 'closed':
      return ['expect_table_columns_to_match_set', { column_set: constraint.names, exact_match: true }];
    default:
      return null;
  }
}

function ofBounds({ kind, expected }: Constraint, column: string): Said | null {
  const values = (kwargs: Kwargs): Said => ['expect_column_values_to_be_between', { column, ...kwargs }];
  const lengths = (kwargs: Kwargs): Said => [
    'expect_column_value_lengths_to_be_between',
    { column, ...kwargs },
  ];
  switch (kind) {
    case 'minimum':
      return values({ min_value: expected });
    case 'maximum':
      return values({ max_value: expected });
    case 'exclusive_minimum':
      return values({ min_value: expected, strict_min: true });
    case 'exclusive_maximum':
      return values({ max_value: expected, strict_max: true });
    case 'min_length':
      return lengths({ min_value: expected });
    case 'max_length':
      return lengths({ max_value: expected });
    default:
      return null;
  }
}

function ofColumn(constraint: Constraint, column: string): Said | null {
  switch (constraint.kind) {
    case 'required':
      return ['expect_column_to_exist', { column }];
    case 'nullable':
      return ['expect_column_values_to_not_be_null', { column }];
    case 'max_null_rate':
      return ['expect_column_values_to_not_be_null', { column, mostly: share(1 - constraint.expected) }];
    case 'unique':
      return ['expect_column_values_to_be_unique', { column }];
    case 'enum':
      return ['expect_column_values_to_be_in_set', { column, value_set: constraint.expected }];
    case 'pattern':
      return ['expect_column_values_to_match_regex', { column, regex: constraint.expected }];
    case 'type':
      return [
        'expect_column_values_to_be_in_type_list',
        { column, type_list: constraint.expected.flatMap(type => TYPES[type]!) },
      ];
    case 'format': {
      const strftime_format = FORMATS[constraint.expected];
      return strftime_format
        ? ['expect_column_values_to_match_strftime_format', { column, strftime_format }]
        : null;
    }
    case 'monotonic':
      return [`expect_column_values_to_be_${constraint.expected}`, { column }];
    case 'compare':
      return ofPair(constraint, column);
    case 'statistic':
      return ofStatistic(constraint, column);
    default:
      return null;
  }
}

function ofPair({ op, with: other }: Extract<Constraint, { kind: 'compare' }>, left: string): Said | null {
  if (!('field' in other)) return null;
  const [A, B] = op.startsWith('<') ? [other.field, left] : [left, other.field];
  const columns = { column_A: A, column_B: B, ignore_row_if: 'either_value_is_missing' };
  if (op === '==') return ['expect_column_pair_values_to_be_equal', columns];
  if (op === '!=') return null;
  const or_equal = op.endsWith('=');
  return ['expect_column_pair_values_a_to_be_greater_than_b', { ...columns, or_equal }];
}

function ofStatistic(
  { statistic, expected }: Extract<Constraint, { kind: 'statistic' }>,
  column: string,
): Said | null {
  const name = STATISTICS[statistic];
  const { minimum, maximum } = expected;
  if (name === undefined) return null;
  const bounds = {
    ...(minimum !== undefined && { min_value: minimum }),
    ...(maximum !== undefined && { max_value: maximum }),
  };
  return [`expect_column_${name}_to_be_between`, { column, ...bounds }];
}
