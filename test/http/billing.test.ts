import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Shop, NOW_S } from '../billing/shop.ts';
import { bodyOf, MONTH_S, PRICES, signatureOf } from '../billing/stripe-server.ts';
import { Lateness } from '../servers/lateness.ts';
import { answerOf, batch, KEY, NOW, SCALE_KEY, Service } from './service.ts';

const NOVEMBER = { periodStart: '2026-11-01T00:00:00.000Z', periodEnd: '2026-12-01T00:00:00.000Z' };
const dateTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

let shop: Shop;
beforeEach(async () => {
  shop = await Shop.open();
});
afterEach(() => shop.close());

describe('GET /v1/billing', () => {
  test('of a free account has the calendar month, and counts requests answered with 200', async () => {
    expect((await shop.billing()).body).toEqual({
      plan: 'developer',
      plansForSale: true,
      rowsProcessed: 0,
      requestCount: 0,
      ...NOVEMBER,
    });
    await shop.screen(3);
    await shop.screen(4);
    await shop.screen(0);
    expect((await shop.billing()).body).toMatchObject({ rowsProcessed: 7, requestCount: 2 });
  });

  test('of a paying account has the period of its subscription, which starts without usage', async () => {
    await shop.screen(3);
    const { start, end } = await shop.subscribe('growth');
    expect((await shop.billing()).body).toEqual({
      plan: 'growth',
      plansForSale: true,
      rowsProcessed: 0,
      requestCount: 0,
      periodStart: dateTime(start),
      periodEnd: dateTime(end),
    });
    await shop.screen(5);
    expect((await shop.billing()).body).toMatchObject({ rowsProcessed: 5, requestCount: 1 });
  });
});

describe('POST /v1/billing/checkout', () => {
  test('returns the page of a session with account and plan', async () => {
    const { status, body, headers } = await shop.checkout('starter');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ url: expect.stringMatching(/^http:.*\/pay\/cs_\d+$/) });
    const [customer, made] = [...shop.stripe.customers][0]!;
    expect(made).toEqual({ 'metadata[account_id]': 'owner' });
    expect([...shop.stripe.sessions.values()]).toEqual([
      {
        mode: 'subscription',
        customer,
        client_reference_id: 'owner',
        'line_items[0][price]': PRICES.starter,
        'line_items[0][quantity]': '1',
        'subscription_data[metadata][account_id]': 'owner',
        success_url: 'https://sluice.corp.com/?checkout=success',
        cancel_url: 'https://sluice.corp.com/?checkout=canceled',
      },
    ]);
  });

  test('creates one customer with the address of the account, also for concurrent requests', async () => {
    await shop.service.rows("UPDATE accounts SET email = 'ann@corp.com' WHERE id = 'owner'");
    shop.stripe.delay = () => Bun.sleep(20);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 5 ? shop.checkout('growth') : shop.portal())),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect([...shop.stripe.customers.values()]).toEqual([
      { 'metadata[account_id]': 'owner', email: 'ann@corp.com' },
    ]);
    await shop.checkout('scale');
    expect(shop.stripe.askedFor('/v1/customers').length).toBe(1);
    await shop.checkout('scale', SCALE_KEY);
    expect(shop.stripe.customers.size).toBe(2);
  });

  test('creates another customer if the old one was deleted', async () => {
    await shop.checkout('starter');
    shop.stripe.customers.clear();
    expect((await shop.checkout('starter')).status).toBe(200);
    expect((await shop.portal()).status).toBe(200);
    expect(shop.stripe.customers.size).toBe(1);
  });

  test('returns the portal for an account with a live subscription', async () => {
    const subscription = await shop.subscribe('starter');
    for (const status of ['active', 'past_due', 'unpaid']) {
      shop.stripe.change(subscription, { status });
      await shop.deliver(shop.stripe.event('customer.subscription.updated', subscription));
      const { status: answered, body } = await shop.checkout('growth');
      expect({ status, answered, body }).toMatchObject({
        answered: 409,
        body: {
          code: 'SUBSCRIPTION_EXISTS',
          message: expect.any(String),
          url: expect.stringMatching(/\/portal\/cus_/),
        },
      });
    }
    shop.stripe.change(subscription, { status: 'canceled', endedAt: NOW_S });
    await shop.deliver(shop.stripe.event('customer.subscription.deleted', subscription));
    expect((await shop.checkout('growth')).status).toBe(200);
  });

  test.each(['developer', 'Starter', '', '__proto__', undefined, null, 3, { tier: 'growth' }])(
    'refuses the tier %p and asks nobody',
    async tier => {
      const { status, body } = await shop.checkout(tier);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' });
      expect(body.message).toContain('starter, growth, scale');
      expect(shop.stripe.asked).toEqual([]);
    },
  );
});

