/** Open Data Contract Standard 3: one object of a contract → rules. */
import type { FieldConstraint } from '../declared/document.ts';
import type { Draft, Imported, Modifiers } from './draft.ts';
import { chosenTable, invalid, listOf, type Members, membersOf, share, type Table } from './members.ts';

const TYPES: Record<string, readonly ['type' | 'format', string]> = {
  string: ['type', 'string'],
  number: ['type', 'number'],
  integer: ['type', 'integer'],
  boolean: ['type', 'boolean'],
  object: ['type', 'object'],
  map: ['type', 'object'],
  array: ['type', 'array'],
  date: ['format', 'date'],
  timestamp: ['format', 'date-time'],
  time: ['format', 'time'],
};

const OPTIONS: Record<string, FieldConstraint> = {
  minLength: 'min_length',
  maxLength: 'max_length',
  pattern: 'pattern',
  minimum: 'minimum',
  maximum: 'maximum',
  exclusiveMinimum: 'exclusive_minimum',
  exclusiveMaximum: 'exclusive_maximum',
  multipleOf: 'multiple_of',
};

const TEXT_FORMATS: ReadonlySet<string> = new Set([
  'email',
  'uri',
  'uuid',
  'ipv4',
  'ipv6',
  'date',
  'time',
  'date-time',
]);
const NUMBER_FORMATS: ReadonlySet<string> = new Set([
  'i8',
  'i16',
  'i32',
  'i64',
  'i128',
  'u8',
  'u16',
  'u32',
  'u64',
  'u128',
  'f32',
  'f64',
]);

export function importOdcs(document: unknown, draft: Draft, table?: string): Imported {
  const contract = membersOf(document);
  if (!/^v?3\./.test(String(contract.apiVersion ?? '')))
    throw invalid('apiVersion: the contract must be of version 3 of the Open Data Contract Standard');
  const tables = listOf(contract.schema).map(
    (each, i): Table => ({
      name: String(membersOf(each).name),
      path: `schema[${i}]`,
      members: membersOf(each),
    }),
  );
  const { name, path, members } = chosenTable(tables, table, 'object of the schema');
  draft.description(members.description ?? membersOf(contract.description).purpose);
  properties(path, members, draft);
  for (const [i, each] of listOf(members.quality).entries())
    quality(`${path}.quality[${i}]`, null, each, draft);
  relationships(path, members, draft);
  for (const [i, each] of listOf(contract.slaProperties).entries())
    agreement(`slaProperties[${i}]`, membersOf(each), tables.length === 1 ? null : name, draft);
  return draft.finish();
}

function properties(path: string, members: Members, draft: Draft): void {
  const keys: { name: string; place: number }[] = [];
  for (const [i, each] of listOf(members.properties).entries()) {
    const given = membersOf(each);
    const at = `${path}.properties[${i}]`;
    if (typeof given.name !== 'string') draft.unsupported(at, 'A property without a name');
    else {
      property(at, given.name, given, draft);
      if (given.primaryKey === true || given.isPrimaryKey === true)
        keys.push({ name: given.name, place: Number(given.primaryKeyPosition ?? 1) });
    }
  }
  if (keys.length === 0) return;
  keys.sort((a, b) => a.place - b.place);
  draft.unique(
    `${path}.properties (primaryKey)`,
    keys.map(({ name }) => name),
  );
  for (const { name } of keys) draft.constrain(`${path}.properties (primaryKey)`, name, 'nullable', false);
}

function property(path: string, name: string, given: Members, draft: Draft): void {
  draft.field(path, name, given.description);
  const logical = String(given.logicalType ?? '');
  const type = Object.hasOwn(TYPES, logical) ? TYPES[logical] : undefined;
  const options = membersOf(given.logicalTypeOptions);
  const isDate = type?.[0] === 'format';
  const isWritten = isDate && options.format !== undefined;
  if (isWritten) draft.unsupported(`${path}.logicalTypeOptions.format`, 'No rule says how a date is written');
  else if (type) draft.constrain(`${path}.logicalType`, name, ...type);
  else if (logical !== '') draft.unsupported(`${path}.logicalType`, 'No rule knows this type');
  for (const [option, value] of Object.entries(options))
    if (!isWritten || option !== 'format')
      typeOption(`${path}.logicalTypeOptions.${option}`, name, option, value, draft);
  if (given.required === true) draft.constrain(`${path}.required`, name, 'nullable', false);
  if (given.unique === true) draft.constrain(`${path}.unique`, name, 'unique', true);
  if (Array.isArray(given.enum)) {
    const values = given.enum.map(each => membersOf(each).value ?? each);
    draft.constrain(
      `${path}.enum`,
      name,
      'enum',
      values.filter(value => value !== null),
    );
  }
  for (const inner of ['properties', 'items', 'map'])
    if (given[inner] !== undefined)
      draft.unsupported(`${path}.${inner}`, 'Values inside a value are not checked');
  for (const [i, each] of listOf(given.quality).entries())
    quality(`${path}.quality[${i}]`, name, each, draft);
  relationships(path, given, draft);
}

function typeOption(path: string, name: string, option: string, value: unknown, draft: Draft): void {
  const same = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
  if (same) draft.constrain(path, name, same, value);
  else if (option === 'format' && TEXT_FORMATS.has(String(value)))
    draft.constrain(path, name, 'format', value);
  else if (option === 'format' && NUMBER_FORMATS.has(String(value)))
    draft.unsupported(path, 'No rule says how a number is stored');
  else draft.unsupported(path, 'Nothing says this of a field');
}

function relationships(path: string, given: Members, draft: Draft): void {
  for (const i of listOf(given.relationships).keys())
    draft.unsupported(`${path}.relationships[${i}]`, 'A batch is not compared with other tables');
}

