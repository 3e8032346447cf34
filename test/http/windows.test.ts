/** Posts to sources with a window: each is judged alone, and together they are one batch. */
import { describe, expect, test } from 'bun:test';
import '../property/seed.ts';
import fc from 'fast-check';
import { RecordBatchStreamWriter, tableFromJSON } from 'apache-arrow';
import { secretSha256 } from '../../src/account/keys.ts';
import { type Answer, answerOf, type BodyContent, KEY, NOW, Service } from './service.ts';

type Row = Record<string, unknown>;
/** What a body holds is what the tests ask. */
type Json = Answer['body'];
const json = (value: unknown) => JSON.stringify(value);

const unhurried = {
  take: async () => ({ allowed: true, waitSeconds: 0, remaining: 9, resetSeconds: 1 }) as const,
};

/** A service whose clock the test moves. */
class Clocked extends Service {
  at = NOW;

  constructor(change: ConstructorParameters<typeof Service>[0] = {}) {
    super({ rates: unhurried, now: () => this.at, ...change });
  }
}

async function ask(
  service: Service,
  method: string,
  path: string,
  body: BodyContent | null = null,
  headers = {},
) {
  const request = new Request(`http://localhost${path}`, {
    method,
    body,
    headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json', ...headers },
  });
  const { status, body: said, headers: answered } = await answerOf(await service.app.handle(request));
  return { status, body: said as Json, headers: answered };
}

const settings = (service: Service, value: unknown, source = 'clicks') =>
  ask(service, 'PUT', `/v1/schema/${source}/settings`, json(value));
const post = (service: Service, rows: readonly Row[], headers = {}, source = 'clicks', options?: object) =>
  ask(service, 'POST', '/v1/screen', json({ source, rows, options }), headers);
const jobs = async (service: Service) => (await ask(service, 'GET', '/v1/jobs')).body.jobs as Json[];
const batches = async (service: Service) => (await ask(service, 'GET', '/v1/batches')).body.batches as Json[];
const usage = async (service: Service) => (await ask(service, 'GET', '/v1/stats')).body;

async function withWindow(window: object | null, change = {}): Promise<Clocked> {
  const service = new Clocked(change);
  expect((await settings(service, { window })).status).toBe(200);
  return service;
}

const rowsOf = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    id: from + i,
    region: ['north', 'south', 'east'][(from + i) % 3],
    amount: ((from + i) * 7919) % 1000,
  }));

/** As its job shows it. */
async function reportOf(service: Service, id: string): Promise<Json> {
  return (await ask(service, 'GET', `/v1/jobs/${id}`)).body.report;
}

/** Waits for what no answer waits for. */
async function judged(service: Clocked, count = 1): Promise<Json[]> {
  for (let tries = 0; tries < 200; tries++) {
    // Those that are being judged.
    await service.windows.ends.stop();
    const found = await jobs(service);
    if (found.length >= count) return found;
    await Bun.sleep(10);
  }
  throw new Error('no window was judged');
}

