/** What an account may keep: sources, bytes of baselines, bytes of reports. */
import { describe, expect, test } from 'bun:test';
import { PLANS } from '../../src/account/plans.ts';
import { boundsOf, reportBytesOf } from '../../src/account/storage.ts';
import type { Account } from '../../src/stores/ports.ts';
import type { AppDependencies } from '../../src/http/app.ts';
import type { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { Clock, get } from './asking.ts';
import { batch, KEY, NOW, SCALE_KEY, Service } from './service.ts';

const MIB = 1024 * 1024;
const ROWS = [{ id: 1, name: 'ann' }];
const from = (source: string, more: object = {}) => batch(ROWS, { source, ...more });
const sourcesOf = async (service: Service) =>
  (await get(service, '/v1/schema?limit=200', SCALE_KEY)).body.sources.map(
    ({ source }: { source: string }) => source,
  );
const rowsCounted = async (service: Service) =>
  (await get(service, '/v1/billing', SCALE_KEY)).body.rowsProcessed;
const reset = (service: Service, source: string) =>
  service.app.handle(
    new Request(`http://localhost/v1/schema/${source}`, {
      method: 'DELETE',
      headers: { 'X-API-Key': SCALE_KEY },
    }),
  );
/** Random texts: states and reports of them cannot be compressed. */
const wide = (fields = 400) =>
  Object.fromEntries(Array.from({ length: fields }, (_, i) => [`${crypto.randomUUID()}${i}`, i]));

describe('sources', () => {
  test('every plan has a number of them, and bytes, and each plan more than the one below', () => {
    const plans = Object.values(PLANS);
    for (const bound of ['sources', 'baselineBytes', 'reportBytes'] as const) {
      const bounds = plans.map(plan => plan[bound]);
      expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
      expect(new Set(bounds).size).toBe(plans.length);
    }
  });

  test('the plan of the account decides, unless the server has a setting', () => {
    const account = { plan: 'starter' } as Account;
    const none = { maxSources: null, maxBaselineBytes: null, maxReportBytes: null };
    expect(boundsOf(account, none)).toMatchObject({ sources: 20_000, bytes: 1024 * MIB });
    expect(reportBytesOf(account, none)).toBe(4096 * MIB);
    const given = { maxSources: 7, maxBaselineBytes: 8, maxReportBytes: 9 };
    expect(boundsOf(account, given)).toMatchObject({ sources: 7, bytes: 8 });
    expect(reportBytesOf(account, given)).toBe(9);
  });

  test('the last one is screened; the next is refused, and nothing of it is kept', async () => {
    const service = new Service({ maxSources: 100 });
    const post = (source: string) =>
      service.post(from(source), { 'X-API-Key': KEY, 'Idempotency-Key': source });
    await service.baselineStore.append('owner', 's0', { id: 'r', state: new Uint8Array(1) });
    for (let i = 1; i < 99; i++)
      await service.baselineStore.append('owner', `s${i}`, { id: 'r', state: new Uint8Array(1) });
    expect((await post('last')).status).toBe(200);
    const past = await post('past');
    expect(past.status).toBe(429);
    expect(past.body).toEqual({
      code: 'PLAN_LIMIT_EXCEEDED',
      message:
        'The account has 100 sources of the 100 that it may have; nothing was stored or counted. Reset a source that ' +
        'is no longer needed (DELETE /v1/schema/{source}), or choose a larger plan; on your own server raise MAX_SOURCES',
    });
    expect(past.headers.get('Retry-After')).toBeNull();
    expect(past.headers.get('X-RateLimit-Plan')).toBe('developer');
    expect((await service.baselineStore.kept('owner')).sources).toBe(100);
    expect((await get(service, '/v1/jobs', KEY)).body.jobs).toHaveLength(1);
    expect((await get(service, '/v1/billing', KEY)).body.rowsProcessed).toBe(1);
  });

  test('the known ones go on, a reset makes room, and the refused key can be used again', async () => {
    const service = new Service({ maxSources: 2 });
    const keyed = { 'Idempotency-Key': 'again' };
    for (const source of ['a', 'b', 'a', 'b']) expect((await service.post(from(source))).status).toBe(200);
    expect((await service.post(from('c'), keyed)).status).toBe(429);
    expect(await rowsCounted(service)).toBe(4);
    expect((await reset(service, 'a')).status).toBe(200);
    expect((await service.post(from('c'), keyed)).status).toBe(200);
    expect((await service.post(from('a'))).status).toBe(429);
    expect(await sourcesOf(service)).toEqual(['b', 'c']);
    // A dry run keeps nothing.
    const dryRun = await service.post(from('d', { options: { dry_run: true } }));
    expect(dryRun.status).toBe(200);
  });

  test('many new ones at once never pass the bound', async () => {
    const service = new Service({ maxSources: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => service.post(from(`s${i}`))));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(200),
      ...Array(15).fill(429),
    ]);
    expect(await rowsCounted(service)).toBe(5);
    expect(await sourcesOf(service)).toHaveLength(5);
  });
});

