/** `schema.yml` of dbt: columns, constraints and tests of a model, source, seed or snapshot → rules. */
import { pathTo } from '../declared/reader.ts';
import type { CompareRule } from '../declared/document.ts';
import { OPERATORS } from '../declared/words.ts';
import { type Draft, given, type Imported, type Modifiers, shortText } from './draft.ts';
import { ofBatch, translate, typeConstraint } from './expectations.ts';
import {
  chosenTable,
  either,
  inTable,
  isSet,
  listOf,
  type Members,
  membersOf,
  named,
  share,
  type Table,
  textOf,
} from './members.ts';

/** Members that say nothing about rows: of the project, of how tables are built, and of how tests are run. */
const OF_DOCUMENT = named(
  'version macros exposures metrics semantic_models saved_queries groups analyses unit_tests data_tests functions',
);
const OF_ALL = 'name description docs meta tags group config';
const OF_SOURCE = named(`${OF_ALL} database schema loader quoting overrides loaded_at_field loaded_at_query`);
const OF_TABLE = named(
  `${OF_ALL} access latest_version deprecation_date identifier quoting loader external time_spine loaded_at_field loaded_at_query`,
);
const OF_CONFIG = named(
  'enabled materialized tags meta group access schema alias database target_schema target_database quoting docs persist_docs grants pre_hook post_hook pre-hook post-hook sql_header on_schema_change on_configuration_change full_refresh incremental_strategy unique_key event_time batch_size lookback begin strategy updated_at check_cols hard_deletes invalidate_hard_deletes delimiter quote_columns packages partition_by cluster_by',
);
const OF_CONTRACT = named('alias_types');
const OF_COLUMN = named(`${OF_ALL} quote granularity entity dimension policy_tags`);
const OF_CONSTRAINT = named('name to to_columns warn_unenforced warn_unsupported');
const OF_TEST = named(
  'test_name name version tags meta group docs enabled store_failures store_failures_as schema database alias quote quote_values quote_columns',
);

export function importDbt(document: unknown, draft: Draft, table?: string): Imported {
  // A document that is not an object has no tables: that is refused.
  draft.object('', membersOf(document), OF_DOCUMENT, given => {
    const { path, members, source } = chosenTable(
      tablesIn(given, draft),
      table,
      'model, source table, seed or snapshot',
    );
    if (source) draft.object(source.path, source.members, OF_SOURCE, ({ tables: _ }) => {});
    draft.object(path, members, OF_TABLE, each => tableOf(path, each, draft));
  });
  return draft.finish();
}

/** A table of a source has that around it. */
interface DbtTable extends Table {
  source?: Table;
}

function tablesIn({ models, seeds, snapshots, sources }: Members, draft: Draft): DbtTable[] {
  return [
    ...draft.tables('models', models),
    ...draft.tables('seeds', seeds),
    ...draft.tables('snapshots', snapshots),
    ...draft
      .tables('sources', sources)
      .flatMap(source =>
        draft.tables(`${source.path}.tables`, source.members.tables).map(table => ({ ...table, source })),
      ),
  ];
}

function tableOf(path: string, members: Members, draft: Draft): void {
  draft.description(members.description);
  const isEnforced = enforced(path, members, draft);
  for (const [i, each] of draft.list(`${path}.columns`, members.columns).entries()) {
    const at = `${path}.columns[${i}]`;
    const { name } = membersOf(each);
    if (typeof name !== 'string') draft.unsupported(at, 'A column without a name');
    else draft.object(at, each, OF_COLUMN, column => columnOf(at, name, column, isEnforced, draft));
  }
  constraints(path, null, members, draft);
  tests(path, null, members, draft);
  if (isEnforced) draft.rows(`${path}.config.contract`, 'closed', true);
}

/** Whether the contract of a model is: older versions have it beside `config`. */
function enforced(path: string, members: Members, draft: Draft): boolean {
  let isEnforced = false;
  const contract = (at: string, value: unknown) =>
    draft.object(at, value, OF_CONTRACT, given => {
      isEnforced ||= draft.isTrue(`${at}.enforced`, given.enforced);
    });
  draft.object(`${path}.config`, members.config, OF_CONFIG, config =>
    contract(`${path}.config.contract`, config.contract),
  );
  contract(`${path}.contract`, members.contract);
  return isEnforced;
}

function columnOf(path: string, name: string, column: Members, isEnforced: boolean, draft: Draft): void {
  draft.field(path, name, column.description);
  if (isSet(column.data_type)) {
    const typed = typeConstraint(column.data_type);
    if (typed) draft.constrain(`${path}.data_type`, name, ...typed);
    else draft.unsupported(`${path}.data_type`, 'No rule knows this type');
  }
  draft.object(`${path}.config`, column.config, OF_CONFIG, () => {});
  if (isEnforced) draft.constrain(path, name, 'required', true);
  constraints(path, name, column, draft);
  tests(path, name, column, draft);
}

