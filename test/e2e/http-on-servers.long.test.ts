/**
 * The tests of the application, which a plain run makes on the embedded stores, once more on Redis with Postgres: those whose
 * result can depend on what stores. `test/http/isolation.test.ts` asks every route there is.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { IN_HASTE, PostgresServer } from '../servers/postgres.ts';
import { RedisServer } from '../servers/redis.ts';
import { describeWithBoth } from '../servers/suites.ts';

const ROOT = join(import.meta.dir, '../..');
/** Each service of a test has a database of its own in both. */
const DATABASES = 200;
const PRELOAD = './test/http/stores.ts';

/** Documents, the bytes of requests and pages, and findings: of a store they need what `test/ports/` shows, that it gives back what it got. */
const WITHOUT_STORES = [
  'documents/*',
  'wire/*',
  'client-address',
  'dashboard',
  'dates',
  'docs',
  'duplicate-rows',
  'email-share',
  'many-fields',
  'metrics',
  'new-values',
  'parameters',
  'refusals',
  'route-patterns',
  'routes',
  'rows',
  'source-path',
  'store-values-damage',
  'unsent-bytes',
].map(name => new Bun.Glob(`test/http/${name}.test.ts`));

const files = [...new Bun.Glob('test/http/**/*.test.ts').scanSync(ROOT)]
  .filter(file => !WITHOUT_STORES.some(each => each.match(file)))
  .sort();

describeWithBoth('on Redis with Postgres', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  beforeAll(async () => {
    redis = await RedisServer.start(['--databases', String(DATABASES)]);
    postgres = await PostgresServer.start(IN_HASTE);
  }, 240_000);
  afterAll(() => Promise.all([redis.process.remove(), postgres.process.remove()]));

  test('what is left out is there', () => {
    for (const each of WITHOUT_STORES) expect([...each.scanSync(ROOT)]).not.toEqual([]);
  });

  test('every other test in test/http passes', async () => {
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
  const child = Bun.spawn([process.execPath, 'test', '--preload', PRELOAD, '--timeout', '240000', ...files], {
    cwd: ROOT,
    env: { ...process.env, TEST_REDIS_URL: redis, TEST_POSTGRES_URL: postgres },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const output = await new Response(child.stderr).text();
  const count = (what: string) => Number(new RegExp(`^ *(\\d+) ${what}$`, 'm').exec(output)?.[1]);
  return { exitCode: await child.exited, passed: count('pass'), failed: count('fail'), output };
}
