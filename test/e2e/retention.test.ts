/** The running program forgets jobs that are past their retention. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { requestId } from '../../src/names/request-id.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { openSql } from '../../src/stores/sql/sqlite.ts';
import { newFolder, Server } from './server.ts';

const DAY = 86_400_000;

/** A job of so many days ago; its id. */
async function write(jobs: SqlJobs, daysAgo: number): Promise<string> {
  const at = Date.now() - daysAgo * DAY;
  const id = requestId(at, crypto.getRandomValues(new Uint8Array(10)));
  const job = {
    id,
    source: 'old',
    status: 'PASS',
    healthScore: 1,
    rowsReceived: 1,
    driftCount: 0,
    latencyMs: 1,
  } as const;
  await jobs.complete({
    account: 'somebody',
    job: { ...job, createdAt: at },
    document: { report: '{}', profile: '{}' },
    trend: { drift: '[]', nullRates: '{}' },
    periodStart: 0,
    answer: null,
  });
  return id;
}

test('when it has started, old jobs go, many or few, and the others stay', async () => {
  const folder = newFolder();
  const database = openSql(join(folder, 'sluice.sqlite'), 5000);
  const jobs = new SqlJobs(database);
  const old: string[] = [];
  for (let n = 0; n < 120; n++) old.push(await write(jobs, 8 + (n % 3)));
  const young = await write(jobs, 6);
  await using _ = await Server.start({ JOB_RETENTION_DAYS: '7' }, folder);
  while ((await jobs.list('somebody', { limit: 200 })).length > 1) await Bun.sleep(5);
  expect(await jobs.find('somebody', young)).not.toBeNull();
  expect(await jobs.find('somebody', old[0]!)).toBeNull();
  database.close();
});