describe('POST /v1/billing/portal', () => {
  test('returns the portal of the caller, with and without a subscription', async () => {
    const before = await shop.portal();
    expect(before).toMatchObject({ status: 200, body: { url: expect.stringMatching(/\/portal\/cus_/) } });
    await shop.subscribe('starter');
    expect((await shop.portal()).body).toEqual(before.body);
  });
});

test('an account may request pages 100 times at once, then once per second, besides its other calls', async () => {
  for (let visits = 0; visits < 100; visits++) expect((await shop.portal()).status).toBe(200);
  shop.now += 1000;
  expect((await shop.portal()).status).toBe(200);
  expect(await shop.checkout('starter')).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  expect((await shop.billing()).status).toBe(200);
});

describe('without configuration', () => {
  const notConfigured = {
    status: 503,
    body: { code: 'BILLING_NOT_CONFIGURED', message: expect.any(String) },
  };

  test('of a key, payment routes report it, and everything else works', async () => {
    const service = new Service();
    const ask = async (path: string, body?: string) => {
      const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };
      const method = path === '/v1/billing' ? 'GET' : 'POST';
      return answerOf(
        await service.app.handle(
          new Request(`http://localhost${path}`, { method, headers, body: body ?? null }),
        ),
      );
    };
    expect(await ask('/v1/billing/checkout', '{"tier":"scale"}')).toMatchObject(notConfigured);
    expect(await ask('/v1/billing/portal')).toMatchObject(notConfigured);
    expect(await ask('/v1/billing/webhook', '{}')).toMatchObject(notConfigured);
    expect((await ask('/v1/billing')).body).toMatchObject({ plan: 'developer', ...NOVEMBER });
    expect((await service.post(batch([{ a: 1 }]))).status).toBe(200);
  });

  test('of a price, only this plan is unavailable', async () => {
    using half = disposable(await Shop.open({ prices: { ...PRICES, scale: null } }));
    expect(await half.shop.checkout('scale')).toMatchObject(notConfigured);
    expect((await half.shop.checkout('growth')).status).toBe(200);
  });

  test('of the webhook secret, webhooks are rejected', async () => {
    using half = disposable(await Shop.open({ webhookSecret: null }));
    const event = half.shop.stripe.event('customer.subscription.created', half.shop.stripe.subscribe({}));
    expect(await half.shop.deliver(event)).toMatchObject(notConfigured);
  });

  test.each([
    ['a wrong key', { secretKey: 'sk_test_wrong' }, 'starter'],
    ['a price that Stripe does not have', { prices: { ...PRICES, starter: 'price_x' } }, 'starter'],
  ])('%s is for the operator’s log, and the caller learns no more than that', async (_, settings, tier) => {
    using half = disposable(await Shop.open(settings));
    const { status, body } = await half.shop.checkout(tier);
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'BILLING_NOT_CONFIGURED' });
    expect(body.message).not.toMatch(/sk_test|price_x/);
    expect(half.shop.errors().length).toBe(1);
  });
});

const disposable = (opened: Shop) => ({ shop: opened, [Symbol.dispose]: () => opened.close() });

