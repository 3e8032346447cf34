/** One SQLite file, set up as all embedded stores want it. */
import { Database } from 'bun:sqlite';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { notNow } from './unavailable.ts';

/**
 * bun:sqlite is synchronous: waiting for another process's lock holds up every request of this one. Locks
 * last as long as one small write, so half a second of waiting means that something is wrong.
 */
const BUSY_TIMEOUT_MS = 500;

/**
 * Opens a file, made with its folder when absent. With WAL and synchronous NORMAL what is committed survives the
 * process being killed at any point; losing power may cost the last commits, never the file's consistency.
 */
export function openSqlite(path: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Database {
  // What lies here seeds hashes and logs accounts in: it is for its owner's eyes.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new Database(path, { create: true, strict: true });
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = NORMAL');
  database.exec('PRAGMA foreign_keys = ON');
  return database;
}

/** More than one request writes: it must fit when a smaller write still does. */
const ROOM = new Uint8Array(256 * 1024);

/** Throws SERVICE_UNAVAILABLE when the folder takes no more, which a file that can be locked does not tell. */
export function checkRoom(folder: string): void {
  const path = join(folder, `.room-${process.pid}`);
  try {
    writeFileSync(path, ROOM);
  } catch (error) {
    throw Object.assign(notNow(), { cause: error });
  } finally {
    rmSync(path, { force: true });
  }
}
