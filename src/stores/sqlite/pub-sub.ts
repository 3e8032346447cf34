/**
 * Messages between the processes of one machine, in a SQLite file. Messages are not pushed: processes poll before they use
 * a cached copy. A poll without new messages takes a microsecond.
 */
import type { Database, Statement } from 'bun:sqlite';
import type { PubSub } from '../ports.ts';
import { foreignWrites, openSqlite } from './file.ts';
import { available, isUnavailable } from '../unavailable.ts';

/** Ids are never reused, so later messages have greater ids. */
const SCHEMA =
  'CREATE TABLE IF NOT EXISTS announcement (id INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT NOT NULL) STRICT';
/** A process that misses more messages has copies that have expired anyway. */
const MAX_MESSAGES = 1000;

export class SqlitePubSub implements PubSub {
  readonly #database: Database;
  readonly #add: Statement<unknown, [string]>;
  readonly #trim: Statement<unknown, [number]>;
  readonly #since: Statement<{ id: number; message: string }, [number]>;
  readonly #version: () => number;
  readonly #receivers: ((message: string) => void)[] = [];
  #seenVersion: number;
  #lastId: number;

  constructor(path: string, busyTimeoutMs?: number) {
    const database = openSqlite(path, busyTimeoutMs);
    database.exec(SCHEMA);
    this.#database = database;
    this.#add = database.prepare('INSERT INTO announcement (message) VALUES (?)');
    this.#trim = database.prepare(
      'DELETE FROM announcement WHERE id <= (SELECT max(id) FROM announcement) - ?',
    );
    this.#since = database.prepare('SELECT id, message FROM announcement WHERE id > ? ORDER BY id');
    this.#version = foreignWrites(database);
    this.#seenVersion = this.#version();
    const last = database.query<{ id: number | null }, []>('SELECT max(id) AS id FROM announcement').get()!;
    this.#lastId = last.id ?? 0;
  }

  async publish(message: string): Promise<void> {
    await available(() => {
      this.#add.run(message);
      this.#trim.run(MAX_MESSAGES);
      this.#deliver();
    });
  }

  async subscribe(receive: (message: string) => void): Promise<void> {
    this.#receivers.push(receive);
  }

  poll(): void {
    try {
      this.#deliverIfChanged();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  #deliverIfChanged(): void {
    const version = this.#version();
    if (version === this.#seenVersion) return;
    this.#deliver();
    this.#seenVersion = version;
  }

  #deliver(): void {
    for (const { id, message } of this.#since.all(this.#lastId)) {
      this.#lastId = id;
      for (const receive of this.#receivers) receive(message);
    }
  }
}
