/** `schema.yml` of dbt: columns, constraints and tests of a model, source, seed or snapshot → rules. */
import { pathTo } from '../declared/reader.ts';
import type { CompareRule } from '../declared/document.ts';
import { OPERATORS } from '../declared/words.ts';
import { type Draft, given, type Imported, type Modifiers } from './draft.ts';
import { translate, typeConstraint } from './expectations.ts';
import { chosenTable, isMembers, listOf, type Members, membersOf, share, type Table } from './members.ts';

export function importDbt(document: unknown, draft: Draft, table?: string): Imported {
  const { path, members } = chosenTable(tablesIn(document), table, 'model, source table, seed or snapshot');
  draft.description(members.description);
  const isEnforced = membersOf(membersOf(members.config).contract ?? members.contract).enforced === true;
  for (const [i, each] of listOf(members.columns).entries()) {
    const column = membersOf(each);
    const at = `${path}.columns[${i}]`;
    if (typeof column.name !== 'string') draft.unsupported(at, 'A column without a name');
    else columnOf(at, column.name, column, isEnforced, draft);
  }
  for (const [i, each] of listOf(members.constraints).entries())
    constraint(`${path}.constraints[${i}]`, null, membersOf(each), draft);
  tests(path, null, members, draft);
  if (isEnforced) draft.rows(`${path}.config.contract`, 'closed', true);
  return draft.finish();
}

function tablesIn(document: unknown): Table[] {
  const { models, seeds, snapshots, sources } = membersOf(document);
  const named = (list: unknown, path: string): Table[] =>
    listOf(list).map((each, i) => ({
      name: String(membersOf(each).name),
      path: `${path}[${i}]`,
      members: membersOf(each),
    }));
  return [
    ...named(models, 'models'),
    ...named(seeds, 'seeds'),
    ...named(snapshots, 'snapshots'),
    ...listOf(sources).flatMap((source, i) => named(membersOf(source).tables, `sources[${i}].tables`)),
  ];
}

function columnOf(path: string, name: string, column: Members, isEnforced: boolean, draft: Draft): void {
  draft.field(path, name, column.description);
  if (column.data_type !== undefined) {
    const typed = typeConstraint(column.data_type);
    if (typed) draft.constrain(`${path}.data_type`, name, ...typed);
    else draft.unsupported(`${path}.data_type`, 'No rule knows this type');
  }
  if (isEnforced) draft.constrain(path, name, 'required', true);
  for (const [i, each] of listOf(column.constraints).entries())
    constraint(`${path}.constraints[${i}]`, name, membersOf(each), draft);
  tests(path, name, column, draft);
}

function constraint(
  path: string,
  name: string | null,
  { type, columns, expression }: Members,
  draft: Draft,
): void {
  const names = name === null ? listOf(columns).map(String) : [name];
  if (type === 'not_null' || type === 'primary_key')
    for (const each of names) draft.constrain(path, each, 'nullable', false);
  if (type === 'unique' || type === 'primary_key') draft.unique(path, names);
  else if (type === 'check') comparison(path, expression, {}, draft);
  else if (type !== 'not_null') draft.unsupported(path, 'A batch is not compared with other tables');
}

function tests(path: string, column: string | null, of: Members, draft: Draft): void {
  for (const list of ['tests', 'data_tests'])
    for (const [i, each] of listOf(of[list]).entries()) test(`${path}.${list}[${i}]`, column, each, draft);
}

function test(path: string, column: string | null, each: unknown, draft: Draft) {
  const [named, value] = isMembers(each) ? (Object.entries(each)[0] ?? ['', {}]) : [String(each), {}];
  // The newest form is `{test_name: unique, arguments: {…}, config: {…}}`.
  const {
    test_name,
    arguments: nested,
    config,
    ...flat
  } = membersOf(typeof named === 'string' && named === 'test_name' ? each : value);
  const type = typeof test_name === 'string' ? test_name : named;
  const args = { ...flat, ...membersOf(nested) };
  const at = pathTo(path, type);
  const settings = { ...flat, ...membersOf(config) };
  if (settings.where !== undefined)
    return draft.unsupported(`${at}.where`, 'A condition in SQL is not read, so the test is left out');
  if (settings.enabled === false) return;
  const modifiers = modifiersOf(at, settings, draft);
  const name = typeof args.column_name === 'string' ? args.column_name : column;
  const known = Object.hasOwn(TESTS, type) ? TESTS[type] : undefined;
  if (known) known({ path: at, column: name, args, modifiers }, draft);
  else if (type.startsWith('dbt_expectations.')) expectation(at, type, name, args, modifiers, draft);
  else draft.unsupported(at, 'No rule says the same as this test');
}

function expectation(
  path: string,
  type: string,
  column: string | null,
  args: Members,
  modifiers: Modifiers,
  draft: Draft,
) {
  const name = type.slice('dbt_expectations.'.length).toLowerCase();
  if (name === 'expect_row_values_to_have_recent_data')
    return recency({ path, column, args: { ...args, field: column }, modifiers }, draft);
  translate({ path, type: name, args: { column, ...renamed(args) }, modifiers }, draft);
}

/** dbt_expectations has its own words for a few arguments. */
function renamed({ group_by, row_condition, ...args }: Members): Members {
  const condition = row_condition ?? (group_by === undefined ? undefined : 'grouped');
  return condition === undefined ? args : { ...args, row_condition: condition };
}

