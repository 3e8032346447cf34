import { afterAll } from 'bun:test';
import { PostgresServer } from '../servers/postgres.ts';
import { RedisServer } from '../servers/redis.ts';
import { describeWithBoth, describeWithRedis } from '../servers/suites.ts';
import { killedBetween } from './killed-between.ts';

describeWithRedis('on Redis and SQLite', () => {
  let redis: RedisServer;
  killedBetween(async () => {
    redis = await RedisServer.start();
    return { REDIS_URL: redis.url };
  });
  afterAll(() => redis.process.remove());
});

describeWithBoth('on Redis and Postgres', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  killedBetween(async () => {
    [redis, postgres] = await Promise.all([RedisServer.start(), PostgresServer.start()]);
    return { REDIS_URL: redis.url, DATABASE_URL: await postgres.newDatabase() };
  });
  afterAll(async () => {
    await redis.process.remove();
    await postgres.process.remove();
  });
});