describe('while Stripe', () => {
  const away = {
    status: 503,
    body: { code: 'SERVICE_UNAVAILABLE' },
  };

  async function within3Seconds<T>(ask: () => Promise<T>): Promise<T> {
    using lateness = new Lateness();
    const from = performance.now();
    const answer = await ask();
    expect(performance.now() - from - lateness.ms).toBeLessThan(3000);
    return answer;
  }

  test('hangs, checkout and portal give a 503 within 3 seconds, and screening still works', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    shop.stripe.delay = () => promise;
    let done = false;
    const asked = Promise.all([
      within3Seconds(() => shop.checkout('starter')),
      within3Seconds(() => shop.portal(SCALE_KEY)),
    ]).finally(() => {
      done = true;
    });
    let screened = 0;
    while (!done) {
      expect((await shop.screen(1, SCALE_KEY)).status).toBe(200);
      screened++;
      await Bun.sleep(20);
    }
    expect(screened).toBeGreaterThan(1);
    for (const answer of await asked) {
      expect(answer).toMatchObject(away);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    resolve();
    shop.stripe.delay = async () => {};
    expect((await shop.checkout('starter')).status).toBe(200);
    expect([...shop.stripe.customers.values()].map(form => form['metadata[account_id]']).sort()).toEqual([
      'owner',
      'scaler',
    ]);
  });

  test.each([500, 429])('answers %d, we answer 503, and a later request succeeds', async status => {
    shop.stripe.fault = () => Response.json({ error: { type: 'api_error', message: 'no' } }, { status });
    expect(await within3Seconds(() => shop.checkout('starter'))).toMatchObject(away);
    shop.stripe.fault = () => null;
    expect((await shop.checkout('starter')).status).toBe(200);
  });

  test('answers once with a 500, the request is retried under the same key', async () => {
    let faults = 0;
    shop.stripe.fault = () =>
      ++faults === 1 ? Response.json({ error: { type: 'api_error', message: 'no' } }, { status: 500 }) : null;
    expect((await shop.checkout('starter')).status).toBe(200);
    const keys = shop.stripe.askedFor('/v1/customers').map(({ key }) => key);
    expect(keys.length).toBe(2);
    expect(new Set(keys).size).toBe(1);
  });

  test('is unreachable, we answer 503', async () => {
    using gone = disposable(await Shop.open());
    gone.shop.stripe.stop();
    expect(await within3Seconds(() => gone.shop.checkout('starter'))).toMatchObject(away);
    expect((await gone.shop.screen(2)).status).toBe(200);
  });

  test('answers invalid JSON, we answer 503', async () => {
    shop.stripe.fault = () => new Response('<html>', { status: 502 });
    expect(await within3Seconds(() => shop.portal())).toMatchObject(away);
  });

  for (const answer of [null, {}, [], { url: null }, { url: 'javascript:alert(1)' }, { id: 5, url: 5 }])
    test(`answers ${JSON.stringify(answer)}, it is a 503, and nobody is sent anywhere`, async () => {
      await shop.portal();
      shop.stripe.fault = () => Response.json(answer);
      expect(await within3Seconds(() => shop.portal())).toMatchObject(away);
      expect(await within3Seconds(() => shop.checkout('starter'))).toMatchObject(away);
      expect(await within3Seconds(() => shop.checkout('starter', SCALE_KEY))).toMatchObject(away);
      shop.stripe.fault = () => null;
      expect((await shop.checkout('starter', SCALE_KEY)).status).toBe(200);
    });
});

