/** What is counted of requests, over the application. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { processKeptBytes } from '../../src/threads/kept-bytes.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { STAGES } from '../../src/screen/stages.ts';
import { batch, SCALE_KEY, Service } from '../http/service.ts';
import { type Family, familiesOf, sumOf } from './exposition.ts';

const ROWS = Array.from({ length: 20 }, (_, id) => ({ id, email: 'a@corp.com' }));
const GOOD = batch(ROWS);
const WORSE = batch(ROWS.map(({ id }) => ({ id, new_one: 1 })));

let metrics: Metrics;
let service: Service;

beforeEach(() => {
  metrics = new Metrics();
  service = new Service({ meter: metrics });
  metrics.watch({ threads: service.threads, kept: processKeptBytes });
});

async function readMetrics(): Promise<Map<string, Family>> {
  await setImmediate();
  return familiesOf(await metrics.text());
}

const ask = (method: string, path: string) =>
  service.app.handle(new Request(`http://localhost${path}`, { method, headers: { 'X-API-Key': SCALE_KEY } }));

describe('a screening', () => {
  test('counts as a request, with its bytes, rows, verdict and drift', async () => {
    await service.post(GOOD);
    await service.post(WORSE);
    const found = await readMetrics();
    const route = '/v1/screen';
    expect(sumOf(found, 'sluice_requests_total', { method: 'POST', route, status: '200' })).toBe(2);
    expect(sumOf(found, 'sluice_body_bytes_total', { route })).toBe(GOOD.length + WORSE.length);
    expect(sumOf(found, 'sluice_rows_total')).toBe(40);
    expect(sumOf(found, 'sluice_verdicts_total', { verdict: 'PASS' })).toBe(1);
    expect(sumOf(found, 'sluice_verdicts_total', { verdict: 'BLOCK' })).toBe(1);
    const drift = { kind: 'field_removed', severity: 'block' };
    expect(sumOf(found, 'sluice_drift_events_total', drift)).toBe(1);
    expect(sumOf(found, 'sluice_drift_events_total', { kind: 'field_added', severity: 'warn' })).toBe(1);
  });

  test('has its time in the histograms of its route and of its stages', async () => {
    await service.post(GOOD);
    const found = await readMetrics();
    const [bucket, sum, count] = ['bucket', 'sum', 'count'].map(each => `sluice_request_seconds_${each}`);
    const route = { route: '/v1/screen' };
    expect(sumOf(found, count!, route)).toBe(1);
    expect(sumOf(found, bucket!, { ...route, le: '+Inf' })).toBe(1);
    expect(sumOf(found, sum!, route)).toBeGreaterThan(0);
    for (const stage of STAGES.filter(each => each !== 'upload'))
      expect([stage, sumOf(found, 'sluice_stage_seconds_count', { stage })]).toEqual([
        stage,
        stage === 'queue' ? expect.any(Number) : 1,
      ]);
  });

  test('that is replayed is not counted again', async () => {
    const key = { 'Idempotency-Key': 'k' };
    await service.post(GOOD, key);
    await service.post(GOOD, key);
    const found = await readMetrics();
    expect(sumOf(found, 'sluice_requests_total')).toBe(2);
    expect(sumOf(found, 'sluice_rows_total')).toBe(20);
    expect(sumOf(found, 'sluice_verdicts_total')).toBe(1);
  });

  test('that is rejected counts under its error code', async () => {
    await service.post('{');
    const found = await readMetrics();
    expect(sumOf(found, 'sluice_refusals_total', { code: 'INVALID_JSON' })).toBe(1);
    expect(sumOf(found, 'sluice_verdicts_total')).toBe(0);
  });
});

test('no label has a value that a client chose', async () => {
  await service.post(batch([{ hostile: 1 }], { source: 'hostile' }));
  await service.post(batch([{ other: 1 }], { source: 'hostile' }));
  for (const path of [
    '/hostile',
    '/v1/jobs/hostile',
    '/v1/schema/hostile',
    '/v1/schema/hostile/history?hostile=1',
  ])
    await ask('GET', path);
  await ask('PROPFIND', '/v1/jobs');
  const found = await readMetrics();
  expect(await metrics.text()).not.toMatch(/hostile|propfind/i);
  expect(sumOf(found, 'sluice_requests_total', { route: 'unmatched' })).toBe(1);
  expect(sumOf(found, 'sluice_requests_total', { method: 'other' })).toBe(1);
});

test('a request counts as in flight until it ends', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await promise;
      controller.enqueue(new TextEncoder().encode(GOOD));
      controller.close();
    },
  });
  const answer = service.post(body);
  expect(sumOf(await readMetrics(), 'sluice_requests_in_flight')).toBe(1);
  resolve();
  await answer;
  expect(sumOf(await readMetrics(), 'sluice_requests_in_flight')).toBe(0);
});

test('each scrape reads the engines in use and the queue for engines', async () => {
  const lent = [
    await service.threads.acquire({ account: null, key: null, isSmall: true }),
    await service.threads.acquire({ account: null, key: null, isSmall: true }),
  ];
  const waiting = service.threads.acquire({ account: null, key: null, isSmall: true });
  expect(sumOf(await readMetrics(), 'sluice_engines_lent')).toBe(2);
  expect(sumOf(await readMetrics(), 'sluice_engines_waiting')).toBe(1);
  for (const slot of lent) slot.release();
  (await waiting).release();
  expect(sumOf(await readMetrics(), 'sluice_engines_lent')).toBe(0);
});

test('metrics of the process and its event loop are present, and unsupported ones are not', async () => {
  const found = await readMetrics();
  expect(sumOf(found, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(sumOf(found, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(found.get('nodejs_eventloop_lag_p99_seconds')!.samples).toHaveLength(1);
  expect([...found.keys()].filter(name => /heap_space|gc/.test(name))).toEqual([]);
});

test('a blocked event loop shows as lag', async () => {
  await Bun.sleep(30);
  await metrics.text();
  const until = performance.now() + 150;
  while (performance.now() < until);
  await Bun.sleep(30);
  expect(sumOf(await readMetrics(), 'nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.1);
});

test('every metric has a help text', async () => {
  for (const [name, { help }] of await readMetrics()) expect([name, help.length > 8]).toEqual([name, true]);
});
