/**
 * What a fault of a store does to requests under way and to those that come while it lasts: nothing that a client could
 * not mend by sending its request again.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { renameDatabase } from '../servers/postgres.ts';
import { describeWithBoth } from '../servers/suites.ts';
import { Lateness } from '../servers/lateness.ts';
import { eventually } from '../servers/process.ts';
import { type Books, Fleet } from './fleet.ts';
import { Load, type Receipt } from './load.ts';

const CLIENTS = 12;
/** How long a fault lasts once it is noticed. */
const LASTS_MS = Number(process.env.FAULT_MS ?? 600);
/** Three waits of STORE_TIMEOUT_MS, and the same again. */
const LONGEST_REPLY_MS = 3000;
const RECOVERY_MS = 5000;
/** Until a Redis comes back without what it had not written down. */
let baselinesAreWhole = true;
/**
 * Batches that baselines may have beside those of the jobs: at most all that were under way when Postgres went away. Nobody
 * knows of one whether it was written until Postgres is back, and what was folded meanwhile is not taken back.
 */
let mayBeFolded = 0;
/** All batches so far that have their 200. */
const receipts: Receipt[] = [];

/** Breaks something, and mends it. */
interface Fault {
  dependency: 'redis' | 'postgres';
  begin(fleet: Fleet): Promise<unknown>;
  end(fleet: Fleet): Promise<unknown>;
}

/** Longer than STORE_TIMEOUT_MS. */
const SLOW_MS = 700;

const FAULTS: Record<string, Fault> = {
  'Redis frozen': {
    dependency: 'redis',
    begin: async ({ redis }) => redis.process.signal('SIGSTOP'),
    end: async ({ redis }) => redis.process.signal('SIGCONT'),
  },
  'Redis slow': {
    dependency: 'redis',
    begin: async ({ ways }) => (ways.redis.delayMs = SLOW_MS),
    end: async ({ ways }) => (ways.redis.delayMs = 0),
  },
  'Redis silent on the connections that stand': {
    dependency: 'redis',
    begin: async ({ ways }) => {
      ways.redis.isClosed = true;
      ways.redis.silence();
    },
    end: async ({ ways }) => (ways.redis.isClosed = false),
  },
  'Redis out of memory': {
    dependency: 'redis',
    begin: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
    end: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
  },
  'Redis a replica that takes no writes': {
    dependency: 'redis',
    begin: ({ redis }) => redis.command('REPLICAOF', '127.0.0.1', '1'),
    end: ({ redis }) => redis.command('REPLICAOF', 'NO', 'ONE'),
  },
  'Postgres frozen': {
    dependency: 'postgres',
    begin: ({ postgres }) => postgres.signalAll('SIGSTOP'),
    end: ({ postgres }) => postgres.signalAll('SIGCONT'),
  },
  'Postgres slow': {
    dependency: 'postgres',
    begin: async ({ ways }) => (ways.postgres.delayMs = SLOW_MS),
    end: async ({ ways }) => (ways.postgres.delayMs = 0),
  },
  'Postgres silent on the connections that stand': {
    dependency: 'postgres',
    begin: async ({ ways }) => {
      ways.postgres.isClosed = true;
      ways.postgres.silence();
    },
    end: async ({ ways }) => (ways.postgres.isClosed = false),
  },
  'Postgres read-only': {
    dependency: 'postgres',
    begin: ({ postgres }) => readOnly(postgres, 'on'),
    end: ({ postgres }) => readOnly(postgres, 'off'),
  },
  'Postgres killed and started again': {
    dependency: 'postgres',
    begin: ({ postgres }) => postgres.process.end('SIGQUIT'),
    end: ({ postgres }) => postgres.restart(),
  },
  'Postgres failed over to an empty database': {
    dependency: 'postgres',
    begin: async ({ postgres, database }) => {
      await renameDatabase(postgres, database, 'whole');
      await postgres.query(`CREATE DATABASE ${database}`);
    },
    end: async ({ postgres, database }) => {
      await renameDatabase(postgres, database, 'empty');
      await renameDatabase(postgres, 'whole', database);
    },
  },
  'Redis killed and started again, with what it had written down': {
    dependency: 'redis',
    begin: async ({ redis }) => {
      await redis.command('SAVE');
      baselinesAreWhole = false;
      await redis.process.end('SIGKILL');
    },
    end: ({ redis }) => redis.restart(),
  },
};