describe('an open window', () => {
  test('has the rows of posts that were judged alone, and no job, history or verdict of its own', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    const first = await post(service, rowsOf(0, 10));
    const second = await post(service, rowsOf(10, 5));
    const { window } = second.body;
    expect([first.status, first.body.status, first.body.stats.rows_received]).toEqual([200, 'PASS', 10]);
    expect(first.body.window).toEqual({ batch_id: window.batch_id, rows: 10 });
    expect(window).toEqual({ batch_id: expect.stringMatching(/^bat_/), rows: 15 });
    expect(await jobs(service)).toEqual([]);
    expect((await ask(service, 'GET', '/v1/schema/clicks')).status).toBe(404);
    const [open] = await batches(service);
    expect(open).toMatchObject({ batch_id: window.batch_id, source: 'clicks', status: 'open', rows: 15 });
    expect(open!.window).toEqual({ rows: 1000, ends_at: '2026-11-21T12:01:00.000Z' });
    const shown = await ask(service, 'GET', `/v1/batches/${window.batch_id}`);
    expect(shown.body).toEqual(open!);
  });

  test('counts each row once, with its post', async () => {
    const service = await withWindow({ rows: 20, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    expect(await service.counted('owner')).toBe(10);
    await post(service, rowsOf(10, 10));
    await judged(service);
    expect(await service.counted('owner')).toBe(20);
    expect(await service.deps.ledger.usage('owner', Date.UTC(2026, 10))).toEqual({ rows: 20, requests: 2 });
  });

  test('takes posts that come at the same time, each once', async () => {
    const service = await withWindow({ rows: 100_000, ms: 60_000 });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => post(service, rowsOf(i * 7, 7))));
    expect(answers.map(({ body }) => body.window.rows).sort((a, b) => a - b)).toEqual(
      answers.map((_, i) => 7 * (i + 1)),
    );
    expect(new Set(answers.map(({ body }) => body.request_id)).size).toBe(40);
  });

  test('no client can send parts of it, finish it or delete it', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    const { batch_id: id } = (await post(service, rowsOf(0, 10))).body.window;
    const part = await ask(service, 'PUT', `/v1/batches/${id}/parts/0`, 'a\n1\n', {
      'Content-Type': 'text/csv',
    });
    const finish = await ask(service, 'POST', `/v1/batches/${id}/finish`, json({ parts: 1 }));
    const remove = await ask(service, 'DELETE', `/v1/batches/${id}`);
    for (const { status, body } of [part, finish, remove]) {
      expect([status, body.code]).toEqual([409, 'BATCH_OF_WINDOW']);
      expect(body.message).toContain(`'${id}' is a window of the source 'clicks'`);
    }
    expect((await post(service, rowsOf(10, 1))).body.window).toEqual({ batch_id: id, rows: 11 });
  });

  test('is none of the 100 batches that a client may have open', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    const open = () => ask(service, 'POST', '/v1/batches', json({ source: 'orders' }));
    for (let i = 0; i < 100; i++) expect((await open()).status).toBe(201);
    expect((await open()).body.code).toBe('BATCH_LIMIT');
    expect((await post(service, rowsOf(10, 10))).status).toBe(200);
  });

  test('says what its posts were found to have so far', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    const rules = { fields: { amount: { maximum: 100, severity: 'warn' }, id: { nullable: false } } };
    await ask(service, 'PUT', '/v1/schema/clicks/rules', json(rules));
    await post(service, [{ id: 1, amount: 5 }]);
    const high = await post(service, [{ id: 2, amount: 500 }]);
    expect([high.body.status, high.body.issues.rule_violations[0].rule]).toEqual([
      'WARN',
      'fields.amount.maximum',
    ]);
    await post(service, [{ id: 3, amount: 900 }]);
    const without = await post(service, [{ id: null, amount: 1 }]);
    expect(without.body.status).toBe('BLOCK');
    const clean = await post(service, [{ id: 4, amount: 1 }]);
    expect([clean.body.status, clean.body.issues]).toEqual(['PASS', undefined]);
    expect([clean.body.window.rows, clean.body.window.findings[0].severity]).toEqual([5, 'block']);
    expect(clean.body.window).toMatchObject({
      findings: expect.arrayContaining([
        { kind: 'rule_violation', field: 'id', rule: 'fields.id.nullable', severity: 'block', posts: 1 },
        {
          kind: 'rule_violation',
          field: 'amount',
          rule: 'fields.amount.maximum',
          severity: 'warn',
          posts: 2,
        },
      ]),
    });
  });

  test('gives row verdicts for the rows of the post', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    await ask(service, 'PUT', '/v1/schema/clicks/rules', json({ fields: { amount: { maximum: 100 } } }));
    await post(service, [{ amount: 5 }]);
    const rows = [{ amount: 1 }, { amount: 500 }, { amount: 2 }, { amount: 900 }];
    const { quarantine } = (await post(service, rows, {}, 'clicks', { row_verdicts: true })).body;
    expect([quarantine.count, quarantine.rows.map(([row]: number[]) => row)]).toEqual([2, [1, 3]]);
  });

  test('keeps nothing of a dry run, which says no window', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    const dry = await post(service, rowsOf(0, 10), { 'Idempotency-Key': 'dry' }, 'clicks', { dry_run: true });
    expect([dry.status, dry.body.stats.dry_run, dry.body.window]).toEqual([200, true, undefined]);
    expect(await service.counted('owner')).toBe(0);
    expect((await post(service, rowsOf(0, 10), { 'Idempotency-Key': 'dry' })).body.window.rows).toBe(10);
  });
});

