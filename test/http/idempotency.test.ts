/** POST /v1/screen with an Idempotency-Key. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { AppDependencies } from '../../src/http/app.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { SqliteBaselines } from '../../src/stores/sqlite/baselines.ts';
import type { Completion } from '../../src/stores/ports.ts';
import { SqlAllowance } from '../../src/stores/sql/allowance.ts';
import { SqlIdempotency } from '../../src/stores/sql/idempotency.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { openSql } from '../../src/stores/sql/sqlite.ts';
import { ENCODE } from '../intake/codings.ts';
import { type Answer, batch, type BodyContent, KEY, NOW, Service, changed } from './service.ts';
import { know } from '../baseline/know.ts';
import { foldersOfATest } from '../folders.ts';

const ROWS = [
  { id: 1, name: 'a' },
  { id: 2, name: 'b' },
];
const GOOD = batch(ROWS);
const K = { 'Idempotency-Key': '8e03978e-40d5-43dd-bc93-6894a57f9324' };
const DAY_MS = 86_400_000;

const away = () => Promise.reject(new Rejection('SERVICE_UNAVAILABLE', 'away', { 'Retry-After': '1' }));

/** What all requests so far have left behind in a service's stores. */
async function left(service: Service) {
  const one = async (count: string) =>
    (await service.rows<{ n: number }>(`SELECT CAST(${count} AS INTEGER) AS n`))[0]!.n;
  const jobs = await one('(SELECT count(*) FROM jobs)');
  const ledger = await one('(SELECT coalesce(sum(rows), 0) FROM ledger)');
  const reserved = (await service.counted('owner')) + (await service.counted('scaler'));
  const batches = (await know(service.baselineStore, 'scaler', 'orders')).baseline?.batches ?? 0;
  return { jobs, ledger, reserved, batches };
}
const NOTHING = { jobs: 0, ledger: 0, reserved: 0, batches: 0 };
const ONE = { jobs: 1, ledger: 2, reserved: 2, batches: 1 };

function expectReplay(repeat: Answer, first: Answer): void {
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(repeat.headers.get('idempotent-replayed')).toBe('true');
  expect([repeat.status, repeat.body]).toEqual([200, first.body]);
  const [one, other] = [first, repeat].map(({ headers }) => {
    const all = new Map(headers.entries());
    // A repeat takes its own time, and one of the requests that the rate allows, like any other.
    for (const name of ['idempotent-replayed', 'ratelimit', 'server-timing']) all.delete(name);
    return all;
  });
  expect(one).toEqual(other!);
}

function expectConflict({ status, body }: Answer): void {
  expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
}

/** A service whose stores a test can make fail. */
function serviceWith(change: (deps: AppDependencies) => Partial<AppDependencies>): Service {
  const { rows, allowance, baselineStore, threads, deps } = new Service();
  const service = new Service({ ...deps, ...change(deps) });
  return Object.assign(service, { rows, allowance, baselineStore, threads });
}

describe('a repeat', () => {
  test('gets the same answer byte for byte, marked as a replay, and is counted, learned and stored once', async () => {
    const service = new Service();
    const send = () =>
      service.app.handle(
        new Request('http://localhost/v1/screen', {
          method: 'POST',
          body: GOOD,
          headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json', ...K },
        }),
      );
    const [first, repeat] = [await send(), await send()];
    expect(await repeat.text()).toBe(await first.text());
    expect(repeat.headers.get('x-ratelimit-remaining')).toBe('499998');
    const { jobs, ledger, reserved } = await left(service);
    expect([jobs, ledger, reserved]).toEqual([1, 2, 2]);
  });

  test('has the same headers except one', async () => {
    const service = new Service();
    const first = await service.post(GOOD, K);
    await service.post(GOOD);
    expectReplay(await service.post(GOOD, K), first);
    expect(await left(service)).toEqual({ jobs: 2, ledger: 4, reserved: 4, batches: 2 });
  });

  test.each<[string, BodyContent, Record<string, string>]>([
    ['CSV', 'id\n1\n2\n', { 'Content-Type': 'text/csv', 'X-Source': 'orders' }],
    ['NDJSON', '{"id":1}\n{"id":2}\n', { 'Content-Type': 'application/jsonl', 'X-Source': 'orders' }],
    ['gzip', ENCODE.gzip(GOOD), { 'Content-Encoding': 'gzip' }],
    ['an empty source header', GOOD, { 'X-Source': '' }],
  ])('may be %s', async (_, body, headers) => {
    const service = new Service();
    const first = await service.post(body, { ...headers, ...K });
    expectReplay(await service.post(body, { ...headers, ...K }), first);
    expect(await left(service)).toEqual(ONE);
  });

  test('may arrive in other pieces', async () => {
    const service = new Service();
    const first = await service.post(GOOD, K);
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of new TextEncoder().encode(GOOD)) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expectReplay(await service.post(pieces, K), first);
  });

  test('is answered when the allowance is used up', async () => {
    const service = new Service();
    const mine = { ...K, 'X-API-Key': KEY };
    const first = await service.post(GOOD, mine);
    await service.allowance.reserve('owner', Date.UTC(2026, 10), 499_998, 500_000);
    expectReplay(await service.post(GOOD, mine), first);
    expect((await service.post(GOOD, { 'X-API-Key': KEY })).status).toBe(429);
  });

  test('is not judged', async () => {
    const service = new Service();
    let judged = 0;
    const { baselines } = service.deps;
    service.deps.baselines = changed(baselines, {
      judge: (...order) => {
        judged++;
        return baselines.judge(...order);
      },
    });
    await service.post(GOOD, K);
    await service.post(GOOD, K);
    expect(judged).toBe(1);
    expect(service.threads.busy).toBe(0);
  });

  test('is a new request after 24 hours, and not a millisecond before', async () => {
    let now = NOW;
    const service = new Service({ now: () => now });
    const first = await service.post(GOOD, K);
    now += DAY_MS - 1;
    expectReplay(await service.post(GOOD, K), first);
    now += 1;
    const later = await service.post(GOOD, K);
    expect(later.body.request_id).not.toBe(first.body.request_id);
    expect((await left(service)).jobs).toBe(2);
  });
});

