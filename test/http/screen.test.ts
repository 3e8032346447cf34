import { describe, expect, test } from 'bun:test';
import { RESERVATION_TTL_MS } from '../../src/stores/ports.ts';
import { PLANS } from '../../src/account/plans.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { bareDeflate, CODINGS, ENCODE } from '../intake/codings.ts';
import { type Answer, batch, changed, KEY, NOW, Service, type TestThread } from './service.ts';
import { isOnServers } from './stores.ts';

const GOOD = [
  { order_id: 'ORD-001', amount: 99.5, email: 'a@corp.com' },
  { order_id: 'ORD-002', amount: 12, email: 'b@corp.com' },
];
const BROKEN = [
  { order_id: 'ORD-001', amount: 99.5, email: 'a@corp.com' },
  { order_id: 'ORD-002', amount: 'broken', email: null },
];

/** A report without what differs from one request to the next. */
function judged({ status, body }: Answer) {
  expect(status).toBe(200);
  const { request_id, batch_id, latency_ms, timestamp, ...rest } = body;
  return rest;
}

describe('a batch that is screened', () => {
  test('returns the report in the documented order, and its headers', async () => {
    const { status, headers, body } = await new Service().post(batch(GOOD));
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([
      'request_id',
      'batch_id',
      'status',
      'health_score',
      'decision',
      'schema',
      'schema_fingerprint',
      'gate',
      'stats',
      'latency_ms',
      'timestamp',
    ]);
    expect(body.request_id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(body).toMatchObject({
      status: 'PASS',
      health_score: 1,
      decision: { action: 'PASS' },
      stats: {
        rows_received: 2,
        rows_sampled: 2,
        sample_ratio: 1,
        sample_version: 'stratified-1',
        source: 'orders',
      },
      timestamp: '2026-11-21T12:00:00.000Z',
    });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-service-status')).toBe('PASS');
    expect(headers.get('x-service-health')).toBe('1');
    expect(headers.get('x-service-latency')).toBe(`${body.latency_ms}ms`);
    expect(headers.get('x-ratelimit-plan')).toBe('scale');
    expect(headers.get('x-ratelimit-remaining')).toBe('499999998');
    expect(headers.get('connection')).toBeNull();
  });

  test('reports the errors of the broken example', async () => {
    const { body } = await new Service().post(batch(BROKEN));
    expect(body.status).toBe('BLOCK');
    expect(body.schema.amount).toEqual({ type: 'mixed', confidence: 0.5 });
    expect(body.issues.type_mismatches.amount).toEqual({
      expected: 'number',
      found: ['string'],
      sample_value: 'broken',
      rate: 0.5,
      severity: 'critical',
      rows: [1],
    });
    expect(body.stats.row_numbers).toBe('index');
    expect(body.issues.null_rates.email).toMatchObject({ actual: 0.5, severity: 'warning' });
    expect(body.decision.reason).toMatch(/'amount'.*'email'/);
  });

  test('may be CSV, with the source percent-encoded in its header and options beside it', async () => {
    const service = new Service();
    const headers = { 'X-Source': 'caf%C3%A9%20orders', 'X-Options': '{"full_scan":true}' };
    const { status, body } = await service.csv('id,name\n1,a\n2,b\n', headers);
    expect(status).toBe(200);
    expect(body.schema).toEqual({
      id: { type: 'number', confidence: 1 },
      name: { type: 'string', confidence: 1 },
    });
    expect(body.stats.source).toBe('café orders');
  });

  test.each([
    [';', 'a;b\n1;2\n', {}],
    ['|', 'a|b\n1|2\n', {}],
    ['tab', 'a\tb\n1\t2\n', {}],
    [',', 'a,b\n1,2\n', { 'Content-Type': 'text/tab-separated-values' }],
  ])('has the delimiter %p where the header says so', async (delimiter, text, headers) => {
    const { body } = await new Service().csv(text, { 'X-CSV-Delimiter': delimiter, ...headers });
    expect(Object.keys(body.schema)).toEqual(['a', 'b']);
  });

  test('may have tabs, by its content type', async () => {
    const headers = { 'Content-Type': 'text/tab-separated-values' };
    const { body } = await new Service().csv('a\tb\n1\t2\n', headers);
    expect(Object.keys(body.schema)).toEqual(['a', 'b']);
  });

  test('is decoded from the charset of its content type', async () => {
    const latin = Uint8Array.from('name\ncaf\xe9\n', character => character.charCodeAt(0));
    const { body } = await new Service().csv(latin, { 'Content-Type': 'text/csv; charset=windows-1252' });
    expect(body.status).toBe('PASS');
    expect(body.stats.rows_received).toBe(1);
  });

  test('may be NDJSON, with source and options in headers', async () => {
    const service = new Service();
    const headers = { 'X-Source': 'caf%C3%A9', 'X-Options': '{"thresholds":{"null_rate_warn":0.6}}' };
    const { status, body } = await service.lines('{"id":1,"x":null}\n{"id":2,"x":"a"}', headers);
    expect(status).toBe(200);
    expect(body.schema.id).toEqual({ type: 'number', confidence: 1 });
    expect(body.stats).toMatchObject({ source: 'café', rows_received: 2 });
    expect(body.issues).toBeUndefined();
  });

  test.each(['application/x-ndjson', 'application/ndjson', 'Application/JSONL; charset=utf-8'])(
    'may be lines that call themselves %s',
    async type => {
      expect((await new Service().lines('{"a":1}', { 'Content-Type': type })).status).toBe(200);
    },
  );

  test('gets the same verdict as lines and as an array', async () => {
    const [lines, array] = [new Service(), new Service()];
    for (const rows of [GOOD, BROKEN]) {
      const text = rows.map(row => JSON.stringify(row)).join('\n');
      expect(judged(await lines.lines(text))).toEqual(judged(await array.post(batch(rows))));
    }
  });

  test.each(CODINGS)('may be compressed with %s in any format', async coding => {
    const service = new Service();
    const encode = ENCODE[coding];
    const headers = { 'Content-Encoding': coding };
    const { body } = await service.post(encode(batch(GOOD)), headers);
    expect(body.stats.rows_received).toBe(2);
    expect(judged(await service.csv(encode('a\n1\n'), headers)).stats.rows_received).toBe(1);
    expect(judged(await service.lines(encode('{"a":1}\n'), headers)).stats.rows_received).toBe(1);
  });

  test('may be deflate without its zlib frame, and x-gzip, and identity', async () => {
    const service = new Service();
    const send = (bytes: Uint8Array<ArrayBuffer> | string, coding: string) =>
      service.post(bytes, { 'Content-Encoding': coding });
    expect((await send(bareDeflate(batch(GOOD)), 'deflate')).status).toBe(200);
    expect((await send(ENCODE.gzip(batch(GOOD)), 'x-gzip')).status).toBe(200);
    expect((await send(batch(GOOD), 'identity')).status).toBe(200);
  });

  test('is decompressed before it is decoded', async () => {
    const latin = Uint8Array.from('caf\xe9\n1\n', character => character.charCodeAt(0));
    const { body } = await new Service().csv(ENCODE.gzip(latin), {
      'Content-Encoding': 'gzip',
      'Content-Type': 'text/csv; charset=windows-1252',
    });
    expect(Object.keys(body.schema)).toEqual(['café']);
  });

  test('gives the same report compressed and in 1-byte pieces', async () => {
    const bytes = ENCODE.zstd(batch(BROKEN));
    const trickle = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const answer = await new Service().post(trickle, { 'Content-Encoding': 'zstd' });
    expect(judged(answer)).toEqual(judged(await new Service().post(batch(BROKEN))));
  });

  test('is profiled by a sample, or completely on request', async () => {
    const service = new Service({ sampleRows: 5 });
    const rows = Array.from({ length: 10 }, (_, id) => ({ id }));
    const sampled = await service.post(batch(rows));
    expect(sampled.body.stats).toMatchObject({ rows_received: 10, rows_sampled: 5, sample_ratio: 0.5 });
    const whole = await service.post(batch(rows, { options: { full_scan: true } }));
    expect(whole.body.stats).toMatchObject({ rows_sampled: 10, sample_ratio: 1 });
  });

  test('may name its source and options after its rows', async () => {
    const text = `{"rows":${JSON.stringify(BROKEN)},"options":{"thresholds":{"null_rate_warn":0.6}},"source":"late"}`;
    const { body } = await new Service().post(text);
    expect(body.stats.source).toBe('late');
    expect(body.issues.null_rates).toBeUndefined();
  });

  test('gives the same report in 1-byte pieces', async () => {
    const text = new TextEncoder().encode(batch(BROKEN));
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of text) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const whole = await new Service().post(text);
    const pieced = await new Service().post(pieces);
    for (const { body } of [whole, pieced])
      for (const key of ['request_id', 'batch_id', 'latency_ms']) delete body[key];
    expect(pieced.body).toEqual(whole.body);
  });

  test('has __proto__ and constructor as ordinary fields', async () => {
    const { body } = await new Service().post(
      '{"source":"s","rows":[{"__proto__":1,"constructor":"x","":null}]}',
    );
    expect(Object.keys(body.schema).sort()).toEqual(['', '__proto__', 'constructor']);
  });
});

