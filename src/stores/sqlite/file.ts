/** Opens SQLite files with the settings that all of ours have. */
import { Database, type Statement } from 'bun:sqlite';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { notNow } from '../unavailable.ts';

/**
 * bun:sqlite is synchronous: waiting for another process's lock blocks every request of this process. Locks last as long
 * as one small write, so half a second of waiting means that something is wrong.
 */
const BUSY_TIMEOUT_MS = 500;

/**
 * Opens a file; creates it and its folder if needed. With WAL and synchronous NORMAL, commits survive a killed process.
 * A power failure may lose the last commits, but never corrupts the file.
 */
export function openSqlite(path: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Database {
  // The files hold salts and key hashes: only their owner may read them.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new Database(path, { create: true, strict: true });
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = NORMAL');
  database.exec('PRAGMA foreign_keys = ON');
  return database;
}

/** Returns a reader of a number that changes whenever another connection has written to the file. It takes a microsecond. */
export function foreignWrites(database: Database): () => number {
  const read = database.prepare<{ data_version: number }, []>('PRAGMA data_version');
  return () => read.get()!.data_version;
}

/**
 * Returns a check that throws SERVICE_UNAVAILABLE if the path no longer leads to the file that is open now. Deleted files
 * can still be read and written, but the next start will not find them.
 */
export function stillThere(path: string): () => void {
  const opened = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino === opened.ino && now.dev === opened.dev) return;
    throw Object.assign(notNow(), { cause: new Error(`${path} was deleted or replaced while it was open`) });
  };
}

/** More bytes than one request writes. */
const ROOM = new Uint8Array(256 * 1024);

/** Throws SERVICE_UNAVAILABLE if the disk is full. Locking a file does not detect this. */
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

type Bound = Record<string, string | number | boolean | Uint8Array | null>;

/** Prepares each statement once, at its first use. `Database.query` does so for twenty only. */
export type Prepare = <Row = unknown>(text: string) => Statement<Row, [Bound]>;

export function preparing(database: Database): Prepare {
  const prepared = new Map<string, Statement<never, [Bound]>>();
  return text => {
    const statement = prepared.get(text) ?? database.prepare<never, [Bound]>(text);
    prepared.set(text, statement);
    return statement;
  };
}

/** Runs a function as one transaction. */
export type Transaction = Record<'deferred' | 'immediate', <T>(run: () => T) => T>;

/** Made once: making it costs as much as a small transaction. */
export const transactions = (database: Database): Transaction =>
  database.transaction((run: () => unknown) => run()) as unknown as Transaction;
