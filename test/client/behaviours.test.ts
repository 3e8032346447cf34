/** The behaviours that all clients share: clients/behaviours.json. clients/python/tests/test_behaviours.py has the same ones for Python. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'papaparse';
import BEHAVIOURS from '../../clients/behaviours.json';
import { contractSource } from '../../scripts/contract-source.ts';
import * as client from '../../src/client/index.ts';
import { Blocked, Sluice, SluiceError } from '../../src/client/index.ts';
import { pauseAfter } from '../../src/client/retry.ts';
import { Server, KEY } from '../e2e/server.ts';
import { operationsOf, readDocument } from '../http/documents/document.ts';
import { freePort } from '../servers/process.ts';
import { serving } from './serving.ts';

const tested = new Set<string>();

/** A test that shows the behaviour of this name. */
function behaviour(name: keyof typeof BEHAVIOURS, show: () => Promise<void>): void {
  tested.add(name);
  test(`${name}: ${BEHAVIOURS[name]}`, show);
}

const rows = Array.from({ length: 60 }, (_, id) => ({ id, city: 'Wien', note: id % 2 ? null : 'a,"b"\nä' }));
const csv = `id,city,note\n${rows.map(({ id, note }) => `${id},Wien,${note ? '"a,""b""\nä"' : ''}\n`).join('')}`;
const numbered = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
const bad = Array.from({ length: 20 }, (_, id) => ({ id, amount: id % 2 ? 'x' : 1.5 }));

const failure = async (promise: Promise<unknown>): Promise<SluiceError> => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SluiceError);
  return error as SluiceError;
};

const VERDICT = { status: 'PASS', health_score: 1, decision: { action: 'PASS', reason: 'fine' } };
/** A verdict on the rows that were sent. */
const verdict =
  (members: object = {}) =>
  (body: Uint8Array, headers: Headers) =>
    Response.json({ ...VERDICT, stats: sentIn(new TextDecoder().decode(body), headers), ...members });

function sentIn(text: string, headers: Headers): { source: string; rows_received: number } {
  const type = headers.get('content-type');
  if (type === 'application/json') {
    const { source, rows } = JSON.parse(text);
    return { source, rows_received: rows?.length };
  }
  const source = decodeURIComponent(headers.get('x-source') ?? '');
  const isNdjson = type === 'application/x-ndjson';
  const rows = isNdjson ? text.match(/\S\n/g)! : parse(text, { header: true, skipEmptyLines: true }).data;
  return { source, rows_received: rows.length };
}
const refusal = (status: number, code: string, retryAfter?: string) =>
  Response.json(
    { code, message: code },
    { status, headers: retryAfter ? { 'Retry-After': retryAfter } : {} },
  );
const BROKEN = new TypeError('fetch failed');

type Given = Response | Error | ((body: Uint8Array, headers: Headers) => Response);

/** A client whose answers are given: in turn, the last one for all that follow. */
function wire(...answers: Given[]) {
  const requests: { headers: Headers; text: string; bytes: Uint8Array; url: string }[] = [];
  const made = serving({
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const bytes = await request.bytes();
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? verdict();
      requests.push({ headers: request.headers, text: new TextDecoder().decode(bytes), bytes, url });
      if (answer instanceof Error) throw answer;
      return typeof answer === 'function' ? answer(bytes, request.headers) : (answer.clone() as Response);
    },
  });
  return { ...made, requests, sent: () => requests.length };
}

const all = (parts: AsyncIterable<unknown>) => Array.fromAsync(parts);

