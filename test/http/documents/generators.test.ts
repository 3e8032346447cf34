/** What generators of clients need of the document. `docs/api.md` lists the generators that were tried. */
import { describe, expect, test } from 'bun:test';
import { MAX_INTEGER } from '../../../src/options/options.ts';
import { THRESHOLDS } from '../../../src/terms/policy.ts';
import { batch, SCALE_KEY, Service } from '../service.ts';
import { type Document, operationsOf, readDocument } from './document.ts';

const document = await readDocument();
const operations = operationsOf(document);

interface Found {
  where: string;
  schema: Document;
}

/** The schema and all schemas in it, each component once. */
function schemasIn(schema: Document, where: string, seen = new Set<string>()): Found[] {
  if (typeof schema !== 'object' || schema === null) return [{ where, schema }];
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    if (seen.has(name)) return [];
    seen.add(name);
    return schemasIn(document.components.schemas[name], name, seen);
  }
  const inside: [string, Document][] = [
    ...Object.entries(schema.properties ?? {}),
    ...Object.entries(schema.prefixItems ?? []),
    ...['items', 'additionalProperties', 'not'].flatMap(word =>
      word in schema ? [[word, schema[word]]] : [],
    ),
  ] as [string, Document][];
  return [{ where, schema }, ...inside.flatMap(([name, each]) => schemasIn(each, `${where}.${name}`, seen))];
}

const bodies = operations.flatMap(({ id, document }) =>
  Object.values<Document>(document.requestBody?.content ?? {}).map(({ schema }) => ({ id, schema })),
);
const parameters = operations.flatMap(({ id, document }) =>
  (document.parameters ?? []).map((each: Document) => ({ id, ...each })),
);
const inRequests = bodies.flatMap(({ id, schema }) => schemasIn(schema, id));
const inAnswers = operations.flatMap(({ id, document }) =>
  Object.values<Document>(document.responses).flatMap(({ content }) =>
    Object.values<Document>(content).flatMap(({ schema }) => schemasIn(schema, id)),
  ),
);
const inParameters = parameters.flatMap(({ id, name, schema }) => schemasIn(schema, `${id}?${name}`));
const everywhere = [...inRequests, ...inAnswers, ...inParameters];
const integers = (found: Found[]): Found[] =>
  found.filter(({ schema }) => [schema.type].flat().includes('integer'));

describe('no schema', () => {
  test('has the name of the constructor that Go gets for another one', () => {
    const names = Object.keys(document.components.schemas);
    expect(names.filter(name => names.includes(`New${name}`))).toEqual([]);
  });

  test('is true or false where generators expect an object', () => {
    // `additionalProperties: true` is read by all of them.
    const flags = everywhere.filter(({ schema }) => typeof schema === 'boolean');
    expect(flags.map(({ where }) => where)).toEqual([
      'Row.additionalProperties',
      'StripeEvent.additionalProperties',
    ]);
    expect(flags.every(({ schema }) => schema)).toBe(true);
  });

  test('of a list lacks `items`', () => {
    const lists = everywhere.filter(({ schema }) => schema.type === 'array');
    expect(lists.length).toBeGreaterThan(10);
    for (const { schema } of lists) expect(schema.items).toEqual(expect.any(Object));
  });
});

describe('a request', () => {
  test('has no member with a default: some generators require such members', () => {
    expect(inRequests.length).toBeGreaterThan(20);
    expect(inRequests.filter(({ schema }) => schema.default !== undefined)).toEqual([]);
  });

  test('says its defaults in words', () => {
    const { Thresholds, Options, KeyRequest } = document.components.schemas;
    for (const [name, value] of Object.entries(THRESHOLDS))
      expect(Thresholds.properties[name].description).toEndWith(`the setting of the source, else ${value}`);
    for (const name of ['full_scan', 'row_verdicts', 'dry_run'])
      expect(Options.properties[name].description).toEndWith('Absent: false');
    expect(Options.properties.false_alarm_rate.description).toEndWith('else 0.01');
    expect(KeyRequest.properties.name.description).toEndWith('Null or absent: API key');
  });

  test('that gives a default is not one that gives nothing: it overrides the settings of the source', async () => {
    const service = new Service();
    const rows = Array.from({ length: 10 }, (_, i) => ({ a: i < 4 ? null : i }));
    await service.app.handle(
      new Request('http://localhost/v1/schema/orders/settings', {
        method: 'PUT',
        headers: { 'X-API-Key': SCALE_KEY, 'Content-Type': 'application/json' },
        body: JSON.stringify({ thresholds: { null_rate_warn: 0.5 } }),
      }),
    );
    const statusWith = async (thresholds: object) =>
      (await service.post(batch(rows, { options: { thresholds, dry_run: true } }))).body.status;
    expect(await statusWith({})).toBe('PASS');
    expect(await statusWith({ null_rate_warn: THRESHOLDS.null_rate_warn })).toBe('WARN');
  });

  test('needs no member of its options', () => {
    for (const name of ['Options', 'Thresholds', 'SettingsRequest', 'KeyRequest'])
      expect([name, document.components.schemas[name].required ?? []]).toEqual([name, []]);
  });
});

describe('an integer', () => {
  test('of a request has its least and its largest value, within 32 bits', () => {
    const found = integers([...inRequests, ...inParameters]);
    expect(found.length).toBeGreaterThan(6);
    for (const { where, schema } of found) {
      const isBounded = schema.minimum >= 0 && schema.maximum <= MAX_INTEGER;
      expect([where, isBounded]).toEqual([where, true]);
    }
  });

  test('of a body is taken up to its largest value, and refused beyond it', async () => {
    const service = new Service();
    await service.post(batch([{ a: 1 }]));
    const post = async (path: string, body: string) => {
      const headers = { 'X-API-Key': SCALE_KEY, 'Content-Type': 'application/json' };
      const request = new Request(`http://localhost${path}`, {
        method: 'POST',
        headers,
        body,
      });
      const response = await service.app.handle(request);
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const rollBack = (version: number) => post('/v1/schema/orders/rollback', JSON.stringify({ version }));
    const chunk = (options: object) => post('/v1/screen', batch([{ a: 1 }], { options }));
    const largest = document.components.schemas.RollbackRequest.properties.version.maximum;
    expect(await rollBack(largest)).toEqual([404, 'NOT_FOUND']);
    expect(await rollBack(largest + 1)).toEqual([400, 'INVALID_PARAMETER']);
    const { batch_index, total_batches } = document.components.schemas.Options.properties;
    expect(await chunk({ batch_index: batch_index.maximum })).toEqual([200, undefined]);
    expect(await chunk({ batch_index: batch_index.maximum + 1 })).toEqual([400, 'INVALID_OPTIONS']);
    expect(await chunk({ total_batches: total_batches.maximum })).toEqual([200, undefined]);
    expect(await chunk({ total_batches: total_batches.maximum + 1 })).toEqual([400, 'INVALID_OPTIONS']);
  });

  test('of an answer that sums up rows has 64 bits', () => {
    const long = integers(inAnswers).filter(({ schema }) => schema.format === 'int64');
    const names = new Set(long.map(({ where }) => where.split('.').at(-1)));
    expect([...names].sort()).toEqual(['approx_distinct', 'rows', 'rowsProcessed', 'totalRows']);
  });
});

test('words of a parameter have a name: some generators refer to a type that they do not write', () => {
  expect(parameters.filter(({ schema }) => schema.enum)).toEqual([]);
});
