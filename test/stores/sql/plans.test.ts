/** SQLite's query plans over many jobs: each query uses its index. */
import { expect, test } from 'bun:test';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { SqlAlerts } from '../../../src/stores/sql/alerts.ts';
import type { Buildable, Queries, SqlDatabase } from '../../../src/stores/sql/database.ts';
import { SqlJobs } from '../../../src/stores/sql/jobs.ts';
import { SqliteDatabase } from '../../../src/stores/sql/sqlite.ts';
import { openSqlite } from '../../../src/stores/sqlite/file.ts';

const client = openSqlite(':memory:');
new SqliteDatabase(client);

/** The plan of each statement that the store has prepared. */
function plans(Store: new (database: SqlDatabase) => unknown = SqlJobs): { text: string; plan: string[] }[] {
  const queries = drizzle(client) as unknown as Queries;
  const texts: string[] = [];
  const reader = {
    statement(build: (queries: Queries) => Buildable<unknown>) {
      texts.push((build(queries) as unknown as { toSQL(): { sql: string } }).toSQL().sql);
    },
  };
  new Store(reader as unknown as SqlDatabase);
  return texts.map(text => ({ text, plan: planOf(text) }));
}

const planOf = (text: string): string[] =>
  client
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(step => step.detail);

const planFor = (part: RegExp): string[] => plans().find(({ text }) => part.test(text))!.plan;

test('statistics read only the covering index, from the first id', () => {
  expect(planFor(/^select (?!.*latency_ms).*health_score/)).toEqual([
    'SEARCH jobs USING COVERING INDEX jobs_by_account (account=? AND id>? AND id<?)',
  ]);
});

test('verdicts are counted in a covering index, of which one range is read', () => {
  expect(planFor(/^select count/)).toEqual([
    'SEARCH jobs USING COVERING INDEX jobs_by_verdict (account=? AND status=? AND id>? AND id<?)',
  ]);
});

test('the last run of a source takes one lookup in the index of sources', () => {
  expect(planFor(/max\(seen\.id\)/)).toContainEqual(
    expect.stringMatching(/^SEARCH seen USING COVERING INDEX jobs_by_source \(account=\? AND source=\?\)/),
  );
});

test.each([
  ['all jobs', false, false, 'jobs_by_account (account=? AND id>? AND id<?)'],
  ['a source', true, false, 'jobs_by_source (account=? AND source=? AND id>? AND id<?)'],
  ['a verdict', false, true, 'jobs_by_verdict (account=? AND status=? AND id>? AND id<?)'],
  [
    'a verdict and a source',
    true,
    true,
    'jobs_by_source_and_verdict (account=? AND source=? AND status=? AND id>? AND id<?)',
  ],
])('a list of %s reads one range of an index', (_, isOfSource, isOfStatus, index) => {
  const list = plans().find(
    ({ text }) =>
      /^select .*"latency_ms".* from "jobs" where/.test(text) &&
      /"id" >= /.test(text) &&
      /"source" = /.test(text) === isOfSource &&
      /"status" = /.test(text) === isOfStatus,
  )!;
  expect(list.plan).toEqual([`SEARCH jobs USING INDEX ${index}`]);
});

test('no query reads all jobs or sorts a list', () => {
  for (const { plan } of plans()) expect(plan.filter(step => /^SCAN|ORDER BY/.test(step))).toEqual([]);
  expect(plans().length).toBeGreaterThan(6);
});

test('who accepted a batch of an incident is looked for among the changes of its source', () => {
  const reads = plans(SqlAlerts).filter(({ text }) => text.includes('"change"."source" IN'));
  expect(reads.length).toBe(3);
  for (const { plan } of reads)
    expect(plan).toContainEqual(
      'SEARCH change USING INDEX source_changes_by_source (account=? AND source=? AND at>?)',
    );
});

test('whether a message waits for an earlier one is looked for among those of its incident to its channel', () => {
  const [due] = plans(SqlAlerts).filter(({ text }) => text.includes('"earlier"'));
  expect(due!.plan).toContainEqual(
    'SEARCH earlier USING COVERING INDEX alert_deliveries_by_incident (incident=? AND status=? AND channel=? AND id<?)',
  );
  const [hasten] = plans(SqlAlerts).filter(({ text }) =>
    /^update "alert_deliveries".*"incident" = /.test(text),
  );
  expect(hasten!.plan).toEqual([
    'SEARCH alert_deliveries USING INDEX alert_deliveries_by_incident (incident=? AND status=?)',
  ]);
});
