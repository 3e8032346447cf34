/** Frictionless Table Schema (versions 1 and 2), alone or in a resource or package → rules. */
import { pathTo } from '../declared/reader.ts';
import type { FieldConstraint } from '../declared/document.ts';
import type { Draft, Imported } from './draft.ts';
import { chosenTable, listOf, type Members, membersOf, type Table } from './members.ts';

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
/** How values are written, which the rules do not look at. */
const NOTATION = [
  'trueValues',
  'falseValues',
  'decimalChar',
  'groupChar',
  'bareNumber',
  'missingValues',
  'delimiter',
];
const DATES: ReadonlySet<string> = new Set(['date', 'time', 'datetime']);

export function importFrictionless(document: unknown, draft: Draft, table?: string): Imported {
  const { members, path } = chosenTable(schemasIn(document), table, 'resource with a schema');
  draft.description(membersOf(document).description);
  for (const [i, field] of listOf(members.fields).entries())
    fieldOf(`${path}fields[${i}]`, membersOf(field), draft);
  keys(path, members, draft);
  return draft.finish();
}

function schemasIn(document: unknown): Table[] {
  const { resources, schema, fields, name } = membersOf(document);
  if (Array.isArray(fields)) return [{ name: String(name ?? ''), path: '', members: membersOf(document) }];
  if (resources === undefined)
    return Array.isArray(membersOf(schema).fields)
      ? [{ name: String(name ?? ''), path: 'schema.', members: membersOf(schema) }]
      : [];
  return listOf(resources).flatMap((resource, i) => {
    const { name: each, schema: own } = membersOf(resource);
    const isTable = Array.isArray(membersOf(own).fields);
    return isTable ? [{ name: String(each), path: `resources[${i}].schema.`, members: membersOf(own) }] : [];
  });
}

function fieldOf(path: string, field: Members, draft: Draft) {
  const {
    name,
    type = 'string',
    format = 'default',
    description,
    constraints,
    rdfType: _,
    ...others
  } = field;
  if (typeof name !== 'string') return draft.unsupported(path, 'A field without a name');
  draft.field(path, name, description);
  const checks = Object.hasOwn(TYPES, String(type)) ? TYPES[String(type)] : undefined;
  if (!checks) draft.unsupported(`${path}.type`, 'No rule knows this type');
  else if (DATES.has(String(type)) && format !== 'default')
    draft.unsupported(`${path}.format`, 'No rule says how a date is written');
  else for (const [kind, value] of checks) draft.constrain(`${path}.type`, name, kind, value);
  if (type === 'string' && TEXT_FORMATS.has(String(format)))
    draft.constrain(`${path}.format`, name, 'format', format);
  else if (checks && format !== 'default' && !DATES.has(String(type)))
    draft.unsupported(`${path}.format`, 'No rule knows this format');
  for (const each of NOTATION)
    if (others[each] !== undefined)
      draft.unsupported(`${path}.${each}`, 'No rule says how values are written');
  for (const [kind, value] of Object.entries(membersOf(constraints)))
    constraint(pathTo(`${path}.constraints`, kind), name, kind, value, draft);
}

function constraint(path: string, name: string, kind: string, value: unknown, draft: Draft): void {
  const same = Object.hasOwn(SAME, kind) ? SAME[kind] : undefined;
  if (same) draft.constrain(path, name, same, value);
  else if (kind === 'required' || kind === 'unique') {
    if (value === true && kind === 'unique') draft.constrain(path, name, 'unique', true);
    else if (value === true) draft.constrain(path, name, 'nullable', false);
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
  const primary = [primaryKey ?? []].flat();
  if (primary.length > 0) {
    draft.unique(`${path}primaryKey`, primary);
    for (const name of primary)
      if (typeof name === 'string') draft.constrain(`${path}primaryKey`, name, 'nullable', false);
  }
  for (const [i, names] of listOf(uniqueKeys).entries())
    draft.unique(`${path}uniqueKeys[${i}]`, [names].flat());
  for (const i of listOf(foreignKeys).keys())
    draft.unsupported(`${path}foreignKeys[${i}]`, 'A batch is not compared with other tables');
  const isUsual =
    missingValues === undefined || (listOf(missingValues).length === 1 && listOf(missingValues)[0] === '');
  if (!isUsual) draft.unsupported(`${path}missingValues`, 'No rule says which texts are no value');
  if (fieldsMatch === 'exact' || fieldsMatch === 'equal' || fieldsMatch === 'superset') {
    for (const name of draft.names()) draft.constrain(`${path}fieldsMatch`, name, 'required', true);
    if (fieldsMatch !== 'superset') draft.rows(`${path}fieldsMatch`, 'closed', true);
    if (fieldsMatch === 'exact')
      draft.unsupported(`${path}fieldsMatch`, 'No rule says in which order fields come');
  } else if (fieldsMatch === 'subset') draft.rows(`${path}fieldsMatch`, 'closed', true);
  else if (fieldsMatch !== undefined) draft.unsupported(`${path}fieldsMatch`, 'Nothing says this of a row');
}
