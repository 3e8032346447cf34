/**
 * What processes of one machine tell each other, in their SQLite file. Nobody is woken by it: whoever is about to use a
 * copy looks whether something was told, which takes a microsecond while nothing was.
 */
import type { Database, Statement } from 'bun:sqlite';
import type { Announcements } from './ports.ts';
import { openSqlite } from './sqlite-file.ts';
import { available, isUnavailable } from './unavailable.ts';

/** Ids are never given twice, so "later" is "greater". */
const SCHEMA =
  'CREATE TABLE IF NOT EXISTS announcement (id INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT NOT NULL) STRICT';
/** Who misses more than these has copies that have ended by themselves. */
const KEPT = 1000;

export class EmbeddedAnnouncements implements Announcements {
  readonly #database: Database;
  readonly #add: Statement<unknown, [string]>;
  readonly #trim: Statement<unknown, [number]>;
  readonly #since: Statement<{ id: number; message: string }, [number]>;
  /** Another number whenever another connection has written. */
  readonly #dataVersion: Statement<{ data_version: number }, []>;
  readonly #calls: ((message: string) => void)[] = [];
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
    this.#dataVersion = database.prepare('PRAGMA data_version');
    this.#seenVersion = this.#dataVersion.get()!.data_version;
    const last = database.query<{ id: number | null }, []>('SELECT max(id) AS id FROM announcement').get()!;
    this.#lastId = last.id ?? 0;
  }

  async tell(message: string): Promise<void> {
    await available(() => {
      this.#add.run(message);
      this.#trim.run(KEPT);
      this.#passOn();
    });
  }

  async hear(call: (message: string) => void): Promise<void> {
    this.#calls.push(call);
  }

  catchUp(): void {
    try {
      this.#look();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  #look(): void {
    const { data_version: version } = this.#dataVersion.get()!;
    if (version === this.#seenVersion) return;
    this.#passOn();
    this.#seenVersion = version;
  }

  #passOn(): void {
    for (const { id, message } of this.#since.all(this.#lastId)) {
      this.#lastId = id;
      for (const call of this.#calls) call(message);
    }
  }
}
