import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { PLANS } from '../../src/account/plans.ts';
import { decide, RateLimiter } from '../../src/stores/rates.ts';
import { rateStoreContract } from '../ports/rate-store.ts';

const NOW = 1_790_000_000_000;
const rate = PLANS.developer;

const allowedOf = (limiter: RateLimiter, account: string, requests: number, now: number): number => {
  let allowed = 0;
  for (let request = 0; request < requests; request++) {
    if (limiter.take(account, rate, now).allowed) allowed++;
  }
  return allowed;
};

describe('rate', () => {
  test('after idle time exactly one burst is allowed at once', () => {
    const limiter = new RateLimiter();
    expect(allowedOf(limiter, 'a', 50, NOW)).toBe(20);
    expect(allowedOf(limiter, 'a', 50, NOW)).toBe(0);
  });

  test('capacity returns at the sustained rate', () => {
    const limiter = new RateLimiter();
    allowedOf(limiter, 'a', 20, NOW);
    expect(allowedOf(limiter, 'a', 50, NOW + 99)).toBe(0);
    expect(allowedOf(limiter, 'a', 50, NOW + 100)).toBe(1);
    expect(allowedOf(limiter, 'a', 50, NOW + 1100)).toBe(10);
  });

  test('accounts do not share a rate', () => {
    const limiter = new RateLimiter();
    allowedOf(limiter, 'a', 20, NOW);
    expect(limiter.take('b', rate, NOW).allowed).toBe(true);
    expect(limiter.take('__proto__', rate, NOW).allowed).toBe(true);
  });

  test('in any second at most the burst and a second of the rate are allowed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 300 }), gaps => {
        const limiter = new RateLimiter();
        let now = NOW;
        const times = gaps.map(gap => {
          now += gap;
          return now;
        });
        const allowed = times.filter(time => limiter.take('a', rate, time).allowed);
        for (const [index, time] of allowed.entries()) {
          const within = allowed.slice(index).filter(other => other < time + 1000);
          expect(within.length).toBeLessThanOrEqual(rate.burst + rate.requestsPerSecond);
        }
      }),
    );
  });

  test('a request after the stated wait is allowed', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.constantFrom(...Object.values(PLANS)), (aheadMs, plan) => {
        // What is stored is never further ahead than a burst: 2 s in every plan.
        const decision = decide(plan, NOW + aheadMs, NOW);
        if (decision.allowed) return;
        expect(Number.isInteger(decision.waitSeconds)).toBe(true);
        expect(decision.waitSeconds).toBeGreaterThanOrEqual(1);
        expect(decide(plan, NOW + aheadMs, NOW + 1000 * decision.waitSeconds).allowed).toBe(true);
      }),
    );
  });

  test('a clock set back by any time delays an account by at most one interval', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e11 }),
        fc.constantFrom(...Object.values(PLANS)),
        (back, plan) => {
          const limiter = new RateLimiter();
          for (let request = 0; request < 30; request++) limiter.take('a', plan, NOW);
          const intervalMs = 1000 / plan.requestsPerSecond;
          limiter.take('a', plan, NOW - back);
          expect(limiter.take('a', plan, NOW - back + intervalMs).allowed).toBe(true);
        },
      ),
    );
  });

  test('with a monotonic clock the time of a request has no effect', () => {
    let clock = 5;
    const limiter = new RateLimiter(() => clock);
    expect(allowedOf(limiter, 'a', 50, NOW)).toBe(20);
    expect(allowedOf(limiter, 'a', 50, NOW + 3_600_000)).toBe(0);
    clock += 1000;
    expect(allowedOf(limiter, 'a', 50, NOW - 3_600_000)).toBe(10);
  });

  test('idle accounts are removed', () => {
    const limiter = new RateLimiter();
    for (let account = 0; account < 5000; account++) limiter.take(`a${account}`, rate, NOW + 1000 * account);
    expect(limiter.size).toBeLessThanOrEqual(1025);
  });
});

rateStoreContract('one process', async () => {
  const limiter = new RateLimiter();
  return { one: limiter, other: limiter, close: async () => {} };
});