/** `severity: warn`, and `error_if: ">10"`, which tolerates 10 rows. */
function modifiersOf(path: string, settings: Members, draft: Draft): Modifiers {
  const { severity, error_if, warn_if, description } = settings;
  const [, op = '', count = ''] = /^\s*(>=?)\s*(\d{1,9})\s*$/.exec(String(error_if ?? '')) ?? [];
  if (error_if !== undefined && op === '')
    draft.unsupported(`${path}.error_if`, 'Only a count of rows is read, as in >10');
  if (warn_if !== undefined) draft.unsupported(`${path}.warn_if`, 'A rule has one severity');
  const tolerance = op === '' ? 0 : Number(count) - (op === '>=' ? 1 : 0);
  return {
    severity: String(severity).toLowerCase() === 'warn' ? 'warn' : undefined,
    tolerance: tolerance > 0 ? tolerance : undefined,
    description: typeof description === 'string' ? description.slice(0, 1000) : undefined,
  };
}

interface Test {
  path: string;
  column: string | null;
  args: Members;
  modifiers: Modifiers;
}

/** A test of a column; of a model it has no column. */
const ofColumn =
  (add: (test: Test & { column: string }, draft: Draft) => void) =>
  (test: Test, draft: Draft): void =>
    test.column === null
      ? draft.unsupported(test.path, 'The test names no column')
      : add({ ...test, column: test.column }, draft);

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const range = ofColumn(({ path, column, args, modifiers }, draft) => {
  const prefix = args.inclusive === false ? 'exclusive_' : '';
  for (const [kind, value] of [
    ['minimum', args.min_value],
    ['maximum', args.max_value],
  ] as const)
    if (isSet(value)) draft.constrain(path, column, `${prefix}${kind}` as 'minimum', value, modifiers);
});

const nullShare = ofColumn(({ path, column, args, modifiers: { severity, description } }, draft) => {
  if (typeof args.at_least === 'number')
    draft.constrain(path, column, 'max_null_rate', share(1 - args.at_least), { severity, description });
  if (typeof args.at_most === 'number' && args.at_most < 1)
    draft.unsupported(`${path}.at_most`, 'Nothing says that a field needs nulls');
});

const UNITS: Record<string, string> = {
  day: 'P#D',
  hour: 'PT#H',
  minute: 'PT#M',
  week: 'P#W',
  month: 'P#M',
  year: 'P#Y',
};

function recency({ path, column, args, modifiers: { severity, description } }: Test, draft: Draft) {
  const unit = UNITS[String(args.datepart)];
  const field = args.field ?? column;
  if (typeof field !== 'string' || !unit || !Number.isInteger(args.interval))
    return draft.unsupported(
      path,
      'Only a whole number of minutes, hours, days, weeks, months or years of a column is read',
    );
  draft.constrain(path, field, 'max_age', unit.replace('#', String(args.interval)), {
    severity,
    description,
  });
}

const TESTS: Record<string, (test: Test, draft: Draft) => void> = {
  not_null: ofColumn(({ path, column, modifiers }, draft) =>
    draft.constrain(path, column, 'nullable', false, modifiers),
  ),
  unique: ofColumn(({ path, column, modifiers }, draft) =>
    draft.constrain(path, column, 'unique', true, modifiers),
  ),
  accepted_values: ofColumn(({ path, column, args, modifiers }, draft) =>
    draft.constrain(path, column, 'enum', listOf(args.values).filter(isSet), modifiers),
  ),
  relationships: ({ path }, draft) => draft.unsupported(path, 'A batch is not compared with other tables'),
  'dbt_utils.accepted_range': range,
  'dbt_utils.not_null_proportion': nullShare,
  'dbt_utils.not_empty_string': ofColumn(({ path, column, modifiers }, draft) =>
    draft.constrain(path, column, 'min_length', 1, modifiers),
  ),
  'dbt_utils.not_constant': ofColumn(({ path, column }, draft) =>
    draft.statistic(path, { field: column, statistic: 'distinct_count' as never, minimum: 2 }),
  ),
  'dbt_utils.unique_combination_of_columns': ({ path, args, modifiers }, draft) =>
    draft.unique(path, listOf(args.combination_of_columns), modifiers),
  'dbt_utils.recency': recency,
  'dbt_utils.expression_is_true': ({ path, column, args, modifiers }, draft) =>
    comparison(
      path,
      column === null ? args.expression : `${column} ${String(args.expression)}`,
      modifiers,
      draft,
    ),
};

const COMPARISON =
  /^\s*"?([A-Za-z_]\w{0,99})"?\s*(<=|>=|<>|!=|==|=|<|>)\s*(?:"?([A-Za-z_]\w{0,99})"?|(-?\d{1,15}(?:\.\d{1,15})?)|'([^']{1,200})')\s*$/;

/** A comparison of a column with another one or with a constant, as SQL writes it. */
function comparison(path: string, expression: unknown, modifiers: Modifiers, draft: Draft) {
  const [, left, sign, right, number, text] = COMPARISON.exec(String(expression).slice(0, 500)) ?? [];
  if (left === undefined)
    return draft.unsupported(path, 'Only a comparison of a column with another one or a constant is read');
  const op = ({ '=': '==', '<>': '!=' }[sign!] ?? sign) as CompareRule['op'];
  const other = right !== undefined ? { right } : { value: number !== undefined ? Number(number) : text! };
  if (OPERATORS.includes(op)) draft.compare(path, { left, op, ...other, ...given(modifiers) });
}
