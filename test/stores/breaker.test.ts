import { expect, test } from 'bun:test';
import { Breaker } from '../../src/stores/breaker.ts';
import { NoAnswer } from '../../src/stores/unavailable.ts';
import { eventually } from '../servers/process.ts';

const never = () => new Promise<never>(() => {});

/** A breaker before a server that answers its probe while `well`. */
function before(server: { well: boolean }) {
  const log: string[] = [];
  const ask = () => (server.well ? Promise.resolve() : never());
  const breaker = new Breaker({ connect: async () => {}, ask, failed: () => log.push('failed') }, () =>
    log.push('opened'),
  );
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
