/** SQL queries of `jobs.ts`. */
import { and, desc, eq, gt, gte, inArray, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { deleteSome, given, type Queries } from './database.ts';
import type { Said } from '../ports.ts';
import { ALL_SOURCES, UNDOING } from './changes.ts';
import {
  accounts,
  feedback,
  idempotency,
  jobs,
  keptReports,
  keptStates,
  ledger,
  reports,
  sourceChanges,
} from './schema.ts';

/** Decompressed bytes of a job's report and profile, and of its trend, that are read. What is written since they are bounded is smaller. */
export const MAX_READ_BYTES = 8 * 1024 * 1024;
export const MAX_READ_TREND_BYTES = 1024 * 1024;

const JOB = {
  id: jobs.id,
  source: jobs.source,
  status: jobs.status,
  healthScore: jobs.healthScore,
  rowsReceived: jobs.rowsReceived,
  driftCount: jobs.driftCount,
  latencyMs: jobs.latencyMs,
  createdAt: jobs.createdAt,
};

const limit = sql.placeholder('limit');
const ofAccount = eq(jobs.account, sql.placeholder('account'));
const ofSource = eq(jobs.source, sql.placeholder('source'));
const hasStatus = eq(jobs.status, sql`${sql.placeholder('status')}`);
const older = lt(jobs.id, sql.placeholder('before'));

export const addJob = (queries: Queries) =>
  queries
    .insert(jobs)
    .values(
      given(
        'id',
        'account',
        'source',
        'status',
        'healthScore',
        'rowsReceived',
        'driftCount',
        'latencyMs',
        'createdAt',
        'periodStart',
      ),
    )
    .returning({ id: jobs.id });

/** Changes nothing. In Postgres it waits for people who leave the account, and they for it. */
export const holdAccount = (queries: Queries) =>
  queries
    .update(accounts)
    .set({ name: sql`${accounts.name}` })
    .where(eq(accounts.id, sql.placeholder('account')))
    .returning({ id: accounts.id });

export const addReport = (queries: Queries) =>
  queries
    .insert(reports)
    .values(given('job', 'document', 'trend'))
    .returning({ job: reports.job });

export const addState = (queries: Queries) =>
  queries.insert(keptStates).values(given('job', 'state')).returning({ job: keptStates.job });

/** Only for an existing job of the account. */
export const keepState = (queries: Queries) =>
  queries
    .insert(keptStates)
    .select(
      queries
        .select({ job: jobs.id, state: sql<Buffer>`${sql.placeholder('state')}`.as('state') })
        .from(jobs)
        .where(and(eq(jobs.id, sql.placeholder('id')), eq(jobs.account, sql.placeholder('account')))),
    )
    .onConflictDoNothing()
    .returning({ job: keptStates.job });

export const findState = (queries: Queries) =>
  queries
    .select({ state: keptStates.state })
    .from(keptStates)
    .innerJoin(jobs, eq(jobs.id, keptStates.job))
    .where(and(eq(jobs.id, sql.placeholder('id')), eq(jobs.account, sql.placeholder('account'))));

export const countRows = (queries: Queries) =>
  queries
    .insert(ledger)
    .values({ ...given('account', 'periodStart', 'shard', 'rows'), requests: 1 })
    .onConflictDoUpdate({
      target: [ledger.account, ledger.periodStart, ledger.shard],
      set: { rows: sql`${ledger.rows} + excluded.rows`, requests: sql`${ledger.requests} + 1` },
    })
    .returning({ rows: ledger.rows });

export const keepAnswer = (queries: Queries) =>
  queries
    .update(idempotency)
    .set(given('answer', 'expiresAt'))
    .where(
      and(
        eq(idempotency.account, sql.placeholder('account')),
        eq(idempotency.key, sql.placeholder('key')),
        eq(idempotency.claim, sql.placeholder('claim')),
      ),
    )
    .returning({ key: idempotency.key });

/** Only columns of the index: the table has pages for each job. */
export function jobFacts(queries: Queries) {
  const { id, source, status, healthScore, rowsReceived, driftCount, createdAt } = jobs;
  return queries
    .select({ id, source, status, healthScore, rowsReceived, driftCount, createdAt })
    .from(jobs)
    .where(and(ofAccount, gte(jobs.id, sql.placeholder('from')), older))
    .orderBy(desc(jobs.id))
    .limit(limit);
}

export const countVerdict = (queries: Queries) =>
  queries
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(jobs)
    .where(and(ofAccount, hasStatus, gte(jobs.id, sql.placeholder('from')), older));

export function listJobs(queries: Queries, isOfSource: boolean, isOfStatus: boolean) {
  const isInRange = and(gte(jobs.id, sql.placeholder('from')), older);
  return queries
    .select(JOB)
    .from(jobs)
    .where(and(ofAccount, isOfSource ? ofSource : undefined, isOfStatus ? hasStatus : undefined, isInRange))
    .orderBy(desc(jobs.id))
    .limit(limit);
}

const ofOwnJob = and(eq(jobs.id, sql.placeholder('id')), ofAccount);

const { account, source, job, action, by, at } = sourceChanges;
const change = (value: SQLWrapper, condition: SQLWrapper) =>
  sql`(SELECT ${value} FROM ${sourceChanges} WHERE ${account} = ${jobs.account} AND ${condition})`;
const whoSaid = change(
  sql`max(${by})`,
  sql`${source} = ${jobs.source} AND ${job} = ${feedback.job} AND ${action} = ${feedback.said} AND ${at} = ${feedback.at}`,
) as SQL<string | null>;
const undoneAt = change(
  sql`min(${at})`,
  sql`${source} IN (${jobs.source}, ${ALL_SOURCES}) AND ${inArray(action, UNDOING)} AND ${at} > ${feedback.at}`,
).mapWith(Number) as SQL<number | null>;

export const listFeedback = (queries: Queries) =>
  queries
    .select({ said: feedback.said, by: feedback.by, at: feedback.at, who: whoSaid, undoneAt })
    .from(feedback)
    .innerJoin(jobs, eq(jobs.id, feedback.job))
    .where(ofOwnJob);

export const keepFeedback = (queries: Queries) =>
  queries
    .insert(feedback)
    .select(
      queries
        .select({
          job: jobs.id,
          said: sql<Said>`${sql.placeholder('said')}`.as('said'),
          by: sql<string | null>`${sql.placeholder('by')}`.as('by'),
          at: sql<number>`${sql.placeholder('at')}`.as('at'),
        })
        .from(jobs)
        .where(ofOwnJob),
    )
    .onConflictDoUpdate({
      target: [feedback.job, feedback.said],
      set: { by: sql`excluded.by`, at: sql`excluded.at` },
    })
    .returning({ job: feedback.job });

/** Null in place of a larger value, which is not read from the disk. Both databases have `length`. */
const upTo = (column: SQLWrapper, most: number) =>
  sql<Buffer | null>`CASE WHEN length(${column}) <= ${sql.raw(String(most))} THEN ${column} END`;

export const findJob = (queries: Queries) =>
  queries
    .select({ ...JOB, document: upTo(reports.document, MAX_READ_BYTES) })
    .from(jobs)
    .innerJoin(reports, eq(reports.job, jobs.id))
    .where(and(eq(jobs.id, sql.placeholder('id')), ofAccount));

export const listHistory = (queries: Queries) =>
  queries
    .select({ ...JOB, trend: upTo(reports.trend, MAX_READ_TREND_BYTES) })
    .from(jobs)
    .innerJoin(reports, eq(reports.job, jobs.id))
    .where(and(ofAccount, ofSource, older))
    .orderBy(desc(jobs.id))
    .limit(limit);

export const findLastSeen = (queries: Queries) =>
  queries
    .select({ last: jobs.createdAt })
    .from(jobs)
    // With ORDER BY id, SQLite would read all jobs of the account until it finds the source.
    .where(
      sql`${jobs.id} = (SELECT max(seen.id) FROM jobs AS seen WHERE seen.account = ${sql.placeholder('account')} AND seen.source = ${sql.placeholder('source')})`,
    );

export const sumKeptBytes = (queries: Queries) =>
  queries
    .select({ bytes: sql<number>`coalesce(sum(${keptReports.bytes}), 0)`.mapWith(Number) })
    .from(keptReports)
    .where(eq(keptReports.account, sql.placeholder('account')));

export const pruneOldest = (queries: Queries) =>
  queries
    .delete(jobs)
    .where(
      inArray(
        jobs.id,
        queries
          .select({ id: jobs.id })
          .from(jobs)
          .where(
            and(
              ofAccount,
              gt(
                sql`(SELECT sum(${keptReports.bytes}) FROM ${keptReports} WHERE ${keptReports.account} = ${sql.placeholder('account')})`,
                sql.placeholder('mostBytes'),
              ),
            ),
          )
          .orderBy(jobs.id)
          .limit(limit),
      ),
    )
    .returning({ id: jobs.id });

export const pruneJobs = (queries: Queries) =>
  deleteSome(queries, jobs, jobs.id, lt(jobs.createdAt, sql.placeholder('before')));