describe('a key', () => {
  test.each<[string, Record<string, string>]>([
    ['another charset parameter', { 'Content-Type': 'application/json; charset=utf-8' }],
    ['a coding, even one that changes nothing', { 'Content-Encoding': 'identity' }],
    ['another source', { 'X-Source': 'others' }],
    ['other options', { 'X-Options': '{"full_scan":true}' }],
    ['another delimiter', { 'X-CSV-Delimiter': ';' }],
  ])('is refused with %s', async (_, headers) => {
    const service = new Service();
    await service.post(GOOD, K);
    expectConflict(await service.post(GOOD, { ...K, ...headers }));
    expect(await left(service)).toEqual(ONE);
  });

  test('is rejected with different bytes, even if they mean the same', async () => {
    const service = new Service();
    await service.post(GOOD, K);
    expectConflict(await service.post(` ${GOOD}`, K));
    expectConflict(await service.post(ENCODE.gzip(GOOD), { ...K, 'Content-Encoding': 'gzip' }));
    expect(await left(service)).toEqual(ONE);
  });

  test('belongs to its account', async () => {
    const service = new Service();
    await service.post(GOOD, { ...K, 'X-API-Key': KEY });
    const other = await service.post(batch([{ b: 1 }]), K);
    expect(other.status).toBe(200);
    expect(other.headers.get('idempotent-replayed')).toBeNull();
  });

  test.each(['', ' ', 'a b', 'caf\xe9', '\t', 'x'.repeat(256)])('cannot be %j', async key => {
    const service = new Service();
    const { status, body } = await service.post('{', { 'Idempotency-Key': key });
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.message).toStartWith('Idempotency-Key must be 1 to 255 visible ASCII characters');
  });

  test.each(['!', '~'.repeat(255), '"quoted"', '__proto__'])('can be %j', async key => {
    const service = new Service();
    const first = await service.post(GOOD, { 'Idempotency-Key': key });
    expectReplay(await service.post(GOOD, { 'Idempotency-Key': key }), first);
  });

  test('is free for the corrected request after any rejection', async () => {
    const service = new Service();
    const mine = { ...K, 'X-API-Key': KEY };
    expect((await service.post('{', mine)).status).toBe(400);
    await service.count('owner', 499_999);
    expect((await service.post(GOOD, mine)).body.code).toBe('PLAN_LIMIT_EXCEEDED');
    expect((await service.post(batch([{ id: 1 }]), mine)).status).toBe(200);
  });
});