describe('a webhook', () => {
  const created = () =>
    shop.stripe.event(
      'customer.subscription.created',
      shop.stripe.subscribe({ account: 'owner', start: NOW_S }),
    );
  const refused = { status: 400, body: { code: 'INVALID_SIGNATURE' } };

  test('with a signature is accepted for 300 seconds', async () => {
    const event = created();
    expect(await shop.deliver(event, signatureOf(bodyOf(event), NOW_S - 301))).toMatchObject(refused);
    expect((await shop.billing()).body.plan).toBe('developer');
    expect(await shop.deliver(event, signatureOf(bodyOf(event), NOW_S - 300))).toMatchObject({
      status: 200,
      body: { received: true },
    });
    expect((await shop.billing()).body.plan).toBe('starter');
  });

  test('is rejected without a signature, with a foreign one, or with a changed byte', async () => {
    const event = created();
    const body = bodyOf(event);
    const signatures = [
      '',
      'nonsense',
      't=,v1=',
      `t=${NOW_S}`,
      signatureOf(body, NOW_S, 'whsec_other'),
      signatureOf(`${body} `, NOW_S),
      signatureOf(JSON.stringify(JSON.parse(body)), NOW_S),
      signatureOf(body, NOW_S).replace('v1=', 'v2='),
    ];
    for (const signature of signatures) expect(await shop.deliver(event, signature)).toMatchObject(refused);
    expect(shop.stripe.asked).toEqual([]);
    expect((await shop.billing()).body.plan).toBe('developer');
  });

  const signed = (body: string) =>
    shop.send('POST', '/v1/billing/webhook', body, { 'Stripe-Signature': signatureOf(body, NOW_S) });

  test.each(['', 'no JSON', '{"id":', '[]', 'null', '5', '"evt"'])(
    'that is signed but not a JSON object is rejected: %p',
    async body => {
      expect(await signed(body)).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
    },
  );

  test('that is signed but lacks a part is rejected, and the message names the part', async () => {
    const odd = { status: 400, body: { code: 'INVALID_PARAMETER' } };
    const event = JSON.parse(bodyOf(created()));
    const { object } = event.data;
    for (const id of [undefined, null, {}, 5, '', 'a\u0000', '\ud800', 'x'.repeat(300)]) {
      expect(await signed(JSON.stringify({ ...event, id }))).toMatchObject(odd);
      const answer = await signed(JSON.stringify({ ...event, data: { object: { ...object, id } } }));
      expect(answer).toMatchObject(odd);
      expect(answer.body.message).toContain('data.object.id');
    }
    for (const change of [{ type: 5 }, { data: null }, { data: 5 }, { data: {} }, { data: { object: [] } }])
      expect(await signed(JSON.stringify({ ...event, ...change }))).toMatchObject(odd);
    expect((await shop.billing()).body.plan).toBe('developer');
  });

  test('that is signed is a 200 or a 400, whatever its body', async () => {
    const types = ['checkout.session.completed', 'customer.subscription.updated', 'invoice.paid', 'other'];
    const object = fc.dictionary(
      fc.constantFrom('id', 'subscription', 'customer', 'metadata', 'parent', 'client_reference_id'),
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.record({ subscription_details: fc.jsonValue({ maxDepth: 2 }) }),
        fc.record({ id: fc.jsonValue({ maxDepth: 1 }) }),
        fc.constant('sub_unknown'),
      ),
    );
    const body = fc.record({
      id: fc.constantFrom<unknown>('evt_odd', 5),
      type: fc.constantFrom(...types),
      data: fc.oneof(fc.record({ object }), fc.jsonValue({ maxDepth: 2 })),
    });
    await fc.assert(
      fc.asyncProperty(body, async value => {
        const answer = await signed(JSON.stringify(value));
        expect([200, 400]).toContain(answer.status);
        expect(answer.body.code).not.toBe('INVALID_SIGNATURE');
      }),
    );
  });

  test('may have any content type, and is rejected if it is too large', async () => {
    const event = created();
    const headers = { 'Stripe-Signature': signatureOf(bodyOf(event), NOW_S), 'Content-Type': 'text/plain' };
    expect((await shop.send('POST', '/v1/billing/webhook', bodyOf(event), headers)).status).toBe(200);
    const sent = async (bytes: number) =>
      (await shop.send('POST', '/v1/billing/webhook', 'x'.repeat(bytes), headers)).body.code;
    expect(await sent(1024 * 1024)).toBe('INVALID_SIGNATURE');
    expect(await sent(1024 * 1024 + 1)).toBe('PAYLOAD_TOO_LARGE');
  });

  test('that was handled is not handled again', async () => {
    const event = created();
    await shop.deliver(event);
    const asked = shop.stripe.asked.length;
    for (let i = 0; i < 3; i++) expect((await shop.deliver(event)).status).toBe(200);
    expect(shop.stripe.asked.length).toBe(asked);
  });

  test('that failed is handled when it is sent again', async () => {
    const event = created();
    shop.stripe.fault = () => Response.json({ error: { type: 'api_error', message: 'no' } }, { status: 500 });
    expect((await shop.deliver(event)).status).toBe(503);
    shop.stripe.fault = () => null;
    expect((await shop.deliver(event)).status).toBe(200);
    expect((await shop.billing()).body.plan).toBe('starter');
  });

  test('of another type, or without a subscription, is accepted without a call to Stripe', async () => {
    const subscription = shop.stripe.subscribe({ account: 'owner' });
    const others = [
      shop.stripe.event('customer.created', subscription),
      shop.stripe.event('__proto__', subscription),
      shop.stripe.event('checkout.session.completed', subscription, { mode: 'payment', subscription: null }),
      shop.stripe.event('invoice.paid', subscription, { parent: null }),
    ];
    for (const event of others) expect((await shop.deliver(event)).status).toBe(200);
    expect(shop.stripe.asked).toEqual([]);
    expect((await shop.billing()).body.plan).toBe('developer');
  });
});

