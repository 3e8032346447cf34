/** SQL queries of claims: an address moves to the account of a key. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Claim } from '../ports.ts';
import { given, type Queries } from './database.ts';
import { batches } from './batch-schema.ts';
import { accounts, alertChannels, jobs, keys, sessions } from './schema.ts';

const asking = sql.placeholder('asking');
const account = sql.placeholder('account');
const ofKey = eq(keys.sha256, sql.placeholder('keySha256'));

const holds = sql<Claim['holds']>`CASE
  WHEN EXISTS (SELECT 1 FROM ${jobs} WHERE ${jobs.account} = ${asking}) THEN 'jobs'
  WHEN EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.account} = ${asking}) THEN 'keys'
  WHEN EXISTS (SELECT 1 FROM ${alertChannels} WHERE ${alertChannels.account} = ${asking}) THEN 'channels'
  WHEN EXISTS (SELECT 1 FROM ${batches} WHERE ${batches.account} = ${asking}) THEN 'batches'
  WHEN EXISTS (SELECT 1 FROM ${accounts} AS paying WHERE paying.id = ${asking} AND paying.customer IS NOT NULL) THEN 'payments'
  END`;

export const claim = (queries: Queries) =>
  queries
    .select({
      account: accounts.id,
      hasAddress: sql<boolean>`CASE WHEN ${accounts.email} IS NULL THEN 0 ELSE 1 END`.mapWith(Boolean),
      email: sql<string | null>`(SELECT own.email FROM ${accounts} AS own WHERE own.id = ${asking})`,
      holds,
    })
    .from(keys)
    .innerJoin(accounts, eq(keys.account, accounts.id))
    .where(ofKey);

/** Comes first: two accounts never have one address, and in Postgres it waits for what is being added to the account, and this for it. */
export const dropAddress = (queries: Queries) =>
  queries
    .update(accounts)
    .set({ email: null })
    .where(and(eq(accounts.id, asking), eq(accounts.email, sql.placeholder('email'))))
    .returning({ id: accounts.id });

export const takeAddress = (queries: Queries) =>
  queries
    .update(accounts)
    .set(given('email'))
    .where(
      and(
        eq(accounts.id, account),
        isNull(accounts.email),
        sql`EXISTS (SELECT 1 FROM ${keys} WHERE ${ofKey} AND ${keys.account} = ${account})`,
        sql`${holds} IS NULL`,
      ),
    )
    .returning({ id: accounts.id });

export const moveSessions = (queries: Queries) =>
  queries
    .update(sessions)
    .set({ account: sql`${account}` })
    .where(eq(sessions.account, asking))
    .returning({ sha256: sessions.sha256 });

/** Comes last: what others are about to add then refers to an account that is not there, and fails. */
export const leaveAccount = (queries: Queries) =>
  queries
    .update(accounts)
    .set({ id: sql`${sql.placeholder('left')}` })
    .where(eq(accounts.id, asking))
    .returning({ id: accounts.id });