describe('concurrent repeats', () => {
  const newFolder = foldersOfATest();

  test('in two processes with the same files are one request', async () => {
    const folder = newFolder();
    const done = Promise.withResolvers<void>();
    const opened = [1, 2].map(() => openSql(join(folder, 'sluice.sqlite')));
    const services = opened.map(database => {
      const jobs = new SqlJobs(database);
      return new Service({
        jobs: changed(jobs, {
          complete: async completion => {
            const written = await jobs.complete(completion);
            done.resolve();
            return written;
          },
        }),
        idempotency: new SqlIdempotency(database),
        allowance: new SqlAllowance(database),
        baselineStore: new SqliteBaselines(join(folder, 'baselines.sqlite')),
        // Who waits, waits until there is an answer.
        sleep: () => done.promise.then(() => setImmediate()),
      });
    });
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => services[i % 2]!.post(GOOD, K)));
    const firsts = answers.filter(({ headers }) => !headers.has('idempotent-replayed'));
    expect(firsts).toHaveLength(1);
    for (const each of answers) if (each !== firsts[0]) expectReplay(each, firsts[0]!);
    const { baselineStore } = services[0]!;
    expect((await know(baselineStore, 'scaler', 'orders')).baseline!.batches).toBe(1);
    expect(await new SqlJobs(opened[0]!).list('scaler', { limit: 9 })).toHaveLength(1);
    expect(await new SqlAllowance(opened[1]!).counted('scaler', Date.UTC(2026, 10))).toBe(2);
    expect(services.map(({ threads }) => threads.busy)).toEqual([0, 0]);
    for (const database of opened) database.close();
  });

  /** Stops the first request before its job is written, and tells. */
  class Gate {
    readonly #reached = Promise.withResolvers<void>();
    readonly #open = Promise.withResolvers<void>();
    #first = true;
    readonly reached = this.#reached.promise;
    readonly open = this.#open.resolve;

    async pass(): Promise<void> {
      if (!this.#first) return;
      this.#first = false;
      this.#reached.resolve();
      await this.#open.promise;
    }
  }

  /** `fail` may throw where the first request's job would be written. */
  const gated = (gate: Gate, fail: () => Promise<unknown>, more: Partial<AppDependencies> = {}) =>
    serviceWith(({ jobs }) => {
      let first = true;
      const complete = async (completion: Completion) => {
        const mayFail = first;
        first = false;
        await gate.pass();
        if (mayFail) await fail();
        return jobs.complete(completion);
      };
      return { jobs: changed(jobs, { complete }), ...more };
    });

  const succeed = async () => {};

  test('of a request of more than one second get a conflict, and hold no thread meanwhile', async () => {
    const gate = new Gate();
    const lent: number[] = [];
    const service: Service = gated(gate, succeed, {
      sleep: async () => {
        // A thread gives the bytes back before it is free.
        await setImmediate();
        lent.push(service.threads.busy);
      },
    });
    const first = service.post(GOOD, K);
    await gate.reached;
    const twin = await service.post(GOOD, K);
    expectConflict(twin);
    expect(twin.headers.get('retry-after')).toBe('1');
    // Not even the first: it is being written.
    expect(new Set(lent)).toEqual(new Set([0]));
    gate.open();
    const answer = await first;
    expectReplay(await service.post(GOOD, K), answer);
    expect(await left(service)).toEqual(ONE);
  });

  test('take over when the first fails, with their own body', async () => {
    const gate = new Gate();
    const slept = Promise.withResolvers<void>();
    const service: Service = gated(gate, away, {
      sleep: async () => {
        slept.resolve();
        await setImmediate();
      },
    });
    const first = service.post(GOOD, K);
    await gate.reached;
    const twin = service.post(GOOD, K);
    await slept.promise;
    gate.open();
    expect((await first).status).toBe(503);
    expect((await twin).status).toBe(200);
    expect(await left(service)).toEqual(ONE);
  });

  test('take over after ten seconds, and a slow first request gets their answer', async () => {
    let now = NOW;
    const gate = new Gate();
    const service = gated(gate, succeed, { now: () => now });
    const first = service.post(GOOD, K);
    await gate.reached;
    now += 3_000;
    const twin = await service.post(GOOD, K);
    expect(twin.status).toBe(200);
    gate.open();
    expectReplay(await first, twin);
    expect(await left(service)).toEqual(ONE);
  });
});

describe('an unavailable store', () => {
  test('at the write of the job leaves no changes, and the repeat runs', async () => {
    let failing = true;
    const service = serviceWith(({ jobs }) => ({
      jobs: changed(jobs, { complete: completion => (failing ? away() : jobs.complete(completion)) }),
    }));
    const failed = await service.post(GOOD, K);
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await left(service)).toEqual(NOTHING);
    failing = false;
    const repeat = await service.post(GOOD, K);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(await left(service)).toEqual(ONE);
  });

  test('at the learning leaves no changes, even if the batch was learned', async () => {
    const service = serviceWith(({ baselines }) => ({
      baselines: changed(baselines, { learn: (...batch) => baselines.learn(...batch).then(away) }),
    }));
    expect((await service.post(GOOD)).status).toBe(503);
    expect(await left(service)).toEqual(NOTHING);
  });

  test('at the claim leaves no changes', async () => {
    const service = serviceWith(() => ({
      idempotency: { claim: away, forgetUnfinished: away, renew: away, unclaim: away },
    }));
    expect((await service.post(GOOD, K)).status).toBe(503);
    expect(await left(service)).toEqual(NOTHING);
    expect((await service.post(GOOD)).status).toBe(200);
  });

  test('at the release of a key blocks it for a lease, and the error is the original one', async () => {
    let now = NOW;
    const service = serviceWith(({ idempotency, jobs }) => ({
      now: () => now,
      sleep: async () => {},
      idempotency: changed(idempotency, { unclaim: away, renew: away }),
      jobs: changed(jobs, { complete: () => Promise.reject(new Error('a bug')) }),
    }));
    expect((await service.post(GOOD, K)).body.code).toBe('INTERNAL');
    now += 2_999;
    expectConflict(await service.post(GOOD, K));
    now += 1;
    expect((await service.post(GOOD, K)).body.code).toBe('INTERNAL');
    expect(await left(service)).toEqual(NOTHING);
  });
});