describe('posts that are refused', () => {
  test('leave the others of their group alone', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    const bad = ask(service, 'POST', '/v1/screen', '{"source":"clicks","rows":[{"a":1},2]}');
    const worse = ask(service, 'POST', '/v1/screen', '{"source":"clicks","rows":[{"a":1}');
    const good = [0, 1, 2].map(i => post(service, rowsOf(i * 10, 10)));
    const [refused, broken, ...answers] = await Promise.all([bad, worse, ...good]);
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_ROWS']);
    expect(refused.body.message).toContain('the one at index 1 is not');
    expect([broken.status, broken.body.code]).toEqual([400, 'INVALID_JSON']);
    expect(answers.map(({ body }) => body.window.rows).sort((a, b) => a - b)).toEqual([10, 20, 30]);
    expect(await service.counted('owner')).toBe(30);
  });

  test('have the rows that the plan has left, and no more', async () => {
    const service = await withWindow({ rows: 100_000, ms: 60_000 });
    await service.count('owner', 500_000 - 25);
    const answers = await Promise.all([0, 1, 2].map(i => post(service, rowsOf(i * 10, 10))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    expect(answers.find(({ status }) => status === 429)!.body.code).toBe('PLAN_LIMIT_EXCEEDED');
    expect(await service.counted('owner')).toBe(500_000 - 5);
    const [open] = await batches(service);
    expect(open!.rows).toBe(20);
  });
});

describe('an Idempotency-Key', () => {
  test.each([true, false])(
    'has one answer, and its rows are in the window once (STORE_VALUES=%p)',
    async storeValues => {
      const service = await withWindow({ rows: 1000, ms: 60_000 }, { storeValues });
      await ask(service, 'PUT', '/v1/schema/clicks/rules', json({ fields: { region: { enum: ['north'] } } }));
      const send = () => post(service, rowsOf(0, 10), { 'Idempotency-Key': 'one' });
      const first = await send();
      const again = await send();
      expect(first.body.window.rows).toBe(10);
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      const { issues, ...said } = again.body;
      const { issues: before, ...firstSaid } = first.body;
      expect(said).toEqual(firstSaid);
      expect(JSON.stringify(before)).toContain('south');
      expect(JSON.stringify(issues).includes('south')).toBe(storeValues);
      const other = await post(service, rowsOf(0, 9), { 'Idempotency-Key': 'one' });
      expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
      expect(await service.counted('owner')).toBe(10);
    },
  );

  test('has one answer also for requests that come at once', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, i) => post(service, rowsOf(0, 10), { 'Idempotency-Key': `k${i % 2}` })),
    );
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(all.map(({ body }) => body.request_id)).size).toBe(2);
    expect(await service.counted('owner')).toBe(20);
  });
});

