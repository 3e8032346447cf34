/** The stores on Redis, on one connection. */
import type { UsageStore } from '../ports.ts';
import type { Timeouts } from '../timeouts.ts';
import { RedisAllowance } from './allowance.ts';
import { RedisBaselines } from './baselines.ts';
import { RedisConnection } from './connection.ts';
import { RedisPubSub } from './pub-sub.ts';
import { RedisRates } from './rates.ts';

/** Rejects if no server answers. */
export async function openRedisStores(url: string, ledger: UsageStore, timeouts: Timeouts) {
  const connection = await RedisConnection.open(url, timeouts);
  const allowance = new RedisAllowance(connection, ledger);
  const check = async () => {
    await connection.ping();
    await allowance.checkSettled();
  };
  return {
    baselineStore: new RedisBaselines(connection),
    rates: new RedisRates(connection),
    allowance,
    pubSub: new RedisPubSub(connection),
    dependencies: [{ name: 'redis' as const, check }],
    prepare: async () => {},
  };
}
