/** The SQL database of accounts, keys and usage: one SQLite file, brought up to date when it is opened. */
import type { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from 'drizzle-orm/bun-sqlite/migrator';
import { openSqlite } from '../sqlite-file.ts';
import * as schema from './schema.ts';

export type SqlDatabase = BunSQLiteDatabase<typeof schema> & { $client: Database };

const MIGRATIONS = join(import.meta.dir, 'migrations');
const ATTEMPTS = 5;

/** Opens the file, makes it when it is absent, and applies what migrations it lacks. Throws what SQLite says when it cannot. */
export function openSql(path: string, busyTimeoutMs?: number): SqlDatabase {
  const database = drizzle(openSqlite(path, busyTimeoutMs), { schema });
  migrateOnce(database, ATTEMPTS);
  return database;
}

/**
 * Processes that start together find the same migrations missing, and all but one of them fail: the migrator looks
 * before it locks. Having failed, it looks again and finds the work done.
 */
function migrateOnce(database: SqlDatabase, attempts: number): void {
  try {
    migrate(database, { migrationsFolder: MIGRATIONS });
  } catch (error) {
    if (attempts <= 1) throw error;
    migrateOnce(database, attempts - 1);
  }
}