describe('the baseline', () => {
  const removed = [{ order_id: 'ORD-003', amount: 5 }];
  const many = (row: object) => Array.from({ length: 20 }, () => row);

  test('is created by the first batch and judges the second', async () => {
    const service = new Service();
    const first = await service.post(batch(many(GOOD[0]!)));
    const second = await service.post(batch(many(removed[0]!)));
    expect(first.body.drift).toBeUndefined();
    expect(second.body.drift).toMatchObject([{ field: 'email', kind: 'field_removed', severity: 'block' }]);
  });

  test('does not learn from a BLOCK', async () => {
    const service = new Service();
    await service.post(batch(many(GOOD[0]!)));
    await service.post(batch(many(removed[0]!)));
    const third = await service.post(batch(many(removed[0]!)));
    expect(third.body.drift).toMatchObject([{ field: 'email', kind: 'field_removed' }]);
  });

  test('of a BLOCKed first batch is provisional and replaced by the first other batch', async () => {
    const service = new Service();
    await service.post(batch(many({ id: null })));
    const second = await service.post(batch(many({ id: 1, extra: 2 })));
    expect(second.body.drift).toMatchObject([{ field: 'extra', kind: 'field_added' }]);
    const third = await service.post(batch(many({ id: 1, extra: 2 })));
    expect(third.body.drift).toBeUndefined();
  });

  test('is separate for each source and account', async () => {
    const service = new Service();
    await service.post(batch(many(GOOD[0]!)));
    const otherSource = await service.post(batch(many(removed[0]!), { source: 'others' }));
    const otherAccount = await service.post(batch(many(removed[0]!)), { 'X-API-Key': KEY });
    expect(otherSource.body.drift).toBeUndefined();
    expect(otherAccount.body.drift).toBeUndefined();
  });
});

