import { describe, expect, test } from 'bun:test';
import { MAX_SECRETS } from '../../src/alerts/account-alerts.ts';
import { MAX_CHANNELS } from '../../src/alerts/channel.ts';
import { signatureOf } from '../../src/alerts/send.ts';
import { answerOf, batch, KEY, NOW, SCALE_KEY, Service } from './service.ts';

const DAY_MS = 24 * 3_600_000;
const HOOK = {
  type: 'webhook',
  name: 'on call',
  url: 'https://example.com/hook',
  sources: ['raw/*'],
  on: 'block',
};

async function ask(service: Service, method: string, path: string, body?: unknown, key = SCALE_KEY) {
  const request = new Request(`http://localhost${path}`, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
  });
  return answerOf(await service.app.handle(request));
}

const create = (service: Service, body: object = HOOK, key = SCALE_KEY) =>
  ask(service, 'POST', '/v1/alerts/channels', body, key);
const channels = async (service: Service, key = SCALE_KEY) =>
  (await ask(service, 'GET', '/v1/alerts/channels', undefined, key)).body.channels;
const incidents = async (service: Service, query = '', key = SCALE_KEY) =>
  (await ask(service, 'GET', `/v1/incidents${query}`, undefined, key)).body.incidents;
const unlimited = {
  rates: { take: async () => ({ allowed: true, waitSeconds: 0, remaining: 9, resetSeconds: 1 }) as const },
};