describe('the end of a window', () => {
  test('comes with its last row: then it is one job and one entry of history', async () => {
    const service = await withWindow({ rows: 30, ms: 60_000 });
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push((await post(service, rowsOf(i * 10, 10))).body.window.batch_id);
    const [job] = await judged(service);
    expect([job!.source, job!.rows_received, job!.status]).toEqual(['clicks', 30, 'PASS']);
    expect(ids[0] === ids[2] && ids[2] !== ids[3]).toBe(true);
    const { body: source } = await ask(service, 'GET', '/v1/schema/clicks');
    expect([source.batches, source.rows]).toEqual([1, 30]);
    const ended = await ask(service, 'GET', `/v1/batches/${ids[0]}`);
    expect(ended.body).toMatchObject({ status: 'finished', request_id: job!.id, window: { ends_at: null } });
  });

  test('a post is not divided: the last one may bring more rows', async () => {
    const service = await withWindow({ rows: 30, ms: 60_000 });
    await Promise.all(Array.from({ length: 6 }, (_, i) => post(service, rowsOf(i * 20, 20))));
    const found = await judged(service, 3);
    expect(found.map(({ rows_received }) => rows_received)).toEqual([40, 40, 40]);
  });

  test('comes when its time is over, and no sooner', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    service.at += 59_999;
    await service.windows.ends.look();
    expect(await jobs(service)).toEqual([]);
    await post(service, rowsOf(10, 10));
    service.at += 1;
    await service.windows.ends.look();
    expect((await jobs(service)).map(({ rows_received }) => rows_received)).toEqual([20]);
    expect((await post(service, rowsOf(20, 10))).body.window.rows).toBe(10);
  });

  test('a post that comes after that time is in the next window, whether or not somebody looked', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    const first = await post(service, rowsOf(0, 10));
    service.at += 60_000;
    const second = await post(service, rowsOf(10, 10));
    expect(second.body.window.rows).toBe(10);
    expect(second.body.window.batch_id).not.toBe(first.body.window.batch_id);
    expect((await judged(service)).map(({ rows_received }) => rows_received)).toEqual([10]);
  });

  test('happens once, however many look', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    service.at += 60_000;
    await Promise.all([service.windows.ends.look(), service.windows.ends.look()]);
    await service.windows.ends.look();
    expect(await jobs(service)).toHaveLength(1);
  });

  test.each([
    ['window set to null', { window: null }],
    ['another window', { window: { rows: 500, ms: 60_000 } }],
  ])('comes with %s', async (_, value) => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    expect((await settings(service, value)).status).toBe(200);
    expect((await jobs(service)).map(({ rows_received }) => rows_received)).toEqual([10]);
    const next = await post(service, rowsOf(10, 10));
    expect(next.body.window === undefined).toBe(value.window === null);
  });

  test('does not come with other settings, which leave the window as it is', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    const changed = await settings(service, { mode: 'adaptive' });
    expect(changed.body.window).toEqual({ rows: 1000, ms: 60_000 });
    expect((await post(service, rowsOf(10, 10))).body.window.rows).toBe(20);
    expect(await jobs(service)).toEqual([]);
  });

  test.each(['/v1/schema/clicks', '/v1/schema'])(
    'comes before DELETE %s, which forgets what it taught',
    async path => {
      const service = await withWindow({ rows: 1000, ms: 60_000 });
      await post(service, rowsOf(0, 10));
      expect((await ask(service, 'DELETE', path)).status).toBe(200);
      expect(await jobs(service)).toHaveLength(1);
      expect((await ask(service, 'GET', '/v1/schema/clicks')).status).toBe(404);
      expect((await post(service, rowsOf(10, 10))).body.window.rows).toBe(10);
    },
  );

  test('one that cannot be judged is tried again after a minute', async () => {
    const service = await withWindow({ rows: 1000, ms: 60_000 }, { maxSources: 0 });
    await post(service, rowsOf(0, 10));
    service.at += 60_000;
    await service.windows.ends.look();
    expect(await jobs(service)).toEqual([]);
    service.deps.maxSources = null;
    service.at += 59_999;
    await service.windows.ends.look();
    expect(await jobs(service)).toEqual([]);
    service.at += 1;
    await service.windows.ends.look();
    expect(await jobs(service)).toHaveLength(1);
  });

  test('that is not PASS is told to who opens incidents', async () => {
    const service = await withWindow({ rows: 20, ms: 60_000 });
    await ask(service, 'PUT', '/v1/schema/clicks/rules', json({ rows: { min: 100 } }));
    await post(service, rowsOf(0, 20));
    const [job] = await judged(service);
    expect(job!.status).toBe('BLOCK');
    expect(await service.rows('SELECT job FROM bad_batches')).toEqual([{ job: job!.id }]);
  });
});

