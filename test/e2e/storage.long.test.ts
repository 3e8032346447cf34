/** One tenant fills what it may keep; the others do not notice. On the real program, with its own files and with a small Redis. */
import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { displayPrefix, secretSha256 } from '../../src/account/keys.ts';
import { SqlIdentities } from '../../src/stores/sql/identities.ts';
import { openSql } from '../../src/stores/sql/sqlite.ts';
import { RedisServer } from '../servers/redis.ts';
import { describeWithRedis } from '../servers/suites.ts';
import { KEY, newFolder, Server } from './server.ts';

const MIB = 1024 * 1024;
const BOUND = 8 * MIB;
const LIMITS = { MAX_BASELINE_BYTES: String(BOUND), MAX_SOURCES: '30', MAX_REPORT_BYTES: String(16 * MIB) };
const ATTEMPTS = 16;
const OTHER_KEY = `sluice_live_${'e3'.repeat(16)}`;

/** A folder with a second account. */
async function folderOfTwo(): Promise<string> {
  const folder = newFolder();
  const database = openSql(join(folder, 'sluice.sqlite'));
  await new SqlIdentities(database).ensureKey({
    account: 'other',
    email: null,
    plan: 'scale',
    keySha256: secretSha256(OTHER_KEY),
    keyPrefix: displayPrefix(OTHER_KEY),
    name: 'other',
    at: 0,
  });
  database.close();
  return folder;
}

const wideRow = (seed: number) =>
  Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`${'field '.repeat(50)}${i}`, `${seed} ${i}`] as const),
  );

interface Answer {
  code?: string;
  message?: string;
  stats?: { storage_full?: true };
}

const post = async (server: Server, source: string, rows: object[], key = KEY) => {
  const headers = { 'X-API-Key': key, 'Idempotency-Key': randomUUID() };
  for (;;) {
    const response = await server.post(JSON.stringify({ source, rows }), headers);
    const body = (await response.json()) as Answer;
    // A busy machine made the store late, perhaps for the request before.
    if (response.status !== 503 && body.code !== 'IDEMPOTENCY_CONFLICT')
      return { status: response.status, body };
    await Bun.sleep(100);
  }
};

async function fill(server: Server): Promise<string[]> {
  const stored: string[] = [];
  for (let i = 0; ; i++) {
    const source = `wide ${i}`;
    const { status, body } = await post(server, source, [wideRow(i)]);
    if (status !== 200) {
      expect([status, body.code]).toEqual([429, 'PLAN_LIMIT_EXCEEDED']);
      expect(body.message).toMatch(
        /^The account (keeps [\d.]+ MiB of baselines, of the 8\.0 MiB|has 30 sources of the 30)/,
      );
      return stored;
    }
    stored.push(source);
    const small = await post(server, `small ${i % 7}`, [{ i }], OTHER_KEY);
    expect(small.status).toBe(200);
  }
}

async function holds(server: Server): Promise<void> {
  const stored = await fill(server);
  expect(stored.length).toBeGreaterThan(3);
  // The tenant at its bound goes on with new attempts, and with the sources that it has.
  const attempts: Promise<{ status: number; body: Answer }>[] = [];
  for (let i = 0; i < ATTEMPTS; i++) {
    attempts.push(
      post(server, `more ${i}`, [wideRow(i)]),
      post(server, stored[i % stored.length]!, [wideRow(i)]),
    );
    for (let n = 0; n < 3; n++) {
      const { status, body } = await post(server, `small ${(i + n) % 7}`, [{ i }], OTHER_KEY);
      expect([status, body.stats?.storage_full]).toEqual([200, undefined]);
    }
  }
  const answers = await Promise.all(attempts);
  const refused = answers.filter((_, i) => i % 2 === 0);
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
  const known = answers.filter((_, i) => i % 2 === 1);
  expect(new Set(known.map(({ status }) => status))).toEqual(new Set([200]));
  expect(known.at(-1)!.body.stats!.storage_full).toBe(true);
  // A reset makes room.
  const headers = { 'X-API-Key': KEY };
  const url = `${server.url}/v1/schema/${encodeURIComponent(stored[0]!)}`;
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
  expect((await post(server, 'fresh', [{ a: 1 }])).status).toBe(200);
}

test('with its own files', async () => {
  await using server = await Server.start(LIMITS, await folderOfTwo());
  await holds(server);
}, 240_000);

describeWithRedis('with Redis', () => {
  test('that has little memory', async () => {
    const redis = await RedisServer.start(['--maxmemory', '32mb', '--maxmemory-policy', 'noeviction']);
    await redis.settled();
    {
      await using server = await Server.start({ ...LIMITS, REDIS_URL: redis.url }, await folderOfTwo());
      await holds(server);
    }
    await redis.process.remove();
  }, 240_000);
});