function constraints(path: string, name: string | null, of: Members, draft: Draft): void {
  for (const [i, each] of draft.list(`${path}.constraints`, of.constraints).entries()) {
    const at = `${path}.constraints[${i}]`;
    draft.object(at, each, OF_CONSTRAINT, given => constraint(at, name, given, draft));
  }
}

function constraint(path: string, name: string | null, given: Members, draft: Draft) {
  const { type } = given;
  if (type === 'check') return comparison(path, given.expression, {}, draft);
  if (type === 'foreign_key') return draft.unsupported(path, 'A batch is not compared with other tables');
  if (type !== 'not_null' && type !== 'primary_key' && type !== 'unique')
    return draft.unsupported(path, 'No rule says the same as this constraint');
  const names = name === null ? listOf(given.columns) : [name];
  if (names.length === 0 || !names.every(each => typeof each === 'string'))
    return draft.unsupported(path, 'It names no columns');
  if (type !== 'unique') for (const each of names) draft.constrain(path, each, 'nullable', false);
  if (type !== 'not_null') draft.unique(path, names);
}

function tests(path: string, column: string | null, of: Members, draft: Draft): void {
  for (const list of ['tests', 'data_tests'])
    for (const [i, each] of draft.list(`${path}.${list}`, of[list]).entries())
      test(`${path}.${list}[${i}]`, column, each, draft);
}

/** `unique`, `{unique: {…}}`, or `{test_name: unique, arguments: {…}, config: {…}}`. */
function test(path: string, column: string | null, each: unknown, draft: Draft): void {
  const { test_name } = membersOf(each);
  const [[type, value] = [], ...more] = Object.entries(membersOf(each));
  if (typeof each === 'string') testOf(path, each, column, {}, draft);
  else if (typeof test_name === 'string') testOf(path, test_name, column, each, draft);
  else if (type === undefined || more.length > 0) draft.unsupported(path, 'A test has one name');
  else testOf(path, type, column, value ?? {}, draft);
}

/** What values are compared with: as it is written, no value would be like a template. */
const TEMPLATED = ['values', 'value_set', 'regex', 'regex_list'];

/** Arguments that name columns. */
const COLUMNS = [
  'column_name',
  'column_A',
  'column_B',
  'column_list',
  'combination_of_columns',
  'field',
  'compare_to_column',
];

/** What is no text is refused later, with a reason of its own. */
function isColumn(given: unknown, draft: Draft): boolean {
  if (typeof given !== 'string' || draft.names().includes(given)) return true;
  return /^[\p{L}_][\p{L}\p{N}_$]*$/u.test(given) && inTable(CONSTANTS, given.toLowerCase()) === undefined;
}