describe('input', () => {
  behaviour('rows', async () => {
    const ndjson = rows.map(row => `${JSON.stringify(row)}\n`).join('');
    for (const input of [{ rows }, { csv }, { ndjson }, { json: JSON.stringify(rows) }]) {
      const { report } = await serving().client.screen({ source: 'Straße/ü', ...input });
      expect([report.stats.rows_received, Object.keys(report.schema)]).toEqual([60, ['id', 'city', 'note']]);
      expect(report.stats.source).toBe('Straße/ü');
    }
  });

  behaviour('columns', async () => {
    const files = join(import.meta.dir, '../columns/files');
    const bytes = (name: string) => Bun.file(join(files, name)).bytes();
    const stream = await bytes('all.arrows');
    for (const [input, type] of [
      [{ arrow: stream }, 'arrow.stream'],
      [{ arrow: Bun.file(join(files, 'all.feather')) }, 'arrow.stream'],
      [{ arrow: Bun.gzipSync(stream), contentEncoding: 'gzip' as const }, 'arrow.stream'],
      [{ parquet: (await bytes('all.parquet')).buffer }, 'parquet'],
    ] as const) {
      const { report } = await serving().client.screen({ source: 'Straße/ü', ...input });
      expect([report.stats.rows_received, report.schema.ts?.type, report.stats.source]).toEqual([
        3,
        'string',
        'Straße/ü',
      ]);
      const { client, requests } = wire();
      await client.screen({ source: 's', ...input });
      expect(requests[0]!.headers.get('content-type')).toBe(`application/vnd.apache.${type}`);
    }
  });

  behaviour('not-a-number', async () => {
    const { client, requests } = wire();
    await client.screen({ source: 's', rows: [{ a: Number.NaN, b: Infinity, c: -Infinity, d: 0.1 }] });
    expect(requests[0]!.text).toContain('[{"a":null,"b":null,"c":null,"d":0.1}]');
  });

  behaviour('time', async () => {
    const { client, requests } = wire();
    await client.screen({ source: 's', rows: [{ at: new Date('2026-01-02T03:04:05.678+02:00') }] });
    expect(requests[0]!.text).toContain('[{"at":"2026-01-02T01:04:05.678Z"}]');
  });

  behaviour('no-row', async () => {
    for (const odd of [5, undefined, { b: 1n }, [2]]) {
      const { client, sent } = wire();
      const error = await client.screen({ source: 's', rows: [{ a: 1 }, odd as object] }).catch(String);
      expect([error, sent()]).toEqual([expect.stringMatching(/^TypeError: Row 2 /), 0]);
    }
  });

  behaviour('no-source', async () => {
    const { client, sent } = wire();
    for (const input of [{ rows }, { csv }]) {
      const nameless = { source: undefined as never, ...input };
      expect(client.screen(nameless)).rejects.toThrow('source');
      expect(client.screenAll(nameless).next()).rejects.toThrow('source');
    }
    expect(client.screen({ source: 's' } as never)).rejects.toThrow('nothing to screen');
    expect(sent()).toBe(0);
  });

  behaviour('too-many', async () => {
    const { client, exchanges } = serving({ maxBodyBytes: 500_000 });
    const many = numbered(10_001);
    const lines = `id\n${numbered(200_000)
      .map(({ id }) => `${id}\n`)
      .join('')}`;
    for (const input of [{ rows: many }, { csv: lines }]) {
      const { report } = await client.gate({ source: 's', ...input });
      expect(report.stats.rows_received).toBe('rows' in input ? 10_001 : 200_000);
      expect(report.quarantine).toBeUndefined();
    }
    expect(exchanges.map(({ url }) => new URL(url).pathname)).toEqual(Array(2).fill('/v1/batches/whole'));
    const odd = numbered(10_001).map(({ id }) => ({ id, amount: id % 2 ? 'x' : 1.5 }));
    const held = await client.gate({ source: 'odd', rows: odd }).catch((error: unknown) => error);
    expect(held).toBeInstanceOf(Blocked);
    expect((held as Blocked).report.quarantine).toBeUndefined();
    const options = { row_verdicts: true, dry_run: true };
    const asked = await client.gate({ source: 'asked', rows: odd, options }).catch((error: unknown) => error);
    expect((asked as Blocked).report.quarantine!.rows).toHaveLength(5000);
  });

  behaviour('too-large', async () => {
    const lines = `id\n${numbered(10_001)
      .map(({ id }) => `${id}\n`)
      .join('')}`;
    const { client, exchanges, service } = serving();
    const { report } = await client.gate({ source: 's', csv: lines }, { idempotencyKey: 'load' });
    expect([report.stats.rows_received, await service.counted('scaler')]).toEqual([10_001, 10_001]);
    expect(exchanges.map(({ status }) => status)).toEqual([413, 200]);
    const again = await client.gate({ source: 's', csv: lines }, { idempotencyKey: 'load' });
    expect([again.replayed, again.report]).toEqual([true, report]);
    const proxy = wire(new Response('<h1>Request Entity Too Large</h1>', { status: 413 }));
    expect((await failure(proxy.client.screen({ source: 's', rows }))).status).toBe(413);
    expect([proxy.sent(), proxy.pauses]).toEqual([2, []]);
  });

  behaviour('whole', async () => {
    const count = 150_000;
    let read = 0;
    async function* text() {
      for (read = 0; read < count; read++) yield `${read},Wien\n`;
    }
    async function* head() {
      yield 'id,city\n';
      yield* text();
    }
    const { client } = serving();
    const { report } = await client.screenWhole({ source: 's', csv: head() });
    expect(report.stats.rows_received).toBe(count);
    for (const [input, tries] of [
      [{ csv: head() }, 1],
      [{ csv: head }, 2],
      [{ csv: new Blob([csv]) }, 2],
      [{ rows: numbered(5) }, 2],
      [{ rows: numbered(5).values() }, 1],
      [{ rows: () => numbered(5).values() }, 2],
    ] as const) {
      const { client, sent, requests } = wire(refusal(503, 'SERVICE_UNAVAILABLE', '1'), verdict());
      const given = { source: 's', ...input };
      if (tries === 2) {
        await client.screenWhole(given, { compress: undefined });
        expect(requests[1]!.bytes).toEqual(requests[0]!.bytes);
        const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
        expect([new Set(keys).size, keys[0]]).toEqual([1, expect.any(String)]);
      } else expect((await failure(client.screenWhole(given))).code).toBe('SERVICE_UNAVAILABLE');
      expect(sent()).toBe(tries);
    }
  });

  behaviour('input-fails', async () => {
    const { client, service } = serving();
    async function* broken() {
      for (let i = 0; i < 20_000; i++) yield { id: i };
      throw new RangeError('the disk is gone');
    }
    for (const call of [
      () => client.screen({ source: 's', rows: broken() }),
      () => client.screenWhole({ source: 's', rows: broken() }),
      () => client.screenWhole({ source: 's', rows: broken }),
    ])
      expect(await call().catch(String)).toBe('RangeError: the disk is gone');
    expect([await service.counted('scaler'), (await client.listJobs()).jobs]).toEqual([0, []]);
  });

  behaviour('parts', async () => {
    const { client, service } = serving();
    const open = () => client.openBatch({ source: 's' }, { idempotencyKey: 'load-7' });
    const { batch_id: id } = await open();
    expect((await open()).batch_id).toBe(id);
    const [first, second] = await Promise.all([
      client.sendPart(id, 0, { rows: numbered(20_000) }),
      client.sendPart(id, 1, { csv: 'id\n5\n6\n' }, { compress: 'gzip' }),
    ]);
    expect([first.rows, second.rows]).toEqual([20_000, 2]);
    expect(await client.sendPart(id, 0, { rows: numbered(20_000) })).toEqual(first);
    const other = await failure(client.sendPart(id, 0, { rows: numbered(3) }));
    expect([other.code, other.status]).toEqual(['PART_CONFLICT', 409]);
    const missing = await failure(client.finishBatch(id, 3));
    expect([missing.code, missing.status]).toEqual(['PARTS_MISSING', 409]);
    expect(await client.findBatch(id)).toMatchObject({ status: 'open', rows: 20_002 });
    const { report, replayed } = await client.finishBatch(id, 2);
    expect([report.stats.rows_received, report.stats.source, replayed]).toEqual([20_002, 's', false]);
    const again = await client.finishBatch(id, 2);
    expect([again.report, again.replayed]).toEqual([report, true]);
    expect(await service.counted('scaler')).toBe(20_002);
    const { batch_id: unwanted } = await client.openBatch({ source: 's' });
    expect((await client.abortBatch(unwanted)).status).toBe('aborted');
    const { batches } = await client.listBatches();
    expect(batches.map(({ status }) => status).sort()).toEqual(['aborted', 'finished']);
    const busy = wire(refusal(503, 'SERVICE_UNAVAILABLE', '1'), Response.json(first));
    expect(await busy.client.sendPart(id, 0, { rows: numbered(20_000) })).toEqual(first);
  });
});