describe('the allowance', () => {
  test('counts the rows of a 200 once', async () => {
    const service = new Service();
    const first = await service.post(batch(GOOD), { 'X-API-Key': KEY });
    const second = await service.post(batch(GOOD), { 'X-API-Key': KEY });
    expect(first.headers.get('x-ratelimit-remaining')).toBe('499998');
    expect(second.headers.get('x-ratelimit-remaining')).toBe('499996');
  });

  test('rejects a batch that exceeds it, and counts nothing', async () => {
    const service = new Service();
    await service.count('owner', 499_999);
    const { status, headers, body } = await service.post(batch(GOOD), { 'X-API-Key': KEY });
    expect(status).toBe(429);
    expect(body.code).toBe('PLAN_LIMIT_EXCEEDED');
    const wait = String(9.5 * 24 * 3600);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-ratelimit-reset': wait,
      'x-ratelimit-plan': 'developer',
      'x-ratelimit-remaining': '1',
      ratelimit: `"requests";r=19;t=1, "rows";r=1;t=${wait}`,
      'ratelimit-policy': `"requests";q=20;w=2, "rows";q=500000;w=${30 * 24 * 3600}`,
    });
    // Common clients would sleep for that long.
    expect(headers.has('retry-after')).toBe(false);
    expect(await service.counted('owner')).toBe(499_999);
  });

  test('releases the rows if the baseline cannot be written', async () => {
    const service = new Service();
    service.deps.baselines = changed(service.deps.baselines, {
      learn: async (): Promise<boolean> => {
        throw new Rejection('SERVICE_UNAVAILABLE', 'the store is away', { 'Retry-After': '1' });
      },
    });
    const { status, headers, body } = await service.post(batch(GOOD));
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toEqual({ message: 'the store is away', code: 'SERVICE_UNAVAILABLE' });
    expect(await service.counted('scaler')).toBe(0);
  });

  test('counts the rows of a slow request once, even if its reservation was renewed', async () => {
    let at = NOW;
    const service = new Service({ now: () => at });
    const reserve = service.allowance.reserve.bind(service.allowance);
    let reservations = 0;
    service.allowance.reserve = (...asked) => {
      reservations++;
      return reserve(...asked);
    };
    const learn = service.deps.baselines.learn.bind(service.deps.baselines);
    service.deps.baselines.learn = async (...asked) => {
      const isAdded = await learn(...asked);
      at += RESERVATION_TTL_MS + 1;
      return isAdded;
    };
    const { status, headers } = await service.post(batch(GOOD));
    expect([status, reservations]).toEqual([200, 2]);
    expect(headers.get('x-ratelimit-remaining')).toBe(String(PLANS.scale.rowsPerPeriod - GOOD.length));
    expect(await service.counted('scaler')).toBe(GOOD.length);
  });

  test('is checked after source, rows and options', async () => {
    const service = new Service();
    await service.count('owner', 500_000);
    const { body } = await service.post(batch(GOOD, { options: 1 }), { 'X-API-Key': KEY });
    expect(body.code).toBe('INVALID_OPTIONS');
  });
});

