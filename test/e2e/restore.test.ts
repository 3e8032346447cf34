/** What docs/operation.md tells an operator to type brings back what was there: its commands are run as they stand. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { sluice } from '../cli/sluice.ts';
import { postgresBinaries } from '../servers/binaries.ts';
import { PostgresServer } from '../servers/postgres.ts';
import { eventually } from '../servers/process.ts';
import { RedisServer } from '../servers/redis.ts';
import { KEY, newFolder, run, Server } from './server.ts';

const ROOT = join(import.meta.dir, '../..');
const page = await Bun.file(join(ROOT, 'docs/operation.md')).text();

/** The block of commands that has this in it. */
const block = (part: string): string =>
  page
    .split('```sh\n')
    .slice(1)
    .map(each => each.split('```')[0]!)
    .find(each => each.includes(part))!;

/** Types it, with other folders. Throws with what it said when it fails. */
function typed(commands: string, folders: Record<string, string>, environment: Record<string, string> = {}) {
  let text = commands;
  for (const [name, folder] of Object.entries(folders)) text = text.replaceAll(name, folder);
  const PATH = [postgresBinaries(), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(':');
  const { exitCode, stderr } = Bun.spawnSync(['bash', '-euc', text], { env: { PATH, ...environment } });
  if (exitCode !== 0) throw new Error(`${text}\n${stderr}`);
}

const post = (server: Server, source: string, rows: object[]) =>
  eventually(async () => {
    const { status } = await server.post(JSON.stringify({ source, rows }));
    if (status !== 200) throw new Error(`${status} instead of 200`);
  });

const ROWS = Array.from({ length: 40 }, (_, i) => ({ id: i, city: ['Oslo', 'Rome'][i % 2], price: i / 4 }));

async function someBatches(server: Server): Promise<void> {
  for (let batch = 0; batch < 3; batch++) await post(server, 'orders', ROWS);
  await post(server, 'customers', ROWS.slice(0, 7));
}

/** What is to be gone after the restoration. */
async function laterBatches(server: Server): Promise<void> {
  await post(server, 'orders', ROWS);
  await post(server, 'later', ROWS);
}

/** What a client can see. */
async function seen({ url }: Server): Promise<unknown[]> {
  const paths = ['jobs', 'stats', 'schema', 'schema/orders', 'schema/customers', 'billing'];
  const answers = paths.map(path => fetch(`${url}/v1/${path}`, { headers: { 'X-API-Key': KEY } }));
  return Promise.all(answers.map(async answer => (await answer).json()));
}

test('the two SQLite files', async () => {
  const [data, copies] = [newFolder(), newFolder()];
  let before: unknown[];
  {
    await using server = await Server.start({}, data);
    await someBatches(server);
    before = await seen(server);
    const command = block('VACUUM INTO').replace('npx bun', 'bun');
    for (const name of ['baselines', 'sluice'])
      typed(command.replaceAll('sluice.sqlite', `${name}.sqlite`), {
        '/var/lib/sluice': data,
        '/backup': copies,
      });
    await laterBatches(server);
    expect(await seen(server)).not.toEqual(before);
  }
  await using restored = await Server.start({}, copies);
  expect(await seen(restored)).toEqual(before);
}, 240_000);

describe('Postgres and Redis', () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  let administrator: Record<string, string>;
  let stores: { DATABASE_URL: string; REDIS_URL: string };
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([
      PostgresServer.start(),
      RedisServer.start(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction']),
    ]);
    administrator = { PGHOST: '127.0.0.1', PGPORT: String(postgres.port), PGUSER: 'postgres' };
    const [making] = /createuser --pwprompt [^`]*/.exec(page)!;
    typed(making.replace('--pwprompt ', ''), {}, administrator);
    stores = { DATABASE_URL: postgres.url('sluice').replace('postgres@', 'sluice@'), REDIS_URL: redis.url };
  });
  afterAll(() => Promise.all([postgres?.process.remove(), redis?.process.remove()]));

  test('both dumps, whatever a later version has left', async () => {
    const copies = { '/backup': newFolder() };
    using _ = { [Symbol.dispose]: () => rmSync(copies['/backup'], { recursive: true }) };
    let before: unknown[];
    {
      await using server = await Server.start(stores);
      await someBatches(server);
      before = await seen(server);
      typed(block('pg_dump'), copies, stores);
      await laterBatches(server);
      expect(await seen(server)).not.toEqual(before);
    }
    await postgres.query('CREATE TABLE later (job text REFERENCES jobs)', 'sluice');
    typed(block('pg_restore'), copies, { ...administrator, ...stores });
    await redis.process.end();
    typed(block('appendonlydir'), { ...copies, '/var/lib/redis': redis.process.folder });
    await redis.restart();
    await using restored = await Server.start(stores);
    expect(await seen(restored)).toEqual(before);
    expect(await postgres.query("SELECT to_regclass('later') AS later", 'sluice')).toEqual([{ later: null }]);
  }, 240_000);

  test('a role that may not make tables is told so, in a line', async () => {
    await postgres.query('CREATE ROLE stranger LOGIN');
    await postgres.query('CREATE DATABASE other');
    const environment = { DATABASE_URL: postgres.url('other').replace('postgres@', 'stranger@'), PORT: '0' };
    const { code, stderr } = await run(environment);
    expect([code, stderr]).toEqual([
      1,
      'DATABASE_URL cannot be used: permission denied for database other\n',
    ]);
    const doctor = await sluice(['doctor'], { environment });
    expect([doctor.code, doctor.stdout]).toEqual([
      3,
      expect.stringContaining('this role cannot create tables'),
    ]);
  });
});

test('the unit for systemd names what is there, and waits longer than a stop takes', async () => {
  const unit = await Bun.file(join(ROOT, 'deploy/sluice.service')).text();
  const [, bun, main] = /^ExecStart=\/opt\/sluice\/(\S+) (\S+)$/m.exec(unit)!;
  for (const path of [bun!, main!]) expect(await Bun.file(join(ROOT, path)).exists()).toBe(true);
  const [, patience] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!;
  expect(Number(patience)).toBeGreaterThan(readConfig({}).drainSeconds);
});
