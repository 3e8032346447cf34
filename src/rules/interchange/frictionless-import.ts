/** Frictionless Table Schema (versions 1 and 2), alone or in a resource or package → rules. */
import { pathTo } from '../declared/reader.ts';
import type { FieldConstraint } from '../declared/document.ts';
import type { Draft, Imported } from './draft.ts';
import {
  chosenTable,
  inTable,
  isMembers,
  isSet,
  listOf,
  memberAt,
  type Members,
  membersOf,
  named,
  type Table,
  textOf,
} from './members.ts';

/** By type: the constraints that say the same. Null: every value is of the type. */
const TYPES: Record<string, readonly (readonly [FieldConstraint, unknown])[]> = {
  string: [['type', 'string']],
  number: [['type', 'number']],
  integer: [['type', 'integer']],
  boolean: [['type', 'boolean']],
  object: [['type', 'object']],
  array: [['type', 'array']],
  date: [['format', 'date']],
  time: [['format', 'time']],
  datetime: [['format', 'date-time']],
  year: [['type', 'integer']],
  yearmonth: [['pattern', '^-?[0-9]{4,}-(0[1-9]|1[0-2])$']],
  any: [],
};

const SAME: Record<string, FieldConstraint> = {
  minimum: 'minimum',
  maximum: 'maximum',
  exclusiveMinimum: 'exclusive_minimum',
  exclusiveMaximum: 'exclusive_maximum',
  minLength: 'min_length',
  maxLength: 'max_length',
};

const TEXT_FORMATS: ReadonlySet<string> = new Set(['email', 'uri', 'uuid']);
/** How values of the type are written: rules know only the usual way, so the type is not checked. */
const NOTATION = ['trueValues', 'falseValues', 'decimalChar', 'groupChar', 'bareNumber', 'delimiter'];
const USUAL: Members = { decimalChar: '.', bareNumber: true };
const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'year']);
const DATES: ReadonlySet<string> = new Set(['date', 'time', 'datetime']);

/** Members for people, and of where data lie and how they are written. */
const OF_ALL = 'name title description $schema profile';
const OF_PACKAGE = named(
  `${OF_ALL} id type homepage version created contributors sources licenses keywords image temporal spatial languages organization $frictionless`,
);
const OF_RESOURCE = named(
  `${OF_ALL} type sources licenses languages path data extrapaths scheme format mediatype encoding compression innerpath bytes hash dialect`,
);
const OF_SCHEMA = named(OF_ALL);
const OF_FIELD = named('title description example rdfType categoriesOrdered');
const OF_CATEGORY = named('label');
const NONE: ReadonlySet<string> = new Set();

export function importFrictionless(document: unknown, draft: Draft, table?: string): Imported {
  const { members, path, resource } = chosenTable(schemasIn(document), table, 'resource with a schema');
  draft.description(membersOf(document).description);
  // What is around the schema: a resource, and around that a package.
  if (path !== '')
    draft.object('', document, resource ? OF_PACKAGE : OF_RESOURCE, ({ resources: _, schema: __ }) => {});
  if (resource) draft.object(resource.path, resource.members, OF_RESOURCE, ({ schema: _ }) => {});
  draft.object(path, members, OF_SCHEMA, schema => {
    for (const [i, each] of listOf(schema.fields).entries()) {
      const at = `${memberAt(path, 'fields')}[${i}]`;
      const { name } = membersOf(each);
      if (typeof name !== 'string') draft.unsupported(at, 'A field without a name');
      else draft.object(at, each, OF_FIELD, field => fieldOf(at, name, field, draft));
    }
    keys(path, schema, draft);
  });
  return draft.finish();
}

interface SchemaOf extends Table {
  resource?: { path: string; members: Members };
}

function schemasIn(document: unknown): SchemaOf[] {
  const { resources, schema, fields, name } = membersOf(document);
  const isTable = (own: unknown) => Array.isArray(membersOf(own).fields);
  if (Array.isArray(fields)) return [{ name: textOf(name), path: '', members: membersOf(document) }];
  if (!isSet(resources))
    return isTable(schema) ? [{ name: textOf(name), path: 'schema', members: membersOf(schema) }] : [];
  return listOf(resources).flatMap((each, i) => {
    const resource = { path: `resources[${i}]`, members: membersOf(each) };
    const { name: own, schema: inner } = resource.members;
    const table = { name: textOf(own), path: `${resource.path}.schema`, members: membersOf(inner), resource };
    return isTable(inner) ? [table] : [];
  });
}

