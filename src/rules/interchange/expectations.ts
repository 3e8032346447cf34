/** What single expectations of Great Expectations, and the tests of dbt that are named after them, say in rules. */
import type { CompareRule, FieldConstraint } from '../declared/document.ts';
import { type Draft, given, type Modifiers } from './draft.ts';
import { listOf, type Members, share } from './members.ts';

export interface Expectation {
  path: string;
  /** `expect_column_values_to_be_unique` */
  type: string;
  /** `column` and what else it takes. */
  args: Members;
  modifiers: Modifiers;
}

type Translate = (expectation: Expectation & { column: string }, draft: Draft) => void;

const constrain =
  (kind: FieldConstraint, value: (args: Members) => unknown): Translate =>
  ({ path, column, args, modifiers }, draft) =>
    draft.constrain(path, column, kind, value(args), tolerating(args, modifiers));

/** `mostly`: the share of rows that must be right. */
function tolerating({ mostly }: Members, modifiers: Modifiers): Modifiers {
  return typeof mostly === 'number' && mostly < 1
    ? { ...modifiers, tolerance: share(1 - mostly) }
    : modifiers;
}

/** Both bounds of `min_value` and `max_value`, where they are given. */
const bounds =
  (low: FieldConstraint, high: FieldConstraint): Translate =>
  ({ path, column, args, modifiers }, draft) => {
    const { min_value: least, max_value: most, strict_min, strict_max, strictly } = args;
    const isStrict = {
      low: strict_min === true || strictly === true,
      high: strict_max === true || strictly === true,
    };
    const named = (kind: FieldConstraint, strict: boolean) =>
      strict && kind.endsWith('imum') ? (`exclusive_${kind}` as FieldConstraint) : kind;
    const tolerant = tolerating(args, modifiers);
    if (isSet(least)) draft.constrain(path, column, named(low, isStrict.low), least, tolerant);
    if (isSet(most)) draft.constrain(path, column, named(high, isStrict.high), most, tolerant);
  };

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const notNull: Translate = ({ path, column, args, modifiers }, draft) => {
  const { mostly } = args;
  const { tolerance: _, ...others } = modifiers;
  if (typeof mostly === 'number' && mostly < 1)
    draft.constrain(path, column, 'max_null_rate', share(1 - mostly), others);
  else draft.constrain(path, column, 'nullable', false, modifiers);
};

const TYPES: [RegExp, string][] = [
  [/^(u?int(eger)?\d*|bigint|smallint|tinyint|long|integertype|longtype|number\(\d+,\s*0\))$/i, 'integer'],
  [/^(float\d*|double.*|real|numeric.*|decimal.*|number|floattype|doubletype)$/i, 'number'],
  [/^(str(ing)?|text|varchar.*|char.*|object_|stringtype)$/i, 'string'],
  [/^(bool(ean)?|booleantype)$/i, 'boolean'],
  [/^(dict|struct.*|maptype)$/i, 'object'],
  [/^(list|array.*)$/i, 'array'],
];
const FORMATS: [RegExp, string][] = [
  [/^(date|datetype)$/i, 'date'],
  [/^(datetime.*|timestamp.*)$/i, 'date-time'],
  [/^time$/i, 'time'],
];

/** The constraint that a column type of a database or a data frame stands for; null for others. */
export function typeConstraint(name: unknown): readonly ['type' | 'format', string] | null {
  const find = (table: [RegExp, string][]) =>
    table.find(([form]) => form.test(String(name).trim().slice(0, 100)))?.[1];
  const type = find(TYPES);
  if (type) return ['type', type];
  const format = find(FORMATS);
  return format ? ['format', format] : null;
}

const typed =
  (names: (args: Members) => readonly unknown[]): Translate =>
  ({ path, column, args, modifiers }, draft) => {
    const found = names(args).map(typeConstraint);
    const values = [...new Set(found.map(each => each?.[1]))];
    const [kind] = found[0] ?? [];
    if (found.includes(null) || values.length === 0 || (kind === 'format' && values.length > 1))
      return draft.unsupported(path, 'No rule knows this type');
    draft.constrain(
      path,
      column,
      kind!,
      values.length === 1 ? values[0] : values,
      tolerating(args, modifiers),
    );
  };

const STRFTIME: Record<string, string> = {
  '%Y-%m-%d': 'date',
  '%Y-%m-%dT%H:%M:%S': 'date-time',
  '%Y-%m-%d %H:%M:%S': 'date-time',
  '%H:%M:%S': 'time',
};

const monotonic =
  (direction: 'increasing' | 'decreasing'): Translate =>
  ({ path, column, args, modifiers }, draft) => {
    if (args.strictly === true)
      draft.unsupported(path, 'Equal neighbours are allowed: add unique for a strict order');
    draft.constrain(path, column, 'monotonic', direction, tolerating(args, modifiers));
  };

const patterns: Translate = (expectation, draft) => {
  const { path, args } = expectation;
  const list = listOf(args.regex_list);
  if (args.match_on === 'all' && list.length > 1)
    return draft.unsupported(path, 'A field has one pattern, which all values match');
  constrain('pattern', () => list.map(each => `(?:${each})`).join('|'))(expectation, draft);
};

