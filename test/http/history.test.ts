import { describe, expect, test } from 'bun:test';
import { Clock, get } from './asking.ts';
import { KEY, NOW, SCALE_KEY, Service } from './service.ts';

const rows = (n: number, row: (i: number) => unknown) => Array.from({ length: n }, (_, i) => row(i));

async function post(service: Service, source: string, batchRows: unknown[], key = KEY) {
  const { status, body } = await service.post(JSON.stringify({ source, rows: batchRows }), {
    'X-API-Key': key,
  });
  expect(status).toBe(200);
  return body;
}

describe('GET /v1/schema/{source}/history', () => {
  test('lists time, verdict, drift events and null rates of each batch, newest first', async () => {
    const clock = new Clock(NOW);
    const service = new Service({ now: clock.read });
    const source = 'eu/orders 2026 é';
    const first = await post(
      service,
      source,
      rows(40, i => ({ id: i, note: i % 4 ? 'x' : null, ['__proto__']: 1 })),
    );
    clock.now += 60_000;
    const second = await post(
      service,
      source,
      rows(40, i => ({ id: i, note: null, more: 'x' })),
    );
    await post(
      service,
      'another',
      rows(3, i => ({ id: i })),
    );
    expect(second.drift.length).toBeGreaterThan(1);
    const { status, body } = await get(service, `/v1/schema/${encodeURIComponent(source)}/history`);
    expect(status).toBe(200);
    expect(body).toEqual({
      source,
      batches: [
        {
          job_id: second.request_id,
          created_at: '2026-11-21T12:01:00.000Z',
          status: second.status,
          health_score: second.health_score,
          rows_received: 40,
          drift_count: second.drift.length,
          drift: second.drift,
          null_rates: { id: 0, note: 1, more: 0 },
        },
        {
          job_id: first.request_id,
          created_at: '2026-11-21T12:00:00.000Z',
          status: first.status,
          health_score: first.health_score,
          rows_received: 40,
          drift_count: 0,
          drift: [],
          null_rates: JSON.parse('{"id":0,"note":0.25,"__proto__":0}'),
        },
      ],
    });
  });

  test('limit and before give pages of older batches', async () => {
    const clock = new Clock(NOW);
    const service = new Service({ now: clock.read });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      ids.unshift((await post(service, 'orders', [{ a: n }])).request_id);
      clock.now += 1000;
    }
    const page = async (query: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: the body of an answer
      (await get(service, `/v1/schema/orders/history?${query}`)).body.batches.map((each: any) => each.job_id);
    expect(await page('')).toEqual(ids);
    expect(await page('limit=2')).toEqual(ids.slice(0, 2));
    expect(await page(`limit=2&before=${ids[1]}`)).toEqual(ids.slice(2, 4));
  });

  test('is empty for a source without jobs, and for another account', async () => {
    const service = new Service();
    await post(service, 'orders', [{ a: 1 }]);
    expect((await get(service, '/v1/schema/never/history')).body).toEqual({ source: 'never', batches: [] });
    const other = await get(service, '/v1/schema/orders/history', SCALE_KEY);
    expect(other.body).toEqual({ source: 'orders', batches: [] });
  });

  test.each([
    'orders/history?limit=0',
    'orders/history?before=x',
    '%ff/history',
    '%20/history',
    'a%00/history',
  ])('/v1/schema/%s is a 400', async path => {
    const { status, body } = await get(new Service(), `/v1/schema/${path}`);
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
  });
});
