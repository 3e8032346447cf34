/**
 * What was answered survives the process being killed at any point. A plain run kills five times, on one folder, and
 * KILLED_ROUNDS=20 twenty times; 30 is the most, for a source remembers the ids of 1,000 folded states.
 */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { KEY, newFolder, Server } from './server.ts';

const ROUNDS = Number(process.env.KILLED_ROUNDS ?? 5);
const CLIENTS = 16;
const SOURCES = ['orders', 'visits', 'eu/returns', 'Größen'];

/** What clients know of their requests to one source. */
class Receipts {
  sent = 0;
  /** 200s whose head arrived. */
  received = 0;
  /** Rows by request id, of those whose body arrived too. */
  readonly answered = new Map<string, number>();
}

/** Alike in every batch, so that none is a BLOCK, which is not learned. */
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, row) => ({ id: `a${row % 10}`, city: 'Oslo', amount: 2.25 }));

/** Posts one batch after another until the server is gone. */
async function postAll(server: Server, source: string, receipts: Receipts, kill: Countdown): Promise<void> {
  for (;;) {
    const rows = 10 + (receipts.sent++ % 40);
    const id = await idOfPost(server, source, rows, receipts).catch(error => {
      if (kill.done) return null;
      throw error;
    });
    if (id === null) return;
    receipts.answered.set(id, rows);
    kill.answered();
  }
}

async function idOfPost(server: Server, source: string, rows: number, receipts: Receipts): Promise<string> {
  const response = await server.post(JSON.stringify({ source, rows: rowsOf(rows) }));
  if (response.status === 200) receipts.received++;
  const { request_id, status } = (await response.json()) as { request_id?: string; status?: string };
  // A refusal has none: no posts of this test deserve one.
  if (request_id === undefined) throw new Error(`${response.status} instead of 200`);
  if (status === 'BLOCK') throw new Error(`${request_id} is a BLOCK`);
  return request_id;
}

/** Kills the server once so many requests were answered; those of all other clients are under way then. */
class Countdown {
  done: Promise<number> | undefined;
  #left: number;

  constructor(
    readonly server: Server,
    answers: number,
  ) {
    this.#left = answers;
  }

  answered(): void {
    if (--this.#left === 0) this.done = this.server.kill('SIGKILL');
  }
}

async function postUntilKilled(
  server: Server,
  bySource: Map<string, Receipts>,
  answers: number,
): Promise<void> {
  const kill = new Countdown(server, answers);
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    const source = SOURCES[index % SOURCES.length]!;
    return postAll(server, source, bySource.get(source)!, kill);
  });
  await Promise.all(clients);
  expect(await kill.done).not.toBe(0);
}

interface Kept {
  jobs: { id: string; source: string; rows: number }[];
  integrity: unknown[];
  ledger: unknown;
  jobSums: unknown;
  allowance: unknown;
  reports: unknown;
  states: string[];
}

/** What lies on the disk, read beside the running process. */
function kept(folder: string): Kept {
  const accounts = new Database(join(folder, 'sluice.sqlite'), { readonly: true });
  const baselines = new Database(join(folder, 'baselines.sqlite'), { readonly: true });
  try {
    const sums = (columns: string, table: string): unknown =>
      accounts
        .query(`SELECT account, period_start, ${columns} FROM ${table} GROUP BY account, period_start`)
        .all();
    return {
      integrity: [accounts, baselines].map(database => database.query('PRAGMA integrity_check').all()),
      jobs: accounts
        .query<Kept['jobs'][number], []>('SELECT id, source, rows_received AS rows FROM jobs')
        .all(),
      ledger: sums('sum(rows) AS rows, sum(requests) AS requests', 'ledger'),
      jobSums: sums('sum(rows_received) AS rows, count(*) AS requests', 'jobs'),
      allowance: sums('sum(rows) AS rows', 'allowance'),
      reports: accounts.query('SELECT count(*) AS n FROM reports').get(),
      states: baselines
        .query<{ id: string }, []>(
          'SELECT id FROM state UNION ALL SELECT id FROM folded_state WHERE called_off = 0',
        )
        .all()
        .map(({ id }) => id),
    };
  } finally {
    accounts.close();
    baselines.close();
  }
}

function checkSource(source: string, receipts: Receipts, { jobs, states }: Kept, killings: number): void {
  const ofSource = jobs.filter(job => JSON.parse(job.source) === source);
  const rowsById = new Map(ofSource.map(({ id, rows }) => [id, rows]));
  const appended = new Set(states);
  for (const [id, rows] of receipts.answered) {
    expect([id, rowsById.get(id)]).toEqual([id, rows]);
    expect([id, appended.has(id)]).toEqual([id, true]);
  }
  // Besides those answered there may be what was under way: one request of each of its clients a killing.
  expect(ofSource.length).toBeGreaterThanOrEqual(receipts.received);
  const underWay = (killings * CLIENTS) / SOURCES.length;
  expect(ofSource.length - receipts.answered.size).toBeLessThanOrEqual(underWay);
}

function checkSums({ integrity, jobs, ledger, jobSums, allowance, reports, states }: Kept): void {
  expect(integrity).toEqual([[{ integrity_check: 'ok' }], [{ integrity_check: 'ok' }]]);
  expect(ledger).toEqual(jobSums);
  const counted = (ledger as { requests?: number }[]).map(({ requests: _, ...rows }) => rows);
  expect(allowance).toEqual(counted);
  expect(reports).toEqual({ n: jobs.length });
  expect(new Set(states).size).toBe(states.length);
}

/** The program reads its baselines, and they rest on every batch that was answered. */
async function checkBaseline(server: Server, source: string, receipts: Receipts): Promise<void> {
  const response = await fetch(`${server.url}/v1/schema/${encodeURIComponent(source)}`, {
    headers: { 'X-API-Key': KEY },
  });
  const { batches, rows } = (await response.json()) as { batches: number; rows: number };
  expect(batches).toBeGreaterThanOrEqual(receipts.answered.size);
  const answeredRows = [...receipts.answered.values()].reduce((sum, each) => sum + each, 0);
  expect(rows).toBeGreaterThanOrEqual(answeredRows);
}

test('killed under 16 concurrent posts and started again: every 200 has its job, its rows and its baseline state, once', async () => {
  const folder = newFolder();
  const bySource = new Map(SOURCES.map(source => [source, new Receipts()]));
  let server = await Server.start({}, folder);
  for (let killings = 1; killings <= ROUNDS; killings++) {
    await postUntilKilled(server, bySource, 20 + ((killings * 67) % 180));
    server = await Server.start({}, folder);
    const now = kept(folder);
    checkSums(now);
    for (const [source, receipts] of bySource) {
      checkSource(source, receipts, now, killings);
      await checkBaseline(server, source, receipts);
    }
  }
  await server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
  const answered = [...bySource.values()].reduce((sum, receipts) => sum + receipts.answered.size, 0);
  console.info(`${answered} answers over ${ROUNDS} killings`);
}, 600_000);
