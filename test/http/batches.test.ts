/** Batches of any length: in one body, and in parts. */
import { describe, expect, spyOn, test } from 'bun:test';
import '../property/seed.ts';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Int32, Utf8 } from 'apache-arrow';
import fc from 'fast-check';
import { arrowOf } from '../columns/tables.ts';
import { type Answer, answerOf, type BodyContent, KEY, Service } from './service.ts';

type Row = Record<string, unknown>;
/** What a body holds is what the tests ask. */
type Json = Answer['body'];

const CSV = { 'Content-Type': 'text/csv' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const unhurried = {
  take: async () => ({ allowed: true, waitSeconds: 0, remaining: 9, resetSeconds: 1 }) as const,
};
const newService = (change = {}) => new Service({ rates: unhurried, ...change });

async function ask(
  service: Service,
  method: string,
  path: string,
  body: BodyContent | null = null,
  headers: object = {},
) {
  const request = new Request(`http://localhost${path}`, {
    method,
    body,
    headers: { 'X-API-Key': KEY, ...headers },
  });
  const { status, body: said, headers: answered } = await answerOf(await service.app.handle(request));
  return { status, body: said as Json, headers: answered };
}

const whole = (service: Service, body: BodyContent, headers: object = CSV) =>
  ask(service, 'POST', '/v1/batches/whole', body, { 'X-Source': 'orders', ...headers });

async function open(service: Service, options?: object, headers = {}): Promise<string> {
  const body = JSON.stringify({ source: 'orders', options });
  const { status, body: said } = await ask(service, 'POST', '/v1/batches', body, {
    ...JSON_TYPE,
    ...headers,
  });
  expect(status).toBe(201);
  return said.batch_id;
}

const put = (service: Service, id: string, part: number, body: BodyContent, headers: object = CSV) =>
  ask(service, 'PUT', `/v1/batches/${id}/parts/${part}`, body, headers);
const finish = (service: Service, id: string, parts: number) =>
  ask(service, 'POST', `/v1/batches/${id}/finish`, JSON.stringify({ parts }), JSON_TYPE);

/** Half of `amount` turns to text. */
const ROWS: Row[] = Array.from({ length: 25_000 }, (_, i) => ({
  id: i,
  region: ['north', 'south', 'east'][i % 3],
  amount: i < 12_500 ? (i * 7919) % 1000 : 'unknown',
}));
const csvOf = (rows: readonly Row[]): string =>
  `id,region,amount\n${rows.map(row => `${row.id},${row.region},${row.amount}\n`).join('')}`;
const ndjsonOf = (rows: readonly Row[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('');

/** Without what differs with every request, and without the span, which is as fine as the slices are. */
function judged({ request_id, batch_id, latency_ms, stats, ...report }: Json): Json {
  const { source, latency_ms: _, ...counts } = stats;
  delete report.issues?.type_mismatches?.amount.span;
  return { ...report, stats: counts };
}

describe('a body of any length', () => {
  test.each<[string, BodyContent, object]>([
    ['CSV', csvOf(ROWS), CSV],
    ['compressed CSV', gzipSync(csvOf(ROWS)), { ...CSV, 'Content-Encoding': 'gzip' }],
    ['NDJSON', ndjsonOf(ROWS), NDJSON],
    ['an array', JSON.stringify(ROWS), JSON_TYPE],
    ['an object', JSON.stringify({ source: 'orders', rows: ROWS }), JSON_TYPE],
  ])('%s has one verdict', async (_, body, headers) => {
    const service = newService();
    const answer = await whole(service, body, headers);
    expect([answer.status, answer.body.status]).toEqual([200, 'BLOCK']);
    expect(answer.body.stats).toMatchObject({ rows_received: 25_000, source: 'orders' });
    expect(answer.headers.get('x-service-status')).toBe('BLOCK');
    const { jobs } = (await ask(service, 'GET', '/v1/jobs')).body;
    expect(jobs.map((job: Json) => [job.id, job.rows_received])).toEqual([[answer.body.request_id, 25_000]]);
  });

  test('says where a finding is confined to, by lines of CSV', async () => {
    const { body } = await whole(newService(), csvOf(ROWS));
    expect(body.issues.type_mismatches.amount.span).toEqual({ first_row: 12_502, last_row: 25_001 });
  });

  test('finds repeated rows and keys wherever they are', async () => {
    const rows = [...ROWS.slice(0, 12_000), ...ROWS.slice(0, 3000)];
    const options = JSON.stringify({ rules: { fields: { id: { unique: true } } } });
    const { body } = await whole(newService(), csvOf(rows), { ...CSV, 'X-Options': options });
    expect(body.issues.rule_violations[0]).toMatchObject({ rule: 'fields.id.unique', count: 6000 });
  });

  test('is counted once however often it is sent with its key', async () => {
    const service = newService();
    const headers = { ...CSV, 'Idempotency-Key': 'k' };
    const first = await whole(service, csvOf(ROWS), headers);
    const again = await whole(service, csvOf(ROWS), headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await whole(service, csvOf(ROWS.slice(1)), headers);
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  });

  test.each<[string, string, object, string, RegExp]>([
    ['a quote that is never closed', `${csvOf(ROWS.slice(0, 15_000))}"`, CSV, 'INVALID_ROWS', /line 15,?002/],
    [
      'a row that is not JSON',
      `${ndjsonOf(ROWS.slice(0, 15_000))}{"a":}`,
      NDJSON,
      'INVALID_JSON',
      /Line 15001 is/,
    ],
    ['an array without its end', JSON.stringify(ROWS).slice(0, -1), JSON_TYPE, 'INVALID_JSON', /./],
    [
      'rows in another member',
      JSON.stringify({ data: ROWS.slice(0, 3) }),
      JSON_TYPE,
      'INVALID_ROWS',
      /'data'/,
    ],
    [
      'another source in the body',
      '{"source":"other","rows":[{"a":1}]}',
      JSON_TYPE,
      'INVALID_PARAMETER',
      /source/,
    ],
    [
      'options behind many rows',
      `{"rows":${JSON.stringify(ROWS)},"options":{}}`,
      JSON_TYPE,
      'INVALID_ROWS',
      /options/,
    ],
    ['no rows', 'id,region\n', CSV, 'INVALID_ROWS', /row/],
    ['nothing', '', CSV, 'INVALID_ROWS', /./],
  ])('is refused for %s, and nothing is counted', async (_, body, headers, code, message) => {
    const service = newService();
    const answer = await whole(service, body, headers);
    expect(answer.body).toEqual({ code, message: expect.stringMatching(message) });
    expect((await ask(service, 'GET', '/v1/jobs')).body.jobs).toEqual([]);
  });

  test('of several slices leaves nothing behind in the threads', async () => {
    const service = newService();
    const asked = spyOn(service.threads, 'askEach');
    await whole(service, `${csvOf(ROWS)}"`);
    await whole(service, csvOf(ROWS));
    const batches = asked.mock.calls.map(([, order]) => order as never as { batch: string });
    expect(batches).toHaveLength(2);
    for (const batch of batches)
      for (const { state } of await service.threads.askEach('takeState', batch)) expect(state).toBeNull();
  });
});

/** Nine of ten amounts are numbers. */
const MIXED: Row[] = ROWS.slice(0, 12_000).map((row, i) =>
  i % 10 === 3 ? { ...row, amount: 'unknown' } : row,
);
const WRONG = MIXED.flatMap((row, i) => (row.amount === 'unknown' ? [i] : []));

const PARQUET = { 'Content-Type': 'application/vnd.apache.parquet' };
const ARROW = { 'Content-Type': 'application/vnd.apache.arrow.stream' };
const ARROW_FILE = { 'Content-Type': 'application/vnd.apache.arrow.file' };
const bytesOf = async (name: string) =>
  new Uint8Array(await Bun.file(join(import.meta.dir, '../columns/files', name)).arrayBuffer());
/** 12,345 rows in groups of unlike lengths. */
const [GROUPS, FEATHER] = await Promise.all(['groups.parquet', 'groups.feather'].map(bytesOf));

/** An Arrow stream; every tenth id is null. */
const table = (rows: number) =>
  new Uint8Array(
    arrowOf({
      id: {
        type: () => new Int32(),
        cells: Array.from({ length: rows }, (_, i) => (i % 10 === 3 ? null : i)),
      },
      region: {
        type: () => new Utf8(),
        cells: Array.from({ length: rows }, (_, i) => ['north', 'south'][i % 2]!),
      },
    }),
  );

describe('columns of any length', () => {
  test('have the verdict of the same rows, whatever they come as', async () => {
    const answers = [];
    for (const [body, headers] of [
      [GROUPS!, PARQUET],
      [FEATHER!, ARROW_FILE],
      [gzipSync(GROUPS!), { ...PARQUET, 'Content-Encoding': 'gzip' }],
    ] as const) {
      const answer = await whole(newService(), body, headers);
      expect([answer.status, answer.body.stats.rows_received]).toEqual([200, 12_345]);
      const { request_id: _, batch_id: __, latency_ms: ___, timestamp: ____, stats, ...rest } = answer.body;
      answers.push({ ...rest, stats: { ...stats, screened_at: null } });
    }
    for (const other of answers.slice(1)) expect(other).toEqual(answers[0]!);
  });

  test('are parts like any other', async () => {
    const service = newService();
    const id = await open(service);
    const first = await put(service, id, 0, table(10_001), ARROW);
    expect([first.status, first.body.rows]).toEqual([200, 10_001]);
    await put(service, id, 1, csvOf(ROWS.slice(0, 5).map(({ amount: _, ...row }) => row)));
    const empty = await put(service, id, 2, table(0), ARROW);
    expect([empty.status, empty.body.rows]).toEqual([200, 0]);
    const { body } = await finish(service, id, 3);
    expect(body.stats.rows_received).toBe(10_006);
  });

  test('have row verdicts by index', async () => {
    const options = JSON.stringify({ row_verdicts: true, rules: { fields: { id: { nullable: false } } } });
    const { body } = await whole(newService(), table(25_000), { ...ARROW, 'X-Options': options });
    const nulls = Array.from({ length: 2500 }, (_, i) => i * 10 + 3);
    expect(body.quarantine.count).toBe(2500);
    expect(body.quarantine.rows.map(([row]: [number]) => row)).toEqual(nulls);
  });

  test('wait for one another, and each is answered', async () => {
    const service = newService();
    const answers = await Promise.all(Array.from({ length: 5 }, () => whole(service, GROUPS!, PARQUET)));
    expect(answers.map(({ status, body }) => [status, body.stats.rows_received])).toEqual(
      Array.from({ length: 5 }, () => [200, 12_345]),
    );
  });

  test.each<[string, Uint8Array, object, string, RegExp]>([
    ['a Parquet file that is cut', GROUPS!.slice(0, -20), PARQUET, 'INVALID_ROWS', /cut/],
    ['an Arrow stream that is cut', table(20_000).slice(0, -9000), ARROW, 'INVALID_ROWS', /cut/],
    ['text that is no Parquet', new TextEncoder().encode(csvOf(ROWS)), PARQUET, 'INVALID_ROWS', /CSV/],
    ['no rows', table(0), ARROW, 'INVALID_ROWS', /no rows/],
  ])('%s is refused, and the next body is judged', async (_, body, headers, code, message) => {
    const service = newService();
    const refused = await whole(service, body as BodyContent, headers);
    expect([refused.status, refused.body.code]).toEqual([400, code]);
    expect(refused.body.message).toMatch(message);
    expect((await whole(service, GROUPS!, PARQUET)).status).toBe(200);
  });
});

describe('row verdicts', () => {
  const options = JSON.stringify({ row_verdicts: true });

  test('of a whole body are those of all its rows, by line, and a repeat has them too', async () => {
    const service = newService();
    const headers = { ...CSV, 'X-Options': options, 'Idempotency-Key': 'k' };
    const { body } = await whole(service, csvOf(MIXED), headers);
    expect(body.quarantine).toMatchObject({
      count: WRONG.length,
      reasons: [{ code: 'type_mismatch', field: 'amount' }],
    });
    expect(body.quarantine.rows.map(([row]: [number]) => row)).toEqual(WRONG.map(row => row + 2));
    expect((await whole(service, csvOf(MIXED), headers)).body).toEqual(body);
    const dry = JSON.stringify({ row_verdicts: true, dry_run: true });
    const tried = await whole(service, csvOf(MIXED), { ...CSV, 'X-Options': dry });
    expect(tried.body.quarantine.count).toBe(WRONG.length);
  });

  test('of a part come with its answer, by their index, and the end says which reasons hold', async () => {
    const service = newService();
    const id = await open(service, { row_verdicts: true });
    const first = await put(service, id, 0, csvOf(MIXED.slice(0, 2000)));
    expect(first.body.quarantine.rows.map(([row]: [number]) => row)).toEqual(WRONG.filter(row => row < 2000));
    expect((await put(service, id, 0, csvOf(MIXED.slice(0, 2000)))).body).toEqual(first.body);
    // Alone this part is as it should be.
    const texts = MIXED.slice(2000, 2100).map(row => ({ ...row, amount: 'all' }));
    const second = await put(service, id, 1, csvOf(texts));
    expect(second.body.quarantine.count).toBe(0);
    const { body } = await finish(service, id, 2);
    expect(body.quarantine).toEqual({
      count: 200,
      reasons: [{ code: 'type_mismatch', field: 'amount', severity: 'warning', count: 200 }],
      rows: [],
      whole_batch: [],
    });
  });

  test('name rows that repeat others in their part', async () => {
    const rules = { fields: { id: { unique: true } } };
    const service = newService();
    const id = await open(service, { row_verdicts: true, rules });
    const rows = [...ROWS.slice(0, 11_000), ROWS[5]!];
    const { body } = await put(service, id, 0, csvOf(rows));
    expect(body.quarantine.rows.map(([row]: [number]) => row)).toEqual([5, 11_000]);
    const alone = await finish(service, id, 1);
    expect(alone.body.quarantine).toMatchObject({ count: 2, whole_batch: [] });
  });

  test('rows that no part could name are said to be wrong with the whole batch', async () => {
    const service = newService();
    const rules = { fields: { id: { unique: true } } };
    const id = await open(service, { row_verdicts: true, rules });
    await put(service, id, 0, csvOf([...ROWS.slice(0, 1000), ROWS[5]!]));
    await put(service, id, 1, csvOf(ROWS.slice(900, 1100)));
    // Alone this part is as it should be.
    await put(service, id, 2, csvOf(ROWS.slice(1100, 1200).map(row => ({ ...row, amount: 'all' }))));
    const { body } = await finish(service, id, 3);
    expect(body.quarantine).toMatchObject({
      count: 2,
      reasons: [{ code: 'rule_violation', field: 'id', count: 2 }],
      whole_batch: [
        { code: 'type_mismatch', field: 'amount' },
        { code: 'rule_violation', field: 'id', rule: 'fields.id.unique' },
      ],
    });
  });
});

describe('a batch in parts', () => {
  test('has the verdict of the whole, however it is cut and in whatever order the parts come', async () => {
    const { body } = await whole(newService(), ndjsonOf(ROWS), NDJSON);
    const expected = judged(body);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: ROWS.length - 1 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.infiniteStream(fc.nat()), async (at, order) => {
        const bounds = [0, ...at.sort((a, b) => a - b), ROWS.length];
        const parts = bounds.slice(1).map((end, i) => ({ part: i, rows: ROWS.slice(bounds[i], end) }));
        const shuffled = parts
          .map(part => [order.next().value as number, part] as const)
          .sort(([a], [b]) => a - b);
        const service = newService();
        const id = await open(service);
        await Promise.all(
          shuffled.map(([, { part, rows }]) => put(service, id, part, ndjsonOf(rows), NDJSON)),
        );
        const finished = await finish(service, id, parts.length);
        expect(judged(finished.body)).toEqual(expected);
      }),
      { numRuns: 5 },
    );
  }, 60_000);

  test('rules that change while it is open are those of the next batch', async () => {
    const service = newService();
    const rules = (document: object) =>
      ask(service, 'PUT', '/v1/schema/orders/rules', JSON.stringify(document), JSON_TYPE);
    const violated = async (id: string) => {
      await put(service, id, 0, csvOf(ROWS.slice(0, 10)));
      return (
        (await finish(service, id, 1)).body.issues?.rule_violations?.map((each: Json) => each.rule) ?? []
      );
    };
    const before = await open(service);
    await rules({ fields: { id: { maximum: 5 }, region: { enum: ['north'] } } });
    const between = await open(service);
    await rules({ fields: { amount: { maximum: 1 } } });
    expect(await violated(before)).toEqual([]);
    expect(await violated(between)).toEqual(['fields.region.enum', 'fields.id.maximum']);
  });

  test('parts may have different formats', async () => {
    const service = newService();
    const id = await open(service);
    await put(service, id, 1, ndjsonOf(ROWS.slice(9000, 9100)), NDJSON);
    await put(service, id, 0, csvOf(ROWS.slice(0, 9000)));
    const { body } = await finish(service, id, 2);
    expect([body.status, body.stats.rows_received, body.stats.row_numbers]).toEqual([
      'PASS',
      9100,
      undefined,
    ]);
  });

  test('the past of the source judges it, and it becomes part of that past', async () => {
    const service = newService();
    const clean = ROWS.slice(0, 12_000);
    for (let day = 0; day < 2; day++) {
      const id = await open(service);
      await put(service, id, 0, csvOf(clean.slice(0, 5000)));
      await put(service, id, 1, csvOf(clean.slice(5000)));
      expect((await finish(service, id, 2)).body.status).toBe('PASS');
    }
    const renamed = clean.map(({ amount, ...row }) => ({ ...row, amount: `${amount} kr` }));
    const id = await open(service);
    await put(service, id, 0, csvOf(renamed));
    expect((await finish(service, id, 1)).body.decision.reason).toContain(
      "'amount' changed from number to string",
    );
    const { baseline } = (await ask(service, 'GET', '/v1/schema/orders')).body;
    expect(baseline?.batches_seen ?? 2).toBe(2);
  });

  test('a part that is sent again has the same answer, and with other bytes it is refused', async () => {
    const service = newService();
    const id = await open(service);
    const rows = csvOf(ROWS.slice(0, 10));
    const first = await put(service, id, 3, rows);
    expect(first.body).toEqual({
      part: 3,
      rows: 10,
      sha256: new Bun.CryptoHasher('sha256').update(rows).digest('hex'),
    });
    expect((await put(service, id, 3, rows)).body).toEqual(first.body);
    const other = await put(service, id, 3, csvOf(ROWS.slice(0, 11)));
    expect([other.status, other.body.code]).toEqual([409, 'PART_CONFLICT']);
    const both = await Promise.all([put(service, id, 4, rows), put(service, id, 4, rows)]);
    expect(both.map(each => each.body)).toEqual([
      { ...first.body, part: 4 },
      { ...first.body, part: 4 },
    ]);
  });

  test('a part may have no row, a batch must have one', async () => {
    const service = newService();
    const id = await open(service, { row_verdicts: true });
    for (const [part, body, headers] of [
      [0, '[]', JSON_TYPE],
      [1, '', NDJSON],
      [2, 'id,region,amount\n', CSV],
    ] as const) {
      const sent = await put(service, id, part, body, headers);
      const quarantine = { count: 0, reasons: [], rows: [], whole_batch: [] };
      expect(sent.body).toEqual({ part, rows: 0, sha256: expect.any(String), quarantine });
      expect((await put(service, id, part, body, headers)).body).toEqual(sent.body);
    }
    // A line of JSON is no header.
    expect((await put(service, id, 3, JSON.stringify({ rows: ROWS.slice(0, 2) }))).status).toBe(400);
    const none = await finish(service, id, 3);
    expect([none.status, none.body.code]).toEqual([400, 'INVALID_ROWS']);
    await put(service, id, 3, csvOf(ROWS.slice(0, 20)));
    expect((await finish(service, id, 4)).body.stats.rows_received).toBe(20);
  });

  test('a part that is refused counts as never sent', async () => {
    const service = newService();
    const id = await open(service);
    const broken = await put(service, id, 0, `${csvOf(ROWS)}"`);
    expect(broken.body).toMatchObject({ code: 'INVALID_ROWS', message: expect.stringContaining('25') });
    expect((await ask(service, 'GET', `/v1/batches/${id}`)).body).toMatchObject({ rows: 0, parts: [] });
    expect(await service.deps.batches.keys(id, '')).toEqual([]);
    expect((await put(service, id, 0, csvOf(ROWS))).status).toBe(200);
  });

  test('is not finished while parts are missing, or with parts that are not named', async () => {
    const service = newService();
    const id = await open(service);
    for (const part of [1, 2, 6]) await put(service, id, part, csvOf(ROWS.slice(0, 3)));
    const missing = await finish(service, id, 9);
    expect(missing.body).toEqual({
      code: 'PARTS_MISSING',
      message: 'Not all parts are there; missing: 0, 3 to 5, 7 to 8',
    });
    expect((await finish(service, id, 6)).body).toMatchObject({ code: 'PART_CONFLICT' });
    for (const part of [0, 3, 4, 5]) await put(service, id, part, csvOf(ROWS.slice(0, 3)));
    expect((await finish(service, id, 7)).body.stats.rows_received).toBe(21);
  });

  test('is finished once: a repeat has the same answer, and no part comes behind it', async () => {
    const service = newService();
    const id = await open(service);
    const sent = await put(service, id, 0, csvOf(ROWS));
    const first = await finish(service, id, 1);
    const again = await finish(service, id, 1);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const late = await put(service, id, 1, csvOf(ROWS.slice(0, 3)));
    expect([late.status, late.body.code]).toEqual([409, 'BATCH_FINISHED']);
    expect((await put(service, id, 0, csvOf(ROWS))).body).toEqual(sent.body);
    expect((await put(service, id, 0, csvOf(ROWS.slice(0, 3)))).body.code).toBe('PART_CONFLICT');
    expect((await ask(service, 'DELETE', `/v1/batches/${id}`)).body.code).toBe('BATCH_FINISHED');
    const found = (await ask(service, 'GET', `/v1/batches/${id}`)).body;
    expect(found).toMatchObject({ status: 'finished', rows: 25_000, request_id: first.body.request_id });
    expect((await ask(service, 'GET', '/v1/jobs')).body.jobs).toHaveLength(1);
  });

  test('a process that ended while it finished a batch has a successor', async () => {
    const service = newService();
    const id = await open(service);
    await put(service, id, 0, csvOf(ROWS.slice(0, 100)));
    const { batches } = service.deps;
    const marking = batches.finish.bind(batches);
    // The verdict is written, and its note at the batch is not.
    batches.finish = async () => {
      throw new Error('killed');
    };
    expect((await finish(service, id, 1)).status).toBe(500);
    batches.finish = marking;
    const { status, headers } = await finish(service, id, 1);
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect((await ask(service, 'GET', '/v1/jobs')).body.jobs).toHaveLength(1);
  });

  test('a second `finish` beside the first changes nothing', async () => {
    const service = newService();
    const id = await open(service);
    await put(service, id, 0, csvOf(ROWS.slice(0, 100)));
    const { idempotency } = service.deps;
    const claiming = idempotency.claim.bind(idempotency);
    idempotency.claim = async (_, __, { requestSha256 }) => ({ requestSha256, answer: null });
    service.deps.sleep = async () => {};
    const second = await finish(service, id, 1);
    expect(second.body).toEqual({
      code: 'IDEMPOTENCY_CONFLICT',
      message: `Another request is finishing the batch '${id}': ask again in a moment`,
    });
    expect((await put(service, id, 1, csvOf(ROWS.slice(0, 3)))).body.code).toBe('BATCH_FINISHED');
    idempotency.claim = claiming;
    expect((await finish(service, id, 1)).status).toBe(200);
  });

  test('parts that another release has stored are named, and other batches go on', async () => {
    const service = newService();
    const [old, other] = [await open(service), await open(service)];
    for (const id of [old, other]) await put(service, id, 0, csvOf(ROWS.slice(0, 100)));
    const { batches } = service.deps;
    const state = batches.state.bind(batches);
    batches.state = async (id, number) => {
      const bytes = Uint8Array.from((await state(id, number))!);
      if (id === old) bytes[4]! ^= 0xff;
      return bytes;
    };
    const refused = await finish(service, old, 1);
    expect([refused.status, refused.body.code]).toEqual([409, 'PART_CONFLICT']);
    expect(refused.body.message).toContain('open another batch, and send them again');
    expect((await finish(service, other, 1)).status).toBe(200);
  });

  test('that the plan has no room for is not counted, and stays open', async () => {
    const service = newService();
    await service.count('owner', 499_990);
    const id = await open(service);
    await put(service, id, 0, csvOf(ROWS.slice(0, 11)));
    expect((await finish(service, id, 1)).body.code).toBe('PLAN_LIMIT_EXCEEDED');
    expect((await ask(service, 'GET', `/v1/batches/${id}`)).body.status).toBe('open');
  });

  test('is given up, or expires, and is there no longer', async () => {
    let now = Date.UTC(2026, 10, 21, 12);
    const service = newService({ now: () => now });
    const [aborted, expired] = [await open(service), await open(service)];
    expect((await ask(service, 'DELETE', `/v1/batches/${aborted}`)).body.status).toBe('aborted');
    now += 24 * 3_600_000;
    for (const [id, status] of [
      [aborted, 'aborted'],
      [expired, 'expired'],
    ] as const) {
      expect((await put(service, id, 0, csvOf(ROWS.slice(0, 3)))).status).toBe(404);
      expect((await finish(service, id, 1)).status).toBe(404);
      expect((await ask(service, 'GET', `/v1/batches/${id}`)).body.status).toBe(status);
    }
    expect((await ask(service, 'GET', '/v1/batches')).body.batches.map((each: Json) => each.status)).toEqual([
      'expired',
      'aborted',
    ]);
  });

  test('the same key opens the same batch', async () => {
    const service = newService();
    const key = { 'Idempotency-Key': 'k' };
    const id = await open(service, undefined, key);
    expect(await open(service, undefined, key)).toBe(id);
    const other = await ask(service, 'POST', '/v1/batches', '{"source":"x"}', { ...JSON_TYPE, ...key });
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  });

  test('of another account is not there', async () => {
    const service = newService();
    const id = await open(service);
    const request = new Request(`http://localhost/v1/batches/${id}`, {
      headers: { 'X-API-Key': 'sluice_live_scale' },
    });
    expect((await service.app.handle(request)).status).not.toBe(200);
  });

  test('states of many parts are merged while others come', async () => {
    const service = newService();
    const id = await open(service);
    for (let part = 0; part < 40; part++)
      await put(service, id, part, csvOf(ROWS.slice(part * 10, part * 10 + 10)));
    expect((await service.deps.batches.stateNumbers(id)).length).toBeLessThan(20);
    expect((await finish(service, id, 40)).body.stats.rows_received).toBe(400);
  });
});
