/**
 * Accounts, ways in, jobs and counted rows. The queries of both dialects are written with these tables. After a change:
 * `npx drizzle-kit@0.31.11 generate`, and commit what it writes under `migrations/` for SQLite; then write the same for
 * Postgres under `migrations-postgres/`, where a test compares what is there with what stands here. Times are
 * milliseconds since 1970.
 */
import {
  blob,
  customType,
  index,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { Account, Job } from '../ports.ts';

/** A whole number below 2^53. Postgres hands its own over as text. */
const whole = customType<{ data: number; driverData: number | string }>({
  dataType: () => 'integer',
  fromDriver: Number,
});

/** The account whose row this is; it goes with the account. */
const accountOf = () =>
  text('account')
    .notNull()
    .references(() => accounts.id, { onDelete: 'cascade' });

export const accounts = sqliteTable(
  'accounts',
  {
    id: text().primaryKey(),
    name: text().notNull().unique(),
    /** The address that signs in to it, in lower case; null: nobody can sign in, only its keys work. */
    email: text().unique(),
    /** What it has while it pays for none. */
    plan: text().$type<Account['plan']>().notNull(),
    /** 32 secret bytes; changing them makes every kept hash meaningless. */
    salt: blob({ mode: 'buffer' }).notNull(),
    createdAt: whole('created_at').notNull(),
    /** The payment provider's id for it; null until it first goes there. */
    customer: text(),
    /** The plan, and the subscription's period, that it pays for; null while it does not. */
    paidPlan: text('paid_plan').$type<Account['plan']>(),
    paidFrom: whole('paid_from'),
    paidTo: whole('paid_to'),
    /** When the last plan ended that it paid for; null while it pays. */
    paidUntil: whole('paid_until'),
    /** How often what it pays for was written: who writes it says what it had read. */
    billingVersion: whole('billing_version').notNull().default(0),
  },
  table => [
    uniqueIndex('accounts_by_customer').on(table.customer),
    index('accounts_by_paid_to').on(table.paidTo),
  ],
);

/** Subscriptions as the payment provider last described them. */
export const subscriptions = sqliteTable(
  'subscriptions',
  {
    id: text().primaryKey(),
    account: accountOf(),
    /** In the payment provider's words. */
    status: text().notNull(),
    /** Null where its price is not one of ours. */
    plan: text().$type<Account['plan']>(),
    periodStart: whole('period_start').notNull(),
    periodEnd: whole('period_end').notNull(),
    createdAt: whole('created_at').notNull(),
    /** When it ceased to pay for the plan; null while it pays, and if it never did. */
    endedAt: whole('ended_at'),
  },
  table => [index('subscriptions_by_account').on(table.account)],
);

export const keys = sqliteTable(
  'keys',
  {
    id: text().primaryKey(),
    account: accountOf(),
    name: text().notNull(),
    /** The leading part that may be shown. */
    prefix: text().notNull(),
    sha256: text().notNull().unique(),
    createdAt: whole('created_at').notNull(),
    /** Null until the key is first used. */
    lastUsed: whole('last_used'),
  },
  table => [index('keys_by_account').on(table.account)],
);

/** One-time codes, asked for by address: whether the address has an account is not said before a code is right. */
export const codes = sqliteTable(
  'codes',
  {
    id: text().primaryKey(),
    email: text().notNull(),
    /** The client address that asked for it. */
    client: text().notNull(),
    /** SHA-256 of id and code; null where no code was made, because nobody may sign in with this address. */
    sha256: text(),
    tries: whole().notNull(),
    createdAt: whole('created_at').notNull(),
    expiresAt: whole('expires_at').notNull(),
    usedAt: whole('used_at'),
  },
  table => [
    index('codes_by_email').on(table.email, table.createdAt),
    index('codes_by_client').on(table.client, table.createdAt),
    index('codes_by_time').on(table.createdAt),
  ],
);

export const sessions = sqliteTable(
  'sessions',
  {
    sha256: text().primaryKey(),
    account: accountOf(),
    createdAt: whole('created_at').notNull(),
    expiresAt: whole('expires_at').notNull(),
  },
  table => [index('sessions_by_account').on(table.account), index('sessions_by_end').on(table.expiresAt)],
);

/** One screening that was answered with 200. Ids sort by time. */
export const jobs = sqliteTable(
  'jobs',
  {
    id: text().primaryKey(),
    account: text().notNull(),
    source: text().notNull(),
    status: text().$type<Job['status']>().notNull(),
    healthScore: real('health_score').notNull(),
    rowsReceived: whole('rows_received').notNull(),
    driftCount: whole('drift_count').notNull(),
    latencyMs: whole('latency_ms').notNull(),
    createdAt: whole('created_at').notNull(),
    /** The billing period that its rows were counted in. */
    periodStart: whole('period_start').notNull(),
  },
  table => [
    // Lists, and statistics without a look at the rows themselves.
    index('jobs_by_account').on(
      table.account,
      table.id,
      table.source,
      table.status,
      table.healthScore,
      table.rowsReceived,
      table.driftCount,
      table.createdAt,
    ),
    index('jobs_by_source').on(table.account, table.source, table.id),
    index('jobs_by_time').on(table.createdAt),
  ],
);

/** What a job found: large, and read one at a time. */
export const reports = sqliteTable('reports', {
  job: text()
    .primaryKey()
    .references(() => jobs.id, { onDelete: 'cascade' }),
  /** The JSON texts of the report and the profile, packed by `compressed.ts`. */
  document: blob({ mode: 'buffer' }).notNull(),
  /** The JSON texts of drift and null rates, the same way: a chart over many jobs reads these and not the documents. */
  trend: blob({ mode: 'buffer' }).notNull(),
});

/** What a baseline would have kept of a batch that it did not learn, or does not any more: it may yet. */
export const keptStates = sqliteTable('kept_states', {
  job: text()
    .primaryKey()
    .references(() => jobs.id, { onDelete: 'cascade' }),
  /** Compressed with zstd. */
  state: blob({ mode: 'buffer' }).notNull(),
});

/**
 * The ledger: rows and requests that were answered with 200, written with the job. It is the truth about usage. A period
 * is cut into shards, so that requests of one account do not queue for one row.
 */
export const ledger = sqliteTable(
  'ledger',
  {
    /** No reference: what was counted outlives the account. */
    account: text().notNull(),
    periodStart: whole('period_start').notNull(),
    shard: whole().notNull(),
    rows: whole().notNull(),
    requests: whole().notNull(),
  },
  table => [primaryKey({ columns: [table.account, table.periodStart, table.shard] })],
);

/** Rows counted against the allowance, with those of requests under way: a fast copy of the ledger, made anew at start. */
export const allowance = sqliteTable(
  'allowance',
  {
    account: text().notNull(),
    periodStart: whole('period_start').notNull(),
    rows: whole().notNull(),
  },
  table => [primaryKey({ columns: [table.account, table.periodStart] })],
);

/** Answers by Idempotency-Key, and claims of requests under way. */
export const idempotency = sqliteTable(
  'idempotency',
  {
    account: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of everything that makes the request what it is. */
    requestSha256: text('request_sha256').notNull(),
    /** Whose turn it is: only this request may answer. */
    claim: text().notNull(),
    /** When the claim may be taken over, or the answer forgotten. */
    expiresAt: whole('expires_at').notNull(),
    /** JSON {headers, body}, compressed with zstd; null while the request runs. */
    answer: blob({ mode: 'buffer' }),
  },
  table => [
    primaryKey({ columns: [table.account, table.key] }),
    index('idempotency_by_end').on(table.expiresAt),
  ],
);

/** Events that the payment provider has sent, so that a repeat does nothing. */
export const webhookEvents = sqliteTable(
  'webhook_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    receivedAt: whole('received_at').notNull(),
  },
  table => [index('webhook_events_by_time').on(table.receivedAt)],
);