describe('bytes of baselines', () => {
  const LIMITS = { maxBaselineBytes: MIB };

  /** A service whose account has no room for another wide batch, and its sources. */
  async function filled(change: Partial<AppDependencies> = {}) {
    const service = new Service({ ...LIMITS, ...change });
    const sources: string[] = [];
    const rows = [wide()];
    for (let i = 0; ; i++) {
      const { status, body } = await service.post(batch(rows, { source: `s${i}` }));
      if (status === 429) return { service, rows, sources, refusal: body };
      sources.push(`s${i}`);
    }
  }

  test('a new source without room is refused, and nothing of it is kept', async () => {
    const { service, sources, refusal } = await filled();
    expect(sources.length).toBeGreaterThan(1);
    expect(refusal.code).toBe('PLAN_LIMIT_EXCEEDED');
    expect(refusal.message).toMatch(
      /^The account keeps [01]\.\d MiB of baselines, of the 1\.0 MiB that it may keep; nothing was stored or counted\. .* MAX_BASELINE_BYTES$/,
    );
    expect((await service.baselineStore.kept('scaler')).bytes).toBeLessThanOrEqual(MIB);
    expect(await sourcesOf(service)).toEqual(sources);
    expect(await rowsCounted(service)).toBe(sources.length);
  });

  test('a known source is judged, stored and counted, and says that it did not learn', async () => {
    const { service, rows } = await filled();
    const before = await service.baselineStore.read('scaler', 's0');
    const { status, body } = await service.post(batch(rows, { source: 's0' }));
    expect(status).toBe(200);
    expect(body.stats.storage_full).toBe(true);
    expect(await service.baselineStore.read('scaler', 's0')).toEqual(before);
    const job = await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY);
    expect(job.body.report.stats.storage_full).toBe(true);
    for (const source of ['s1', 's2']) await reset(service, source);
    const learned = await service.post(batch(rows, { source: 's0' }));
    expect(learned.body.stats).not.toHaveProperty('storage_full');
    expect((await service.baselineStore.read('scaler', 's0')).tail).toHaveLength(2);
  });

  test('other accounts are not concerned', async () => {
    const { service } = await filled();
    const { status, body } = await service.post(batch([wide()], { source: 's0' }), { 'X-API-Key': KEY });
    expect(status).toBe(200);
    expect(body.stats).not.toHaveProperty('storage_full');
  });

  test('settings and feedback are refused in the same way', async () => {
    const { service } = await filled({ maxBaselineBytes: MIB });
    Object.assign(service.deps, { maxBaselineBytes: 1 });
    const put = await service.app.handle(
      new Request('http://localhost/v1/schema/new/settings', {
        method: 'PUT',
        body: '{"mode":"adaptive"}',
        headers: { 'X-API-Key': SCALE_KEY, 'Content-Type': 'application/json' },
      }),
    );
    expect(put.status).toBe(429);
    expect(((await put.json()) as { code: string }).code).toBe('PLAN_LIMIT_EXCEEDED');
    expect((await get(service, '/v1/schema/new/settings', SCALE_KEY)).body.mode).toBeNull();
  });
});

describe('bytes of reports', () => {
  test('the oldest jobs are deleted when they take more, no request is refused, and the rows stay counted', async () => {
    const clock = new Clock(NOW);
    const service = new Service({ maxReportBytes: 256 * 1024, now: clock.read });
    const jobs = () => (service.deps.jobs as SqlJobs).keptBytes('scaler');
    const first = (await service.post(batch([wide(200)]))).body.request_id;
    for (let posted = 1; posted < 60; posted++) {
      clock.now += 1000;
      expect((await service.post(batch([wide(200)], { source: `s${posted % 5}` }))).status).toBe(200);
    }
    while ((await jobs()) > 256 * 1024) await Bun.sleep(1);
    expect((await get(service, `/v1/jobs/${first}`, SCALE_KEY)).status).toBe(404);
    expect(await rowsCounted(service)).toBe(60);
    const listed = (await get(service, '/v1/jobs?limit=200', SCALE_KEY)).body.jobs;
    expect(listed.length).toBeGreaterThan(1);
    expect(listed.length).toBeLessThan(60);
    expect((await service.post(batch([wide(200)]))).status).toBe(200);
  });
});
