/** Open Data Contract Standard 3: one object of a contract → rules. */
import type { FieldConstraint } from '../declared/document.ts';
import { shortened } from '../../terms/wording.ts';
import { type Draft, type Imported, type Modifiers, shortText } from './draft.ts';
import {
  chosenTable,
  inTable,
  invalid,
  isMembers,
  isSet,
  listOf,
  memberAt,
  type Members,
  membersOf,
  named,
  share,
  textOf,
} from './members.ts';

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

/** Members about the contract, the tables and their storage. They say nothing about the rows. */
const OF_ALL =
  'id name description tags customProperties authoritativeDefinitions context synonyms deprecated';
const OF_CONTRACT = named(
  `${OF_ALL} kind version status tenant domain dataProduct servers support price team roles contractCreatedTs`,
);
const OF_ELEMENT = `${OF_ALL} businessName physicalName physicalType semanticType`;
const OF_TABLE = named(`${OF_ELEMENT} logicalType dataGranularityDescription`);
const OF_PROPERTY = named(
  `${OF_ELEMENT} primaryKeyPosition partitioned partitionKeyPosition classification encryptedName examples criticalDataElement transformLogic transformDescription transformSourceObjects`,
);
const OF_VALUE = named(`${OF_ALL} label`);
const OF_QUALITY = named(`${OF_ALL} dimension method businessImpact scheduler schedule`);
const OF_AGREEMENT = named(`${OF_ALL} driver scheduler schedule`);
const NONE: ReadonlySet<string> = new Set();

export function importOdcs(document: unknown, draft: Draft, table?: string): Imported {
  if (!/^v?3\./.test(textOf(membersOf(document).apiVersion)))
    throw invalid('apiVersion: the contract must be of version 3 of the Open Data Contract Standard');
  draft.object('', document, OF_CONTRACT, contract => {
    const { apiVersion: _, schema, slaProperties, slaDefaultElement } = contract;
    const tables = draft.tables('schema', schema);
    const { name, path, members } = chosenTable(tables, table, 'object of the schema');
    draft.description(members.description ?? membersOf(contract.description).purpose);
    draft.object(path, members, OF_TABLE, given => tableOf(path, given, draft));
    const ofTable = { name, isOnly: tables.length === 1, element: slaDefaultElement };
    for (const [i, each] of draft.list('slaProperties', slaProperties).entries()) {
      const at = `slaProperties[${i}]`;
      draft.object(at, each, OF_AGREEMENT, given => agreement(at, given, ofTable, draft));
    }
  });
  return draft.finish();
}

function tableOf(path: string, members: Members, draft: Draft): void {
  properties(path, members, draft);
  qualities(path, null, members.quality, draft);
  relationships(path, members, draft);
}