describe('what a window is judged by', () => {
  const half = (rows: readonly Row[]) => rows.map((row, i) => (i % 2 ? row : { ...row, amount: 'unknown' }));

  test('is the past of the source: ten-row posts have no false alarm, and a window that differs is found', async () => {
    const service = await withWindow({ rows: 200, ms: 60_000 });
    await settings(service, { mode: 'adaptive' });
    let from = 0;
    const statuses: string[] = [];
    const window = async (change: (rows: Row[]) => Row[], windows: number) => {
      service.at++;
      for (let i = 0; i < 20; i++) {
        // A region that most posts lack, and a field that is often absent.
        const rows = rowsOf(from, 10).map(row =>
          (row.id as number) % 37 === 0 ? { ...row, note: 'x', region: 'west' } : row,
        );
        statuses.push((await post(service, change(rows))).body.status);
        from += 10;
      }
      return (await judged(service, windows))[0]!;
    };
    for (let i = 1; i <= 8; i++) expect((await window(rows => rows, i)).status).toBe('PASS');
    expect(new Set(statuses)).toEqual(new Set(['PASS']));
    const scaled = (rows: Row[]) => rows.map(row => ({ ...row, amount: 100 * (row.amount as number) }));
    expect((await window(scaled, 9)).status).not.toBe('PASS');
    expect(new Set(statuses)).toEqual(new Set(['PASS']));
    const report = await reportOf(service, (await jobs(service))[0]!.id);
    expect(JSON.stringify(report.anomalies ?? report.drift)).toContain('amount');
  }, 30_000);

  /** Without what differs with every request, and without the span, which is as fine as the slices are. */
  function plain({ request_id, batch_id, latency_ms, timestamp, stats, ...report }: Json): Json {
    delete report.issues?.type_mismatches?.amount?.span;
    return { ...report, stats: { ...stats, latency_ms: 0 } };
  }

  const RULES = {
    fields: { id: { unique: true, severity: 'warn' }, amount: { maximum: 900, severity: 'warn' } },
  };

  async function oneBatch(rows: readonly Row[]): Promise<Json> {
    const service = new Clocked();
    await ask(service, 'PUT', '/v1/schema/clicks/rules', json(RULES));
    const lines = rows.map(row => `${json(row)}\n`).join('');
    const headers = { 'Content-Type': 'application/x-ndjson', 'X-Source': 'clicks' };
    return (await ask(service, 'POST', '/v1/batches/whole', lines, headers)).body;
  }

  test('is all rows, however they were posted: the report is that of one batch', async () => {
    const table = half([...rowsOf(0, 60), ...rowsOf(5, 10)]);
    const expected = plain(await oneBatch(table));
    expect(expected.issues.rule_violations).toHaveLength(2);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.boolean(), fc.boolean()), { minLength: 4 }),
        async cuts => {
          const service = await withWindow({ rows: table.length, ms: 60_000 });
          await ask(service, 'PUT', '/v1/schema/clicks/rules', json(RULES));
          const posts: (() => Promise<Json>)[] = [];
          for (let at = 0, i = 0; at < table.length; i++) {
            const [size, isLines] = cuts[i % cuts.length]!;
            const rows = table.slice(at, at + size);
            at += size;
            posts.push(() =>
              isLines
                ? ask(service, 'POST', '/v1/screen', rows.map(json).join('\n'), {
                    'Content-Type': 'application/x-ndjson',
                    'X-Source': 'clicks',
                  })
                : post(service, rows),
            );
          }
          // Those that are in order alone have the rows of findings in order; together they may not.
          for (const send of posts) expect((await send()).status).toBe(200);
          const [job] = await judged(service);
          expect(plain(await reportOf(service, job!.id))).toEqual(expected);
        },
      ),
      { numRuns: 12 },
    );
  }, 60_000);

  test('is all rows of posts that come at once, in many groups', async () => {
    const table = rowsOf(0, 600);
    const expected = plain(await oneBatch(table));
    const service = await withWindow({ rows: 600, ms: 60_000 });
    await ask(service, 'PUT', '/v1/schema/clicks/rules', json(RULES));
    let next = 0;
    const client = async () => {
      while (next < 200) {
        const from = 3 * next++;
        expect((await post(service, table.slice(from, from + 3))).status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: 4 }, client));
    const [job] = await judged(service);
    const { issues, ...report } = plain(await reportOf(service, job!.id));
    const { issues: expectedIssues, ...rest } = expected;
    expect(report).toEqual(rest);
    const [violation] = issues.rule_violations;
    // Which rows come first depends on who was first.
    expect({ ...violation, rows: [], sample_value: 0 }).toEqual({
      ...expectedIssues.rule_violations[0],
      rows: [],
      sample_value: 0,
    });
  });

  test('is all rows of posts whose texts no thread can join, however many', async () => {
    const service = await withWindow({ rows: 70, ms: 60_000 });
    const table = rowsOf(0, 70);
    let id = '';
    for (const { id: order, amount } of table) {
      const headers = { 'Content-Type': 'text/csv', 'X-Source': 'clicks' };
      const answer = await ask(service, 'POST', '/v1/screen', `id,amount\n${order},${amount}\n`, headers);
      id = answer.body.window.batch_id;
      if (answer.body.window.rows !== 64) continue;
      // All of them become one state while others come.
      while ((await service.windowStore.sizes(id)).length !== 1) await Bun.sleep(5);
    }
    const [job] = await judged(service);
    const report = plain(await reportOf(service, job!.id));
    const single = new Clocked();
    const lines = table.map(({ id: order, amount }) => `${order},${amount}\n`).join('');
    const headers = { 'Content-Type': 'text/csv', 'X-Source': 'clicks' };
    const whole = await ask(single, 'POST', '/v1/batches/whole', `id,amount\n${lines}`, headers);
    expect(report).toEqual(plain(whole.body));
  }, 30_000);

  test('is all rows of more windows than a thread remembers', async () => {
    const sources = Array.from({ length: 20 }, (_, i) => `clicks-${i}`);
    const service = new Clocked();
    for (const source of sources) await settings(service, { window: { rows: 30, ms: 60_000 } }, source);
    for (let round = 0; round < 3; round++)
      for (const source of sources)
        expect((await post(service, rowsOf(10 * round, 10), {}, source)).status).toBe(200);
    const found = await judged(service, sources.length);
    expect(found.map(({ rows_received }) => rows_received)).toEqual(sources.map(() => 30));
  }, 30_000);

  test('is rows of any format', async () => {
    const service = await withWindow({ rows: 40, ms: 60_000 });
    const rows = rowsOf(0, 40);
    const named = (type: string) => ({ 'Content-Type': type, 'X-Source': 'clicks' });
    const csv = (some: Row[]) =>
      `amount,id,region\n${some.map(row => `${row.amount},${row.id},${row.region}\n`).join('')}`;
    const writer = RecordBatchStreamWriter.writeAll(tableFromJSON(rows.slice(30)));
    const answers = await Promise.all([
      post(service, rows.slice(0, 10)),
      ask(service, 'POST', '/v1/screen', csv(rows.slice(10, 20)), named('text/csv')),
      ask(
        service,
        'POST',
        '/v1/screen',
        rows.slice(20, 30).map(json).join('\n'),
        named('application/x-ndjson'),
      ),
      ask(
        service,
        'POST',
        '/v1/screen',
        new Uint8Array(await writer.toUint8Array()),
        named('application/vnd.apache.arrow.stream'),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [job] = await judged(service);
    expect([job!.rows_received, job!.status]).toEqual([40, 'PASS']);
    const { body } = await ask(service, 'GET', '/v1/schema/clicks');
    const types = Object.entries(body.fields as Json).map(([name, field]) => [name, (field as Json).type]);
    expect(types.sort()).toEqual([
      ['amount', 'number'],
      ['id', 'number'],
      ['region', 'string'],
    ]);
  });

  test('is the rules of its opening, as of any batch', async () => {
    const service = await withWindow({ rows: 20, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    await ask(service, 'PUT', '/v1/schema/clicks/rules', json({ fields: { amount: { maximum: 1 } } }));
    expect((await post(service, rowsOf(10, 10))).body.status).toBe('BLOCK');
    expect((await judged(service))[0]!.status).toBe('PASS');
  });

  test('is found again by a process that knows nothing of it', async () => {
    const service = await withWindow({ rows: 30, ms: 60_000 });
    await post(service, rowsOf(0, 10));
    const {
      openWindows: _,
      windowEnds: __,
      threads: ___,
      baselines: ____,
      editor: _____,
      ...shared
    } = service.deps;
    const other = new Clocked({
      ...shared,
      now: () => service.at,
      baselineStore: service.baselineStore,
      windowStore: service.windowStore,
    });
    const second = await ask(other, 'POST', '/v1/screen', json({ source: 'clicks', rows: rowsOf(10, 10) }));
    expect(second.body.window.rows).toBe(20);
    expect((await post(service, rowsOf(20, 10))).body.window.rows).toBe(30);
    expect((await judged(service)).map(({ rows_received }) => rows_received)).toEqual([30]);
  });
});

test('a post of a person who is signed in is a batch of its own', async () => {
  const service = await withWindow({ rows: 1000, ms: 60_000 });
  const identity = await service.identities.ownerOfKey(secretSha256(KEY));
  const person = { ...identity!, key: null };
  service.deps.authentication.identityOf = async () => person;
  expect((await post(service, rowsOf(0, 10))).body.window).toBeUndefined();
  expect(await jobs(service)).toHaveLength(1);
});

describe('settings', () => {
  test.each([
    [{ rows: 1, ms: 1000 }, 200],
    [{ rows: 1_000_000, ms: 86_400_000 }, 200],
    [{ rows: 0, ms: 1000 }, 400],
    [{ rows: 1_000_001, ms: 1000 }, 400],
    [{ rows: 1.5, ms: 1000 }, 400],
    [{ rows: 1, ms: 999 }, 400],
    [{ rows: 1, ms: 86_400_001 }, 400],
    [{ rows: 1 }, 400],
    [{ ms: 1000 }, 400],
    [5000, 400],
  ])('window %j is answered with %p', async (window, status) => {
    const answer = await settings(new Clocked(), { window });
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.window).toEqual(window as object);
    else
      expect([answer.body.code, answer.body.message.startsWith('window')]).toEqual(['INVALID_OPTIONS', true]);
  });

  test('have no window unless one is set', async () => {
    const service = new Clocked();
    expect((await ask(service, 'GET', '/v1/schema/clicks/settings')).body.window).toBeNull();
    expect((await post(service, rowsOf(0, 10))).body.window).toBeUndefined();
    expect((await usage(service)).rows_screened ?? 10).toBe(10);
  });
});
