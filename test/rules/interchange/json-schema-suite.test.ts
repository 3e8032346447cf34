/**
 * The required cases of the JSON Schema Test Suite for the keywords that fit flat rows: the schema is imported, and the rows that fail are those
 * that the suite calls invalid. A schema of a value becomes that of a field, the items of `uniqueItems` become rows.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { importRules } from '../../../src/rules/interchange/import.ts';
import { rowsOf } from '../violations/rows-of.ts';

interface Group {
  description: string;
  schema: Record<string, unknown> | boolean;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const FOLDER = join(import.meta.dir, 'foreign/json-schema-test-suite');
const files = [...new Bun.Glob('**/*.json').scanSync(FOLDER)].sort();
const groups = await Promise.all(
  files.map(async file => [file, (await Bun.file(join(FOLDER, file)).json()) as Group[]] as const),
);

/** What is left out, by reason, with how many cases. */
const leftOut = new Map<string, number>();
function leaveOut(reason: string, count = 1): false {
  leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
  return false;
}
const wrong: string[] = [];
let played = 0;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A document that is imported whole; null where a part of the schema has no counterpart. */
function imported(...schemas: readonly object[]) {
  const all = schemas.map(schema => importRules('json-schema', schema, undefined));
  return all.find(({ unsupported }) => unsupported.length === 0) ?? null;
}

function compare(name: string, rows: readonly object[], rules: object, invalid: readonly number[]): void {
  const failing = Object.values(rowsOf(rows, rules)).flatMap(each => each ?? []);
  const found = [...new Set(failing)].sort((a, b) => a - b);
  if (JSON.stringify(found) !== JSON.stringify(invalid)) wrong.push(`${name}: rows ${found}, not ${invalid}`);
}

/** The offset of a time may be missing: see docs/constraints.md. */
const LOOSER = new Set(['no time offset', 'no time offset with second fraction']);

function playGroup(file: string, { description, schema, tests }: Group): boolean {
  const name = `${file}: ${description}`;
  if (!isObject(schema)) return leaveOut('the schema is true or false', tests.length);
  const isRow = 'properties' in schema || 'required' in schema;
  const properties = { v: schema };
  const found = imported(...(isRow ? [schema] : [{ properties, required: ['v'] }, { properties }]));
  if (!found)
    return leaveOut('a part of the schema has no counterpart, and the import says so', tests.length);
  const fitting = tests.filter(each => {
    if (isRow && !isObject(each.data)) return leaveOut('the value is not a row');
    return LOOSER.has(each.description) ? leaveOut('the offset of a time may be missing') : true;
  });
  played += fitting.length;
  const rows = fitting.map(({ data }) => (isRow ? (data as object) : { v: data }));
  compare(
    name,
    rows,
    found.rules,
    fitting.flatMap(({ valid }, i) => (valid ? [] : [i])),
  );
  return true;
}

const CLOSED = { type: 'object', properties: { v: {} }, additionalProperties: false };
/** Texts of equal values that are written differently. */
const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

function playUnique(file: string, { description, schema, tests }: Group): boolean {
  if (!isObject(schema) || 'prefixItems' in schema)
    return leaveOut('items by their place are no field', tests.length);
  for (const { description: what, data, valid } of tests) {
    if (!Array.isArray(data)) leaveOut('the value is not a list of rows');
    else if (data.some(isNested)) leaveOut('nested values are compared as they are written');
    else {
      played++;
      const rows = { ...schema, type: 'array', items: CLOSED };
      // The field may be null, and the import says that such rows are not looked at.
      const { rules } = importRules('json-schema', rows, undefined);
      const repeated = data.flatMap((value, i) =>
        !valid && data.some((other, j) => j !== i && other === value) ? [i] : [],
      );
      compare(
        `${file}: ${description}: ${what}`,
        data.map(v => ({ v })),
        rules,
        repeated,
      );
    }
  }
  return true;
}

test('the rows that fail are those that the suite calls invalid', () => {
  for (const [file, all] of groups)
    for (const group of all) (file === 'uniqueItems.json' ? playUnique : playGroup)(file, group);
  expect(wrong).toEqual([]);
  const cases = groups.flatMap(([, all]) => all).reduce((sum, { tests }) => sum + tests.length, 0);
  expect([played, cases]).toEqual([440, 562]);
  expect(Object.fromEntries(leftOut)).toEqual({
    'a part of the schema has no counterpart, and the import says so': 68,
    'nested values are compared as they are written': 26,
    'items by their place are no field': 26,
    'the offset of a time may be missing': 2,
  });
});
