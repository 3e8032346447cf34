/** What single expectations of Great Expectations, and the tests of dbt that are named after them, say in rules. */
import type { CompareRule, FieldConstraint } from '../declared/document.ts';
import { type Draft, given, type Modifiers } from './draft.ts';
import { inTable, isSet, listOf, type Members, membersOf, share, textOf } from './members.ts';

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

/** `mostly`: the share of rows that must be right. One that is no number makes a tolerance that rules refuse. */
function tolerating({ mostly }: Members, modifiers: Modifiers): Modifiers {
  if (!isSet(mostly) || mostly === 1) return modifiers;
  return { ...modifiers, tolerance: typeof mostly === 'number' ? share(1 - mostly) : (mostly as number) };
}

/** Both bounds of `min_value` and `max_value`, where they are given. */
const bounds =
  (low: FieldConstraint, high: FieldConstraint): Translate =>
  ({ path, column, args, modifiers }, draft) => {
    const { min_value: least, max_value: most, strict_min, strict_max, strictly } = args;
    const isStrict = (name: string, value: unknown) =>
      draft.isTrue(`${path}.strictly`, strictly) || draft.isTrue(`${path}.${name}`, value);
    const tolerant = tolerating(args, modifiers);
    const add = (kind: FieldConstraint, value: unknown, strict: boolean, step: number) => {
      // Lengths are whole numbers.
      const isLength = kind.endsWith('length');
      const bound = strict && isLength && typeof value === 'number' ? value + step : value;
      const name = strict && !isLength ? (`exclusive_${kind}` as FieldConstraint) : kind;
      if (isSet(value)) draft.constrain(path, column, name, bound, tolerant);
    };
    add(low, least, isStrict('strict_min', strict_min), 1);
    add(high, most, isStrict('strict_max', strict_max), -1);
  };

const notNull: Translate = ({ path, column, args, modifiers }, draft) => {
  const { mostly } = args;
  if (isSet(mostly) && mostly !== 1) {
    const rate = typeof mostly === 'number' ? share(1 - mostly) : mostly;
    draft.constrain(path, column, 'max_null_rate', rate, ofBatch(path, modifiers, draft));
  } else draft.constrain(path, column, 'nullable', false, modifiers);
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
    table.find(([form]) => form.test(textOf(name).trim().slice(0, 100)))?.[1];
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
    if (draft.isTrue(`${path}.strictly`, args.strictly))
      draft.unsupported(`${path}.strictly`, 'Equal neighbours are allowed: add unique for a strict order');
    draft.constrain(path, column, 'monotonic', direction, tolerating(args, modifiers));
  };

const patterns: Translate = (expectation, draft) => {
  const { path, args } = expectation;
  const list = listOf(args.regex_list);
  const { match_on = 'any' } = args;
  if (match_on !== 'any' && (match_on !== 'all' || list.length > 1))
    return draft.unsupported(path, 'A field has one pattern, which all values match');
  if (list.length === 0 || !list.every(each => typeof each === 'string'))
    return draft.unsupported(path, 'This is no list of patterns');
  constrain('pattern', () => list.map(each => `(?:${each})`).join('|'))(expectation, draft);
};

/** The smallest or the largest value: its outer bound is one of all values, and names the rows; its inner one is of the statistic. */
const extreme =
  (statistic: 'min' | 'max', kind: 'minimum' | 'maximum'): Translate =>
  (expectation, draft) => {
    const { path, column, args, modifiers } = expectation;
    const isMin = statistic === 'min';
    const { min_value, max_value, strict_min, strict_max } = args;
    const outer = isMin ? min_value : max_value;
    const isStrict = draft.isTrue(`${path}.strict_${statistic}`, isMin ? strict_min : strict_max);
    if (isSet(outer)) draft.constrain(path, column, isStrict ? `exclusive_${kind}` : kind, outer, modifiers);
    const inner = isMin ? { max_value, strict_max } : { min_value, strict_min };
    if (isSet(isMin ? max_value : min_value))
      statisticBounds({ ...expectation, args: inner }, statistic, draft);
  };

/** The quantiles that are measured. */
const QUANTILES: Record<string, string> = {
  0: 'min',
  0.0625: 'quantile_1_16',
  0.25: 'quartile_1',
  0.5: 'median',
  0.75: 'quartile_3',
  0.9375: 'quantile_15_16',
  1: 'max',
};

/** Lists of quantiles and their ranges, or one quantile with bounds, as dbt has it. */
const quantiles: Translate = (expectation, draft) => {
  const { path, args } = expectation;
  const { quantiles: list = [args.quantile], value_ranges = [[args.min_value, args.max_value]] } = membersOf(
    args.quantile_ranges,
  );
  if (isSet(args.quantile_ranges))
    draft.unsupported(
      path,
      'A quantile between two values is interpolated here; that program takes one of them',
    );
  for (const [i, quantile] of listOf(list).entries()) {
    const [min_value, max_value] = listOf(listOf(value_ranges)[i]);
    const statistic = inTable(QUANTILES, textOf(quantile));
    const at = `${path}.quantile_ranges.quantiles[${i}]`;
    if (statistic === undefined) draft.unsupported(at, 'This quantile is not measured');
    else statisticBounds({ ...expectation, path: at, args: { min_value, max_value } }, statistic, draft);
  }
};

