import { expect, test } from 'bun:test';
import { Breaker } from '../../src/stores/breaker.ts';
import { timeoutsOf } from '../../src/stores/timeouts.ts';
import { NoAnswer } from '../../src/stores/unavailable.ts';
import { eventually } from '../servers/process.ts';

const never = () => new Promise<never>(() => {});

/** A breaker before a server that answers its probe while `well`, each time after `delayMs`. */
function before(server: { well: boolean; delayMs?: number }, roundTripMs?: number) {
  const log: string[] = [];
  const ask = () => (server.well ? Bun.sleep(server.delayMs ?? 0) : never());
  const probe = { connect: async () => {}, ask, failed: () => log.push('failed') };
  const breaker = new Breaker(probe, timeoutsOf(roundTripMs), () => log.push('opened'));
  return { breaker, log };
}

test('results and errors pass through', async () => {
  const { breaker, log } = before({ well: true });
  expect(await breaker.ask(async () => 7)).toBe(7);
  await expect(breaker.ask(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(log).toEqual([]);
});

test('a slow call opens nothing while the probe succeeds', async () => {
  const { breaker, log } = before({ well: true });
  expect(await breaker.ask(() => Bun.sleep(700).then(() => 'slow'))).toBe('slow');
  expect(log).toEqual([]);
});

test('waiting calls fail when the probe fails, and new calls fail at once until it succeeds', async () => {
  const server = { well: false };
  const { breaker, log } = before(server);
  const waiting = [1, 2, 3].map(() => breaker.ask(never));
  for (const each of await Promise.allSettled(waiting))
    expect(each).toMatchObject({ status: 'rejected', reason: expect.any(NoAnswer) });
  expect(log.filter(each => each === 'opened')).toEqual(['opened']);
  let asked = 0;
  const question = async () => ++asked;
  await expect(breaker.ask(question)).rejects.toBeInstanceOf(NoAnswer);
  expect(asked).toBe(0);
  server.well = true;
  expect(await eventually(() => breaker.ask(question))).toBe(1);
  breaker.close();
});

/** A server that answers everything late. */
const late = (ms: number, roundTripMs?: number) => {
  const { breaker } = before({ well: true, delayMs: ms }, roundTripMs);
  const answers = Array.from({ length: 5 }, () => breaker.ask(() => Bun.sleep(ms).then(() => 'late')));
  return Promise.allSettled(answers).finally(() => breaker.close());
};

test.each([
  [300, undefined],
  [400, undefined],
  [900, 1200],
])(
  'a server that answers after %i ms is slow and not away, with a round trip of %p ms allowed',
  async (ms, allowed) => {
    for (const answer of await late(ms, allowed)) expect(answer).toMatchObject({ value: 'late' });
  },
);

test.each([
  [2000, undefined],
  [1000, 100],
])('a server that answers after %i ms is away, with a round trip of %p ms allowed', async (ms, allowed) => {
  for (const answer of await late(ms, allowed))
    expect(answer).toMatchObject({ reason: expect.any(NoAnswer) });
});

test('a server that is well again is away until what will be asked is connected', async () => {
  const connected = Promise.withResolvers<void>();
  const server = { well: false };
  const ask = () => (server.well ? Promise.resolve() : never());
  const breaker = new Breaker({ connect: async () => {}, ask, reconnect: () => connected.promise });
  await expect(breaker.ask(never)).rejects.toBeInstanceOf(NoAnswer);
  server.well = true;
  await Bun.sleep(600);
  await expect(breaker.ask(async () => 1)).rejects.toBeInstanceOf(NoAnswer);
  connected.resolve();
  expect(await eventually(() => breaker.ask(async () => 1))).toBe(1);
  breaker.close();
});
