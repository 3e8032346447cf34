/** Whatever becomes of the events on their way, an account ends where Stripe has its subscription. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { syncOverdue } from '../../src/billing/webhook.ts';
import { SCALE_KEY } from '../http/service.ts';
import { NOW_S, Shop } from './shop.ts';
import { MONTH_S, PRICES, type StripeEvent, type StripeSubscription } from './stripe-server.ts';

const RUNS = Number(process.env.BILLING_RUNS ?? 60);
const HOUR_S = 3600;

let shop: Shop;
beforeEach(async () => {
  shop = await Shop.open();
});
afterEach(() => shop.close());

/** The account's plan and period, without its usage. */
async function entitlement(key?: string) {
  const { plan, periodStart, periodEnd } = (await shop.billing(key)).body;
  return { plan, periodStart, periodEnd };
}

const paid = (plan: string, { start, end }: { start: number; end: number }) => ({
  plan,
  periodStart: new Date(start * 1000).toISOString(),
  periodEnd: new Date(end * 1000).toISOString(),
});
const free = (periodStart = '2026-11-01T00:00:00.000Z') => ({
  plan: 'developer',
  periodStart,
  periodEnd: '2026-12-01T00:00:00.000Z',
});

const told = (type: string, subscription: StripeSubscription) =>
  shop.deliver(shop.stripe.event(type, subscription));
const updated = (subscription: StripeSubscription, changes: Partial<StripeSubscription>) => {
  shop.stripe.change(subscription, changes);
  return told('customer.subscription.updated', subscription);
};

/** What an operator can get wrong, and what mends it. Each begins with an event about the plan scale of 'owner'. */
const MISTAKES: Record<string, { setUp(subscription: StripeSubscription): () => unknown }> = {
  'a price that no setting names': {
    setUp: subscription => {
      subscription.price = 'price_new';
      return () => shop.reopen({ prices: { ...PRICES, scale: 'price_new' } });
    },
  },
  "another mode's key, under which Stripe has no such subscription": {
    setUp: ({ id }) => {
      const subscription = shop.stripe.subscriptions.get(id)!;
      shop.stripe.subscriptions.delete(id);
      return () => shop.stripe.subscriptions.set(id, subscription);
    },
  },
  'a subscription made by hand, whose metadata names no account': {
    setUp: subscription => {
      subscription.account = null;
      return () => shop.stripe.change(subscription, { account: 'owner' });
    },
  },
  'metadata with a mistyped account': {
    setUp: subscription => {
      subscription.account = 'owner ';
      return () => shop.stripe.change(subscription, { account: 'owner' });
    },
  },
};

describe('an event that could not be applied because of', () => {
  for (const [mistake, { setUp }] of Object.entries(MISTAKES))
    test(`${mistake}: takes effect when it is sent again after the mend, and then once`, async () => {
      const subscription = shop.stripe.subscribe({ account: 'owner', price: PRICES.scale, start: NOW_S });
      const mend = setUp(subscription);
      const event = shop.stripe.event('customer.subscription.created', subscription);
      for (let sent = 0; sent < 2; sent++) expect((await shop.deliver(event)).status).toBe(200);
      // Repeated before the mend it says the same again.
      expect(shop.errors().length).toBe(2);
      expect((await entitlement()).plan).toBe('developer');
      await mend();
      expect((await shop.deliver(event)).status).toBe(200);
      expect(await entitlement()).toEqual(paid('scale', subscription));
      const asked = shop.stripe.asked.length;
      expect((await shop.deliver(event)).status).toBe(200);
      expect(shop.stripe.asked.length).toBe(asked);
    });
});

