import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import type { ProviderSubscription } from '../../src/billing/payments.ts';
import { toSubscription, isLive, planOf, entitlementOf } from '../../src/billing/subscription.ts';
import type { Subscription } from '../../src/stores/ports.ts';

const PRICES = { starter: 'price_s', growth: 'price_g', scale: null };
const found = (given: Partial<ProviderSubscription> = {}): ProviderSubscription => ({
  id: 'sub_1',
  customer: 'cus_1',
  account: 'acc_1',
  status: 'active',
  prices: ['price_s'],
  periodStart: 100,
  periodEnd: 200,
  createdAt: 50,
  endedAt: null,
  ...given,
});
const kept = (given: Partial<Subscription> = {}): Subscription => ({
  id: 'sub_1',
  status: 'active',
  plan: 'starter',
  periodStart: 100,
  periodEnd: 200,
  createdAt: 50,
  endedAt: null,
  ...given,
});

describe('a price', () => {
  test('maps to a plan, several prices to the largest plan, unknown prices to none', () => {
    expect(planOf(['price_g'], PRICES)).toBe('growth');
    expect(planOf(['price_of_an_extra', 'price_s'], PRICES)).toBe('starter');
    for (const prices of [
      ['price_s', 'price_g'],
      ['price_g', 'price_s'],
    ])
      expect(planOf(prices, PRICES)).toBe('growth');
    expect(planOf(['price_x'], PRICES)).toBeNull();
    expect(planOf([], PRICES)).toBeNull();
    expect(planOf(['constructor', 'null'], PRICES)).toBeNull();
  });

  test('that is unknown keeps the plan, and everything else is updated', () => {
    const changed = found({ prices: ['price_x'], status: 'past_due', periodStart: 200, periodEnd: 300 });
    expect(toSubscription(changed, kept(), PRICES, 0)).toEqual(
      kept({ status: 'past_due', periodStart: 200, periodEnd: 300 }),
    );
    expect(toSubscription(changed, null, PRICES, 0).plan).toBeNull();
  });
});

describe('a subscription pays for its plan', () => {
  test.each(['active', 'trialing', 'past_due'])('while it is %s', status => {
    const after = toSubscription(found({ status }), null, PRICES, 0);
    expect(entitlementOf([after])).toEqual({
      plan: 'starter',
      period: { start: 100, end: 200 },
      until: null,
    });
  });

  test.each(['incomplete', 'incomplete_expired', 'canceled', 'unpaid', 'paused', 'a status of the future'])(
    'and not while it is %s',
    status => {
      const after = toSubscription(found({ status }), kept(), PRICES, 150);
      expect(entitlementOf([after])).toMatchObject({ plan: null, period: null });
    },
  );
});

describe('the end of a paid plan', () => {
  const endOf = (given: Partial<ProviderSubscription>, before: Subscription | null, now: number) =>
    toSubscription(found(given), before, PRICES, now).endedAt;

  test('is when the provider ended it, even if the event is late or the first one', () => {
    for (const before of [null, kept(), kept({ status: 'incomplete' })])
      expect(endOf({ status: 'canceled', endedAt: 180 }, before, 900)).toBe(180);
  });

  test('is the time of the first unpaid event, and does not change on a later cancellation', () => {
    expect(endOf({ status: 'unpaid' }, kept({ status: 'past_due' }), 170)).toBe(170);
    const unpaid = kept({ status: 'unpaid', endedAt: 170 });
    expect(endOf({ status: 'unpaid' }, unpaid, 190)).toBe(170);
    expect(endOf({ status: 'canceled', endedAt: 180 }, unpaid, 190)).toBe(170);
  });

  test('is removed when a payment arrives after all', () => {
    expect(endOf({ status: 'active' }, kept({ status: 'unpaid', endedAt: 170 }), 190)).toBeNull();
  });

  test('is null if nothing was ever paid', () => {
    expect(endOf({ status: 'incomplete' }, null, 1)).toBeNull();
    expect(endOf({ status: 'incomplete_expired' }, kept({ status: 'incomplete' }), 1)).toBeNull();
    expect(endOf({ status: 'canceled', prices: ['price_x'], endedAt: 5 }, null, 9)).toBeNull();
  });
});

test('a period of length 0 becomes thirty days', () => {
  const { periodStart, periodEnd } = toSubscription(found({ periodEnd: 100 }), null, PRICES, 0);
  expect(periodEnd - periodStart).toBe(30 * 86_400_000);
});

test('subscriptions that can be paid or resumed are live', () => {
  const live = ['active', 'trialing', 'past_due', 'unpaid', 'paused'];
  expect(live.every(status => isLive({ status }))).toBe(true);
  expect(['canceled', 'incomplete_expired', 'incomplete'].some(status => isLive({ status }))).toBe(false);
});

test('among paying subscriptions the largest plan counts, then the newest; among ends the last', () => {
  const [starter, growth] = [kept({ id: 'a', createdAt: 9 }), kept({ id: 'b', plan: 'growth' })];
  expect(entitlementOf([starter, growth]).plan).toBe('growth');
  const newer = kept({ id: 'c', plan: 'growth', createdAt: 60, periodStart: 160 });
  expect(entitlementOf([growth, newer, starter]).period).toEqual({ start: 160, end: 200 });
  const ended = [120, 140, 130].map((endedAt, i) => kept({ id: `e${i}`, status: 'canceled', endedAt }));
  expect(entitlementOf(ended)).toEqual({ plan: null, period: null, until: 140 });
  expect(entitlementOf([...ended, starter]).plan).toBe('starter');
});

test('the result does not depend on the order of subscriptions', () => {
  const subscription = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    status: fc.constantFrom('active', 'past_due', 'unpaid', 'canceled', 'incomplete'),
    plan: fc.constantFrom('starter', 'growth', 'scale', null),
    periodStart: fc.nat(5),
    periodEnd: fc.integer({ min: 6, max: 9 }),
    createdAt: fc.nat(2),
    endedAt: fc.option(fc.nat(9)),
  }) as fc.Arbitrary<Subscription>;
  const several = fc.uniqueArray(subscription, { selector: ({ id }) => id, maxLength: 5 });
  const shuffled = several.chain(all =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([one, other]) => expect(entitlementOf(one)).toEqual(entitlementOf(other))),
  );
});
