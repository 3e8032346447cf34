/** SQL queries of windows. */
import { and, asc, desc, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import { batches, batchStates, windowFindings, windows } from './batch-schema.ts';
import { given, type Queries } from './database.ts';
import { ledger } from './schema.ts';

const id = sql.placeholder('id');
const account = sql.placeholder('account');
const ofWindow = eq(windows.batch, id);
const isOpen = eq(windows.isOpen, 1);
const OPEN = { id: windows.batch, dueAt: windows.dueAt, mostRows: windows.mostRows, rows: windows.rows };

/** Of the account's windows that are not judged. */
const accountBytes = sql`(SELECT coalesce(sum(kept.bytes), 0) FROM ${windows} AS kept WHERE kept.account = ${account} AND kept.due_at IS NOT NULL)`;
const hasRoom = sql`${accountBytes} + ${sql.placeholder('bytes')} <= ${sql.placeholder('most')}`;

export const openBatch = (queries: Queries) =>
  queries
    .insert(batches)
    .values({
      ...given('account', 'source', 'begun', 'createdAt', 'expiresAt'),
      id: sql`${id}`,
      status: 'open',
      bytes: 0,
    })
    .returning({ id: batches.id });

/** One of the source may be open. */
export const open = (queries: Queries) =>
  queries
    .insert(windows)
    .select(
      sql`SELECT ${id}, ${account}, ${sql.placeholder('source')}, 1, ${sql.placeholder('dueAt')}, ${sql.placeholder('mostRows')}, 0, ${sql.placeholder('bytes')}, 0 WHERE ${hasRoom}`,
    )
    .onConflictDoNothing()
    .returning({ id: windows.batch });

export const find = (queries: Queries) =>
  queries
    .select(OPEN)
    .from(windows)
    .where(and(eq(windows.account, account), eq(windows.source, sql.placeholder('source')), isOpen));

export const takeNumbers = (queries: Queries) =>
  queries
    .update(windows)
    .set({ nextNumber: sql`${windows.nextNumber} + ${sql.placeholder('count')}` })
    .where(ofWindow)
    .returning({ nextNumber: windows.nextNumber });

/** The guard of what is added. */
export const makeRoom = (queries: Queries) =>
  queries
    .update(windows)
    .set({
      rows: sql`${windows.rows} + ${sql.placeholder('rows')}`,
      dueAt: sql`CASE WHEN ${windows.rows} + ${sql.placeholder('rows')} >= ${windows.mostRows} AND ${windows.dueAt} > ${sql.placeholder('now')} THEN ${sql.placeholder('now')} ELSE ${windows.dueAt} END`,
      bytes: sql`${windows.bytes} + ${sql.placeholder('bytes')}`,
    })
    .where(and(ofWindow, isOpen, sql`${windows.rows} < ${windows.mostRows}`, hasRoom))
    .returning({ id: windows.batch });

/** Why there was none. */
export const readRoom = (queries: Queries) =>
  queries
    .select({
      isOpen:
        sql<boolean>`CASE WHEN ${isOpen} AND ${windows.rows} < ${windows.mostRows} THEN 1 ELSE 0 END`.mapWith(
          Boolean,
        ),
      hasRoom: sql<boolean>`CASE WHEN ${hasRoom} THEN 1 ELSE 0 END`.mapWith(Boolean),
    })
    .from(windows)
    .where(ofWindow);

export const addState = (queries: Queries) =>
  queries
    .insert(batchStates)
    .values({ ...given('number', 'state'), batch: sql`${id}` })
    .returning({ number: batchStates.number });

export const findState = (queries: Queries) =>
  queries
    .select({ number: batchStates.number })
    .from(batchStates)
    .where(and(eq(batchStates.batch, id), eq(batchStates.number, sql.placeholder('number'))));

export const addFinding = (queries: Queries) =>
  queries
    .insert(windowFindings)
    .values({ ...given('kind', 'field', 'rule', 'severity', 'posts'), batch: sql`${id}` })
    .onConflictDoUpdate({
      target: [
        windowFindings.batch,
        windowFindings.kind,
        windowFindings.field,
        windowFindings.rule,
        windowFindings.severity,
      ],
      set: { posts: sql`${windowFindings.posts} + excluded.posts` },
    })
    .returning({ posts: windowFindings.posts });

export const countPosts = (queries: Queries) =>
  queries
    .insert(ledger)
    .values(given('account', 'periodStart', 'shard', 'rows', 'requests'))
    .onConflictDoUpdate({
      target: [ledger.account, ledger.periodStart, ledger.shard],
      set: {
        rows: sql`${ledger.rows} + excluded.rows`,
        requests: sql`${ledger.requests} + excluded.requests`,
      },
    })
    .returning({ rows: ledger.rows });

export const readRows = (queries: Queries) =>
  queries.select({ rows: windows.rows }).from(windows).where(ofWindow);

export const readFindings = (queries: Queries) =>
  queries
    .select({
      kind: windowFindings.kind,
      field: windowFindings.field,
      rule: windowFindings.rule,
      severity: windowFindings.severity,
      posts: windowFindings.posts,
    })
    .from(windowFindings)
    .where(eq(windowFindings.batch, id))
    .orderBy(asc(windowFindings.severity), desc(windowFindings.posts), asc(windowFindings.field))
    .limit(sql.placeholder('limit'));

const ended = { isOpen: 0, dueAt: sql`${sql.placeholder('now')}` };

export const end = (queries: Queries) =>
  queries.update(windows).set(ended).where(and(ofWindow, isOpen)).returning({ id: windows.batch });

export const endOfSource = (queries: Queries) =>
  queries
    .update(windows)
    .set(ended)
    .where(and(eq(windows.account, account), eq(windows.source, sql.placeholder('source')), isOpen))
    .returning({ id: windows.batch });

export const endOfAccount = (queries: Queries) =>
  queries
    .update(windows)
    .set(ended)
    .where(and(eq(windows.account, account), isOpen))
    .returning({ id: windows.batch });

const isDue = lte(windows.dueAt, sql.placeholder('now'));

export const endDue = (queries: Queries) =>
  queries.update(windows).set({ isOpen: 0 }).where(and(isDue, isOpen)).returning({ id: windows.batch });

export const due = (queries: Queries) =>
  queries
    .select({ id: windows.batch, account: windows.account })
    .from(windows)
    .where(isDue)
    .orderBy(asc(windows.dueAt))
    .limit(sql.placeholder('limit'));

export const setDue = (queries: Queries) =>
  queries
    .update(windows)
    .set({ dueAt: sql`${sql.placeholder('dueAt')}` })
    .where(ofWindow)
    .returning({ id: windows.batch });

/** The answer is in its job, and nothing is compared with the past any more. */
export const finish = (queries: Queries) =>
  queries
    .update(batches)
    .set({ status: 'finished', ...given('requestId', 'begun') })
    .where(and(eq(batches.id, id), inArray(batches.status, ['open', 'finishing'])))
    .returning({ id: batches.id });

export const drop = (queries: Queries) =>
  queries.delete(batches).where(eq(batches.id, id)).returning({ id: batches.id });

/** Of batches that have ended in another way. */
export const forgetDue = (queries: Queries) =>
  queries
    .update(windows)
    .set({ isOpen: 0, dueAt: null })
    .where(
      and(
        isNotNull(windows.dueAt),
        inArray(
          windows.batch,
          queries
            .select({ id: batches.id })
            .from(batches)
            .where(inArray(batches.status, ['finished', 'aborted', 'expired'])),
        ),
      ),
    )
    .returning({ id: windows.batch });

export const sizes = (queries: Queries) =>
  queries
    .select({
      number: batchStates.number,
      bytes: sql<number>`length(${batchStates.state})`.mapWith(Number),
    })
    .from(batchStates)
    .where(eq(batchStates.batch, id))
    .orderBy(asc(batchStates.number));

export const makeLess = (queries: Queries) =>
  queries
    .update(windows)
    .set({ bytes: sql`${windows.bytes} + ${sql.placeholder('bytes')}` })
    .where(and(ofWindow, isOpen))
    .returning({ id: windows.batch });

export const dropState = (queries: Queries) =>
  queries
    .delete(batchStates)
    .where(and(eq(batchStates.batch, id), eq(batchStates.number, sql.placeholder('number'))))
    .returning({ number: batchStates.number });