describe('the life of a subscription', () => {
  test('a failed payment keeps the plan during retries, and ends it after the last one', async () => {
    const subscription = await shop.subscribe('growth');
    shop.stripe.change(subscription, { status: 'past_due' });
    await told('invoice.payment_failed', subscription);
    expect(await entitlement()).toEqual(paid('growth', subscription));
    shop.now += HOUR_S * 1000;
    await updated(subscription, { status: 'unpaid' });
    expect(await entitlement()).toEqual(free('2026-11-21T13:00:00.000Z'));
    shop.now += HOUR_S * 1000;
    shop.stripe.change(subscription, { status: 'active' });
    await told('invoice.paid', subscription);
    expect(await entitlement()).toEqual(paid('growth', subscription));
  });

  test('a larger plan counts at once, a smaller one when Stripe changes to it', async () => {
    const subscription = await shop.subscribe('starter');
    await updated(subscription, { price: PRICES.scale });
    expect((await entitlement()).plan).toBe('scale');
    await told('customer.subscription.updated', subscription);
    expect((await entitlement()).plan).toBe('scale');
    const next = { start: subscription.end, end: subscription.end + MONTH_S };
    shop.now = next.start * 1000;
    await updated(subscription, { price: PRICES.starter, ...next });
    expect(await entitlement()).toEqual(paid('starter', next));
  });

  test('a cancellation at the end of the period keeps the plan until then', async () => {
    const subscription = await shop.subscribe('starter');
    await told('customer.subscription.updated', subscription);
    expect((await entitlement()).plan).toBe('starter');
    shop.now = subscription.end * 1000;
    shop.stripe.change(subscription, { status: 'canceled', endedAt: subscription.end });
    await told('customer.subscription.deleted', subscription);
    expect((await entitlement()).plan).toBe('developer');
  });

  test('a pause ends the plan, and resuming restores it', async () => {
    const subscription = await shop.subscribe('starter');
    shop.stripe.change(subscription, { status: 'paused' });
    await told('customer.subscription.paused', subscription);
    expect((await entitlement()).plan).toBe('developer');
    shop.stripe.change(subscription, { status: 'active' });
    await told('customer.subscription.resumed', subscription);
    expect((await entitlement()).plan).toBe('starter');
  });

  test('a trial gives the plan, and an incomplete subscription does not', async () => {
    const subscription = shop.stripe.subscribe({ account: 'owner', status: 'incomplete', start: NOW_S });
    await told('customer.subscription.created', subscription);
    expect(await entitlement()).toEqual(free());
    await updated(subscription, { status: 'incomplete_expired' });
    expect(await entitlement()).toEqual(free());
    await told(
      'customer.subscription.created',
      shop.stripe.subscribe({ account: 'owner', status: 'trialing', price: PRICES.scale, start: NOW_S }),
    );
    expect((await entitlement()).plan).toBe('scale');
  });

  test('a plan given without payment returns when the paid plan ends', async () => {
    const subscription = await shop.subscribe('growth', SCALE_KEY);
    expect((await entitlement(SCALE_KEY)).plan).toBe('growth');
    shop.stripe.change(subscription, { status: 'canceled', endedAt: NOW_S });
    await told('customer.subscription.deleted', subscription);
    expect((await entitlement(SCALE_KEY)).plan).toBe('scale');
  });
});