/** By the end of the name, after `expect_column_`. */
const COLUMNS: Record<string, Translate> = {
  to_exist: ({ path, column, modifiers: { severity, description } }, draft) =>
    draft.constrain(path, column, 'required', true, { severity, description }),
  values_to_not_be_null: notNull,
  values_to_be_unique: constrain('unique', () => true),
  values_to_be_in_set: constrain('enum', ({ value_set }) => listOf(value_set).filter(isSet)),
  values_to_be_between: bounds('minimum', 'maximum'),
  value_lengths_to_be_between: bounds('min_length', 'max_length'),
  value_lengths_to_equal: (expectation, draft) => {
    constrain('min_length', ({ value }) => value)(expectation, draft);
    constrain('max_length', ({ value }) => value)(expectation, draft);
  },
  values_to_match_regex: constrain('pattern', ({ regex }) => regex),
  values_to_match_regex_list: patterns,
  values_to_be_of_type: typed(({ type_, column_type }) => [type_ ?? column_type]),
  values_to_be_in_type_list: typed(({ type_list, column_type_list }) =>
    listOf(type_list ?? column_type_list),
  ),
  values_to_match_strftime_format: (expectation, draft) => {
    const format = STRFTIME[String(expectation.args.strftime_format)];
    if (format) constrain('format', () => format)(expectation, draft);
    else draft.unsupported(expectation.path, 'No rule says how a date is written');
  },
  values_to_be_dateutil_parseable: constrain('format', () => 'date-time'),
  values_to_be_increasing: monotonic('increasing'),
  values_to_be_decreasing: monotonic('decreasing'),
};

/** Statistics of a column by the middle of the name: `expect_column_mean_to_be_between`. */
const STATISTICS: Record<string, string> = {
  mean: 'mean',
  median: 'median',
  sum: 'sum',
  unique_value_count: 'distinct_count',
  proportion_of_unique_values: 'distinct_share',
  distinct_values_count: 'distinct_count',
};

/** Adds what an expectation says, or says why nothing was added. */
export function translate(expectation: Expectation, draft: Draft) {
  const { path, type, args } = expectation;
  if (isSet(args.row_condition))
    return draft.unsupported(path, 'A condition in the language of another program is not read');
  const ofTable = Object.hasOwn(TABLES, type) ? TABLES[type] : undefined;
  if (ofTable) return ofTable({ ...expectation, column: '' }, draft);
  const { column } = args;
  const end = type.replace(/^expect_column_/, '');
  const ofColumn = Object.hasOwn(COLUMNS, end) ? COLUMNS[end] : undefined;
  const [, middle = ''] = /^(\w+)_to_be_between$/.exec(end) ?? [];
  const statistic = Object.hasOwn(STATISTICS, middle) ? STATISTICS[middle] : undefined;
  if (typeof column !== 'string' || (!ofColumn && !statistic))
    return draft.unsupported(path, 'No rule says the same as this expectation');
  if (ofColumn) ofColumn({ ...expectation, column }, draft);
  else statisticBounds({ ...expectation, column }, statistic!, draft);
}

function statisticBounds(
  { path, column, args, modifiers }: Expectation & { column: string },
  statistic: string,
  draft: Draft,
): void {
  const { min_value, max_value, strict_min, strict_max } = args;
  if (strict_min === true || strict_max === true)
    draft.unsupported(path, 'The bounds of a statistic belong to it');
  const { severity, description } = modifiers;
  draft.statistic(path, {
    field: column,
    statistic: statistic as never,
    ...(typeof min_value === 'number' && { minimum: min_value }),
    ...(typeof max_value === 'number' && { maximum: max_value }),
    ...(severity !== undefined && { severity }),
    ...(description !== undefined && { description }),
  });
}

const ofBatch = ({ severity, description }: Modifiers): Modifiers => ({ severity, description });

const pair =
  (op: (args: Members) => CompareRule['op']): Translate =>
  ({ path, args, modifiers }, draft) => {
    draft.compare(path, {
      left: args.column_A as string,
      op: op(args),
      right: args.column_B as string,
      ...given(tolerating(args, modifiers)),
    });
  };

const together: Translate = ({ path, args, modifiers }, draft) =>
  draft.unique(path, listOf(args.column_list), tolerating(args, modifiers));

const columns =
  (list: string, isOrdered: boolean): Translate =>
  ({ path, args, modifiers }, draft) => {
    for (const name of listOf(args[list]))
      draft.constrain(path, String(name), 'required', true, ofBatch(modifiers));
    if (args.exact_match !== false) draft.rows(path, 'closed', true, ofBatch(modifiers));
    if (isOrdered) draft.unsupported(path, 'No rule says in which order fields come');
  };

const TABLES: Record<string, Translate> = {
  expect_table_row_count_to_be_between: ({ path, args, modifiers }, draft) => {
    if (isSet(args.min_value)) draft.rows(path, 'min', args.min_value, ofBatch(modifiers));
    if (isSet(args.max_value)) draft.rows(path, 'max', args.max_value, ofBatch(modifiers));
  },
  expect_table_row_count_to_equal: ({ path, args, modifiers }, draft) => {
    draft.rows(path, 'min', args.value, ofBatch(modifiers));
    draft.rows(path, 'max', args.value, ofBatch(modifiers));
  },
  expect_table_columns_to_match_set: columns('column_set', false),
  expect_table_columns_to_match_ordered_list: columns('column_list', true),
  expect_compound_columns_to_be_unique: together,
  expect_column_pair_values_to_be_equal: pair(() => '=='),
  expect_column_pair_values_a_to_be_greater_than_b: pair(({ or_equal }) => (or_equal === true ? '>=' : '>')),
};
