/** SQL queries of `alerts.ts`: channels, bad batches and incidents. */
import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { deleteSome, given, type Queries } from './database.ts';
import { accounts, alertChannels, badBatches, incidents, jobs, sourceChanges } from './schema.ts';
import { ALL_SOURCES, UNDOING } from './changes.ts';

const id = sql.placeholder('id');
const account = sql.placeholder('account');
const limit = sql.placeholder('limit');
const before = sql.placeholder('before');

// ---- channels ----

export const listChannels = (queries: Queries) =>
  queries
    .select()
    .from(alertChannels)
    .where(eq(alertChannels.account, account))
    .orderBy(asc(alertChannels.createdAt), asc(alertChannels.id));

/** Counts and inserts in one statement: callers run it alone. */
export const addChannel = (queries: Queries) =>
  queries
    .insert(alertChannels)
    .select(
      sql`SELECT ${id}, ${account}, ${sql.placeholder('type')}, ${sql.placeholder('name')}, ${sql.placeholder('target')},
        ${sql.placeholder('sources')}, ${sql.placeholder('threshold')}, ${sql.placeholder('secrets')}, ${sql.placeholder('createdAt')}, NULL
        WHERE (SELECT count(*) FROM ${alertChannels} WHERE ${alertChannels.account} = ${account}) < ${limit}`,
    )
    .returning({ id: alertChannels.id });

const ownChannel = and(eq(alertChannels.id, id), eq(alertChannels.account, account));

export const changeChannel = (queries: Queries) =>
  queries
    .update(alertChannels)
    .set(given('name', 'target', 'sources', 'threshold'))
    .where(
      and(
        ownChannel,
        eq(alertChannels.name, sql.placeholder('nameBefore')),
        eq(alertChannels.target, sql.placeholder('targetBefore')),
        eq(alertChannels.sources, sql.placeholder('sourcesBefore')),
        eq(alertChannels.threshold, sql.placeholder('thresholdBefore')),
      ),
    )
    .returning({ id: alertChannels.id });

export const changeSecrets = (queries: Queries) =>
  queries
    .update(alertChannels)
    .set(given('secrets'))
    .where(and(ownChannel, eq(alertChannels.secrets, sql.placeholder('before'))))
    .returning({ id: alertChannels.id });

export const removeChannel = (queries: Queries) =>
  queries.delete(alertChannels).where(ownChannel).returning({ id: alertChannels.id });

export const markFailing = (queries: Queries) =>
  queries
    .update(alertChannels)
    .set({ failingSince: sql`${sql.placeholder('since')}` })
    .where(and(eq(alertChannels.id, id), isNull(alertChannels.failingSince)))
    .returning({ id: alertChannels.id });

export const markWorking = (queries: Queries) =>
  queries
    .update(alertChannels)
    .set({ failingSince: null })
    .where(and(eq(alertChannels.id, id), isNotNull(alertChannels.failingSince)))
    .returning({ id: alertChannels.id });

export const ownerEmail = (queries: Queries) =>
  queries.select({ email: accounts.email }).from(accounts).where(eq(accounts.id, account));

// ---- bad batches and incidents ----

export const addBadBatch = (queries: Queries) =>
  queries
    .insert(badBatches)
    .values(given('job', 'account', 'source', 'verdict', 'healthScore', 'reason', 'at'))
    .returning({ job: badBatches.job });

export const listBadBatches = (queries: Queries) =>
  queries.select().from(badBatches).orderBy(asc(badBatches.job)).limit(limit);

export const forgetBadBatch = (queries: Queries) =>
  queries
    .delete(badBatches)
    .where(eq(badBatches.job, sql.placeholder('job')))
    .returning({ job: badBatches.job });

const ofSource = and(eq(incidents.account, account), eq(incidents.source, sql.placeholder('source')));

/** Incidents, each with the accept that waits for the next batch of its source: nothing has undone it since. */
function readIncidents(queries: Queries) {
  const change = alias(sourceChanges, 'change');
  const last = queries
    .select({ id: change.id })
    .from(change)
    .where(
      and(
        eq(change.account, incidents.account),
        sql`${change.source} IN (${incidents.source}, ${ALL_SOURCES})`,
        inArray(change.action, ['accepted', ...UNDOING]),
        gte(change.at, incidents.lastAt),
      ),
    )
    // An ordered index would be that of all changes of the account. In the sum, SQLite looks at those of the source.
    .orderBy(sql`${change.at} + 0 DESC`, desc(change.id))
    .limit(1);
  const isWaiting = and(
    eq(incidents.status, 'open'),
    eq(sourceChanges.id, sql`(${last})`),
    eq(sourceChanges.action, 'accepted'),
  );
  const accepted = { at: sourceChanges.at, by: sourceChanges.by };
  return queries.select({ incident: incidents, accepted }).from(incidents).leftJoin(sourceChanges, isWaiting);
}

