/** All tests of the application, which a plain run makes on the embedded stores, once more on Redis with Postgres. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { IN_HASTE, PostgresServer } from '../servers/postgres.ts';
import { RedisServer } from '../servers/redis.ts';
import { describeWithBoth } from '../servers/suites.ts';

const ROOT = join(import.meta.dir, '../..');
/** Each service of a test has a database of its own in both. */
const DATABASES = 200;
const PRELOAD = './test/http/stores.ts';

describeWithBoth('on Redis with Postgres', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  beforeAll(async () => {
    redis = await RedisServer.start(['--databases', String(DATABASES)]);
    postgres = await PostgresServer.start(IN_HASTE);
  }, 60_000);
  afterAll(() => Promise.all([redis.process.remove(), postgres.process.remove()]));

  test('every test in test/http passes', async () => {
    const { passed, failed, output, exitCode } = await run(redis.url, postgres.url());
    console.info(`test/http on ${redis.url} and ${postgres.url()}: ${passed} passed, ${failed} failed`);
    expect([exitCode, failed, failed ? output : '']).toEqual([0, 0, '']);
    // They did run, and where they say.
    expect(passed).toBeGreaterThan(500);
    const databases = await postgres.query("SELECT 1 FROM pg_database WHERE datname LIKE 'http_%'");
    expect(databases.length).toBeGreaterThan(1);
    const [, calls] = /cmdstat_evalsha:calls=(\d+)/.exec(
      String(await redis.command('INFO', 'commandstats')),
    )!;
    expect(Number(calls)).toBeGreaterThan(passed);
  }, 480_000);
});

async function run(redis: string, postgres: string) {
  const child = Bun.spawn(
    [process.execPath, 'test', '--preload', PRELOAD, '--timeout', '60000', 'test/http'],
    {
      cwd: ROOT,
      env: { ...process.env, TEST_REDIS_URL: redis, TEST_POSTGRES_URL: postgres },
      stdout: 'ignore',
      stderr: 'pipe',
    },
  );
  const output = await new Response(child.stderr).text();
  const count = (what: string) => Number(new RegExp(`^ *(\\d+) ${what}$`, 'm').exec(output)?.[1]);
  return { exitCode: await child.exited, passed: count('pass'), failed: count('fail'), output };
}
