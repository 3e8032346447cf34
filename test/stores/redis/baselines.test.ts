import { afterAll, beforeAll } from 'bun:test';
import { RedisBaselines } from '../../../src/stores/redis/baselines.ts';
import { RedisConnection } from '../../../src/stores/redis/connection.ts';
import { baselineStoreContract } from '../../contract/baseline-store.ts';
import { RedisCluster, RedisServer } from '../../servers/redis.ts';
import { describeWithRedis } from '../../servers/suites.ts';

/** Two connections, to servers that nothing else is in. */
async function pairOn(url: string, empty: () => Promise<unknown>) {
  await empty();
  const [one, other] = await Promise.all([RedisConnection.open(url), RedisConnection.open(url)]);
  return {
    one: new RedisBaselines(one),
    other: new RedisBaselines(other),
    close: async () => {
      one.close();
      other.close();
    },
  };
}

describeWithRedis('a single Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.process.remove());

  baselineStoreContract('Redis', () => pairOn(server.url, () => server.command('FLUSHALL')));
});

describeWithRedis('three nodes', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });
  afterAll(() => cluster.remove());

  baselineStoreContract('Redis Cluster', () =>
    pairOn(cluster.url, () => Promise.all(cluster.nodes.map(node => node.command('FLUSHALL')))),
  );
});
