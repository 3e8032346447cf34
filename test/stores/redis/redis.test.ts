import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { RedisAllowance } from '../../../src/stores/redis/allowance.ts';
import { RedisPubSub } from '../../../src/stores/redis/pub-sub.ts';
import { RedisBaselines } from '../../../src/stores/redis/baselines.ts';
import { keyOf, RedisConnection } from '../../../src/stores/redis/connection.ts';
import { ROOM_STEP, UNBOUNDED } from '../../../src/stores/ports.ts';
import { RedisRates } from '../../../src/stores/redis/rates.ts';
import { allowanceStoreContract } from '../../ports/allowance-store.ts';
import { pubSubContract } from '../../ports/pub-sub.ts';
import { baselineStoreContract } from '../../ports/baseline-store.ts';
import { rateStoreContract } from '../../ports/rate-store.ts';
import { Lateness, PATIENT } from '../../servers/lateness.ts';
import { eventually } from '../../servers/process.ts';
import { RedisCluster, RedisServer } from '../../servers/redis.ts';
import { describeWithRedis } from '../../servers/suites.ts';

const ledgerOf = (rows: (periodStart: number) => number) => ({
  usage: async (_: string, periodStart: number) => ({ rows: rows(periodStart), requests: 0 }),
});
/** Nobody was there before. */
const SETTLED = 0;

/** Two connections to servers that nothing else is in. */
async function pairOn<T>(url: string, make: (connection: RedisConnection) => T) {
  const [one, other] = await Promise.all([1, 2].map(() => RedisConnection.open(url, PATIENT)));
  return {
    one: make(one!),
    other: make(other!),
    close: async () => {
      one!.close();
      other!.close();
    },
  };
}

const LONGEST_REPLY_MS = 1500;

/** All suites, on the servers at `url`. */
function contracts(name: string, url: () => string, empty: () => Promise<unknown>): void {
  const open =
    <T>(make: (connection: RedisConnection) => T) =>
    async () => {
      await empty();
      return pairOn(url(), make);
    };
  baselineStoreContract(
    name,
    open(connection => new RedisBaselines(connection)),
  );
  pubSubContract(
    name,
    open(connection => new RedisPubSub(connection)),
  );
  rateStoreContract(
    name,
    open(connection => new RedisRates(connection)),
  );
  allowanceStoreContract(
    name,
    open(
      connection =>
        new RedisAllowance(
          connection,
          ledgerOf(() => 0),
          SETTLED,
        ),
    ),
  );
}

