import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import type { Subscribed } from '../../src/billing/payments.ts';
import { described, isLive, planOf, standingOf } from '../../src/billing/subscription.ts';
import type { Subscription } from '../../src/stores/ports.ts';

const PRICES = { starter: 'price_s', growth: 'price_g', scale: null };
const found = (given: Partial<Subscribed> = {}): Subscribed => ({
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
  test('is that of a plan, of several the largest, or of none', () => {
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

  test('that is unknown leaves the plan as it was, and everything else follows', () => {
    const changed = found({ prices: ['price_x'], status: 'past_due', periodStart: 200, periodEnd: 300 });
    expect(described(changed, kept(), PRICES, 0)).toEqual(
      kept({ status: 'past_due', periodStart: 200, periodEnd: 300 }),
    );
    expect(described(changed, null, PRICES, 0).plan).toBeNull();
  });
});

describe('a subscription pays for its plan', () => {
  test.each(['active', 'trialing', 'past_due'])('while it is %s', status => {
    const after = described(found({ status }), null, PRICES, 0);
    expect(standingOf([after])).toEqual({ plan: 'starter', period: { start: 100, end: 200 }, until: null });
  });

  test.each(['incomplete', 'incomplete_expired', 'canceled', 'unpaid', 'paused', 'a status of the future'])(
    'and not while it is %s',
    status => {
      const after = described(found({ status }), kept(), PRICES, 150);
      expect(standingOf([after])).toMatchObject({ plan: null, period: null });
    },
  );
});

describe('the end of a paid plan', () => {
  const endOf = (given: Partial<Subscribed>, before: Subscription | null, now: number) =>
    described(found(given), before, PRICES, now).endedAt;

  test('is when the provider ended it, however late that is heard, and seen before or not', () => {
    for (const before of [null, kept(), kept({ status: 'incomplete' })])
      expect(endOf({ status: 'canceled', endedAt: 180 }, before, 900)).toBe(180);
  });

  test('is when it was first heard to be unpaid, and is not put off when that is canceled later', () => {
    expect(endOf({ status: 'unpaid' }, kept({ status: 'past_due' }), 170)).toBe(170);
    const unpaid = kept({ status: 'unpaid', endedAt: 170 });
    expect(endOf({ status: 'unpaid' }, unpaid, 190)).toBe(170);
    expect(endOf({ status: 'canceled', endedAt: 180 }, unpaid, 190)).toBe(170);
  });

  test('is taken back when it is paid after all', () => {
    expect(endOf({ status: 'active' }, kept({ status: 'unpaid', endedAt: 170 }), 190)).toBeNull();
  });

  test('is none where nothing was ever paid for', () => {
    expect(endOf({ status: 'incomplete' }, null, 1)).toBeNull();
    expect(endOf({ status: 'incomplete_expired' }, kept({ status: 'incomplete' }), 1)).toBeNull();
    expect(endOf({ status: 'canceled', prices: ['price_x'], endedAt: 5 }, null, 9)).toBeNull();
  });
});

test('a period without length is one of thirty days', () => {
  const { periodStart, periodEnd } = described(found({ periodEnd: 100 }), null, PRICES, 0);
  expect(periodEnd - periodStart).toBe(30 * 86_400_000);
});

test('those that can be paid or resumed are live: a second one would be paid twice', () => {
  const live = ['active', 'trialing', 'past_due', 'unpaid', 'paused'];
  expect(live.every(status => isLive({ status }))).toBe(true);
  expect(['canceled', 'incomplete_expired', 'incomplete'].some(status => isLive({ status }))).toBe(false);
});

test('of several that pay the largest plan counts, then the newest; of several ends the last', () => {
  const [starter, growth] = [kept({ id: 'a', createdAt: 9 }), kept({ id: 'b', plan: 'growth' })];
  expect(standingOf([starter, growth]).plan).toBe('growth');
  const newer = kept({ id: 'c', plan: 'growth', createdAt: 60, periodStart: 160 });
  expect(standingOf([growth, newer, starter]).period).toEqual({ start: 160, end: 200 });
  const ended = [120, 140, 130].map((endedAt, i) => kept({ id: `e${i}`, status: 'canceled', endedAt }));
  expect(standingOf(ended)).toEqual({ plan: null, period: null, until: 140 });
  expect(standingOf([...ended, starter]).plan).toBe('starter');
});

test('what several come to does not depend on their order', () => {
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
  fc.assert(fc.property(shuffled, ([one, other]) => expect(standingOf(one)).toEqual(standingOf(other))));
});