describe('threads', () => {
  const takeThread = (service: Service) =>
    service.threads.acquire({ account: null, key: null, isSmall: true });
  const APART = ['parse', 'judge', 'written'];
  // Redis has not answered by then.
  const AT_ONCE = isOnServers ? APART : ['parse', 'written'];

  test('are all returned, for any result of the batch', async () => {
    const service = new Service();
    await service.post(batch(GOOD));
    await service.post('{');
    await service.csv('a\n"');
    await service.post(brokenOff(batch(GOOD).slice(0, 20)));
    expect([service.threads.busy, service.threads.waiting]).toEqual([0, 0]);
    expect((await service.post(batch(GOOD))).status).toBe(200);
  });

  test('that fail are replaced, and the response reveals nothing', async () => {
    const service = new Service();
    const acquire = () => takeThread(service);
    // One thread stays taken: the batches get the other one, then its replacement.
    const [, slot] = [await acquire(), await acquire()];
    const { thread } = slot;
    (thread as TestThread).tasks.parse = () => {
      throw new WebAssembly.RuntimeError('unreachable');
    };
    slot.release();
    const { status, body } = await service.post(batch(GOOD));
    expect(status).toBe(500);
    expect(body.code).toBe('INTERNAL');
    expect(JSON.stringify(body)).not.toMatch(/unreachable|RuntimeError/);
    expect((await service.post(batch(GOOD))).status).toBe(200);
    expect(service.threads.busy).toBe(1);
    expect((await acquire()).thread).not.toBe(thread);
  });

  test.each([
    ['parse and judge a batch in one message', batch(GOOD), {}, AT_ONCE],
    ['judge one with a key in its own', batch(GOOD), { 'Idempotency-Key': 'k' }, APART],
    ['judge one apart whose source comes behind its rows', '{"rows":[{"a":1}],"source":"orders"}', {}, APART],
    [
      'judge one apart that names two sources',
      '{"source":"a","rows":[{"a":1}],"source":"orders"}',
      {},
      APART,
    ],
  ])('%s', async (_, body, headers, messages) => {
    const service = new Service();
    const slots = [await takeThread(service), await takeThread(service)];
    const asked: string[] = [];
    for (const { thread, release } of slots) {
      const ask = thread.ask.bind(thread);
      thread.ask = (name, ...rest) => {
        asked.push(name);
        return ask(name, ...rest);
      };
      release();
    }
    expect((await service.post(body, headers)).body).toMatchObject({
      status: 'PASS',
      stats: { source: 'orders' },
    });
    expect(asked).toEqual(messages);
  });

  test('are free while their batch is written', async () => {
    const lent: number[] = [];
    const service: Service = new Service();
    const { jobs } = service.deps;
    service.deps.jobs = changed(jobs, {
      complete: completion => {
        lent.push(service.threads.busy);
        return jobs.complete(completion);
      },
    });
    for (let i = 0; i < 2; i++) expect((await service.post(batch(GOOD))).status).toBe(200);
    expect(lent).toEqual([0, 0]);
  });

  test('are not lent before the first byte of the body', async () => {
    const service = new Service();
    const asked = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
    const body = new ReadableStream<Uint8Array>({ pull: asked.resolve }, { highWaterMark: 0 });
    const answer = service.post(body);
    // Only a read makes the stream ask, so by now the request has come as far as it can.
    const controller = await asked.promise;
    expect(service.threads.busy).toBe(0);
    controller.enqueue(new TextEncoder().encode(batch(GOOD)));
    controller.close();
    expect((await answer).status).toBe(200);
  });
});

/** A body whose client goes away after the text. */
function brokenOff(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      if (text === '') return controller.error(new DOMException('The connection was closed.', 'AbortError'));
      controller.enqueue(new TextEncoder().encode(text));
      text = '';
    },
  });
}