async function readOnly(postgres: Fleet['postgres'], value: string): Promise<void> {
  await postgres.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await postgres.query('SELECT pg_reload_conf()');
}

let fleet: Fleet;

describeWithBoth('under load, with', () => {
  beforeAll(async () => {
    fleet = await Fleet.start(2, true);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  for (const [name, fault] of Object.entries(FAULTS)) test(name, () => survive(name, fault), 60_000);
});

async function survive(name: string, fault: Fault): Promise<void> {
  using lateness = new Lateness();
  const load = new Load(CLIENTS, () => fleet.next(), true);
  if (fault.dependency === 'postgres') mayBeFolded += CLIENTS;
  let recoveryMs = 0;
  try {
    recoveryMs = await through(fault, load);
  } finally {
    await load.end();
    receipts.push(...load.receipts);
  }
  const longestMs = Math.max(...load.replies.map(({ ms }) => ms));
  const [longest, late] = [longestMs, lateness.ms].map(Math.round);
  console.info(
    `${name}: longest reply ${longest} ms, back after ${recoveryMs} ms; the machine was ${late} ms late`,
  );
  checkReplies(load);
  expect(longestMs - lateness.ms).toBeLessThan(LONGEST_REPLY_MS);
  expect(recoveryMs - lateness.ms).toBeLessThan(RECOVERY_MS);
  await eventually(async () => checkBooks(await fleet.books()));
}

/** From the fault's begin to its end, and on until requests are served again: how long that took, in ms. */
async function through({ dependency, begin, end }: Fault, load: Load): Promise<number> {
  await answered(load, 200);
  await begin(fleet);
  await answered(load, 503);
  await namedAsMissing(dependency);
  await Bun.sleep(LASTS_MS);
  await end(fleet);
  const back = Date.now();
  await eventually(() => allReady());
  await answered(load, 200);
  return Date.now() - back;
}

/** Waits for three answers of this status from now on. */
async function answered(load: Load, status: number): Promise<void> {
  const from = load.replies.length;
  await eventually(async () => {
    const found = load.replies.slice(from).filter(reply => reply.status === status);
    if (found.length < 3) throw new Error(`${JSON.stringify(load.replies.slice(-5))} instead of ${status}`);
  }, 240_000);
}

async function namedAsMissing(dependency: string): Promise<void> {
  for (const replica of fleet.replicas) {
    expect((await fleet.get('/v1/health', replica)).status).toBe(200);
    await eventually(async () => {
      const response = await fleet.get('/v1/ready', replica);
      expect([response.status, await response.json()]).toMatchObject([503, { missing: [dependency] }]);
      expect(response.headers.get('retry-after')).toBe('1');
    });
  }
}

async function allReady(): Promise<void> {
  for (const replica of fleet.replicas) expect((await fleet.get('/v1/ready', replica)).status).toBe(200);
}

function checkReplies({ replies, failures }: Load): void {
  expect(failures).toEqual([]);
  // 409: the first request with this key may still be on its way.
  const others = replies.filter(
    ({ status, code }) => status !== 200 && status !== 503 && code !== 'IDEMPOTENCY_CONFLICT',
  );
  expect(others).toEqual([]);
  expect(replies.filter(({ status, retryAfter }) => status !== 200 && !retryAfter)).toEqual([]);
}

/** Every 200 has its job once, and all that counts says the same. */
function checkBooks({ jobs, jobRows, ledgerRows, ledgerRequests, reports, counted, batches }: Books): void {
  for (const { id, rows } of receipts) expect([id, jobs.get(id)]).toEqual([id, rows]);
  expect({ rows: ledgerRows, requests: ledgerRequests, reports, counted }).toEqual({
    rows: jobRows,
    requests: jobs.size,
    reports: jobs.size,
    counted: jobRows,
  });
  if (!baselinesAreWhole) return;
  const beside = Object.entries(batches.baselines).map(([source, count]) => count - batches.jobs[source]!);
  expect(Math.min(...beside)).toBeGreaterThanOrEqual(0);
  expect(beside.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(mayBeFolded);
}