describe('a channel', () => {
  test('is created with a secret that only this answer has', async () => {
    const service = new Service();
    const { status, headers, body } = await create(service);
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    const { secret, ...entry } = body;
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(entry).toEqual({
      id: expect.stringMatching(/^chn_[0-9A-HJKMNP-TV-Z]{26}$/),
      ...HOOK,
      created_at: new Date(NOW).toISOString(),
      failing_since: null,
    });
    expect(await channels(service)).toEqual([entry]);
  });

  test('of Slack or mail has no secret', async () => {
    const service = new Service();
    const slack = await create(service, { type: 'slack', url: 'https://hooks.slack.com/services/x' });
    const mail = await create(service, { type: 'email', to: 'Ann@corp.com' });
    expect([slack.body.secret, mail.body.secret]).toEqual([undefined, undefined]);
    expect(mail.body).toMatchObject({ to: 'ann@corp.com', name: 'email', sources: ['*'], on: 'warn' });
  });

  test('has a name of as many characters as are allowed, whatever they are', async () => {
    const service = new Service();
    const { status, body } = await create(service, { ...HOOK, name: '\u{1f600}'.repeat(100) });
    expect([status, body.name]).toEqual([201, '\u{1f600}'.repeat(100)]);
    expect((await create(service, { ...HOOK, name: '\u{1f600}'.repeat(101) })).status).toBe(400);
  });

  test('has an address whose white space at the ends is left out', async () => {
    const { status, body } = await create(new Service(), { ...HOOK, url: ' https://example.com/hook ' });
    expect([status, body.url]).toEqual([201, HOOK.url]);
  });

  test('has deliveries that are shown by their ids', async () => {
    const service = new Service();
    const { id } = (await create(service)).body;
    const sent = [1, 2, 3].map(() => ask(service, 'POST', `/v1/alerts/channels/${id}/test`));
    for (const { body } of await Promise.all(sent)) {
      const found = await ask(service, 'GET', `/v1/alerts/deliveries/${body.id}`);
      expect([found.status, found.body]).toEqual([200, body]);
      const part = await ask(service, 'GET', `/v1/alerts/deliveries/${body.id.slice(0, -1)}`);
      expect([part.status, part.body.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  test('is shown by its id, without its secret', async () => {
    const service = new Service();
    const { secret: _, ...entry } = (await create(service)).body;
    await create(service, { type: 'email', to: 'ann@corp.com' });
    const found = await ask(service, 'GET', `/v1/alerts/channels/${entry.id}`);
    expect([found.status, found.body]).toEqual([200, entry]);
    const none = await ask(service, 'GET', '/v1/alerts/channels/chn_1');
    expect([none.status, none.body]).toEqual([
      404,
      { message: "The account has no alert channel 'chn_1'", code: 'NOT_FOUND' },
    ]);
    const refused = await ask(service, 'PUT', `/v1/alerts/channels/${entry.id}`, {});
    expect([refused.status, refused.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, PATCH, DELETE, OPTIONS',
    ]);
  });

  test('belongs to its account', async () => {
    const service = new Service();
    const { id } = (await create(service)).body;
    expect(await channels(service, KEY)).toEqual([]);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate'],
    ] as const) {
      const { status, body } = await ask(
        service,
        method,
        `/v1/alerts/channels/${id}${path}`,
        method === 'GET' ? undefined : {},
        KEY,
      );
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(await channels(service)).toHaveLength(1);
  });

  test(`is one of ${MAX_CHANNELS} at most`, async () => {
    const service = new Service(unlimited);
    for (let n = 0; n < MAX_CHANNELS; n++) expect((await create(service)).status).toBe(201);
    expect((await create(service)).body).toEqual({
      message: 'An account may have at most 20 alert channels: delete one that you no longer need',
      code: 'CHANNEL_LIMIT',
    });
    expect((await create(service, HOOK, KEY)).status).toBe(201);
  });

  test('is changed in what is given, and deleted', async () => {
    const service = new Service();
    const { id } = (await create(service)).body;
    const { body } = await ask(service, 'PATCH', `/v1/alerts/channels/${id}`, { on: 'warn' });
    expect(body).toMatchObject({ ...HOOK, on: 'warn' });
    expect(body.secret).toBeUndefined();
    expect((await ask(service, 'DELETE', `/v1/alerts/channels/${id}`)).body).toEqual({ ok: true, id });
    expect(await channels(service)).toEqual([]);
  });

  test('keeps what several change at the same time', async () => {
    const service = new Service();
    const { id } = (await create(service)).body;
    const changes = [
      { name: 'new' },
      { url: 'https://example.com/other' },
      { sources: ['*'] },
      { on: 'warn' },
    ];
    const changed = changes.map(change => ask(service, 'PATCH', `/v1/alerts/channels/${id}`, change));
    expect((await Promise.all(changed)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await channels(service)).toMatchObject([Object.assign({}, ...changes)]);
  });

  const rotate = (service: Service, id: string) => ask(service, 'POST', `/v1/alerts/channels/${id}/rotate`);
  const secretsOf = async (service: Service) =>
    (await service.deps.alerts.channels('scaler'))[0]!.secrets.map(({ secret }) => secret);

  test('signs with each secret for a day after it was replaced', async () => {
    let now = NOW;
    const service = new Service({ now: () => now });
    const { id, secret: first } = (await create(service)).body;
    const { secret: second, previous_until } = (await rotate(service, id)).body;
    expect(previous_until).toBe(new Date(NOW + DAY_MS).toISOString());
    now += DAY_MS - 1;
    const { secret: third } = (await rotate(service, id)).body;
    expect(await secretsOf(service)).toEqual([third, second, first]);
    const [channel] = await service.deps.alerts.channels('scaler');
    const signatures = (at: number) =>
      signatureOf('msg', '{}', channel!, at)['webhook-signature']!.split(' ').length;
    expect([now, now + 1, now + DAY_MS].map(signatures)).toEqual([3, 2, 1]);
    now += 1;
    const { secret: fourth } = (await rotate(service, id)).body;
    expect(await secretsOf(service)).toEqual([fourth, third, second]);
  });

  test(`is not rotated while ${MAX_SECRETS} secrets sign`, async () => {
    let now = NOW;
    const service = new Service({ ...unlimited, now: () => now });
    const { id } = (await create(service)).body;
    for (let n = 1; n < MAX_SECRETS; n++) expect((await rotate(service, id)).status).toBe(200);
    now += 1000;
    const { status, headers, body } = await rotate(service, id);
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '86399']);
    now += DAY_MS - 1000;
    expect((await rotate(service, id)).status).toBe(200);
    expect(await secretsOf(service)).toHaveLength(2);
  });

  test('keeps each secret if others rotate and change it at the same time', async () => {
    const service = new Service(unlimited);
    const { id, secret } = (await create(service)).body;
    const change = ask(service, 'PATCH', `/v1/alerts/channels/${id}`, { name: 'new' });
    const rotated = await Promise.all([rotate(service, id), change, rotate(service, id)]);
    const secrets = rotated.map(({ body }) => body.secret).filter(each => each !== undefined);
    expect((await secretsOf(service)).sort()).toEqual([secret, ...secrets].sort());
    expect(await channels(service)).toMatchObject([{ name: 'new' }]);
  });

  test('is tested by a message in the outbox', async () => {
    const service = new Service();
    const { id } = (await create(service)).body;
    const { body } = await ask(service, 'POST', `/v1/alerts/channels/${id}/test`);
    expect(body).toMatchObject({ channel: id, type: 'channel.test', status: 'pending', attempts: 0 });
    const { deliveries } = (await ask(service, 'GET', '/v1/alerts/deliveries')).body;
    expect(deliveries).toEqual([body]);
    expect((await ask(service, 'GET', '/v1/alerts/deliveries', undefined, KEY)).body.deliveries).toEqual([]);
  });
});

describe('a delivery', () => {
  test('is sent again when it is settled, and not before', async () => {
    const service = new Service();
    const { id: channel } = (await create(service)).body;
    const { id } = (await ask(service, 'POST', `/v1/alerts/channels/${channel}/test`)).body;
    const path = `/v1/alerts/deliveries/${id}/resend`;
    expect((await ask(service, 'POST', path)).status).toBe(404);
    const [delivery] = await service.deps.alerts.deliveries('scaler', { limit: 1 });
    await service.deps.alerts.settle({ ...delivery!, status: 'failed', settledAt: NOW, error: 'no' });
    expect((await ask(service, 'POST', path, undefined, KEY)).status).toBe(404);
    expect((await ask(service, 'POST', path)).body).toMatchObject({ id, status: 'pending', error: null });
  });
});

describe('a batch that does not pass', () => {
  const BAD = [{ a: null }, { a: null }];

  test('waits for its incident with its reason; one that passes and a dry run do not', async () => {
    const service = new Service();
    await service.post(batch([{ a: 1 }], { source: 'good' }));
    await service.post(batch(BAD, { source: 'dry', options: { dry_run: true } }));
    const { body } = await service.post(batch(BAD, { source: 'bad' }));
    expect(body.status).toBe('BLOCK');
    expect(await service.deps.alerts.badBatches(9)).toEqual([
      {
        job: body.request_id,
        account: 'scaler',
        source: 'bad',
        verdict: 'BLOCK',
        healthScore: body.health_score,
        reason: body.decision.reason,
        at: NOW,
      },
    ]);
  });

  test('shows no value where values are not stored', async () => {
    const service = new Service({ storeValues: false });
    for (let n = 0; n < 3; n++) await service.post(batch([{ a: 'x' }, { a: 'y' }]));
    await service.post(batch([{ a: 'secret-1' }, { a: 7 }, { a: null }, { a: null }]));
    const found = await service.deps.alerts.badBatches(9);
    expect(found).not.toEqual([]);
    expect(JSON.stringify(found)).not.toContain('secret-1');
  });
});

describe('an incident', () => {
  async function withIncident() {
    const service = new Service();
    const facts = {
      account: 'scaler',
      source: 'orders',
      status: 'open',
      verdict: 'WARN',
      reason: 'nulls',
    } as const;
    const jobs = { firstJob: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A', lastJob: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A' };
    const seen = { acknowledgedAt: null, snoozedUntil: null, accepted: null };
    const times = { openedAt: NOW, lastAt: NOW, resolvedAt: null, ...seen };
    const id = 'inc_01M7ZC3YD9BDKWCZ8SY1Y7WY1A';
    const counts = { batches: 1, healthScore: 0.5, version: 0 };
    const said = { lastVerdict: 'WARN', toldAt: NOW, toldVerdict: 'WARN', tellNext: null } as const;
    await service.deps.alerts.move({ id, ...facts, ...jobs, ...times, ...counts, ...said }, [], []);
    return { service, id };
  }

  test('is listed for its account', async () => {
    const { service, id } = await withIncident();
    expect(await incidents(service)).toEqual([
      {
        id,
        source: 'orders',
        status: 'open',
        verdict: 'WARN',
        opened_at: new Date(NOW).toISOString(),
        resolved_at: null,
        batches: 1,
        first_job: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
        last_job: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
        last_at: new Date(NOW).toISOString(),
        health_score: 0.5,
        reason: 'nulls',
        acknowledged_at: null,
        snoozed_until: null,
        accepted_at: null,
        accepted_by: null,
      },
    ]);
    expect(await incidents(service, '?status=resolved')).toEqual([]);
    expect(await incidents(service, '?source=orders&status=open')).toHaveLength(1);
    expect(await incidents(service, '', KEY)).toEqual([]);
  });

  test('says who accepted a batch of its source and when', async () => {
    const { service } = await withIncident();
    const post = async (a: unknown) => (await service.post(batch([{ a }, { a: 2 }]))).body;
    await post(1);
    const { request_id: job_id } = await post('x');
    await ask(service, 'POST', '/v1/schema/orders/accept', { job_id });
    expect(await incidents(service)).toMatchObject([
      {
        status: 'open',
        acknowledged_at: null,
        accepted_at: new Date(NOW).toISOString(),
        accepted_by: expect.stringContaining('sluice_live_'),
      },
    ]);
  });

  test('is acknowledged once', async () => {
    const { service, id } = await withIncident();
    expect((await ask(service, 'POST', `/v1/incidents/${id}/acknowledge`, undefined, KEY)).status).toBe(404);
    const { body } = await ask(service, 'POST', `/v1/incidents/${id}/acknowledge`);
    expect(body.acknowledged_at).toBe(new Date(NOW).toISOString());
  });

  test.each([
    [new Date(NOW + 1).toISOString(), 200],
    [new Date(NOW + 365 * DAY_MS).toISOString(), 200],
    [null, 200],
    [new Date(NOW).toISOString(), 400],
    [new Date(NOW + 365 * DAY_MS + 1).toISOString(), 400],
    ['tomorrow', 400],
    [NOW + 1000, 400],
    [undefined, 400],
  ])('is snoozed until %p: %p', async (until, expected) => {
    const { service, id } = await withIncident();
    const { status, body } = await ask(service, 'POST', `/v1/incidents/${id}/snooze`, { until });
    expect(status).toBe(expected);
    if (status === 200) expect(body.snoozed_until).toBe(until);
    else expect(body.message).toStartWith('until must be a time within the next 365 days');
  });
});