describe('many batches', () => {
  behaviour('batches', async () => {
    const lines = `id\r\n${numbered(20_007)
      .map(({ id }) => id)
      .join('\r\n')}`;
    for (const input of [{ rows: numbered(20_007) }, { csv: lines }]) {
      const parts = await Array.fromAsync(serving().client.screenAll({ source: 'big', ...input }));
      expect(parts.map(({ batch, firstRow, lastRow, last }) => [batch, firstRow, lastRow, last])).toEqual([
        [1, 1, 10_000, false],
        [2, 10_001, 20_000, false],
        [3, 20_001, 20_007, true],
      ]);
    }
  });

  behaviour('chunk-options', async () => {
    const { client, requests } = wire();
    await all(client.screenAll({ source: 's', rows: numbered(10_001), options: { full_scan: true } }));
    expect(requests.map(({ text }) => JSON.parse(text).options)).toEqual([
      { mode: 'auto', full_scan: true, batch_index: 1, total_batches: 2 },
      { mode: 'auto', full_scan: true, batch_index: 2, total_batches: 2 },
    ]);
    const single = wire();
    await all(single.client.screenAll({ source: 's', rows: numbered(3) }));
    expect(JSON.parse(single.requests[0]!.text).options).toEqual({ mode: 'auto' });
  });

  behaviour('header', async () => {
    const records = numbered(10_003).map(({ id }) => `${id},"te\nxt"" ${id}"\r\n`);
    const head = '"id","a\nb"\r\n';
    const { client, requests } = wire();
    await all(client.screenAll({ source: 's', csv: `\ufeff${head}${records.join('')}` }));
    expect(requests.map(({ text }) => text)).toEqual([
      head + records.slice(0, 10_000).join(''),
      head + records.slice(10_000).join(''),
    ]);
  });

  behaviour('halves', async () => {
    const { client } = wire((body, headers) =>
      body.length > 500 ? new Response('<h1>Too large</h1>', { status: 413 }) : verdict()(body, headers),
    );
    const parts = await Array.fromAsync(client.screenAll({ source: 's', rows: numbered(60) }));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ firstRow }) => firstRow)).toEqual([
      1,
      ...parts.slice(0, -1).map(({ lastRow }) => lastRow + 1),
    ]);
    expect([parts.at(-1)!.lastRow, parts.findIndex(({ last }) => last)]).toEqual([60, parts.length - 1]);
  });

  behaviour('empty', async () => {
    const { client } = serving();
    for (const input of [{ rows: [] }, { csv: '' }, { csv: 'a,b\n' }]) {
      expect((await failure(client.screen({ source: 's', ...input }))).code).toBe('INVALID_ROWS');
      expect((await failure(all(client.screenAll({ source: 's', ...input })))).code).toBe('INVALID_ROWS');
    }
  });

  behaviour('place', async () => {
    const seen: number[] = [];
    const read = async () => {
      const ndjson = `${'{"a":1}\n'.repeat(10_000)}{"a":}\n`;
      for await (const { lastRow } of serving().client.screenAll({ source: 's', ndjson })) seen.push(lastRow);
    };
    const error = await failure(read());
    expect([seen, error.code, error.place]).toEqual([
      [10_000],
      'INVALID_JSON',
      { firstRow: 10_001, lastRow: 10_001 },
    ]);
    expect(error.requestId).toStartWith('req_');
  });

  behaviour('stop', async () => {
    const { client, sent } = wire();
    let read = 0;
    const endless = function* () {
      for (;;) {
        read++;
        yield { a: 1 };
      }
    };
    for await (const _ of client.screenAll({ source: 's', rows: endless() })) break;
    expect(sent()).toBe(1);
    expect(read).toBeLessThan(31_000);
  });
});

