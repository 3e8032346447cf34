/** Tables of batches that come in parts. */
import { sql } from 'drizzle-orm';
import { blob, index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { BatchStatus } from '../ports.ts';
import { whole } from './columns.ts';
import { accounts } from './schema.ts';

export const batches = sqliteTable(
  'batches',
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    source: text().notNull(),
    /** JSON. */
    options: text(),
    /** Serialized: the source as it was when the batch was opened. */
    begun: blob({ mode: 'buffer' }).notNull(),
    status: text().$type<BatchStatus>().notNull(),
    createdAt: whole('created_at').notNull(),
    expiresAt: whole('expires_at').notNull(),
    /** Idempotency-Key that it was opened with, and the SHA-256 of that request. */
    key: text(),
    requestSha256: text('request_sha256'),
    requestId: text('request_id'),
    /** JSON; the answer to `finish`. */
    answer: text(),
    /** Of what its parts have left behind. */
    bytes: whole().notNull().default(0),
  },
  table => [
    index('batches_by_account').on(table.account, table.id),
    uniqueIndex('batches_by_key').on(table.account, table.key).where(sql`key IS NOT NULL`),
    index('batches_by_end').on(table.status, table.expiresAt),
  ],
);

const batchOf = () =>
  text('batch')
    .notNull()
    .references(() => batches.id, { onDelete: 'cascade' });

export const batchParts = sqliteTable(
  'batch_parts',
  {
    batch: batchOf(),
    part: whole().notNull(),
    rows: whole().notNull(),
    sha256: text().notNull(),
    /** JSON. */
    answer: text().notNull(),
    /** JSON: why rows are held back. */
    reasons: text(),
    /** The attempt whose keys are those of the part. */
    upload: text().notNull(),
  },
  table => [primaryKey({ columns: [table.batch, table.part] })],
);

/** States of one or several parts. */
export const batchStates = sqliteTable(
  'batch_states',
  {
    batch: batchOf(),
    number: whole().notNull(),
    state: blob({ mode: 'buffer' }).notNull(),
  },
  table => [primaryKey({ columns: [table.batch, table.number] })],
);

/** Keys of the rows of a part, or of an attempt to send it. */
export const batchKeys = sqliteTable(
  'batch_keys',
  {
    /** The attempt, and a number within it. */
    place: text().primaryKey(),
    batch: batchOf(),
    upload: text().notNull(),
    part: whole().notNull(),
    keys: blob({ mode: 'buffer' }).notNull(),
  },
  table => [
    index('batch_keys_by_batch').on(table.batch, table.place),
    index('batch_keys_by_upload').on(table.upload),
  ],
);

/** What changes with every post to a source with a window: small, as the row of its batch is large. */
export const windows = sqliteTable(
  'windows',
  {
    batch: text()
      .primaryKey()
      .references(() => batches.id, { onDelete: 'cascade' }),
    account: text().notNull(),
    source: text().notNull(),
    /** 1: it takes posts. */
    isOpen: whole('is_open').notNull(),
    /** When it ends, or its end is tried again; null: it has been judged. */
    dueAt: whole('due_at'),
    mostRows: whole('most_rows').notNull(),
    rows: whole().notNull(),
    /** Of what its posts have left behind, and of what they are compared with. */
    bytes: whole().notNull(),
    /** The next number that no state has. */
    nextNumber: whole('next_number').notNull(),
  },
  table => [
    uniqueIndex('windows_by_source').on(table.account, table.source).where(sql`is_open = 1`),
    index('windows_by_end').on(table.dueAt).where(sql`due_at IS NOT NULL`),
    index('windows_by_account').on(table.account).where(sql`due_at IS NOT NULL`),
  ],
);

/** What posts to a window were found to have. */
export const windowFindings = sqliteTable(
  'window_findings',
  {
    batch: batchOf(),
    kind: text().notNull(),
    /** Empty: of the post as a whole. */
    field: text().notNull(),
    /** Path of the declared rule; empty: of no rule. */
    rule: text().notNull(),
    severity: text().$type<'warn' | 'block'>().notNull(),
    posts: whole().notNull(),
  },
  table => [primaryKey({ columns: [table.batch, table.kind, table.field, table.rule, table.severity] })],
);