/** By the end of the name, after `expect_column_`. */
const COLUMNS: Record<string, Translate> = {
  to_exist: ({ path, column, modifiers }, draft) =>
    draft.constrain(path, column, 'required', true, ofBatch(path, modifiers, draft)),
  values_to_not_be_null: notNull,
  values_to_be_unique: constrain('unique', () => true),
  values_to_be_in_set: constrain('enum', ({ value_set }) => listOf(value_set).filter(isSet)),
  distinct_values_to_be_in_set: constrain('enum', ({ value_set }) => listOf(value_set).filter(isSet)),
  distinct_values_to_equal_set: ({ path, column, args, modifiers }, draft) => {
    draft.constrain(path, column, 'enum', listOf(args.value_set).filter(isSet), modifiers);
    draft.unsupported(`${path}.value_set`, 'No rule says that each of the values occurs');
  },
  // All values are at least what the smallest one is.
  min_to_be_between: extreme('min', 'minimum'),
  max_to_be_between: extreme('max', 'maximum'),
  quantile_values_to_be_between: quantiles,
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
    const format = inTable(STRFTIME, textOf(expectation.args.strftime_format));
    if (format) constrain('format', () => format)(expectation, draft);
    else draft.unsupported(expectation.path, 'No rule says how a date is written');
  },
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
  const end = type.replace(/^expect_column_/, '');
  const { mostly } = args;
  if (typeof mostly === 'number' && share(1 - mostly) >= 1 && end !== 'values_to_not_be_null')
    return draft.unsupported(path, 'With mostly 0 no row has to be right');
  const ofTable = inTable(TABLES, type);
  if (ofTable) return ofTable({ ...expectation, column: '' }, draft);
  const { column } = args;
  const ofColumn = inTable(COLUMNS, end);
  const [, middle = ''] = /^(\w+)_to_be_between$/.exec(end) ?? [];
  const statistic = inTable(STATISTICS, middle);
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
  for (const [name, value] of Object.entries({ strict_min, strict_max }))
    if (draft.isTrue(`${path}.${name}`, value))
      draft.unsupported(`${path}.${name}`, 'The bounds of a statistic belong to it');
  draft.statistic(path, {
    field: column,
    statistic: statistic as never,
    ...(isSet(min_value) && { minimum: min_value as number }),
    ...(isSet(max_value) && { maximum: max_value as number }),
    ...given(ofBatch(path, modifiers, draft)),
  });
}

/** Without the rows that may fail, where no single row fails. */
export function ofBatch(
  path: string,
  { tolerance, severity, description }: Modifiers,
  draft: Draft,
): Modifiers {
  if (tolerance !== undefined)
    draft.unsupported(`${path} (tolerance)`, 'No single row fails this, so none can be tolerated');
  return { severity, description };
}

/** Our rules skip rows in which any of the fields is null. Without `ignore_row_if` an expectation skips only rows in which all of them are null. */
function leavesOut(
  path: string,
  { ignore_row_if: rows }: Members,
  usual: string,
  names: readonly unknown[],
  draft: Draft,
): void {
  if (rows !== usual) draft.looksAtWhole(isSet(rows) ? `${path}.ignore_row_if` : path, names);
}

const pair =
  (op: (isOrEqual: boolean) => CompareRule['op']): Translate =>
  ({ path, args, modifiers }, draft) => {
    leavesOut(path, args, 'either_value_is_missing', [args.column_A, args.column_B], draft);
    draft.compare(path, {
      left: args.column_A as string,
      op: op(draft.isTrue(`${path}.or_equal`, args.or_equal)),
      right: args.column_B as string,
      ...given(tolerating(args, modifiers)),
    });
  };

const together: Translate = ({ path, args, modifiers }, draft) => {
  leavesOut(path, args, 'any_value_is_missing', listOf(args.column_list), draft);
  draft.unique(path, listOf(args.column_list), tolerating(args, modifiers));
};

const columns =
  (list: string, isOrdered: boolean): Translate =>
  ({ path, args, modifiers }, draft) => {
    const names = listOf(args[list]);
    if (names.length === 0 || !names.every(name => typeof name === 'string'))
      return draft.unsupported(path, 'This is no list of columns');
    const given = ofBatch(path, modifiers, draft);
    for (const name of names) draft.constrain(path, name, 'required', true, given);
    if (draft.isTrue(`${path}.exact_match`, args.exact_match ?? true))
      draft.rows(path, 'closed', true, given);
    if (isOrdered) draft.unsupported(`${path}.${list}`, 'No rule says in which order fields come');
  };

const TABLES: Record<string, Translate> = {
  expect_table_row_count_to_be_between: ({ path, args, modifiers }, draft) => {
    const given = ofBatch(path, modifiers, draft);
    if (isSet(args.min_value)) draft.rows(path, 'min', args.min_value, given);
    if (isSet(args.max_value)) draft.rows(path, 'max', args.max_value, given);
  },
  expect_table_row_count_to_equal: ({ path, args, modifiers }, draft) => {
    const given = ofBatch(path, modifiers, draft);
    draft.rows(path, 'min', args.value, given);
    draft.rows(path, 'max', args.value, given);
  },
  expect_table_columns_to_match_set: columns('column_set', false),
  expect_table_columns_to_match_ordered_list: columns('column_list', true),
  expect_compound_columns_to_be_unique: together,
  expect_column_pair_values_to_be_equal: pair(() => '=='),
  expect_column_pair_values_a_to_be_greater_than_b: pair(isOrEqual => (isOrEqual ? '>=' : '>')),
};