describe('when events are lost', () => {
  const askAfter = () => syncOverdue(10, shop.service.deps);

  test('a subscription is fetched one hour after its period has ended', async () => {
    const subscription = await shop.subscribe('starter');
    shop.stripe.change(subscription, { status: 'canceled', endedAt: subscription.end });
    const asked = shop.stripe.asked.length;
    shop.now = (subscription.end + HOUR_S) * 1000;
    await askAfter();
    expect(shop.stripe.asked.length).toBe(asked);
    expect((await entitlement()).plan).toBe('starter');
    shop.now += 1;
    await askAfter();
    expect((await entitlement()).plan).toBe('developer');
    await askAfter();
    expect(shop.stripe.asked.length).toBe(asked + 1);
  });

  test('a renewal without an event is found, and a failed fetch is retried', async () => {
    const subscription = await shop.subscribe('starter');
    shop.now = (subscription.end + 2 * HOUR_S) * 1000;
    shop.stripe.fault = () => Response.json({ error: { type: 'api_error', message: 'no' } }, { status: 429 });
    await expect(askAfter()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    shop.stripe.fault = () => null;
    // Longer than a month: not what would have been guessed.
    const next = { start: subscription.end, end: subscription.end + 40 * 86_400 };
    shop.stripe.change(subscription, next);
    await askAfter();
    expect(await entitlement()).toEqual(paid('starter', next));
  });
});

describe('the account of a subscription', () => {
  test('comes from its metadata, its checkout session or its customer', async () => {
    const start = NOW_S;
    const bySession = shop.stripe.subscribe({ start });
    const session = {
      mode: 'subscription',
      subscription: bySession.id,
      client_reference_id: 'scaler',
      customer: 'x',
    };
    await shop.deliver(shop.stripe.event('checkout.session.completed', bySession, session));
    expect((await entitlement(SCALE_KEY)).plan).toBe('starter');
    await shop.portal();
    const [customer] = shop.stripe.customers.keys();
    await told('customer.subscription.created', shop.stripe.subscribe({ start, customer: customer! }));
    expect((await entitlement()).plan).toBe('starter');
    const byMetadata = shop.stripe.subscribe({
      start,
      customer: customer!,
      account: 'scaler',
      price: PRICES.growth,
    });
    await told('invoice.paid', byMetadata);
    expect([(await entitlement()).plan, (await entitlement(SCALE_KEY)).plan]).toEqual(['starter', 'growth']);
    expect(shop.errors().length).toBe(1);
  });

  test('that is not ours is logged as an error, and Stripe does not have to send the event again', async () => {
    for (const account of [null, 'acc_gone', '__proto__']) {
      const event = shop.stripe.event('customer.subscription.updated', shop.stripe.subscribe({ account }));
      expect((await shop.deliver(event)).status).toBe(200);
    }
    expect(shop.errors()).toEqual(Array(3).fill('billing: no such account'));
  });

  test('that Stripe does not have is logged as an error', async () => {
    const subscription = shop.stripe.subscribe({ account: 'owner' });
    shop.stripe.subscriptions.clear();
    expect((await told('customer.subscription.updated', subscription)).status).toBe(200);
    expect(shop.errors()).toEqual(['billing: the payment provider has no such subscription']);
    expect(await entitlement()).toEqual(free());
  });

  test('an unknown price keeps the plan and is logged as an error', async () => {
    const subscription = await shop.subscribe('growth');
    await updated(subscription, { price: 'price_of_another_shop' });
    expect(await entitlement()).toEqual(paid('growth', subscription));
    expect(shop.errors()).toEqual(['billing: no plan has this price: the plan stays as it is']);
  });

  test('of two paid subscriptions the larger counts until it ends', async () => {
    const starter = await shop.subscribe('starter');
    const scale = shop.stripe.subscribe({ account: 'owner', price: PRICES.scale, start: NOW_S });
    await told('customer.subscription.created', scale);
    await told('invoice.paid', starter);
    expect((await entitlement()).plan).toBe('scale');
    expect(shop.errors()).toEqual(
      Array(2).fill('billing: the account pays for several subscriptions: cancel all but one'),
    );
    shop.stripe.change(scale, { status: 'canceled', endedAt: NOW_S });
    await told('customer.subscription.deleted', scale);
    expect(await entitlement()).toEqual(paid('starter', starter));
  });
});

/** What can become of a subscription, and the events that tell of it. */
const STEPS: { change: Partial<StripeSubscription>; events: string[] }[] = [
  { change: { status: 'incomplete' }, events: ['customer.subscription.created'] },
  { change: { status: 'active' }, events: ['invoice.paid', 'customer.subscription.updated'] },
  { change: { price: PRICES.growth }, events: ['customer.subscription.updated'] },
  { change: { status: 'past_due' }, events: ['invoice.payment_failed'] },
  { change: { status: 'active' }, events: ['invoice.paid'] },
  { change: { price: PRICES.scale }, events: ['customer.subscription.updated'] },
  { change: { status: 'canceled', endedAt: NOW_S + 10 }, events: ['customer.subscription.deleted'] },
];

/** All orders of the indices below `count`. */
function orders(count: number): number[][] {
  if (count === 0) return [[]];
  return orders(count - 1).flatMap(order =>
    Array.from({ length: count }, (_, i) => [...order.slice(0, i), count - 1, ...order.slice(i)]),
  );
}

describe('events in any order', () => {
  /** An account of its own for each life: of all orders, none finds what another left. */
  let lives = 0;
  async function newAccount(): Promise<{ account: string; expected(): unknown; now(): Promise<unknown> }> {
    const account = `life_${++lives}`;
    await shop.service.rows(
      `INSERT INTO accounts (id, name, plan, salt, created_at) VALUES ('${account}', '${account}', 'developer', x'00', 0)`,
    );
    const columns = 'paid_plan AS plan, paid_from AS start, paid_to AS "end", paid_until AS until';
    return {
      account,
      now: async () =>
        (await shop.service.rows(`SELECT ${columns} FROM accounts WHERE id = '${account}'`))[0],
      expected: () => {
        const [last] = [...shop.stripe.subscriptions.values()].filter(each => each.account === account);
        const pays = last !== undefined && ['active', 'past_due'].includes(last.status);
        const plan = Object.entries(PRICES).find(([, price]) => price === last?.price)?.[0];
        return pays
          ? { plan, start: last.start * 1000, end: last.end * 1000, until: null }
          : { plan: null, start: null, end: null, until: last?.endedAt ? last.endedAt * 1000 : null };
      },
    };
  }

  /** Stripe's side of a life: a step at a time, with the events that tell of it. */
  class Life {
    readonly events: StripeEvent[] = [];
    readonly subscription: StripeSubscription;
    steps = 0;

    constructor(account: string) {
      this.subscription = shop.stripe.subscribe({ account, status: 'incomplete', start: NOW_S });
    }

    step(): StripeEvent[] {
      const { change, events } = STEPS[this.steps++ % STEPS.length]!;
      shop.stripe.change(this.subscription, { endedAt: null, ...change });
      const told = events.map(type => shop.stripe.event(type, this.subscription));
      this.events.push(...told);
      return told;
    }
  }

  test('sent twice and after all changes: every permutation ends in the state of Stripe', async () => {
    for (const steps of [2, 4, STEPS.length]) {
      for (const order of orders(Math.min(steps, 4))) {
        const { account, expected, now } = await newAccount();
        const life = new Life(account);
        for (let step = 0; step < steps; step++) life.step();
        for (const i of [...order, ...order]) await shop.deliver(life.events.at(-1 - i)!);
        expect({ order, steps, now: await now() }).toEqual({ order, steps, now: expected() as object });
      }
    }
  });

  test('sent one per step, some late: every permutation ends in the state of Stripe', async () => {
    const count = STEPS.length - 2;
    for (const order of orders(count)) {
      const { account, expected, now } = await newAccount();
      const life = new Life(account);
      life.step();
      const waiting = new Set(order);
      const deliver = async (i: number) => waiting.delete(i) && shop.deliver(life.events[i]!);
      for (const i of order) {
        life.step();
        // What has not happened yet comes when it has.
        if (life.events[i]) await deliver(i);
      }
      for (const i of order) await deliver(i);
      await shop.deliver(life.events.at(-1)!);
      expect({ order, now: await now() }).toEqual({ order, now: expected() as object });
    }
  });

  /** A history: at each point Stripe goes one step on, or one of the events so far is delivered, again perhaps. */
  const histories = fc.array(fc.oneof(fc.constant('step' as const), fc.nat(20)), { maxLength: 25 });

  test('sent during changes, late, twice or never: the last delivered one gives the state of Stripe', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async history => {
        const { account, expected, now } = await newAccount();
        const life = new Life(account);
        life.step();
        for (const move of history) {
          if (move === 'step') life.step();
          else await shop.deliver(life.events[move % life.events.length]!);
        }
        // Stripe gives up on none before it was taken.
        for (const event of life.events.toReversed()) await shop.deliver(event);
        const { until, ...rest } = (await now()) as { until: number | null };
        const { until: end, ...wanted } = expected() as { until: number | null };
        expect(rest).toEqual(wanted);
        // What was canceled and paid again was never so at Stripe: only a first end is compared.
        if (life.steps <= STEPS.length) expect(until).toBe(end);
      }),
      { numRuns: RUNS },
    );
  });

  test('handled concurrently with reordered responses of Stripe: the newest state wins', async () => {
    const delays = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(delays, async waits => {
        const { account, expected, now } = await newAccount();
        let fetched = 0;
        shop.stripe.delay = () => Bun.sleep(waits[fetched++ % waits.length]!);
        const life = new Life(account);
        const running: Promise<{ status: number }>[] = [];
        for (const wait of waits.slice(1)) {
          for (const event of life.step()) running.push(shop.deliver(event));
          await Bun.sleep(wait / 2);
        }
        for (const { status } of await Promise.all(running)) expect(status).toBe(200);
        expect(await now()).toEqual(expected() as object);
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });

  test('one event sent forty times at once is handled, and every copy succeeds', async () => {
    const { url } = (await shop.checkout('starter')).body;
    const session = url.split('/').at(-1);
    const event = shop.stripe.checkoutCompleted(session, shop.stripe.pay(session, NOW_S));
    const answers = await Promise.all(Array.from({ length: 40 }, () => shop.deliver(event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await shop.billing()).body.plan).toBe('starter');
  });

  test('an earlier fetch with a later response changes nothing', async () => {
    const { account, now } = await newAccount();
    const subscription = shop.stripe.subscribe({ account, start: NOW_S });
    const first = shop.stripe.event('customer.subscription.created', subscription);
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const { promise: fetching, resolve: isFetching } = Promise.withResolvers<void>();
    shop.stripe.delay = () => {
      isFetching();
      return held;
    };
    const slow = shop.deliver(first);
    await fetching;
    shop.stripe.delay = async () => {};
    shop.stripe.change(subscription, { status: 'canceled', endedAt: NOW_S });
    await told('customer.subscription.deleted', subscription);
    resolve();
    expect((await slow).status).toBe(200);
    expect(await now()).toMatchObject({ plan: null, until: NOW_S * 1000 });
  });
});

afterAll(() => console.info(`BILLING_RUNS=${RUNS}`));