describe('keys and retries', () => {
  behaviour('own-key', async () => {
    const { client, requests } = wire(
      refusal(503, 'SERVICE_UNAVAILABLE', '1'),
      refusal(503, 'SERVICE_UNAVAILABLE'),
      verdict(),
    );
    await client.screen({ source: 's', rows: new Set(rows) });
    await client.screen({ source: 's', rows });
    const [first, second, third, other] = requests.map(({ headers }) => headers.get('idempotency-key')!);
    expect(first).toHaveLength(32);
    expect([second, third]).toEqual([first!, first!]);
    expect(other).not.toBe(first);
    expect(new Set(requests.slice(0, 3).map(({ text }) => text)).size).toBe(1);
    const many = wire();
    await all(many.client.screenAll({ source: 's', rows: numbered(10_001) }, { idempotencyKey: 'load' }));
    expect(many.requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
      'load:1-10000',
      'load:10001-10001',
    ]);
  });

  behaviour('given-key', async () => {
    const { client, service } = serving();
    const [first, again] = [
      await client.screen({ source: 's', rows }, { idempotencyKey: 'given-7' }),
      await client.screen({ source: 's', rows }, { idempotencyKey: 'given-7' }),
    ];
    expect([first.replayed, again.replayed, again.report]).toEqual([false, true, first.report]);
    expect(await service.counted('scaler')).toBe(60);
  });

  behaviour('other-request', async () => {
    const { client } = serving();
    await client.screen({ source: 's', rows }, { idempotencyKey: 'other-7' });
    const error = await failure(client.screen({ source: 't', rows }, { idempotencyKey: 'other-7' }));
    expect([error.code, error.status, error.retryAfterSeconds]).toEqual(['IDEMPOTENCY_CONFLICT', 409, null]);
  });

  behaviour('compressed', async () => {
    const { client, exchanges } = serving();
    const settings = { compress: 'gzip', idempotencyKey: 'gz-7' } as const;
    expect((await client.screen({ source: 's', rows }, settings)).report.stats.rows_received).toBe(60);
    expect((await client.screen({ source: 's', rows }, settings)).replayed).toBe(true);
    expect(exchanges[0]!.headers.get('content-encoding')).toBe('gzip');
  });

  behaviour('temporary', async () => {
    for (const answer of [
      BROKEN,
      refusal(408, 'REQUEST_TIMEOUT'),
      refusal(500, 'INTERNAL'),
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      refusal(503, 'SERVICE_UNAVAILABLE', '1'),
      new Response(null, { status: 504 }),
      refusal(429, 'RATE_LIMITED', '1'),
      refusal(409, 'IDEMPOTENCY_CONFLICT', '1'),
    ]) {
      const { client, sent, pauses } = wire(answer, answer, verdict());
      expect((await client.screen({ source: 's', rows })).report.status).toBe('PASS');
      expect([sent(), pauses.length]).toEqual([3, 2]);
    }
  });

  behaviour('permanent', async () => {
    for (const answer of [
      refusal(429, 'PLAN_LIMIT_EXCEEDED', '1'),
      refusal(409, 'IDEMPOTENCY_CONFLICT'),
      refusal(503, 'BILLING_NOT_CONFIGURED', '1'),
      refusal(400, 'INVALID_ROWS'),
      refusal(401, 'AUTH_INVALID'),
      refusal(415, 'UNSUPPORTED_MEDIA_TYPE'),
      new Response(null, { status: 307, headers: { Location: 'http://elsewhere/' } }),
    ]) {
      const { client, sent, pauses } = wire(answer, verdict());
      await failure(client.screen({ source: 's', rows }));
      expect([sent(), pauses]).toEqual([1, []]);
    }
  });

  behaviour('retry-after', async () => {
    const minute = wire(refusal(429, 'RATE_LIMITED', '60'), verdict());
    await minute.client.screen({ source: 's', rows });
    expect(minute.pauses[0]).toBeWithin(60_000, 60_251);
    const date = new Date(Date.now() + 20_000).toUTCString();
    const dated = wire(refusal(503, 'SERVICE_UNAVAILABLE', date), verdict());
    await dated.client.screen({ source: 's', rows });
    expect(dated.pauses[0]).toBeWithin(10_000, 20_251);
    const long = wire(refusal(429, 'RATE_LIMITED', '61'), verdict());
    expect((await failure(long.client.screen({ source: 's', rows }))).retryAfterSeconds).toBe(61);
    expect(long.pauses).toEqual([]);
  });

  behaviour('growing', async () => {
    const { client, pauses } = wire(BROKEN);
    await failure(client.screen({ source: 's', rows }));
    expect(pauses).toHaveLength(5);
    for (const [i, pause] of pauses.entries()) expect(pause).toBeWithin(125 * 2 ** i, 250 * 2 ** i + 1);
  });

  behaviour('lease', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-lease-'));
    const port = await freePort();
    const killed = await Server.start({ PORT: String(port) }, folder);
    const waiting = new Sluice({ url: killed.url, key: KEY }).screen({ source: 'killed', rows });
    await killed.kill('SIGKILL');
    const next = await Server.start({ PORT: String(port) }, folder);
    try {
      const { report } = await waiting;
      const jobs = await Array.fromAsync(new Sluice({ url: next.url, key: KEY }).jobs({ source: 'killed' }));
      expect(jobs.map(({ id }) => id)).toEqual([report.request_id]);
    } finally {
      await next.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
    // The shortest pauses together are longer than the three seconds for which a killed server's key is held.
    const gone = await failure(wire(BROKEN).client.screen({ source: 's', rows }));
    const policy = { maxRetries: 5, maxPauseMs: 60_000, random: () => 0 };
    const shortest = [1, 2, 3, 4, 5].map(attempt => pauseAfter(gone, attempt, true, policy)!);
    expect(shortest.reduce((sum, ms) => sum + ms)).toBeGreaterThan(3000);
  });

  behaviour('once', async () => {
    const unsure = wire(BROKEN, verdict());
    expect((await failure(unsure.client.createKey())).code).toBe('UNREACHABLE');
    const limited = wire(refusal(429, 'RATE_LIMITED', '1'), verdict());
    await limited.client.createKey();
    const reading = wire(BROKEN, verdict());
    await reading.client.listKeys();
    expect([unsure.sent(), limited.sent(), reading.sent()]).toEqual([1, 2, 2]);
  });

  behaviour('probe', async () => {
    const { client, sent } = wire(refusal(503, 'SERVICE_UNAVAILABLE'));
    await failure(client.ready());
    await failure(client.health());
    expect(sent()).toBe(2);
  });
});

