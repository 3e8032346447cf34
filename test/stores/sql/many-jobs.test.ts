/** An account with a long history: 100,000 jobs of 50 sources. */
import { beforeAll, expect, test } from 'bun:test';
import { firstIdAt } from '../../../src/names/request-id.ts';
import { sumUp } from '../../../src/account/statistics.ts';
import { SqlJobs } from '../../../src/stores/sql/jobs.ts';
import { SqliteDatabase } from '../../../src/stores/sql/sqlite.ts';
import { openSqlite } from '../../../src/stores/sqlite/file.ts';

const JOBS = 100_000;
const FROM = firstIdAt(Date.UTC(2026, 10, 21));

const client = openSqlite(':memory:');
const jobs = new SqlJobs(new SqliteDatabase(client));

/** Ids look like those of one millisecond. */
beforeAll(() => {
  client.run(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${JOBS})
     INSERT INTO jobs (id, account, source, status, health_score, rows_received, drift_count, latency_ms, created_at, period_start)
     SELECT substr(?, 1, 14) || printf('%016d', i), 'owner', printf('"source_%d"', i % 50),
       CASE WHEN i % 10 = 0 THEN 'BLOCK' WHEN i % 3 = 0 THEN 'WARN' ELSE 'PASS' END, 0.75, 3, 1, 5, i, 0 FROM n`,
    [FROM],
  );
});

test('statistics count every one of 100,000 jobs', async () => {
  const { total, sourceCount, sources } = await sumUp(
    (before, part) => jobs.facts('owner', FROM, before, part),
    100,
  );
  expect(sourceCount).toBe(50);
  expect(total).toMatchObject({ totalJobs: JOBS, totalRows: 3 * JOBS, avgHealth: 0.75 });
  expect(new Map(sources).get('source_0')).toMatchObject({
    totalJobs: 2000,
    blockCount: 2000,
    totalRows: 6000,
  });
});