describeWithRedis('a single Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.process.remove());

  test('a rate from before its clock was set back delays an account by at most one interval', async () => {
    await server.command('FLUSHALL');
    const connection = await RedisConnection.open(server.url, PATIENT);
    await server.command('SET', keyOf('rate', 'a'), String(Date.now() + 3_600_000));
    const rates = new RedisRates(connection);
    const rate = { requestsPerSecond: 10, burst: 10 };
    expect((await rates.take('a', rate)).allowed).toBe(false);
    await Bun.sleep(110);
    expect((await rates.take('a', rate)).allowed).toBe(true);
    connection.close();
  });

  test('what an older version has stored is counted at first use', async () => {
    await server.command('FLUSHALL');
    const connection = await RedisConnection.open(server.url, PATIENT);
    const store = new RedisBaselines(connection);
    const add = (source: string, id: string, given = UNBOUNDED) =>
      store.append('acc', source, { id, state: new Uint8Array(100_000) }, given);
    for (const source of ['a', 'b', 'c']) for (const id of ['x', 'y']) await add(source, id);
    await store.keepVersion('acc', 'a', '', new Uint8Array(9000));
    await store.setTexts('acc', 'b', { settings: null }, { settings: '{}' });
    const kept = await store.kept('acc');
    await server.command('DEL', keyOf('rooms', 'acc'), keyOf('copied', 'acc'));
    for (const base of (await server.command('KEYS', '*:base')) as string[])
      await server.command('HDEL', base, 'room', 'bytes', 'measured', 'learned');
    expect(await store.kept('acc')).toEqual(kept);
    expect(Date.now() - (await store.lastLearned('acc', 'a'))).toBeLessThan(3_600_000);
    await server.command('DEL', keyOf('rooms', 'acc'), keyOf('copied', 'acc'));
    const refusal = (bound: string) => new Error(bound);
    const full = { sources: 9, bytes: kept.bytes, refusal };
    await expect(add('d', 'x', full)).rejects.toThrow('bytes');
    await expect(add('d', 'x', { ...full, sources: 3 })).rejects.toThrow('sources');
    await add('a', 'z', { ...full, bytes: kept.bytes + 2 * ROOM_STEP });
    for (const source of ['a', 'b', 'c']) await store.forget('acc', source);
    expect(await store.kept('acc')).toEqual({ sources: 0, bytes: 0 });
    connection.close();
  });

  test('nothing is left of sources that were forgotten', async () => {
    await server.command('FLUSHALL');
    const connection = await RedisConnection.open(server.url, PATIENT);
    const store = new RedisBaselines(connection);
    for (let i = 0; i < 5; i++) {
      const source = `s${i}`;
      await store.append('acc', source, { id: 'x', state: new Uint8Array(9) });
      await store.keepVersion('acc', source, '', new Uint8Array(9));
      await store.setTexts('acc', source, { settings: null }, { settings: '{}' });
      await store.noteRun('acc', source, { since: 'x', last: 'x', causes: '' });
      await store.reset('acc', source);
      await store.forget('acc', source);
    }
    const left = (await server.command('KEYS', 'sluice:*')) as string[];
    expect(left.filter(key => !key.endsWith(':ready'))).toEqual([keyOf('rooms', 'acc')]);
    connection.close();
  });

  contracts(
    'Redis',
    () => server.url,
    () => server.command('FLUSHALL'),
  );

  describe('an allowance in Redis', () => {
    test('starts with the counts of the ledger', async () => {
      const connection = await RedisConnection.open(server.url);
      const allowance = new RedisAllowance(
        connection,
        ledgerOf(period => period + 40),
        SETTLED,
      );
      expect(await eventually(() => allowance.reserve('a', 2, 50, 100))).toMatchObject({ left: 8 });
      expect(await allowance.reserve('a', 3, 58, 100)).toBeNull();
      expect(await allowance.counted('a', 2)).toBe(92);
      connection.close();
    });

    test('grants rows to the first requests of an account that come at once', async () => {
      const connection = await RedisConnection.open(server.url);
      let written = 0;
      const first: RedisAllowance = new RedisAllowance(
        connection,
        ledgerOf(() => written),
        SETTLED,
      );
      await eventually(() => first.checkSettled());
      // The first request is granted and written before the second has read the ledger.
      const second = new RedisAllowance(
        connection,
        {
          usage: async () => {
            if (written === 0) await first.reserve('d', 1, 10, 100);
            written = 10;
            return { rows: written, requests: 1 };
          },
        },
        SETTLED,
      );
      expect(await second.reserve('d', 1, 20, 100)).toMatchObject({ left: 70 });
      connection.close();
    });

    test('counts requests in progress when the counts were lost, after they are in the ledger', async () => {
      const connection = await RedisConnection.open(server.url);
      let written = 0;
      const allowance = new RedisAllowance(
        connection,
        ledgerOf(() => written),
        SETTLED,
      );
      const [before, failed] = await Promise.all([10, 20].map(rows => allowance.reserve('c', 1, rows, 100)));
      written = 50;
      await server.command('FLUSHALL');
      await expect(allowance.reserve('c', 1, 1, 100)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      written += 10;
      expect(await eventually(() => allowance.reserve('c', 1, 1, 100))).toMatchObject({ left: 39 });
      // The rebuilt count has neither of them.
      for (const held of [before, failed]) await allowance.release('c', 1, 20, held!.count);
      expect(await allowance.counted('c', 1)).toBe(61);
      connection.close();
    });

    test('is settled by its own word exactly when it grants, in the first seconds of a server', async () => {
      const young = await RedisServer.start();
      const connection = await RedisConnection.open(young.url);
      const allowance = new RedisAllowance(
        connection,
        ledgerOf(() => 0),
      );
      const isFine = (asked: Promise<unknown>) =>
        asked.then(
          () => true,
          () => false,
        );
      const seen = new Set<string>();
      await eventually(async () => {
        const before = await isFine(allowance.checkSettled());
        const granted = await isFine(allowance.reserve('young', 1, 1, 1_000_000));
        const after = await isFine(allowance.checkSettled());
        // A second may begin between two questions.
        if (before === after) expect(granted).toBe(before);
        seen.add(String(granted));
        expect(granted).toBe(true);
      });
      expect([...seen]).toEqual(['false', 'true']);
      connection.close();
      await young.process.remove();
    }, 240_000);

    test('rebuilds the counts from the ledger after a loss, when no older request can still write', async () => {
      const connection = await RedisConnection.open(server.url);
      const allowance = new RedisAllowance(
        connection,
        ledgerOf(() => 70),
      );
      await server.settled();
      const before = (await eventually(() => allowance.reserve('b', 1, 10, 100)))!;
      await server.process.end('SIGKILL');
      await expect(allowance.reserve('b', 1, 10, 100)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await server.restart();
      const refused: unknown[] = [];
      for (;;) {
        const said = await allowance.reserve('b', 1, 10, 100).catch(error => refused.push(error) && error);
        if (refused.length === 0 || said !== refused.at(-1)) {
          expect(said).toMatchObject({ left: 20 });
          break;
        }
        expect(said).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        await Bun.sleep(50);
      }
      expect(refused.length).toBeGreaterThan(0);
      // The rebuilt count does not have the earlier reservation.
      await allowance.release('b', 1, 10, before.count);
      expect(await allowance.counted('b', 1)).toBe(80);
      connection.close();
    });
  });
});

describeWithRedis('three nodes', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });
  afterAll(() => cluster.remove());

  contracts(
    'Redis Cluster',
    () => cluster.url,
    () => Promise.all(cluster.nodes.map(node => node.command('FLUSHALL'))),
  );

  test('with a killed node fails its keys soon enough for a request with two calls, and serves the rest', async () => {
    const connection = await RedisConnection.open(cluster.url);
    const allowance = new RedisAllowance(
      connection,
      ledgerOf(() => 0),
      SETTLED,
    );
    const accounts = Array.from({ length: 24 }, (_, i) => `account ${i}`);
    const reserve = (account: string) => allowance.reserve(account, 1, 1, 100);
    await Promise.all(accounts.map(reserve));
    // Not the one that is asked whether all is well.
    const nodes = await Promise.all(
      cluster.nodes.map(async node => ({
        node,
        own: await node.command('GET', 'sluice:ready').catch(() => 'elsewhere'),
      })),
    );
    const { node } = nodes.find(({ own }) => own === 'elsewhere')!;
    using lateness = new Lateness();
    await node.process.end('SIGKILL');
    const outcomes = await Promise.all(
      accounts.map(async account => {
        const start = performance.now();
        const first = await reserve(account).catch(error => error);
        const second = await reserve(account).catch(error => error);
        return { codes: [first.code, second.code], ms: performance.now() - start };
      }),
    );
    await node.restart();
    connection.close();
    const failed = outcomes.filter(({ codes }) => codes[0] !== undefined);
    expect(failed.length).toBeWithin(1, accounts.length);
    for (const { codes } of failed) expect(codes).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
    expect(Math.max(...failed.map(({ ms }) => ms)) - lateness.ms).toBeLessThan(LONGEST_REPLY_MS);
  });
});