describe('errors', () => {
  behaviour('classes', async () => {
    for (const [status, code, kind] of [
      [401, 'AUTH_INVALID', client.AuthError],
      [400, 'INVALID_ROWS', client.InvalidInput],
      [400, 'MISSING_SOURCE', client.InvalidInput],
      [413, 'PAYLOAD_TOO_LARGE', client.InvalidInput],
      [415, 'UNSUPPORTED_MEDIA_TYPE', client.InvalidInput],
      [429, 'RATE_LIMITED', client.RateLimited],
      [429, 'PLAN_LIMIT_EXCEEDED', client.PlanLimitExceeded],
      [503, 'SERVICE_UNAVAILABLE', client.Unavailable],
      [500, 'INTERNAL', client.Unavailable],
      [400, 'OF_A_NEWER_SERVICE', client.InvalidInput],
      [404, 'NOT_FOUND', SluiceError],
    ] as const) {
      const answer = Response.json(
        { code, message: 'why', url: 'u' },
        { status, headers: { 'X-Request-Id': 'req_7' } },
      );
      const error = await failure(wire(answer).client.listJobs());
      expect(error.constructor).toBe(kind);
      expect(error).toMatchObject({
        status,
        code,
        message: 'why',
        requestId: 'req_7',
        details: { url: 'u' },
      });
    }
  });

  behaviour('unreachable', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const error = await failure(new Sluice({ url, maxRetries: 0 }).listKeys());
    expect(error).toBeInstanceOf(client.Unavailable);
    expect([error.code, error.status]).toEqual(['UNREACHABLE', 0]);
    expect(error.message).toStartWith(`${url} does not answer: `);
  });

  behaviour('foreign', async () => {
    for (const answer of [null, [], 'PASS', {}, { status: 'ok' }, { status: ['PASS'] }]) {
      const error = await failure(wire(Response.json(answer)).client.screen({ source: 's', rows }));
      expect([error.code, error.status]).toEqual(['UNEXPECTED_ANSWER', 200]);
    }
    const page = await failure(wire(new Response('<h1>Hello</h1>')).client.screen({ source: 's', rows }));
    expect(page.code).toBe('UNEXPECTED_ANSWER');
  });

  behaviour('mixed-up', async () => {
    const others = [
      { source: 't', rows_received: 60 },
      { source: 's', rows_received: 59 },
    ];
    for (const stats of others) {
      const { client, sent } = wire(verdict({ stats }), verdict());
      const error = await failure(client.gate({ source: 's', rows }));
      expect([error.code, error.status, sent()]).toEqual(['UNEXPECTED_ANSWER', 200, 1]);
      expect(error.message).toBe(
        `The answer is about ${stats.rows_received} rows of '${stats.source}', and 60 rows of 's' were sent; does a proxy mix up answers?`,
      );
      const many = wire(verdict(), verdict({ stats }));
      const ndjson = '{"a":1}\n'.repeat(10_002);
      const { place } = await failure(all(many.client.gateAll({ source: 's', ndjson })));
      expect(place).toEqual({ firstRow: 10_001, lastRow: 10_002 });
    }
    // Only the service counts the rows of what is sent as it is.
    const ofOther = wire(verdict({ stats: others[0] })).client;
    for (const input of [{ csv }, { json: JSON.stringify(rows) }, { parquet: new Uint8Array(12) }]) {
      const { message } = await failure(ofOther.screen({ source: 's', ...input }));
      expect(message).toStartWith("The answer is about 60 rows of 't', and rows of 's' were sent");
    }
  });

  behaviour('secret', async () => {
    const key = 'sluice_live_planted';
    const { client } = serving({ key, maxRetries: 0, fetch: () => Promise.reject(BROKEN) });
    const error = await failure(client.screen({ source: 's', rows }));
    const shown = `${Bun.inspect(error)} ${JSON.stringify(error)} ${JSON.stringify(client)} ${Bun.inspect(client)}`;
    expect(shown).not.toContain(key);
  });

  behaviour('bad-key', async () => {
    for (const settings of [{ key: 'secret\nvalue' }, { key: 'secret…' }, { token: 'secret\0' }]) {
      const make = () => new Sluice({ url: 'http://localhost', ...settings });
      expect(make).toThrow(/X-API-Key|Authorization/);
      expect(make).not.toThrow(/secret/);
    }
    for (const idempotencyKey of ['', 'Größe…'])
      expect(wire().client.screen({ source: 's', rows }, { idempotencyKey })).rejects.toThrow(
        /idempotency-?key/i,
      );
  });
});