describe('usage', () => {
  test('beyond the developer plan is allowed again with a paid plan, and the headers show it at once', async () => {
    await shop.service.count('owner', 500_000);
    expect((await shop.screen(1)).body.code).toBe('PLAN_LIMIT_EXCEEDED');
    const { end } = await shop.subscribe('starter');
    const { status, headers } = await shop.screen(10);
    expect(status).toBe(200);
    expect(headers.get('x-ratelimit-plan')).toBe('starter');
    expect(headers.get('x-ratelimit-remaining')).toBe('4999990');
    expect(headers.get('ratelimit')).toContain(`"rows";r=4999990;t=${end - NOW_S}`);
    expect(headers.get('ratelimit-policy')).toContain(`"rows";q=5000000;w=${MONTH_S}`);
  });

  test('stays when the plan changes within a period, with allowance and headers of the new plan', async () => {
    const subscription = await shop.subscribe('starter');
    await shop.screen(100);
    shop.stripe.change(subscription, { price: PRICES.growth });
    await shop.deliver(shop.stripe.event('customer.subscription.updated', subscription));
    const { headers } = await shop.screen(10);
    expect(headers.get('x-ratelimit-plan')).toBe('growth');
    expect(headers.get('x-ratelimit-remaining')).toBe(String(50_000_000 - 110));
  });

  test('restarts with a renewal, with or without its event', async () => {
    const subscription = await shop.subscribe('starter');
    await shop.screen(100);
    shop.now = subscription.end * 1000;
    expect((await shop.screen(1)).headers.get('x-ratelimit-remaining')).toBe('4999999');
    const [start, end] = [subscription.end, subscription.end + MONTH_S];
    shop.stripe.change(subscription, { start, end });
    await shop.deliver(shop.stripe.event('invoice.paid', subscription));
    expect((await shop.screen(1)).headers.get('x-ratelimit-remaining')).toBe('4999998');
    expect((await shop.billing()).body).toEqual({
      plan: 'starter',
      plansForSale: true,
      rowsProcessed: 2,
      requestCount: 2,
      periodStart: dateTime(start),
      periodEnd: dateTime(end),
    });
  });

  test('after a paid plan is that of the month since its end', async () => {
    await shop.screen(7);
    const subscription = await shop.subscribe('starter');
    await shop.screen(100);
    shop.now += 3_600_000;
    shop.stripe.change(subscription, { status: 'canceled', endedAt: shop.now / 1000 });
    await shop.deliver(shop.stripe.event('customer.subscription.deleted', subscription));
    expect((await shop.screen(5)).headers.get('x-ratelimit-remaining')).toBe('499995');
    expect((await shop.billing()).body).toEqual({
      plan: 'developer',
      plansForSale: true,
      rowsProcessed: 5,
      requestCount: 1,
      periodStart: new Date(NOW + 3_600_000).toISOString(),
      periodEnd: NOVEMBER.periodEnd,
    });
    shop.now = Date.parse('2026-12-05T00:00:00Z');
    expect((await shop.billing()).body.periodStart).toBe('2026-12-01T00:00:00.000Z');
  });

  test('beyond the allowance gives a 429 with the time to the end of the paid period', async () => {
    const { start, end } = await shop.subscribe('starter');
    await shop.service.allowance.reserve('owner', start * 1000, 4_999_990, 5_000_000);
    const { status, body, headers } = await shop.screen(11);
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'PLAN_LIMIT_EXCEEDED' });
    expect(headers.get('x-ratelimit-reset')).toBe(String(end - NOW_S));
    expect(headers.has('retry-after')).toBe(false);
    expect(body.message).toContain('5,000,000');
  });

  test('of a request during which the plan changes counts once, in the period of its reservation', async () => {
    const { promise: rest, resolve } = Promise.withResolvers<void>();
    const halves = batch([{ a: 1 }, { a: 2 }]).match(/^.{20}|.+$/gs)!;
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(halves[0]));
        await rest;
        controller.enqueue(new TextEncoder().encode(halves[1]));
        controller.close();
      },
    });
    const running = shop.service.post(body, { 'X-API-Key': KEY });
    await Bun.sleep(1);
    await shop.subscribe('growth');
    resolve();
    expect((await running).status).toBe(200);
    await shop.screen(3);
    const written = await shop.service.rows<{ start: unknown; rows: unknown; requests: unknown }>(
      'SELECT period_start AS start, sum(rows) AS rows, sum(requests) AS requests FROM ledger GROUP BY 1 ORDER BY 1',
    );
    const ledger = written.map(each => ({ rows: Number(each.rows), requests: Number(each.requests) }));
    const sum = (name: 'rows' | 'requests') => ledger.reduce((total, each) => total + each[name], 0);
    expect([sum('rows'), sum('requests')]).toEqual([5, 2]);
    const { allowance } = shop.service;
    for (const { start, rows } of written)
      expect(await allowance.counted('owner', Number(start))).toBe(Number(rows));
  });
});