function properties(path: string, members: Members, draft: Draft): void {
  const keys: { name: string; place: number }[] = [];
  for (const [i, each] of draft.list(`${path}.properties`, members.properties).entries()) {
    const at = `${path}.properties[${i}]`;
    const { name } = membersOf(each);
    if (typeof name !== 'string') draft.unsupported(at, 'A property without a name');
    else
      draft.object(at, each, OF_PROPERTY, given => {
        property(at, name, given, draft);
        if (draft.isTrue(`${at}.primaryKey`, given.primaryKey ?? given.isPrimaryKey))
          keys.push({ name, place: Number(textOf(given.primaryKeyPosition ?? 1)) });
      });
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
  const logical = textOf(given.logicalType);
  const type = inTable(TYPES, logical);
  const { logicalTypeOptions: options } = given;
  const isWritten = type?.[0] === 'format' && isSet(membersOf(options).format);
  if (isWritten) draft.unsupported(`${path}.logicalTypeOptions.format`, 'No rule says how a date is written');
  else if (type) draft.constrain(`${path}.logicalType`, name, ...type);
  else if (isSet(given.logicalType)) draft.unsupported(`${path}.logicalType`, 'No rule knows this type');
  draft.object(`${path}.logicalTypeOptions`, options, NONE, members => {
    for (const option of Object.keys(members)) {
      const value = members[option];
      if (isSet(value) && (!isWritten || option !== 'format'))
        typeOption(memberAt(`${path}.logicalTypeOptions`, option), name, option, value, draft);
    }
  });
  if (draft.isTrue(`${path}.required`, given.required))
    draft.constrain(`${path}.required`, name, 'nullable', false);
  if (draft.isTrue(`${path}.unique`, given.unique)) draft.constrain(`${path}.unique`, name, 'unique', true);
  if (isSet(given.enum)) {
    const values = draft.list(`${path}.enum`, given.enum);
    draft.constrain(`${path}.enum`, name, 'enum', valuesOf(`${path}.enum`, values, draft));
  }
  for (const inner of ['properties', 'items', 'map'])
    if (isSet(given[inner])) draft.unsupported(`${path}.${inner}`, 'Values inside a value are not checked');
  qualities(path, name, given.quality, draft);
  relationships(path, given, draft);
}

/** A value of an enumeration may have a label and more. Null is for other rules. */
function valuesOf(path: string, list: readonly unknown[], draft: Draft): unknown[] {
  const values = list.map((each, i) => {
    if (!isMembers(each) || !isSet(each.value)) return each;
    draft.object(`${path}[${i}]`, each, OF_VALUE, ({ value: _ }) => {});
    return each.value;
  });
  return values.filter(value => value !== null);
}

function typeOption(path: string, name: string, option: string, value: unknown, draft: Draft): void {
  const same = inTable(OPTIONS, option);
  if (same) draft.constrain(path, name, same, value);
  else if (option === 'format' && TEXT_FORMATS.has(textOf(value)))
    draft.constrain(path, name, 'format', value);
  else if (option === 'format' && NUMBER_FORMATS.has(textOf(value)))
    draft.unsupported(path, 'No rule says how a number is stored');
  else draft.unsupported(path, 'Nothing says this of a field');
}

function relationships(path: string, given: Members, draft: Draft): void {
  for (const i of draft.list(`${path}.relationships`, given.relationships).keys())
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
  const between = isSet(given.mustBeBetween) ? listOf(given.mustBeBetween) : [null, null];
  const least = [
    given.mustBe,
    given.mustBeGreaterOrEqualTo,
    above(given.mustBeGreaterThan, step),
    between[0],
  ];
  const most = [given.mustBe, given.mustBeLessOrEqualTo, above(given.mustBeLessThan, -step), between[1]];
  const bounds = [...least, ...most].filter(isSet);
  if (bounds.length === 0 || between.length !== 2 || !bounds.every(Number.isFinite)) return null;
  const tightest = (list: unknown[], of: (...numbers: number[]) => number) =>
    list.some(isSet) ? of(...(list.filter(isSet) as number[])) : null;
  return { least: tightest(least, Math.max), most: tightest(most, Math.min) };
}

const above = (bound: unknown, step: number): unknown => (typeof bound === 'number' ? bound + step : bound);

function qualities(path: string, name: string | null, list: unknown, draft: Draft): void {
  for (const [i, each] of draft.list(`${path}.quality`, list).entries()) {
    const { rule, metric = rule } = membersOf(each);
    const at = `${path}.quality[${i}]${typeof metric === 'string' ? ` (${shortened(metric, 100)})` : ''}`;
    draft.object(at, each, OF_QUALITY, given => quality(at, name, given, draft));
  }
}

function quality(path: string, name: string | null, given: Members, draft: Draft) {
  const { type = 'library', metric = given.rule, unit, severity, description } = given;
  if (type === 'text') return draft.unsupported(path, 'A text for people');
  if (type !== 'library')
    return draft.unsupported(path, `A check of type ${shortened(textOf(type), 20)} is not read`);
  if (isSet(severity) && typeof severity !== 'string')
    draft.unsupported(`${path}.severity`, 'This is no text');
  const modifiers: Modifiers = {
    severity: /^(warn|info|minor|low)/i.test(textOf(severity)) ? 'warn' : undefined,
    description: typeof description === 'string' ? shortText(description) : undefined,
  };
  const isPercent = unit === 'percent' || unit === '%';
  const range = rangeOf(given, !isPercent);
  if (range === null) return draft.unsupported(path, 'Only mustBe, bounds and mustBeBetween are read');
  const measure = (args: Members) =>
    measured({ path, name, metric: textOf(metric), args, range, isPercent, modifiers }, draft);
  // Before version 3.1 the arguments stood beside the metric.
  if (isSet(given.arguments)) draft.object(`${path}.arguments`, given.arguments, NONE, measure);
  else measure(given);
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
    if (isPercent) return draft.unsupported(path, 'A number of rows is no percentage');
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
    const { validValues, pattern } = args;
    if (isSet(validValues)) draft.constrain(path, name, 'enum', valuesIn(validValues), given);
    if (isSet(pattern)) draft.constrain(path, name, 'pattern', pattern, given);
    if (!isSet(validValues) && !isSet(pattern))
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

interface AgreedTable {
  name: string;
  isOnly: boolean;
  /** The element of an agreement that names none. */
  element: unknown;
}

/** Latency of a date field bounds its age. */
function agreement(
  path: string,
  { property: of, value, unit, element }: Members,
  table: AgreedTable,
  draft: Draft,
) {
  const kind = textOf(of).toLowerCase();
  if (!['latency', 'ly', 'freshness'].includes(kind))
    return draft.unsupported(path, 'It says nothing about the rows of a batch');
  const [object, name] = elementIn(textOf(element ?? table.element), table.name);
  const duration = inTable(UNITS, textOf(unit).toLowerCase());
  if (!table.isOnly && object !== null && object !== table.name)
    return draft.unsupported(path, 'It is about another object');
  if (!name || !duration || name.includes(',') || !/^\d{1,15}$/.test(textOf(value)))
    return draft.unsupported(
      path,
      'Only a whole number of minutes, hours, days or years of one element is read',
    );
  draft.constrain(path, name, 'max_age', duration.replace('#', textOf(value)));
}

/** `orders.at`, or `at` alone. Names of fields may have dots, too. */
function elementIn(element: string, table: string): [object: string | null, name: string] {
  const object = element.startsWith(`${table}.`) ? table : element.split('.', 1)[0]!;
  return object === element
    ? [null, element.trim()]
    : [object.trim(), element.slice(object.length + 1).trim()];
}