describe('the gate', () => {
  behaviour('gate', async () => {
    const real = serving().client;
    expect((await real.gate({ source: 'fine', rows: numbered(20) })).report.status).toBe('PASS');
    const blocked = await real.gate({ source: 'bad', rows: bad }).catch(error => error);
    expect(blocked).toBeInstanceOf(Blocked);
    expect([blocked.report.status, blocked.place]).toEqual(['BLOCK', null]);
    const { report, screening, message } = blocked;
    expect(screening.url).toEndWith(`/#/jobs/${report.request_id}`);
    expect(message).toBe(`BLOCK ${report.decision.reason} (${screening.url})`);
    const dry = await real
      .gate({ source: 'bad', rows: bad, options: { dry_run: true } })
      .catch(error => error);
    expect(dry.message).toBe(`BLOCK ${dry.report.decision.reason}`);
    const warned = wire(verdict({ status: 'WARN' })).client;
    expect((await warned.gate({ source: 's', rows })).report.status).toBe('WARN');
    expect(warned.gate({ source: 's', rows }, { blockOn: 'warn' })).rejects.toBeInstanceOf(Blocked);
    expect(warned.gate({ source: 's', rows }, { blockOn: 'never' as never })).rejects.toThrow('blockOn');
  });

  behaviour('gate-rows', async () => {
    const blocked = await serving()
      .client.gate({ source: 'bad', rows: bad })
      .catch(error => error);
    expect(blocked.report.quarantine.rows.map(([row]: [number]) => row)).toEqual([
      1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
    ]);
    const { client, requests } = wire();
    await client.gate({ source: 's', rows });
    await client.gate({ source: 's', rows, options: { row_verdicts: false } });
    expect(requests.map(({ text }) => JSON.parse(text).options)).toEqual([
      { row_verdicts: true, mode: 'auto' },
      { row_verdicts: false, mode: 'auto' },
    ]);
  });

  behaviour('gate-all', async () => {
    const { client, sent } = wire(verdict(), verdict({ status: 'BLOCK' }), verdict());
    const error = await all(client.gateAll({ source: 's', rows: numbered(25_000) })).catch(e => e);
    expect(error).toBeInstanceOf(Blocked);
    expect([error.place, sent()]).toEqual([{ firstRow: 10_001, lastRow: 20_000 }, 2]);
  });
});

