/**
 * The SQL tables, for the queries of both dialects. After a change run `npx drizzle-kit@0.31.11 generate` and commit the files
 * that it writes to `migrations/` for SQLite, without the older snapshot: the tool reads only the newest. Then write the same
 * migration for Postgres in `migrations-postgres/`; a test compares it with this file. Times are milliseconds since 1970.
 */
import { sql } from 'drizzle-orm';
import { blob, index, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { whole } from './columns.ts';
import type { Account, ChangeAction, Channel, Delivery, Incident, Job, Said } from '../ports.ts';

/** The account that owns the row. Deleting the account deletes the row. */
const accountOf = () =>
  text('account')
    .notNull()
    .references(() => accounts.id, { onDelete: 'cascade' });

export const accounts = sqliteTable(
  'accounts',
  {
    id: text().primaryKey(),
    name: text().notNull().unique(),
    /** The address that can sign in, in lower case; null: no sign-in, only API keys. */
    email: text().unique(),
    /** The plan while none is paid. */
    plan: text().$type<Account['plan']>().notNull(),
    /** 32 secret bytes. Changing them makes all stored hashes useless. */
    salt: blob({ mode: 'buffer' }).notNull(),
    createdAt: whole('created_at').notNull(),
    /** Customer id at the payment provider; null until there is one. */
    customer: text(),
    /** The paid plan and its period; null without one. */
    paidPlan: text('paid_plan').$type<Account['plan']>(),
    paidFrom: whole('paid_from'),
    paidTo: whole('paid_to'),
    /** When the last paid plan ended; null while one is paid. */
    paidUntil: whole('paid_until'),
    /** Number of writes of the paid plan, for optimistic locking. */
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
    /** The payment provider's term. */
    status: text().notNull(),
    /** Null if its price is unknown. */
    plan: text().$type<Account['plan']>(),
    periodStart: whole('period_start').notNull(),
    periodEnd: whole('period_end').notNull(),
    createdAt: whole('created_at').notNull(),
    /** When it stopped paying for the plan; null while it pays, and if it never paid. */
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
    /** The first characters, which may be shown. */
    prefix: text().notNull(),
    sha256: text().notNull().unique(),
    createdAt: whole('created_at').notNull(),
    /** Null until the key is first used. */
    lastUsed: whole('last_used'),
  },
  table => [index('keys_by_account').on(table.account)],
);

/** One-time codes by address and not by account: nobody may learn whether an address has an account. */
export const codes = sqliteTable(
  'codes',
  {
    id: text().primaryKey(),
    email: text().notNull(),
    /** The client address of the request. */
    client: text().notNull(),
    /** SHA-256 of id and code; null if no code was made because the address may not sign in. */
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

/** Screenings that were answered with 200. Ids sort by time. */
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
    /** Start of the billing period that its rows count in. */
    periodStart: whole('period_start').notNull(),
  },
  table => [
    // For lists, and for statistics without reading the table.
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
    index('jobs_by_verdict').on(table.account, table.status, table.id),
    index('jobs_by_source_and_verdict').on(table.account, table.source, table.status, table.id),
    index('jobs_by_time').on(table.createdAt),
  ],
);

/** The result of a job: large, and read one at a time. */
export const reports = sqliteTable('reports', {
  job: text()
    .primaryKey()
    .references(() => jobs.id, { onDelete: 'cascade' }),
  /** The JSON texts of the report and the profile, packed by `compressed.ts`. */
  document: blob({ mode: 'buffer' }).notNull(),
  /** The JSON texts of drift and null rates, packed the same way. Charts over many jobs read these and not the documents. */
  trend: blob({ mode: 'buffer' }).notNull(),
});

/** States of batches that the baseline has not learned, or has forgotten: a user may still accept them. */
export const keptStates = sqliteTable('kept_states', {
  job: text()
    .primaryKey()
    .references(() => jobs.id, { onDelete: 'cascade' }),
  /** Compressed with zstd. */
  state: blob({ mode: 'buffer' }).notNull(),
});

/** What people and programs said of a job: the last time that they said it. */
export const feedback = sqliteTable(
  'feedback',
  {
    job: text()
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    said: text().$type<Said>().notNull(),
    /** Id of the API key; null: a session. */
    by: text(),
    at: whole().notNull(),
  },
  table => [primaryKey({ columns: [table.job, table.said] })],
);

/**
 * Bytes of the jobs that an account keeps, with their reports and states. Triggers write it. It has several shards, so that
 * requests of one account do not queue for one row.
 */
export const keptReports = sqliteTable(
  'kept_reports',
  {
    account: text().notNull(),
    shard: whole().notNull(),
    bytes: whole().notNull(),
  },
  table => [primaryKey({ columns: [table.account, table.shard] })],
);

/**
 * The ledger: requests answered with 200 and their rows, written with the job. It is the truth about usage. A period has
 * several shards, so that requests of one account do not queue for one row.
 */
export const ledger = sqliteTable(
  'ledger',
  {
    /** No foreign key: usage outlives the account. */
    account: text().notNull(),
    periodStart: whole('period_start').notNull(),
    shard: whole().notNull(),
    rows: whole().notNull(),
    requests: whole().notNull(),
  },
  table => [primaryKey({ columns: [table.account, table.periodStart, table.shard] })],
);

/** Rows counted against the allowance: a fast copy of the ledger, plus rows of requests in progress. Rebuilt at start. */
export const allowance = sqliteTable(
  'allowance',
  {
    account: text().notNull(),
    periodStart: whole('period_start').notNull(),
    rows: whole().notNull(),
    /** When rows were last reserved, in ms; null: not since a start took the count from the ledger. */
    reservedAt: whole('reserved_at'),
    /** When a reservation last took the count from the ledger, in ms; null: a start took it. */
    countedFrom: whole('counted_from'),
  },
  table => [primaryKey({ columns: [table.account, table.periodStart] })],
);

/** Answers by Idempotency-Key, and claims of requests in progress. */
export const idempotency = sqliteTable(
  'idempotency',
  {
    account: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the identifying headers and the body. */
    requestSha256: text('request_sha256').notNull(),
    /** Id of the claim: only its request may store the answer. */
    claim: text().notNull(),
    /** When the claim or the answer expires. */
    expiresAt: whole('expires_at').notNull(),
    /** Id of an earlier claim of the same request that ended without an answer and without a release; null: none. */
    unfinished: text(),
    /** JSON {headers, job}, compressed with zstd, where `job` is the id of the job with the body; null while the request runs. */
    answer: blob({ mode: 'buffer' }),
  },
  table => [
    primaryKey({ columns: [table.account, table.key] }),
    index('idempotency_by_end').on(table.expiresAt),
  ],
);

/** Handled events of the payment provider, so that a repeated event does nothing. */
export const webhookEvents = sqliteTable(
  'webhook_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    receivedAt: whole('received_at').notNull(),
  },
  table => [index('webhook_events_by_time').on(table.receivedAt)],
);

