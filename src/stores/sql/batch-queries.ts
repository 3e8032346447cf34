/** SQL queries of batches that come in parts. */
import { and, asc, desc, eq, gt, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { BatchStatus } from '../ports.ts';
import { batches, batchKeys, batchParts, batchStates, windows } from './batch-schema.ts';
import { deleteSome, given, type Queries } from './database.ts';

const id = sql.placeholder('id');
const account = sql.placeholder('account');
const ofBatch = eq(batches.id, id);
const isUnended = inArray(batches.status, ['open', 'finishing']);
const isEnded = inArray(batches.status, ['finished', 'aborted', 'expired']);
const isOpen = eq(batches.status, 'open');
const to = (status: BatchStatus) => ({ status: sql<BatchStatus>`${status}` });

/** Of the account's batches that are open. */
const openBatches = sql`(SELECT count(*) FROM ${batches} AS kept WHERE kept.account = ${account} AND kept.status IN ('open', 'finishing') AND NOT EXISTS (SELECT 1 FROM ${windows} WHERE ${windows.batch} = kept.id))`;
const openBytes = sql`(SELECT coalesce(sum(kept.bytes), 0) FROM ${batches} AS kept WHERE kept.status IN ('open', 'finishing') AND kept.account = (SELECT own.account FROM ${batches} AS own WHERE own.id = ${id}))`;

export const open = (queries: Queries) =>
  queries
    .insert(batches)
    .select(
      sql`SELECT ${id}, ${account}, ${sql.placeholder('source')}, ${sql.placeholder('options')}, ${sql.placeholder('begun')}, 'open', ${sql.placeholder('createdAt')}, ${sql.placeholder('expiresAt')}, ${sql.placeholder('key')}, ${sql.placeholder('requestSha256')}, NULL, NULL, 0 WHERE ${openBatches} < ${sql.placeholder('limit')}`,
    )
    .onConflictDoNothing()
    .returning({ id: batches.id });

export const openedBy = (queries: Queries) =>
  queries
    .select({ id: batches.id, requestSha256: batches.requestSha256 })
    .from(batches)
    .where(and(eq(batches.account, account), eq(batches.key, sql.placeholder('key'))));

const WINDOW = { rows: windows.rows, mostRows: windows.mostRows, dueAt: windows.dueAt };

export const find = (queries: Queries) =>
  queries
    .select({
      id: batches.id,
      account: batches.account,
      source: batches.source,
      options: batches.options,
      begun: batches.begun,
      status: batches.status,
      createdAt: batches.createdAt,
      expiresAt: batches.expiresAt,
      requestId: batches.requestId,
      answer: batches.answer,
      ...WINDOW,
    })
    .from(batches)
    .leftJoin(windows, eq(windows.batch, batches.id))
    .where(and(ofBatch, eq(batches.account, account)));

export const list = (queries: Queries) =>
  queries
    .select({
      id: batches.id,
      account: batches.account,
      source: batches.source,
      options: batches.options,
      status: batches.status,
      createdAt: batches.createdAt,
      expiresAt: batches.expiresAt,
      requestId: batches.requestId,
      ...WINDOW,
    })
    .from(batches)
    .leftJoin(windows, eq(windows.batch, batches.id))
    .where(eq(batches.account, account))
    .orderBy(sql`CASE WHEN ${batches.status} IN ('open', 'finishing') THEN 0 ELSE 1 END`, desc(batches.id))
    .limit(sql.placeholder('limit'));

export const listParts = (queries: Queries) =>
  queries
    .select({ part: batchParts.part, rows: batchParts.rows, sha256: batchParts.sha256 })
    .from(batchParts)
    .where(eq(batchParts.batch, id))
    .orderBy(asc(batchParts.part));

export const findPart = (queries: Queries) =>
  queries
    .select({
      part: batchParts.part,
      rows: batchParts.rows,
      sha256: batchParts.sha256,
      answer: batchParts.answer,
      reasons: batchParts.reasons,
    })
    .from(batchParts)
    .where(and(eq(batchParts.batch, id), eq(batchParts.part, sql.placeholder('part'))));

export const readReasons = (queries: Queries) =>
  queries
    .select({ reasons: batchParts.reasons })
    .from(batchParts)
    .where(and(eq(batchParts.batch, id), isNotNull(batchParts.reasons)))
    .orderBy(asc(batchParts.part));

export const addKeys = (queries: Queries) =>
  queries
    .insert(batchKeys)
    .values({ ...given('place', 'upload', 'part', 'keys'), batch: sql`${id}` })
    .returning({ place: batchKeys.place });

export const dropKeys = (queries: Queries) =>
  queries
    .delete(batchKeys)
    .where(eq(batchKeys.upload, sql.placeholder('upload')))
    .returning({ place: batchKeys.place });

/** The guard of a part: the batch is open, and the account has room. */
export const makeRoom = (queries: Queries) =>
  queries
    .update(batches)
    .set({ bytes: sql`${batches.bytes} + ${sql.placeholder('bytes')}` })
    .where(
      and(ofBatch, isOpen, sql`${openBytes} + ${sql.placeholder('bytes')} <= ${sql.placeholder('most')}`),
    )
    .returning({ id: batches.id });

export const readOpen = (queries: Queries) =>
  queries.select({ id: batches.id }).from(batches).where(and(ofBatch, isOpen));

export const addPart = (queries: Queries) =>
  queries
    .insert(batchParts)
    .values({ ...given('part', 'rows', 'sha256', 'answer', 'reasons', 'upload'), batch: sql`${id}` })
    .onConflictDoNothing()
    .returning({ part: batchParts.part });

const nextNumber = sql`(SELECT coalesce(max(${batchStates.number}), 0) + 1 FROM ${batchStates} WHERE ${batchStates.batch} = ${id})`;

/** The row of the batch is locked by `makeRoom` or `lockBatch`, so no other transaction takes the number. */
export const addState = (queries: Queries) =>
  queries
    .insert(batchStates)
    .values({ ...given('state'), batch: sql`${id}`, number: nextNumber })
    .returning({ number: batchStates.number });

export const lockBatch = (queries: Queries) =>
  queries
    .update(batches)
    .set({ bytes: sql`${batches.bytes}` })
    .where(and(ofBatch, isOpen))
    .returning({ id: batches.id });

export const dropState = (queries: Queries) =>
  queries
    .delete(batchStates)
    .where(and(eq(batchStates.batch, id), eq(batchStates.number, sql.placeholder('number'))))
    .returning({ number: batchStates.number });

export const stateNumbers = (queries: Queries) =>
  queries
    .select({ number: batchStates.number })
    .from(batchStates)
    .where(eq(batchStates.batch, id))
    .orderBy(asc(batchStates.number));

export const readState = (queries: Queries) =>
  queries
    .select({ state: batchStates.state })
    .from(batchStates)
    .where(and(eq(batchStates.batch, id), eq(batchStates.number, sql.placeholder('number'))));

/** Of parts that are there, not of attempts. */
export const readKeys = (queries: Queries) =>
  queries
    .select({ place: batchKeys.place, part: batchKeys.part, bytes: batchKeys.keys })
    .from(batchKeys)
    .innerJoin(
      batchParts,
      and(
        eq(batchParts.batch, batchKeys.batch),
        eq(batchParts.part, batchKeys.part),
        eq(batchParts.upload, batchKeys.upload),
      ),
    )
    .where(and(eq(batchKeys.batch, id), gt(batchKeys.place, sql.placeholder('after'))))
    .orderBy(asc(batchKeys.place))
    .limit(sql.placeholder('limit'));

const partsWhere = (condition: ReturnType<typeof sql>) =>
  sql`(SELECT count(*) FROM ${batchParts} WHERE ${batchParts.batch} = ${id} AND ${condition})`;

export const beginFinish = (queries: Queries) =>
  queries
    .update(batches)
    .set(to('finishing'))
    .where(
      and(
        ofBatch,
        isUnended,
        sql`${partsWhere(sql`${batchParts.part} < ${sql.placeholder('parts')}`)} = ${sql.placeholder('parts')}`,
        sql`${partsWhere(sql`${batchParts.part} >= ${sql.placeholder('parts')}`)} = 0`,
      ),
    )
    .returning({ id: batches.id });

export const reopen = (queries: Queries) =>
  queries
    .update(batches)
    .set(to('open'))
    .where(and(ofBatch, eq(batches.status, 'finishing')))
    .returning({ id: batches.id });

export const finish = (queries: Queries) =>
  queries
    .update(batches)
    .set({ ...to('finished'), ...given('requestId', 'answer') })
    .where(and(ofBatch, isUnended))
    .returning({ id: batches.id });

export const abort = (queries: Queries) =>
  queries
    .update(batches)
    .set(to('aborted'))
    .where(and(ofBatch, eq(batches.account, account), isOpen))
    .returning({ id: batches.id });

export const expire = (queries: Queries) =>
  queries
    .update(batches)
    .set(to('expired'))
    .where(and(isUnended, lte(batches.expiresAt, sql.placeholder('now'))))
    .returning({ id: batches.id });

const ended = (queries: Queries) => queries.select({ id: batches.id }).from(batches).where(isEnded);

export const pruneKeys = (queries: Queries) =>
  deleteSome(queries, batchKeys, batchKeys.place, inArray(batchKeys.batch, ended(queries)));

export const pruneStates = (queries: Queries) =>
  queries
    .delete(batchStates)
    .where(inArray(batchStates.batch, ended(queries)))
    .returning({ number: batchStates.number });

export const forget = (queries: Queries) =>
  deleteSome(
    queries,
    batches,
    batches.id,
    and(isEnded, lte(batches.expiresAt, sql.placeholder('forgotten'))),
  );
