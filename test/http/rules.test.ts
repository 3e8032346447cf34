/** /v1/schema/{source}/rules: put, read, delete, import, and who changed what. */
import { describe, expect, test } from 'bun:test';
import { MAX_INTEGER } from '../../src/options/options.ts';
import { MAX_CHANGES, MAX_PAST, MAX_PATH } from '../../src/sources/source-rules.ts';
import { batch, KEY, SCALE_KEY, type Service } from './service.ts';
import { ask, orders, say, screened, ticking, versionsOf } from './teaching.ts';

const PATH = '/v1/schema/orders/rules';
const RULES = { fields: { id: { unique: true, nullable: false }, amount: { minimum: 0 } }, rows: { min: 1 } };
const put = (service: Service, rules: object, key = SCALE_KEY) => ask(service, 'PUT', PATH, rules, key);
const rulesOf = async (service: Service) => (await ask(service, 'GET', PATH)).body;
const changesOf = async (service: Service) => (await ask(service, 'GET', `${PATH}/history`)).body.changes;

describe('rules of a source', () => {
  test('are kept as they were put, before and after its first batch', async () => {
    const service = ticking();
    expect(await ask(service, 'GET', PATH)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const { status, body } = await put(service, RULES);
    expect([status, body]).toEqual([
      200,
      { source: 'orders', rules: RULES, version: 1, updated_at: expect.stringMatching(/^2026-/) },
    ]);
    await screened(service, orders(1));
    expect(await rulesOf(service)).toEqual(body);
    await ask(service, 'DELETE', '/v1/schema/orders');
    expect(await rulesOf(service)).toEqual(body);
    expect((await ask(service, 'GET', PATH, undefined, KEY)).status).toBe(404);
  });

  test('get a new version with each change, and the same rules again change nothing', async () => {
    const service = ticking();
    await put(service, RULES);
    const first = await rulesOf(service);
    expect((await put(service, RULES)).body).toEqual(first);
    expect((await put(service, { ...RULES, rows: { min: 2 } })).body.version).toBe(2);
    expect((await ask(service, 'DELETE', PATH)).body).toEqual({ ok: true, source: 'orders' });
    expect((await ask(service, 'GET', PATH)).status).toBe(404);
    expect((await ask(service, 'DELETE', PATH)).status).toBe(200);
    expect((await put(service, RULES)).body.version).toBe(4);
  });

  test('are changed only from the version that the change asks for', async () => {
    const service = ticking();
    const from = (version: number | string, method: string, rules?: object) =>
      ask(service, method, `${PATH}?if_version=${version}`, rules);
    const stricter = { ...RULES, rows: { min: 2 } };
    expect((await from(0, 'PUT', RULES)).body.version).toBe(1);
    const conflict = (version: number, asked: number) => [
      409,
      {
        code: 'VERSION_CONFLICT',
        message: `The rules of 'orders' have version ${version}, not ${asked}: read them again and repeat the change`,
      },
    ];
    const late = await from(0, 'PUT', stricter);
    expect([late.status, late.body]).toEqual(conflict(1, 0));
    expect((await from(1, 'PUT', stricter)).body.version).toBe(2);
    // A repeat whose first answer was lost.
    expect((await from(1, 'PUT', stricter)).body.version).toBe(2);
    const deletion = await from(1, 'DELETE');
    expect([deletion.status, deletion.body]).toEqual(conflict(2, 1));
    const schema = { properties: { id: { type: 'integer' } } };
    const imported = await ask(
      service,
      'POST',
      `${PATH}/import?format=json-schema&apply=true&if_version=1`,
      schema,
    );
    expect([imported.status, imported.body]).toEqual(conflict(2, 1));
    expect((await rulesOf(service)).rules).toEqual(stricter);
    expect((await from(2, 'DELETE')).status).toBe(200);
    expect((await from(2, 'PUT', RULES)).status).toBe(409);
    expect((await from(3, 'PUT', RULES)).body.version).toBe(4);
    expect((await from(MAX_INTEGER, 'PUT', stricter)).status).toBe(409);
    const { body } = await from(MAX_INTEGER + 1, 'PUT', stricter);
    expect(body).toEqual({
      code: 'INVALID_PARAMETER',
      message: `if_version must be a whole number from 0 to ${MAX_INTEGER}, not '${MAX_INTEGER + 1}'`,
    });
  });

  test('of several changes from one version, one holds', async () => {
    const service = ticking();
    await put(service, RULES);
    const answers = await Promise.all(
      [2, 3, 4].map(min => ask(service, 'PUT', `${PATH}?if_version=1`, { ...RULES, rows: { min } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const won = answers.find(({ status }) => status === 200)!.body;
    expect(await rulesOf(service)).toEqual(won);
  });

  test('that are wrong are refused with the path, and the earlier ones stay', async () => {
    const service = ticking();
    await put(service, RULES);
    const { status, body } = await put(service, { fields: { amount: { minimum: 'x' } } });
    expect([status, body]).toEqual([
      400,
      { code: 'INVALID_RULES', message: "fields.amount.minimum: must be a number, not 'x'" },
    ]);
    expect((await rulesOf(service)).version).toBe(1);
  });

  test('are not removed by an empty body', async () => {
    const service = ticking();
    const { body: before } = await put(service, RULES);
    expect(await ask(service, 'PUT', PATH)).toMatchObject({ status: 400, body: { code: 'INVALID_RULES' } });
    expect(await rulesOf(service)).toEqual(before);
    expect((await put(service, {})).body).toMatchObject({ rules: {}, version: 2 });
  });

  test.each([
    ['{"fields": {"a": {"minimum": 1}, "a": {"maximum": 2}}}', 'fields.a: is there twice'],
    [
      '{"fields": {"a": {\n"minimum": 1,\n"minimum": 2}}}',
      'fields.a.minimum: is there twice, in line 2 and in line 3',
    ],
    ['{"compare": [{}, {"left": "a", "left": "b"}]}', 'compare[1].left: is there twice'],
    ['{"when": [], "rows": {}, "rows": {"min": 1}}', 'rows: is there twice'],
  ])('in which two members have one name are refused: %s', async (rules, message) => {
    const service = ticking();
    const refused = [400, { code: 'INVALID_RULES', message }];
    const { status, body } = await ask(service, 'PUT', PATH, rules);
    expect([status, body]).toEqual(refused);
    const inBody = await service.post(
      `{"source": "orders", "options": {"rules":${rules}}, "rows": [{"a": 1}]}`,
    );
    expect([inBody.status, inBody.body]).toEqual(refused);
    const options = `{"rules":${rules.replaceAll('\n', ' ')}}`;
    const inHeader = await service.csv('a\n1', { 'X-Options': options });
    expect([inHeader.status, inHeader.body.message]).toEqual([400, message.replace(/,.*/, '')]);
  });

  test.each([
    ['{"mode": "strict", "mode": "adaptive", "rules": {"rows": {}, "rows": {}}}', 'rows: is there twice'],
    ['{"rules": {}, "rules": {"fields": {}}}', 'rules: is there twice'],
  ])('are searched alone for names that are there twice: %s', async (options, message) => {
    const service = ticking();
    const inBody = await service.post(`{"source": "orders", "options": ${options}, "rows": [{"a": 1}]}`);
    expect([inBody.status, inBody.body]).toEqual([400, { code: 'INVALID_RULES', message }]);
    const inHeader = await service.csv('a\n1', { 'X-Options': options });
    expect([inHeader.status, inHeader.body.message]).toEqual([400, message]);
  });

  test.each([
    ['[]', 'an array'],
    ['"x"', "'x'"],
    ['null', 'null'],
    ['7', '7'],
  ])('must be an object, and not %s', async (text, what) => {
    const message = `rules: must be an object, not ${what}`;
    const refused = { status: 400, body: { code: 'INVALID_RULES', message } };
    expect(await ask(ticking(), 'PUT', PATH, text)).toMatchObject(refused);
  });

  test.each([
    [
      'a pattern that does not compile',
      { fields: { a: { pattern: '(' } } },
      'INVALID_RULES',
      'fields.a.pattern: no',
    ],
    [
      'brackets without end',
      JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`),
      'INVALID_JSON',
      'The body must be one JSON text: It may be nested at most 50 deep',
    ],
    [
      'one within another',
      { fields: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) },
      'INVALID_JSON',
      'The body must',
    ],
  ])('may not have %s', async (_, rules, code, message) => {
    const { status, body } = await put(ticking(), rules);
    expect([status, body]).toEqual([
      400,
      { code, message: expect.stringMatching(new RegExp(`^${message}`)) },
    ]);
  });

  test('of a batch have patterns that compile, whether or not it has their fields', async () => {
    const rules = { fields: { gone: { pattern: '(' } } };
    const { status, body } = await ticking().post(batch(orders(1), { options: { rules } }));
    expect([status, body.code]).toEqual([400, 'INVALID_RULES']);
  });

  test('of concurrent changes each gets its own version', async () => {
    const service = ticking();
    await screened(service, orders(1));
    await screened(service, orders(2));
    const counts = Array.from({ length: 30 }, (_, i) => i + 1);
    const versions = await Promise.all(
      counts.map(async min => (await put(service, { rows: { min } })).body.version),
    );
    expect(versions.toSorted((a, b) => a - b)).toEqual(counts);
  });
});

describe('the history of rules', () => {
  test('says who changed what', async () => {
    const service = ticking();
    await put(service, RULES);
    await put(service, {
      fields: { id: { unique: true }, amount: { minimum: 1, maximum: 9 } },
      rows: { min: 1 },
    });
    await ask(service, 'DELETE', PATH);
    const changes = await changesOf(service);
    expect(changes.map(({ at: _, by: __, ...change }: { at: string; by: string }) => change)).toEqual([
      {
        version: 3,
        reason: 'deleted',
        count: 0,
        added: [],
        removed: ['fields.id.unique', 'fields.amount.minimum', 'fields.amount.maximum', 'rows.min'],
        changed: [],
      },
      {
        version: 2,
        reason: 'put',
        count: 4,
        added: ['fields.amount.maximum'],
        removed: ['fields.id.nullable'],
        changed: ['fields.amount.minimum'],
      },
      {
        version: 1,
        reason: 'put',
        count: 4,
        added: ['fields.id.nullable', 'fields.id.unique', 'fields.amount.minimum', 'rows.min'],
        removed: [],
        changed: [],
      },
    ]);
    expect(changes[0].by).toMatch(/^key_/);
  });

  test(`has at most ${MAX_CHANGES} changes, and only so many documents as have room`, async () => {
    const service = ticking();
    const wide = (min: number) => ({ description: 'x'.repeat(900), rows: { min } });
    for (let i = 0; i < MAX_CHANGES + 2; i++) await put(service, wide(i));
    expect(await changesOf(service)).toHaveLength(MAX_CHANGES);
    const long = Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [`field ${i}`, { description: 'y'.repeat(190), minimum: 1 }]),
    );
    for (let i = 0; i < 4; i++) await put(service, { fields: long, rows: { min: i } });
    const past = (await service.baselineStore.rulesPast('scaler', 'orders'))!;
    expect(past.length).toBeWithin(MAX_PAST / 4, MAX_PAST + 1);
    expect(await changesOf(service)).toHaveLength(MAX_CHANGES);
  });

  test(`has at most ${MAX_PAST} characters, whatever the names of fields`, async () => {
    const service = ticking();
    const named = (turn: number) =>
      Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [`${turn} ${i}`.padEnd(1000, '\u0001'), { minimum: 1 }]),
      );
    for (let turn = 0; turn < MAX_CHANGES; turn++) await put(service, { fields: named(turn) });
    const past = (await service.baselineStore.rulesPast('scaler', 'orders'))!;
    expect(past.length).toBeWithin(MAX_PAST / 2, MAX_PAST + 1);
    const [newest] = await changesOf(service);
    expect([newest.version, newest.added[0].length]).toEqual([MAX_CHANGES, MAX_PATH]);
  });
});

describe('rules and versions of the baseline', () => {
  test('a change of rules is stored as a version, and to roll back to it brings the earlier rules back', async () => {
    const service = ticking();
    for (let day = 0; day < 3; day++) await screened(service, orders(day));
    await put(service, RULES);
    await put(service, { rows: { min: 50 } });
    const versions = await versionsOf(service);
    expect(
      versions.map(({ reason, rules_version }: { reason: string; rules_version: number }) => [
        reason,
        rules_version,
      ]),
    ).toEqual([
      ['before_rules', 1],
      ['before_rules', 0],
    ]);
    const { body } = await say(service, 'rollback', { version: versions[0].version });
    expect(body.message).toBe("The baseline of 'orders' is version 2 again");
    expect(await rulesOf(service)).toMatchObject({ rules: RULES, version: 3 });
    await say(service, 'rollback', { version: versions[1].version });
    expect((await ask(service, 'GET', PATH)).status).toBe(404);
    expect((await changesOf(service))[0]).toMatchObject({ version: 4, reason: 'rolled_back' });
  });

  test('rules whose document is no longer kept stay as they are, and the answer says so', async () => {
    const service = ticking();
    for (let day = 0; day < 3; day++) await screened(service, orders(day));
    await put(service, RULES);
    await put(service, { rows: { min: 1000 } });
    for (let i = 0; i <= MAX_CHANGES; i++) await put(service, { rows: { min: i } });
    // The versions of the baseline are fewer than those of the rules.
    const note = JSON.stringify({
      made_at: '2026-01-01T00:00:00.000Z',
      reason: 'learned',
      batches: 1,
      rows: 1,
      rules_version: 1,
    });
    const [{ version }] = await versionsOf(service);
    const copy = await service.baselineStore.version('scaler', 'orders', version);
    await service.baselineStore.keepVersion('scaler', 'orders', note, copy!);
    const { body } = await say(service, 'rollback', { version: version + 1 });
    expect(body.message).toContain('the rules of then are no longer kept');
    expect((await rulesOf(service)).rules).toEqual({ rows: { min: MAX_CHANGES } });
  });
});

describe('import', () => {
  const post = async (service: Service, query: string, body: string) => {
    const headers = { 'X-API-Key': SCALE_KEY, 'Content-Type': 'application/yaml' };
    const request = new Request(`http://localhost${PATH}/import?${query}`, { method: 'POST', headers, body });
    const response = await service.app.handle(request);
    return {
      status: response.status,
      body: (await response.json()) as { message: string; rules: object } & object,
    };
  };
  const YAML =
    'properties:\n  amount: {type: number, minimum: 0}\n  name: {format: hostname}\nrequired: [amount]\n';

  test('answers with rules and with what they cannot say, and stores nothing', async () => {
    const service = ticking();
    const { status, body } = await post(service, 'format=json-schema', YAML);
    expect([status, body as object]).toEqual([
      200,
      {
        source: 'orders',
        rules: { fields: { amount: { type: 'number', minimum: 0, nullable: false }, name: {} } },
        unsupported: [{ path: 'properties.name.format', reason: 'No rule knows this format' }],
      },
    ]);
    expect((await ask(service, 'GET', PATH)).status).toBe(404);
  });

  test('stores the rules with apply=true', async () => {
    const service = ticking();
    const { body } = await post(service, 'format=json-schema&apply=true', YAML);
    expect(body).toMatchObject({ version: 1, updated_at: expect.any(String) });
    expect((await rulesOf(service)).rules).toEqual(body.rules);
    expect((await changesOf(service))[0]).toMatchObject({ reason: 'imported' });
  });

  test.each([
    [
      'format=xml',
      '{}',
      'INVALID_PARAMETER',
      "format must be one of json-schema, odcs, dbt, frictionless, great-expectations, not 'xml'",
    ],
    ['', '{}', 'INVALID_PARAMETER', 'format must be one of'],
    ['format=odcs&apply=1', '{}', 'INVALID_PARAMETER', "apply must be true or false, not '1'"],
    ['format=odcs', 'a: [1, 2\nb: 3', 'INVALID_RULES', '(line 2)'],
    ['format=odcs', '', 'INVALID_RULES', 'rules: It is empty'],
    ['format=dbt', '---', 'INVALID_RULES', 'is the format right?'],
    ['format=dbt', '[]', 'INVALID_RULES', 'is the format right?'],
    ['format=dbt', 'not found', 'INVALID_RULES', 'is the format right?'],
    ['format=dbt&table=c', 'models: [{name: a}, {name: b}]', 'INVALID_RULES', "the document has 'a', 'b'"],
  ])('refuses %j with %j: %s', async (query, body, code, message) => {
    const answer = await post(ticking(), query, body);
    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect(answer.body.message).toContain(message);
  });
});

describe('suggestions', () => {
  const suggestedFor = async (service: Service) => (await ask(service, 'GET', `${PATH}/suggested`)).body;

  test('are what the newest batches keep that were not blocked, with evidence, less the rules that there are', async () => {
    const service = ticking();
    expect(await suggestedFor(service)).toEqual({ source: 'orders', rules: {}, evidence: [] });
    for (let day = 0; day < 7; day++) await screened(service, orders(day));
    const first = await suggestedFor(service);
    expect(first.rules.fields).toEqual({
      id: { nullable: false, type: 'integer', unique: true, minimum: 0 },
      amount: { nullable: false, type: 'number', minimum: 0 },
      city: {
        nullable: false,
        type: 'string',
        enum: { value: ['Bergen', 'Bodø', 'Oslo'], severity: 'warn' },
      },
      note: { max_null_rate: expect.any(Number), type: 'string' },
    });
    expect(first.evidence[0]).toEqual({
      rule: 'fields.id.nullable',
      field: 'id',
      constraint: 'nullable',
      reason: 'None of 600 rows is without a value',
      batches: 5,
      rows: 600,
    });
    expect((await put(service, { fields: { id: first.rules.fields.id } })).status).toBe(200);
    expect((await suggestedFor(service)).rules.fields.id).toBeUndefined();
    expect(
      (
        await screened(
          service,
          orders(8).map(row => ({ ...row, id: null })),
        )
      ).status,
    ).toBe('BLOCK');
    expect((await suggestedFor(service)).rules.fields.city).toEqual(first.rules.fields.city);
  });
});

describe('screening by the rules of a source', () => {
  test('holds from the next batch on, and until they are deleted', async () => {
    const service = ticking();
    const broken = orders(1).map((row, i) => ({ ...row, ...(i === 7 && { amount: -1 }) }));
    expect((await screened(service, broken, { dry_run: true })).issues?.rule_violations).toBeUndefined();
    await put(service, { fields: { amount: { minimum: 0, description: 'Nobody pays us to buy' } } });
    const report = await screened(service, broken, { row_verdicts: true });
    expect([report.status, report.issues.rule_violations]).toMatchObject([
      'BLOCK',
      [
        {
          rule: 'fields.amount.minimum',
          field: 'amount',
          kind: 'minimum',
          expected: 0,
          count: 1,
          sample_value: -1,
          rows: [7],
          severity: 'block',
          description: 'Nobody pays us to buy',
        },
      ],
    ]);
    const own = { rules: { fields: { amount: { minimum: -5 } } }, dry_run: true };
    expect((await screened(service, broken, own)).issues?.rule_violations).toBeUndefined();
    await put(service, { fields: { amount: { minimum: 0, severity: 'warn' } } });
    expect((await screened(service, broken, { dry_run: true })).status).toBe('WARN');
    await ask(service, 'DELETE', PATH);
    expect((await screened(service, broken, { dry_run: true })).issues?.rule_violations).toBeUndefined();
  });
});