describe('the other operations', () => {
  behaviour('jobs', async () => {
    const { client } = serving();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await client.screen({ source: 'paged', rows })).report.request_id);
    for (const pageSize of [2, 5, 200]) {
      const jobs = await Array.fromAsync(client.jobs({ source: 'paged', pageSize }));
      expect(jobs.map(({ id }) => id)).toEqual(ids.toSorted().reverse());
    }
    const lazy = wire(Response.json({ jobs: [{ id: 'a' }, { id: 'b' }] }));
    for await (const { id } of lazy.client.jobs({ pageSize: 2 })) {
      expect(id).toBe('a');
      break;
    }
    expect(lazy.sent()).toBe(1);
  });

  behaviour('address', async () => {
    for (const url of [
      'http://localhost/sluice',
      'http://localhost/sluice/',
      'http://localhost/sluice/v1/',
    ]) {
      const { client, exchanges } = serving({ url });
      await failure(client.health());
      expect(exchanges.map(each => each.url)).toEqual(['http://localhost/sluice/v1/health']);
    }
    for (const url of ['localhost:8080', 'ftp://localhost', '/v1']) expect(() => serving({ url })).toThrow();
    for (const name of ['', '.', '..'])
      expect(wire().client.describeBaseline(name)).rejects.toThrow('address');
  });

  behaviour('traceparent', async () => {
    const { client, requests } = wire();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await client.screen({ source: 's', rows }, { traceparent });
    await all(client.screenAll({ source: 's', rows }, { traceparent }));
    expect(requests.map(({ headers }) => headers.get('traceparent'))).toEqual([traceparent, traceparent]);
    expect(client.screen({ source: 's', rows }, { traceparent: 'mine' })).rejects.toThrow('traceparent');
  });

  behaviour('operations', async () => {
    const methods = [Sluice.prototype, Object.getPrototypeOf(Sluice.prototype)].flatMap(each =>
      Object.getOwnPropertyNames(each),
    );
    const operations = operationsOf(await readDocument()).filter(({ id }) => id !== 'receiveEvent');
    for (const { id } of operations) expect(methods).toContain(id);
  });

  behaviour('contract', async () => {
    const written = await Bun.file(join(import.meta.dir, '../../src/client/contract.ts')).text();
    expect(written).toBe(contractSource(await readDocument()));
  });
});

test('every behaviour has a test, of each client', async () => {
  const names = Object.keys(BEHAVIOURS).sort();
  expect([...tested].sort()).toEqual(names);
  const python = await Bun.file(
    join(import.meta.dir, '../../clients/python/tests/test_behaviours.py'),
  ).text();
  const inPython = [...python.matchAll(/^@behaviour\("([\w-]+)"\)$/gm)].map(([, name]) => name!);
  expect(inPython.sort()).toEqual(names);
});
