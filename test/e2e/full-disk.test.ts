/** The embedded stores on a disk that is full for a while: a file system of their own, which only root may make. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { PLANS } from '../../src/account/plans.ts';
import { Lateness } from '../servers/lateness.ts';
import { eventually } from '../servers/process.ts';
import { Load } from './load.ts';
import { KEY, newFolder, Server } from './server.ts';

const CLIENTS = 8;
const LONGEST_REPLY_MS = 1500;
/** Full after some dozens of batches; then there is room. */
const SMALL = '2m';
const LARGE = '64m';

const mount = (folder: string, options: string): boolean =>
  Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stderr: 'ignore' }).success;
const unmount = (folder: string): void => void Bun.spawnSync(['umount', '--lazy', folder]);

function canMount(): boolean {
  if (process.getuid?.() !== 0 || !Bun.which('mount')) return false;
  const folder = newFolder();
  const mounted = mount(folder, 'size=64k');
  if (mounted) unmount(folder);
  rmSync(folder, { recursive: true });
  return mounted;
}

const describeWithMount = canMount() ? describe : describe.skip;

describeWithMount('on a disk that is full', () => {
  const folder = newFolder();
  let server: Server;
  beforeAll(async () => {
    mount(folder, `size=${SMALL},mode=700`);
    server = await Server.start({}, folder);
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    unmount(folder);
    rmSync(folder, { recursive: true });
  });

  test('batches are refused with 503 and leave nothing behind, and are served again as soon as there is room', async () => {
    using lateness = new Lateness();
    const load = new Load(CLIENTS, () => server, true);
    try {
      await eventually(async () =>
        expect(statusesOf(load).slice(-CLIENTS)).toEqual(Array(CLIENTS).fill(503)),
      );
      await checkProbes(server);
      expect(statfsSync(folder).bavail).toBeLessThan(64);
      mount(folder, `remount,size=${LARGE}`);
      const back = load.replies.length;
      const ready = async () => expect((await ask(server, '/v1/ready')).status).toBe(200);
      await eventually(ready);
      const served = async () => expect(statusesOf(load).slice(back)).toContain(200);
      await eventually(served);
    } finally {
      // Some clients do not end before they have their 200.
      mount(folder, `remount,size=${LARGE}`);
      await load.end();
    }
    expect(load.failures).toEqual([]);
    expect(new Set(statusesOf(load))).toEqual(new Set([200, 503]));
    expect(load.replies.filter(({ status, retryAfter }) => status === 503 && !retryAfter)).toEqual([]);
    expect(Math.max(...load.replies.map(({ ms }) => ms)) - lateness.ms).toBeLessThan(LONGEST_REPLY_MS);
    await eventually(async () => checkBooks(folder, load, await countedBy(server)));
  }, 240_000);
});

const statusesOf = ({ replies }: Load): number[] => replies.map(({ status }) => status);

const ask = (server: Server, path: string): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers: { 'X-API-Key': KEY } });

async function checkProbes(server: Server): Promise<void> {
  expect((await ask(server, '/v1/health')).status).toBe(200);
  const response = await ask(server, '/v1/ready');
  expect([response.status, await response.json()]).toMatchObject([503, { missing: ['sqlite'] }]);
}

/** Rows that the process counts against the allowance, held ones included. */
async function countedBy(server: Server): Promise<number> {
  const response = await server.post(
    JSON.stringify({ source: 'dry', rows: [{ id: 1 }], options: { dry_run: true } }),
  );
  return PLANS.scale.rowsPerPeriod - Number(response.headers.get('x-ratelimit-remaining'));
}

/** Every 200 has its job once, and all that counts says the same. */
function checkBooks(folder: string, { receipts }: Load, counted: number): void {
  const accounts = new Database(join(folder, 'sluice.sqlite'), { readonly: true });
  const baselines = new Database(join(folder, 'baselines.sqlite'), { readonly: true });
  try {
    const one = (query: string) => Object.values(accounts.query<object, []>(query).get()!)[0] as number;
    const jobs = accounts
      .query<{ id: string; rows: number }, []>('SELECT id, rows_received AS rows FROM jobs')
      .all();
    const rowsById = new Map(jobs.map(({ id, rows }) => [id, rows]));
    for (const { id, rows } of receipts) expect([id, rowsById.get(id)]).toEqual([id, rows]);
    const rows = jobs.reduce((total, job) => total + job.rows, 0);
    expect({
      receipts: receipts.length,
      ledger: one('SELECT sum(rows) FROM ledger'),
      requests: one('SELECT sum(requests) FROM ledger'),
      reports: one('SELECT count(*) FROM reports'),
      counted,
    }).toEqual({
      receipts: jobs.length,
      ledger: rows,
      requests: jobs.length,
      reports: jobs.length,
      counted: rows,
    });
    const states = baselines
      .query<{ id: string }, []>(
        'SELECT id FROM state UNION ALL SELECT id FROM folded_state WHERE called_off = 0',
      )
      .all();
    expect(states.map(({ id }) => id).sort()).toEqual([...rowsById.keys()].sort());
    expect(accounts.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  } finally {
    accounts.close();
    baselines.close();
  }
}