/** The range that an operator asks for; bounds are of whole numbers or of percent. */
interface Range {
  least: number | null;
  most: number | null;
}

/** What of the operators can be said of a count or share; null for others. Percent are whole numbers only at the bound itself. */
function rangeOf(given: Members, isCount: boolean): Range | null {
  const step = isCount ? 1 : 0;
  const number = (name: string) => (typeof given[name] === 'number' ? (given[name] as number) : null);
  const be = number('mustBe');
  if (be !== null) return { least: be, most: be };
  const between = listOf(given.mustBeBetween);
  const [from, to] = between.length === 2 ? between.map(Number) : [null, null];
  const above = number('mustBeGreaterThan');
  const below = number('mustBeLessThan');
  const least = number('mustBeGreaterOrEqualTo') ?? (above === null ? null : above + step) ?? from!;
  const most = number('mustBeLessOrEqualTo') ?? (below === null ? null : below - step) ?? to!;
  return least === null && most === null ? null : { least, most };
}

function quality(path: string, name: string | null, each: unknown, draft: Draft) {
  const given = membersOf(each);
  const { type = 'library', metric = given.rule, unit, severity, description, arguments: args } = given;
  const at = `${path}${typeof metric === 'string' ? ` (${metric.slice(0, 100)})` : ''}`;
  if (type === 'text') return draft.unsupported(at, 'A text for people');
  if (type !== 'library')
    return draft.unsupported(at, `A check of type ${String(type).slice(0, 20)} is not read`);
  const modifiers: Modifiers = {
    severity: /^(warn|info|minor|low)/i.test(String(severity ?? '')) ? 'warn' : undefined,
    description: typeof description === 'string' ? description.slice(0, 1000) : undefined,
  };
  const isPercent = unit === 'percent' || unit === '%';
  const range = rangeOf(given, !isPercent);
  if (range === null) return draft.unsupported(at, 'Only mustBe, bounds and mustBeBetween are read');
  const known = { ...given, ...membersOf(args) };
  measured({ path: at, name, metric: String(metric), args: known, range, isPercent, modifiers }, draft);
}

interface Measured {
  path: string;
  name: string | null;
  metric: string;
  args: Members;
  range: Range;
  isPercent: boolean;
  modifiers: Modifiers;
}

function measured(check: Measured, draft: Draft) {
  const { path, name, metric, args, range, isPercent, modifiers } = check;
  if (metric === 'rowCount') {
    if (range.least !== null) draft.rows(path, 'min', Math.max(range.least, 0), modifiers);
    if (range.most !== null) draft.rows(path, 'max', range.most, modifiers);
    return;
  }
  if (range.most === null || (range.least !== null && range.least > 0))
    return draft.unsupported(path, 'Nothing says that bad rows are needed');
  if (range.most < 0 || (isPercent && range.most >= 100))
    return draft.unsupported(path, 'The bound allows none or all');
  const tolerance = isPercent ? share(range.most / 100) : range.most;
  const given = { ...modifiers, ...(tolerance > 0 && { tolerance }) };
  if (metric === 'nullValues' || metric === 'nullCheck') nulls(check, tolerance, given, draft);
  else if (metric === 'duplicateValues' || metric === 'duplicateCount')
    draft.unique(path, name === null ? listOf(args.properties) : [name], given);
  else if ((metric === 'invalidValues' || metric === 'validValues') && name !== null) {
    if (args.validValues !== undefined)
      draft.constrain(path, name, 'enum', valuesIn(args.validValues), given);
    if (args.pattern !== undefined) draft.constrain(path, name, 'pattern', args.pattern, given);
    if (args.validValues === undefined && args.pattern === undefined)
      draft.unsupported(path, 'It has neither validValues nor a pattern');
  } else if (metric === 'missingValues') draft.unsupported(path, 'No rule says which texts are no value');
  else draft.unsupported(path, 'No rule says the same as this metric');
}

/** Null is for other rules. */
const valuesIn = (list: unknown): unknown[] => listOf(list).filter(value => value !== null);

function nulls(
  { path, name, isPercent, modifiers }: Measured,
  tolerance: number,
  given: Modifiers,
  draft: Draft,
): void {
  if (name === null) draft.unsupported(path, 'It names no field');
  else if (isPercent && tolerance > 0) draft.constrain(path, name, 'max_null_rate', tolerance, modifiers);
  else draft.constrain(path, name, 'nullable', false, given);
}

const UNITS: Record<string, string> = {
  d: 'P#D',
  day: 'P#D',
  days: 'P#D',
  h: 'PT#H',
  hr: 'PT#H',
  hour: 'PT#H',
  hours: 'PT#H',
  m: 'PT#M',
  min: 'PT#M',
  minutes: 'PT#M',
  y: 'P#Y',
  yr: 'P#Y',
  years: 'P#Y',
};

/** Latency of a date field bounds its age. */
function agreement(
  path: string,
  { property: of, value, unit, element }: Members,
  table: string | null,
  draft: Draft,
) {
  const kind = String(of).toLowerCase();
  if (!['latency', 'ly', 'freshness'].includes(kind))
    return draft.unsupported(path, 'It says nothing about the rows of a batch');
  const [first = '', ...more] = String(element ?? '').split(',');
  const [object, name] = first.includes('.') ? first.trim().split('.', 2) : [null, first.trim()];
  const duration = UNITS[String(unit).toLowerCase()];
  if (table !== null && object !== null && object !== table)
    return draft.unsupported(path, 'It is about another object');
  if (!name || !duration || more.length > 0 || !Number.isInteger(Number(value)))
    return draft.unsupported(
      path,
      'Only a whole number of minutes, hours, days or years of one element is read',
    );
  draft.constrain(path, name, 'max_age', duration.replace('#', String(Number(value))));
}
