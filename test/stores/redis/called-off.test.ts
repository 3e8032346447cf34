/** Commands to a frozen Redis without an answer: they run when it wakes up, and must not count. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { retryInBackground } from '../../../src/time/background-retry.ts';
import { RedisAllowance } from '../../../src/stores/redis/allowance.ts';
import { RedisBaselines } from '../../../src/stores/redis/baselines.ts';
import { RedisConnection } from '../../../src/stores/redis/connection.ts';
import { eventually } from '../../servers/process.ts';
import { RedisServer } from '../../servers/redis.ts';
import { describeWithRedis } from '../../servers/suites.ts';

const AWAY = { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } };
const ledger = { usage: async () => ({ rows: 40, requests: 0 }) };
const stateOf = (id: string) => ({ id, state: new Uint8Array([1]) });

describeWithRedis('a Redis that is frozen for a while', () => {
  let server: RedisServer;
  let connection: RedisConnection;
  beforeAll(async () => {
    server = await RedisServer.start();
    connection = await RedisConnection.open(server.url);
  });
  afterAll(async () => {
    connection.close();
    await server.process.remove();
  });

  test('counts released rows once and learned states once after it returns', async () => {
    const allowance = new RedisAllowance(connection, ledger, 0);
    const baselines = new RedisBaselines(connection);
    const held = await eventually(() => allowance.reserve('a', 1, 10, 100));
    await baselines.append('a', 'orders', stateOf('first'));
    server.process.signal('SIGSTOP');
    const asked = [
      allowance.reserve('a', 1, 20, 100),
      baselines.append('a', 'orders', stateOf('second')),
      // Released in the background later.
      allowance.release('a', 1, 3, held!.count),
    ];
    const [reserved, appended] = await Promise.allSettled(asked);
    expect([reserved, appended]).toMatchObject([AWAY, AWAY]);
    // As a request that failed does.
    await retryInBackground(() => baselines.callOff('a', 'orders', 'second')).catch(() => {});
    server.process.signal('SIGCONT');
    await eventually(async () => expect(await allowance.counted('a', 1)).toBe(47));
    const ids = async () => (await baselines.read('a', 'orders')).tail.map(({ id }) => id);
    await eventually(async () => expect(await ids()).toEqual(['first']));
    // Nor do they come later.
    await Bun.sleep(500);
    expect([await allowance.counted('a', 1), await ids()]).toEqual([47, ['first']]);
  }, 240_000);

  test('remembers a state that is called off before its source has a baseline', async () => {
    const baselines = new RedisBaselines(connection);
    expect(await baselines.callOff('a', 'visits', 'late')).toBe(true);
    await baselines.append('a', 'visits', stateOf('first'));
    expect(await baselines.append('a', 'visits', stateOf('late'))).toBe(false);
  });
});