/** What people and programs changed at sources: baselines are in another store, which forgets old versions. */
export const sourceChanges = sqliteTable(
  'source_changes',
  {
    id: text().primaryKey(),
    account: text().notNull(),
    /** Empty: all sources. */
    source: text().notNull(),
    action: text().$type<ChangeAction>().notNull(),
    at: whole().notNull(),
    by: text().notNull(),
    /** Id of the API key; null: a session. */
    key: text(),
    job: text(),
    detail: text(),
  },
  table => [
    index('source_changes_by_source').on(table.account, table.source, table.at),
    index('source_changes_by_account').on(table.account, table.at, table.id),
  ],
);

/** Where accounts are told of incidents. */
export const alertChannels = sqliteTable(
  'alert_channels',
  {
    id: text().primaryKey(),
    account: accountOf(),
    type: text().$type<Channel['type']>().notNull(),
    name: text().notNull(),
    target: text().notNull(),
    /** JSON array of patterns. */
    sources: text().notNull(),
    threshold: text().$type<Channel['on']>().notNull(),
    /** JSON array of {secret, until}. They are kept as they are: each delivery is signed with them. */
    secrets: text().notNull(),
    createdAt: whole('created_at').notNull(),
    failingSince: whole('failing_since'),
  },
  table => [index('alert_channels_by_account').on(table.account, table.createdAt)],
);

/** Batches that did not pass, written with their job and deleted when their incident knows them. */
export const badBatches = sqliteTable('bad_batches', {
  job: text().primaryKey(),
  account: text().notNull(),
  source: text().notNull(),
  verdict: text().$type<Incident['verdict']>().notNull(),
  healthScore: real('health_score').notNull(),
  reason: text().notNull(),
  at: whole().notNull(),
});

export const incidents = sqliteTable(
  'incidents',
  {
    id: text().primaryKey(),
    account: text().notNull(),
    source: text().notNull(),
    status: text().$type<Incident['status']>().notNull(),
    verdict: text().$type<Incident['verdict']>().notNull(),
    openedAt: whole('opened_at').notNull(),
    resolvedAt: whole('resolved_at'),
    batches: whole().notNull(),
    firstJob: text('first_job').notNull(),
    lastJob: text('last_job').notNull(),
    lastAt: whole('last_at').notNull(),
    healthScore: real('health_score').notNull(),
    reason: text().notNull(),
    acknowledgedAt: whole('acknowledged_at'),
    snoozedUntil: whole('snoozed_until'),
    toldAt: whole('told_at'),
    version: whole().notNull(),
    /** Null in incidents of older releases. */
    lastVerdict: text('last_verdict').$type<Incident['lastVerdict']>(),
    toldVerdict: text('told_verdict').$type<Incident['toldVerdict']>(),
    tellNext: text('tell_next').$type<Incident['tellNext']>(),
  },
  table => [
    // A source has one open incident.
    uniqueIndex('incidents_open').on(table.account, table.source).where(sql`status = 'open'`),
    index('incidents_by_source').on(table.account, table.source, table.id),
    index('incidents_by_account').on(table.account, table.id),
    index('incidents_by_end').on(table.resolvedAt),
  ],
);

/** The outbox: what is to be sent, and what was. */
export const alertDeliveries = sqliteTable(
  'alert_deliveries',
  {
    id: text().primaryKey(),
    account: text().notNull(),
    channel: text()
      .notNull()
      .references(() => alertChannels.id, { onDelete: 'cascade' }),
    incident: text(),
    type: text().notNull(),
    payload: text().notNull(),
    status: text().$type<Delivery['status']>().notNull(),
    attempts: whole().notNull(),
    createdAt: whole('created_at').notNull(),
    nextAt: whole('next_at').notNull(),
    settledAt: whole('settled_at'),
    error: text(),
  },
  table => [
    index('alert_deliveries_due').on(table.status, table.nextAt),
    index('alert_deliveries_by_account').on(table.account, table.id),
    index('alert_deliveries_by_channel').on(table.channel, table.id),
    index('alert_deliveries_by_time').on(table.createdAt),
    index('alert_deliveries_by_incident').on(table.incident, table.status, table.channel, table.id),
  ],
);

/** Mails that an account has sent; those older than a day go with its next one. To send a delivery again, or to delete its channel, deletes none. */
export const alertMails = sqliteTable(
  'alert_mails',
  { account: accountOf(), at: whole().notNull() },
  table => [index('alert_mails_by_account').on(table.account, table.at)],
);
