/**
 * Accounts, keys and counted rows in SQLite. After a change: `npx drizzle-kit generate`, and commit what it writes
 * under `migrations/`. Times are milliseconds since 1970.
 */
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Account } from '../ports.ts';

export const accounts = sqliteTable('accounts', {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  plan: text().$type<Account['plan']>().notNull(),
  /** 32 secret bytes; changing them makes every kept hash meaningless. */
  salt: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

export const keys = sqliteTable(
  'keys',
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The leading part that may be shown. */
    prefix: text().notNull(),
    sha256: text().notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** Null until the key is first used. */
    lastUsed: integer('last_used'),
  },
  table => [index('keys_by_account').on(table.account)],
);

export const usage = sqliteTable(
  'usage',
  {
    /** No reference: what was counted outlives the account. */
    account: text().notNull(),
    periodStart: integer('period_start').notNull(),
    /** Rows counted, reserved ones included. */
    rows: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.account, table.periodStart] })],
);
