/**
 * How long does an account with a long history wait for its statistics?
 *
 * Over loopback, against the real program with SQLite: 100,000 jobs of 50 sources, spread over the days that `GET /v1/stats`
 * counts by default. They are written directly into its file, since screening so many would take minutes.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { ID_RANDOM_BYTES, requestId } from '../src/names/request-id.ts';
import { Child, getHead } from './child.ts';
import type { Connection } from './connection.ts';
import { cpuSeconds } from './cpu.ts';
import { rounded, shareOf } from './race.ts';
import { Random } from './random.ts';

export interface StatisticsEffort {
  jobs: number;
  sources: number;
  warmRuns: number;
  runs: number;
}

export const STATISTICS_EFFORT: StatisticsEffort = { jobs: 100_000, sources: 50, warmRuns: 5, runs: 100 };

export interface StatisticsResult {
  jobs: number;
  /** The very first request, and requests after a warm-up. */
  first_ms: number;
  p50_ms: number;
  p99_ms: number;
  /** Processor time of one request. With SQLite nothing else can run during it. */
  cpu_ms: number;
}

const DAYS = 29;
const DAY_MS = 86_400_000;
const STATS = getHead('/v1/stats');

export async function benchStatistics(seed: number, effort = STATISTICS_EFFORT): Promise<StatisticsResult> {
  await using sluice = await Child.sluice();
  fill(join(sluice.folder, 'sluice.sqlite'), seed, effort);
  const connection = await sluice.connect();
  const [first_ms] = (await timesOf(connection, effort, 1)) as [number];
  await timesOf(connection, effort, effort.warmRuns);
  const before = cpuSeconds(sluice.pid);
  const times = await timesOf(connection, effort, effort.runs);
  const cpu = cpuSeconds(sluice.pid) - before;
  return {
    jobs: effort.jobs,
    first_ms: rounded(first_ms),
    p50_ms: rounded(shareOf(times, 0.5)),
    p99_ms: rounded(shareOf(times, 0.99)),
    cpu_ms: rounded((1000 * cpu) / effort.runs),
  };
}

/** Throws if an answer does not count every job. */
async function timesOf(
  connection: Connection,
  { jobs, sources }: StatisticsEffort,
  runs: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const begun = performance.now();
    const answer = JSON.parse(await connection.ok(STATS));
    times.push(performance.now() - begun);
    if (answer.totalJobs !== jobs || answer.sourceCount !== sources)
      throw new Error(`${answer.totalJobs} jobs of ${answer.sourceCount} sources were counted`);
  }
  return times;
}

/** Jobs of the program's only account, in the order of time. */
function fill(path: string, seed: number, { jobs, sources }: StatisticsEffort): void {
  const random = new Random(seed);
  const begin = Date.now() - DAYS * DAY_MS;
  using database = new Database(path, { readwrite: true });
  // The program may be writing.
  database.exec('PRAGMA busy_timeout = 5000');
  const { account } = database.query<{ account: string }, []>('SELECT id AS account FROM accounts').get()!;
  const insert = database.query(
    `INSERT INTO jobs (id, account, source, status, health_score, rows_received, drift_count, latency_ms, created_at, period_start)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const noise = (): Uint8Array => Uint8Array.from({ length: ID_RANDOM_BYTES }, () => random.between(0, 255));
  database.transaction(() => {
    for (let job = 0; job < jobs; job++) {
      const at = begin + Math.floor((DAYS * DAY_MS * job) / jobs);
      const source = JSON.stringify(`source_${job % sources}`);
      const status = random.pick(['PASS', 'PASS', 'PASS', 'WARN', 'BLOCK']);
      const rows = random.between(1, 10_000);
      const drift = random.between(0, 3);
      insert.run(requestId(at, noise()), account, source, status, random.unit(), rows, drift, 5, at, begin);
    }
  })();
  // The state of the file some time after they were written.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