function testOf(path: string, type: string, column: string | null, value: unknown, draft: Draft) {
  const at = pathTo(path, type);
  const settings = { ...membersOf(value), ...membersOf(membersOf(value).config) };
  if (isSet(settings.where))
    return draft.unsupported(`${at}.where`, 'A condition in SQL is not read, so the test is left out');
  if (settings.enabled === false) return;
  const raw = { ...membersOf(value), ...membersOf(membersOf(value).arguments) };
  const template = TEMPLATED.find(name => [raw[name]].flat().some(each => /\{[{%]/.test(textOf(each))));
  if (template !== undefined)
    return draft.unsupported(`${at}.${template}`, 'A template is not evaluated, so the test is left out');
  const expression = COLUMNS.find(name => [raw[name]].flat().some(each => !isColumn(each, draft)));
  if (expression !== undefined)
    return draft.unsupported(
      `${at}.${expression}`,
      'An expression of SQL is not read, only the name of a column, so the test is left out',
    );
  // dbt reads settings from the test itself or from its `config`, and arguments from the test itself or from its `arguments`.
  draft.object(at, value, OF_TEST, flat =>
    draft.object(`${at}.config`, flat.config ?? {}, OF_TEST, config =>
      draft.object(`${at}.arguments`, flat.arguments ?? {}, OF_TEST, args => {
        const modifiers = modifiersOf(at, either(config, flat), draft);
        translated({ path: at, column, args: either(args, flat), modifiers }, type, draft);
      }),
    ),
  );
}

function translated({ path, column: own, args, modifiers }: Test, type: string, draft: Draft) {
  const column = typeof args.column_name === 'string' ? args.column_name : own;
  const known = inTable(TESTS, type);
  if (known) known({ path, column, args, modifiers }, draft);
  else if (!type.startsWith('dbt_expectations.'))
    draft.unsupported(path, 'No rule says the same as this test');
  else if (isSet(args.group_by)) draft.unsupported(path, 'Groups of rows are not checked');
  else {
    const name = type.slice('dbt_expectations.'.length).toLowerCase();
    const all = either(args, { column });
    if (name === 'expect_row_values_to_have_recent_data' && !isSet(args.row_condition))
      recency({ path, column: null, args: either({ field: column }, args), modifiers }, draft);
    else translate({ path, type: name, args: all, modifiers }, draft);
  }
}

/** `severity: warn`, and `error_if: ">10"`, which tolerates 10 rows. */
function modifiersOf(path: string, settings: Members, draft: Draft): Modifiers {
  const { severity, error_if, warn_if, description } = settings;
  const [, op = '', count = ''] = /^\s*(>=?)\s*(\d{1,9})\s*$/.exec(textOf(error_if)) ?? [];
  if (isSet(error_if) && op === '')
    draft.unsupported(`${path}.error_if`, 'Only a count of rows is read, as in >10');
  if (isSet(warn_if)) draft.unsupported(`${path}.warn_if`, 'A rule has one severity');
  if (isSet(severity) && !/^(warn|error)$/i.test(textOf(severity)))
    draft.unsupported(`${path}.severity`, 'It is warn or error');
  const tolerance = op === '' ? 0 : Number(count) - (op === '>=' ? 1 : 0);
  return {
    severity: textOf(severity).toLowerCase() === 'warn' ? 'warn' : undefined,
    tolerance: tolerance > 0 ? tolerance : undefined,
    description: typeof description === 'string' ? shortText(description) : undefined,
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

const range = ofColumn(({ path, column, args, modifiers }, draft) => {
  const prefix = draft.isTrue(`${path}.inclusive`, args.inclusive ?? true) ? '' : 'exclusive_';
  for (const [kind, value] of [
    ['minimum', args.min_value],
    ['maximum', args.max_value],
  ] as const)
    if (isSet(value)) draft.constrain(path, column, `${prefix}${kind}` as 'minimum', value, modifiers);
});

const nullShare = ofColumn(({ path, column, args: { at_least, at_most }, modifiers }, draft) => {
  const rate = typeof at_least === 'number' ? share(1 - at_least) : at_least;
  if (isSet(at_least)) draft.constrain(path, column, 'max_null_rate', rate, ofBatch(path, modifiers, draft));
  if (isSet(at_most) && at_most !== 1)
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

function recency({ path, column, args, modifiers }: Test, draft: Draft) {
  const unit = inTable(UNITS, textOf(args.datepart));
  const field = args.field ?? column;
  if (typeof field !== 'string' || !unit || !Number.isInteger(args.interval))
    return draft.unsupported(
      path,
      'Only a whole number of minutes, hours, days, weeks, months or years of a column is read',
    );
  draft.constrain(
    path,
    field,
    'max_age',
    unit.replace('#', String(args.interval)),
    ofBatch(path, modifiers, draft),
  );
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
  // It trims blanks before it looks, unless `trim_whitespace` is false.
  'dbt_utils.not_empty_string': ofColumn(({ path, column, args, modifiers }, draft) =>
    draft.isTrue(`${path}.trim_whitespace`, args.trim_whitespace ?? true)
      ? draft.constrain(path, column, 'pattern', '[^ ]', modifiers)
      : draft.constrain(path, column, 'min_length', 1, modifiers),
  ),
  'dbt_utils.not_constant': ofColumn(({ path, column, modifiers }, draft) =>
    draft.statistic(path, {
      field: column,
      statistic: 'distinct_count' as never,
      minimum: 2,
      ...given(ofBatch(path, modifiers, draft)),
    }),
  ),
  // This test of dbt takes nulls for equal values.
  'dbt_utils.unique_combination_of_columns': ({ path, args, modifiers }, draft) => {
    const names = listOf(args.combination_of_columns);
    draft.unique(path, names, modifiers);
    draft.looksAtWhole(path, names);
  },
  'dbt_utils.recency': recency,
  'dbt_utils.expression_is_true': ({ path, column, args, modifiers }, draft) => {
    if (isSet(args.condition))
      return draft.unsupported(path, 'A condition in SQL is not read, so the test is left out');
    const expression = textOf(args.expression);
    comparison(path, column === null ? expression : `${column} ${expression}`, modifiers, draft);
  },
};

const COMPARISON =
  /^\s*"?([A-Za-z_]\w{0,99})"?\s*(<=|>=|<>|!=|==|=|<|>)\s*(?:"?([A-Za-z_]\w{0,99})"?|(-?\d{1,15}(?:\.\d{1,15})?)|'([^']{1,200})')\s*$/;

/** Words of SQL that look like the name of a column. */
const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
  current_date: null,
  current_time: null,
  current_timestamp: null,
};

/** A comparison of a column with another one or with a constant, as SQL writes it. */
function comparison(path: string, expression: unknown, modifiers: Modifiers, draft: Draft) {
  const [, left, sign, right = '', number, text] = COMPARISON.exec(textOf(expression).slice(0, 500)) ?? [];
  const constant = inTable(CONSTANTS, right.toLowerCase());
  if (left === undefined || constant === null || inTable(CONSTANTS, left.toLowerCase()) !== undefined)
    return draft.unsupported(path, 'Only a comparison of a column with another one or a constant is read');
  const op = ({ '=': '==', '<>': '!=' }[sign!] ?? sign) as CompareRule['op'];
  const value = constant ?? (number !== undefined ? Number(number) : text!);
  const other = right !== '' && constant === undefined ? { right } : { value };
  if (OPERATORS.includes(op)) draft.compare(path, { left, op, ...other, ...given(modifiers) });
}