/** An open one before all: the clock may have been set back since another one ended. */
export const lastIncident = (queries: Queries) =>
  readIncidents(queries)
    .where(ofSource)
    .orderBy(sql`CASE WHEN ${incidents.status} = 'open' THEN 0 ELSE 1 END`, desc(incidents.id))
    .limit(1);

/**
 * Open incidents whose source's newest job is a PASS. If the clock was set back, jobs of the future are older than the batch that
 * opened the incident. That batch itself may come from a process whose clock is ahead.
 */
export function recovered(queries: Queries) {
  const newest = <Value = string>(column: typeof jobs.id | typeof jobs.status | typeof jobs.healthScore) =>
    sql<Value>`(SELECT ${column} FROM ${jobs} WHERE ${jobs.account} = ${incidents.account} AND ${jobs.source} = ${incidents.source}
      AND ${jobs.id} <= CASE WHEN ${incidents.lastJob} > ${sql.placeholder('latest')} THEN ${incidents.lastJob} ELSE ${sql.placeholder('latest')} END ORDER BY ${jobs.id} DESC LIMIT 1)`;
  return queries
    .select({
      incident: incidents,
      job: newest(jobs.id).as('newest_job'),
      healthScore: newest<number>(jobs.healthScore).as('newest_health'),
    })
    .from(incidents)
    .where(and(eq(incidents.status, 'open'), sql`${newest(jobs.status)} = 'PASS'`))
    .limit(limit);
}

/** Columns that every change of an incident writes. */
const CHANGING = [
  'status',
  'verdict',
  'resolvedAt',
  'batches',
  'lastJob',
  'lastAt',
  'healthScore',
  'reason',
  'acknowledgedAt',
  'snoozedUntil',
  'toldAt',
  'lastVerdict',
  'toldVerdict',
  'tellNext',
] as const;

/** Does nothing if the source has an open incident. */
export const addIncident = (queries: Queries) =>
  queries
    .insert(incidents)
    .values({ ...given('id', 'account', 'source', 'openedAt', 'firstJob', ...CHANGING), version: 1 })
    .onConflictDoNothing()
    .returning({ id: incidents.id });

/** Does nothing if somebody has written it since it was read. */
export const changeIncident = (queries: Queries) =>
  queries
    .update(incidents)
    .set({ ...given(...CHANGING), version: sql`${incidents.version} + 1` })
    .where(and(eq(incidents.id, id), eq(incidents.version, sql.placeholder('version'))))
    .returning({ id: incidents.id });

/** `status` and `source`: the empty text stands for any. */
export const listIncidents = (queries: Queries) =>
  readIncidents(queries)
    .where(
      and(
        eq(incidents.account, account),
        lt(incidents.id, before),
        sql`(${sql.placeholder('status')} = '' OR ${incidents.status} = ${sql.placeholder('status')})`,
        sql`(${sql.placeholder('source')} = '' OR ${incidents.source} = ${sql.placeholder('source')})`,
      ),
    )
    .orderBy(desc(incidents.id))
    .limit(limit);

export const findIncident = (queries: Queries) =>
  readIncidents(queries).where(and(eq(incidents.id, id), eq(incidents.account, account)));

/** Keeps the newest `most` incidents of an account, and those that are open. */
export const trimIncidents = (queries: Queries) => {
  const ofAccount = eq(incidents.account, account);
  const newest = queries
    .select({ id: incidents.id })
    .from(incidents)
    .where(ofAccount)
    .orderBy(desc(incidents.id));
  const oldestKept = newest.limit(1).offset(sql.placeholder('most'));
  return queries
    .delete(incidents)
    .where(and(ofAccount, eq(incidents.status, 'resolved'), lte(incidents.id, sql`(${oldestKept})`)))
    .returning({ id: incidents.id });
};

export const pruneIncidents = (queries: Queries) =>
  deleteSome(queries, incidents, incidents.id, lt(incidents.resolvedAt, before));
