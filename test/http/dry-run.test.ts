/** POST /v1/screen with options.dry_run. */
import { expect, test } from 'bun:test';
import { know } from '../baseline/know.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { batch, KEY, Service } from './service.ts';

const rowsOf = (row: object) => Array.from({ length: 20 }, () => row);
const GOOD = rowsOf({ id: 1, email: 'a@corp.com' });
const dry = (rows: object[]) => batch(rows, { options: { dry_run: true } });
const MINE = { 'X-API-Key': KEY };

test('a dry run is judged against the baseline and is marked', async () => {
  const service = new Service();
  await service.post(batch(GOOD));
  const rehearsed = await service.post(dry(rowsOf({ id: 1 })));
  const real = await service.post(batch(rowsOf({ id: 1 })));
  const { request_id, batch_id, latency_ms, ...report } = rehearsed.body;
  expect(request_id).toMatch(/^req_/);
  expect(batch_id).toBe(request_id);
  expect(report.stats.dry_run).toBe(true);
  expect(real.body.stats.dry_run).toBeUndefined();
  delete report.stats.dry_run;
  expect(real.body).toMatchObject(report);
  expect(rehearsed.headers.get('x-service-status')).toBe('BLOCK');
});

test('a dry run learns nothing, stores no job and counts no rows', async () => {
  const service = new Service();
  for (const rows of [GOOD, rowsOf({ id: 'x' }), rowsOf({ id: null })]) await service.post(dry(rows), MINE);
  expect((await know(service.baselineStore, 'owner', 'orders')).baseline).toBeNull();
  expect(await service.counted('owner')).toBe(0);
  for (const table of ['jobs', 'ledger']) expect(await service.rows(`SELECT * FROM ${table}`)).toEqual([]);
});

test('a dry run reports the remaining rows, and works when none remain', async () => {
  const service = new Service();
  const count = (rows: number) => service.allowance.reserve('owner', Date.UTC(2026, 10), rows, 1_000_000);
  await count(499_990);
  const some = await service.post(dry(GOOD), MINE);
  expect([some.status, some.headers.get('x-ratelimit-remaining')]).toEqual([200, '10']);
  await count(20);
  const none = await service.post(dry(GOOD), MINE);
  expect([none.status, none.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
});

test('a dry run ignores the Idempotency-Key', async () => {
  const service = new Service();
  const headers = { 'Idempotency-Key': 'k' };
  await service.post(dry(GOOD), headers);
  const real = await service.post(batch(GOOD), headers);
  const again = await service.post(dry(GOOD), headers);
  expect([real.status, again.status]).toEqual([200, 200]);
  expect(again.body.request_id).not.toBe(real.body.request_id);
  expect(again.headers.get('idempotent-replayed')).toBeNull();
  expect(again.body.stats.dry_run).toBe(true);
});

test('a dry run may be CSV', async () => {
  const { body } = await new Service().csv('a\n1\n', { 'X-Options': '{"dry_run":true}' });
  expect(body.stats.dry_run).toBe(true);
});

test('a dry run with wrong options or an unavailable store is rejected', async () => {
  const service = new Service();
  const wrong = await service.post(batch(GOOD, { options: { dry_run: 'yes' } }));
  expect(wrong.body).toEqual({
    message: "options.dry_run must be true or false, not 'yes'",
    code: 'INVALID_OPTIONS',
  });
  service.allowance.counted = () => Promise.reject(new Rejection('SERVICE_UNAVAILABLE', 'away'));
  expect((await service.post(dry(GOOD))).status).toBe(503);
});