function fieldOf(path: string, name: string, field: Members, draft: Draft): void {
  const { name: _, type: given, format: written, description, constraints, categories } = field;
  const type = textOf(given ?? 'string');
  const format = written ?? 'default';
  const notation = NOTATION.filter(each => isSet(field[each]) && field[each] !== USUAL[each]);
  draft.field(path, name, description);
  const checks = inTable(TYPES, type);
  if (!checks) draft.unsupported(`${path}.type`, 'No rule knows this type');
  else if (DATES.has(type) && format !== 'default')
    draft.unsupported(`${path}.format`, 'No rule says how a date is written');
  else if (notation.length === 0)
    for (const [kind, value] of checks) draft.constrain(`${path}.type`, name, kind, value);
  if (type === 'string' && TEXT_FORMATS.has(textOf(format)))
    draft.constrain(`${path}.format`, name, 'format', format);
  else if (checks && format !== 'default' && !DATES.has(type))
    draft.unsupported(`${path}.format`, 'No rule knows this format');
  for (const each of notation)
    draft.unsupported(`${path}.${each}`, 'No rule says how values are written, so the type is not checked');
  if (isSet(field.missingValues))
    draft.unsupported(`${path}.missingValues`, 'No rule says which texts are no value');
  draft.object(`${path}.constraints`, constraints, NONE, members => {
    for (const kind of Object.keys(members))
      if (isSet(members[kind]))
        constraint(
          pathTo(`${path}.constraints`, kind),
          name,
          kind,
          NUMBERS.has(type) ? numbersIn(members[kind]) : members[kind],
          draft,
        );
  });
  if (isSet(categories)) categoriesOf(`${path}.categories`, name, categories, draft);
}

/** What a constraint of a number says may be written as a text: `"10"`. */
function numbersIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(numbersIn);
  return typeof value === 'string' && /^-?[0-9]+(?:\.[0-9]+)?$/.test(value) ? Number(value) : value;
}

/** Values, each alone or with a label: the field has no others. */
function categoriesOf(path: string, name: string, categories: unknown, draft: Draft): void {
  const values = draft.list(path, categories).map((each, i) => {
    if (!isMembers(each)) return each;
    draft.object(`${path}[${i}]`, each, OF_CATEGORY, ({ value: _ }) => {});
    return each.value;
  });
  draft.constrain(path, name, 'enum', values);
}

function constraint(path: string, name: string, kind: string, value: unknown, draft: Draft): void {
  const same = inTable(SAME, kind);
  if (same) draft.constrain(path, name, same, value);
  else if (kind === 'required' || kind === 'unique') {
    if (!draft.isTrue(path, value)) return;
    if (kind === 'unique') draft.constrain(path, name, 'unique', true);
    else draft.constrain(path, name, 'nullable', false);
  } else if (kind === 'enum')
    draft.constrain(
      path,
      name,
      'enum',
      listOf(value).filter(each => each !== null),
    );
  // A pattern of Table Schema is of the whole value.
  else if (kind === 'pattern')
    draft.constrain(path, name, 'pattern', typeof value === 'string' ? `^(?:${value})$` : value);
  else draft.unsupported(path, 'Nothing says this of a field');
}

function keys(path: string, schema: Members, draft: Draft): void {
  const { primaryKey, uniqueKeys, foreignKeys, missingValues, fieldsMatch } = schema;
  const at = (name: string): string => memberAt(path, name);
  const primary = [primaryKey ?? []].flat();
  if (primary.length > 0) {
    draft.unique(at('primaryKey'), primary);
    for (const name of primary)
      if (typeof name === 'string') draft.constrain(at('primaryKey'), name, 'nullable', false);
  }
  for (const [i, names] of draft.list(at('uniqueKeys'), uniqueKeys).entries())
    draft.unique(`${at('uniqueKeys')}[${i}]`, [names].flat());
  for (const i of draft.list(at('foreignKeys'), foreignKeys).keys())
    draft.unsupported(`${at('foreignKeys')}[${i}]`, 'A batch is not compared with other tables');
  const isUsual =
    !isSet(missingValues) || (listOf(missingValues).length === 1 && listOf(missingValues)[0] === '');
  if (!isUsual) draft.unsupported(at('missingValues'), 'No rule says which texts are no value');
  if (fieldsMatch === 'exact' || fieldsMatch === 'equal' || fieldsMatch === 'superset') {
    for (const name of draft.names()) draft.constrain(at('fieldsMatch'), name, 'required', true);
    if (fieldsMatch !== 'superset') draft.rows(at('fieldsMatch'), 'closed', true);
    if (fieldsMatch === 'exact')
      draft.unsupported(at('fieldsMatch'), 'No rule says in which order fields come');
  } else if (fieldsMatch === 'subset') draft.rows(at('fieldsMatch'), 'closed', true);
  else if (isSet(fieldsMatch)) draft.unsupported(at('fieldsMatch'), 'Nothing says this of a row');
}
