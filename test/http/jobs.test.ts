import { describe, expect, test } from 'bun:test';
import { Clock, asked, get } from './asking.ts';
import { batch, KEY, NOW, SCALE_KEY, Service } from './service.ts';

const POST = { 'X-API-Key': KEY };

/** A service with a batch of each source, a second apart. */
async function screened(...sources: string[]) {
  const clock = new Clock(NOW);
  const service = new Service({ now: clock.read });
  const bodies = [];
  for (const source of sources) {
    const { body } = await service.post(batch([{ a: 1 }, { a: 2 }], { source }), POST);
    bodies.push(body);
    clock.now += 1000;
  }
  return { service, bodies, clock };
}

describe('GET /v1/jobs', () => {
  test('lists the jobs of the account, newest first, in the format of the API', async () => {
    const { service, bodies } = await screened('orders', 'customers');
    const { status, headers, body } = await get(service, '/v1/jobs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toStartWith('application/json');
    expect(body).toEqual({
      jobs: [bodies[1], bodies[0]].map((report, i) => ({
        id: report.request_id,
        source: ['customers', 'orders'][i],
        status: 'PASS',
        health_score: report.health_score,
        rows_received: 2,
        drift_count: 0,
        latency_ms: report.latency_ms,
        created_at: ['2026-11-21T12:00:01.000Z', '2026-11-21T12:00:00.000Z'][i],
      })),
    });
  });

  test('a full page of the longest sources has less than 300 KiB', async () => {
    const { service } = await screened(...Array.from({ length: 200 }, () => '😀'.repeat(200)));
    const { body } = await get(service, '/v1/jobs?limit=200');
    expect(body.jobs.length).toBe(200);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(300 * 1024);
  });

  test('an account without any has an empty list', async () => {
    expect((await get(new Service(), '/v1/jobs')).body).toEqual({ jobs: [] });
  });

  test('limit, source and before filter the list; unknown parameters are ignored', async () => {
    const { service, bodies } = await screened('a', 'b b/é', 'a', 'b b/é', 'a');
    const ids = async (query: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: the body of an answer
      (await get(service, `/v1/jobs?${query}`)).body.jobs.map((job: any) => job.id);
    const all = bodies.map(report => report.request_id).reverse();
    expect(await ids('')).toEqual(all);
    expect(await ids('page=3&limits=0&%zz')).toEqual(all);
    expect(await ids('limit=2')).toEqual(all.slice(0, 2));
    expect(await ids(`limit=2&before=${all[1]}`)).toEqual(all.slice(2, 4));
    expect(await ids(`before=${all[4]}`)).toEqual([]);
    expect(await ids('source=b+b%2F%C3%A9')).toEqual([all[1], all[3]]);
    expect(await ids(`source=a&limit=1&before=${all[0]}`)).toEqual([all[2]]);
    expect(await ids('source=nothing')).toEqual([]);
  });

  test('status, from and to filter the list: from is included, to is not', async () => {
    const { service, bodies } = await screened('a', 'a', 'a', 'a');
    const bad = await service.post(batch([{ b: 'x' }], { source: 'a' }), POST);
    const ids = async (query: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: the body of an answer
      (await get(service, `/v1/jobs?${query}`)).body.jobs.map((job: any) => job.id);
    const all = bodies.map(report => report.request_id);
    expect(bad.body.status).toBe('BLOCK');
    expect(await ids('status=BLOCK&source=a')).toEqual([bad.body.request_id]);
    expect(await ids('status=PASS')).toEqual(all.toReversed());
    expect(await ids('status=WARN')).toEqual([]);
    expect(await ids('from=2026-11-21T12:00:01Z&to=2026-11-21T13:00:03%2B01:00')).toEqual([all[2], all[1]]);
    // Clients that do not encode the plus sign mean a plus sign.
    expect(await ids('from=2026-11-21T13:00:03+01:00&status=PASS')).toEqual([all[3]]);
    expect(await ids(`to=2026-11-21T12:00:02Z&before=${all[1]}`)).toEqual([all[0]]);
    expect(await ids(`to=2026-11-21T12:00:01Z&before=${all[3]}`)).toEqual([all[0]]);
  });

  test('has 50 jobs by default and at most 200', async () => {
    const { service } = await screened(...Array(55).fill('orders'));
    expect((await get(service, '/v1/jobs')).body.jobs).toHaveLength(50);
    expect((await get(service, '/v1/jobs?limit=200')).body.jobs).toHaveLength(55);
  });

  test.each([
    'limit=0',
    'limit=201',
    'limit=1e2',
    'limit=+5',
    'limit=abc',
    'limit=',
    'limit=5&limit=5',
    'before=',
    'before=abc',
    'before=req_1&before=req_2',
    'source=',
    'source=%ff',
    'source=a&source=b',
    'status=pass',
    'status=',
    'from=2026-11-21',
    'from=2026-13-21T00:00:00Z',
    'to=2026-11-21T00:00:00',
    'to=yesterday',
  ])('%s is a 400 that names the parameter', async query => {
    const { status, body } = await get(new Service(), `/v1/jobs?${query}`);
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.message).toStartWith(query.split('=')[0]!);
  });
});

describe('GET /v1/jobs/{id}', () => {
  test('returns the job, its response byte for byte, and its profile', async () => {
    const service = new Service();
    const rows = '[{"__proto__":1,"a":"x\\ud83d\\ude00"},{"__proto__":-0.0,"a":null}]';
    const sent = await asked(service, '/v1/health');
    expect(sent.status).toBe(200);
    const posted = await service.app.handle(
      new Request('http://localhost/v1/screen', {
        method: 'POST',
        body: `{"source":"orders","rows":${rows}}`,
        headers: { ...POST, 'Content-Type': 'application/json' },
      }),
    );
    const report = await posted.text();
    const id = JSON.parse(report).request_id;
    const response = await asked(service, `/v1/jobs/${id}`);
    const text = await response.text();
    expect(text).toContain(`,"report":${report},"profile":{"fields":{`);
    const body = JSON.parse(text);
    const [listed] = (await get(service, '/v1/jobs')).body.jobs;
    expect({ ...body, report: 0, profile: 0 }).toEqual({ ...listed, report: 0, profile: 0 });
    expect(Object.keys(body.profile.fields)).toEqual(['__proto__', 'a']);
    expect(body.profile.fields.a).toMatchObject({ present: 2, nulls: 1, null_rate: 0.5 });
  });

  test('HEAD has the same headers and no body', async () => {
    const { service, bodies } = await screened('orders');
    const response = await asked(service, `/v1/jobs/${bodies[0].request_id}`, KEY, 'HEAD');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  test('an unknown id, a foreign id and an invalid id give the same 404', async () => {
    const { service, bodies } = await screened('orders');
    const own = `/v1/jobs/${bodies[0].request_id}`;
    expect((await get(service, own)).status).toBe(200);
    const unknown = await get(service, '/v1/jobs/req_01ARYZ6S410000000000000000');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND']);
    for (const path of ['/v1/jobs/x', '/v1/jobs/%zz', '/v1/jobs/__proto__', `${own.toLowerCase()}`]) {
      const { status, body } = await get(service, path);
      expect([status, body]).toEqual([404, unknown.body]);
    }
    const foreign = await get(service, own, SCALE_KEY);
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    expect((await get(service, '/v1/jobs', SCALE_KEY)).body).toEqual({ jobs: [] });
  });
});

test.each(['/v1/jobs', '/v1/jobs/x', '/v1/stats', '/v1/schema/orders/history'])(
  '%s needs a key and has no other method',
  async path => {
    const service = new Service();
    expect((await get(service, path, 'nothing')).body.code).toBe('AUTH_INVALID');
    const refused = await asked(service, path, KEY, 'DELETE');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  },
);
