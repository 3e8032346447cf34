/** Settings, pin and run of BLOCKed batches of a source, in the SQLite file of the baselines. */
import type { Database, Statement } from 'bun:sqlite';
import type { BlockedRun, SourceNotes } from './ports.ts';
import { sourceKey } from './source-key.ts';

/** `copies`: number of versions ever stored. A reset deletes the baseline's row; the trigger then clears pin and run. */
export const NOTES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS note (
    key INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    source TEXT NOT NULL,
    settings TEXT,
    pinned INTEGER NOT NULL DEFAULT 0,
    since TEXT,
    last TEXT,
    batches INTEGER,
    causes TEXT,
    copies INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account, source)
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS baseline_gone AFTER DELETE ON baseline BEGIN
    UPDATE note SET pinned = 0, since = NULL WHERE account = OLD.account AND source = OLD.source;
  END;
`;

interface NoteRow {
  settings: string | null;
  rules: string | null;
  pinned: number;
  since: string | null;
  last: string;
  batches: number;
  causes: string;
}

type SourceBinding = { account: string; source: string };

export class EmbeddedNotes {
  readonly #find: Statement<NoteRow, [SourceBinding]>;
  readonly #settings: Statement<unknown, [SourceBinding & { settings: string | null }]>;
  readonly #pin: Statement<unknown, [SourceBinding & { pinned: number }]>;
  readonly #block: Statement<unknown, [SourceBinding & Omit<BlockedRun, 'batches'>]>;
  readonly #endRun: Statement<unknown, [SourceBinding]>;

  constructor(database: Database) {
    this.#find = database.prepare(
      `SELECT settings, current AS rules, pinned, since, last, batches, causes
       FROM note LEFT JOIN rule ON owner = note.key
       WHERE account = $account AND source = $source`,
    );
    this.#settings = database.prepare(
      `INSERT INTO note (account, source, settings) VALUES ($account, $source, $settings)
       ON CONFLICT DO UPDATE SET settings = excluded.settings`,
    );
    this.#pin = database.prepare(
      `INSERT INTO note (account, source, pinned)
       SELECT account, source, $pinned FROM baseline WHERE account = $account AND source = $source
       ON CONFLICT DO UPDATE SET pinned = excluded.pinned`,
    );
    this.#block = database.prepare(
      `INSERT INTO note (account, source, since, last, batches, causes)
       VALUES ($account, $source, $since, $last, 1, $causes)
       ON CONFLICT DO UPDATE SET
         batches = CASE WHEN since = excluded.since THEN batches + 1 ELSE 1 END,
         since = excluded.since, last = excluded.last, causes = excluded.causes`,
    );
    this.#endRun = database.prepare(
      'UPDATE note SET since = NULL WHERE account = $account AND source = $source',
    );
  }

  read(account: string, source: string): SourceNotes {
    const row = this.#find.get({ account, source: sourceKey(source) });
    if (!row) return { settings: null, rules: null, pinned: false, run: null };
    const { settings, rules, pinned, since, last, batches, causes } = row;
    return {
      settings,
      rules,
      pinned: pinned === 1,
      run: since === null ? null : { since, last, batches, causes },
    };
  }

  setSettings(account: string, source: string, settings: string | null): void {
    this.#settings.run({ account, source: sourceKey(source), settings });
  }

  setPinned(account: string, source: string, pinned: boolean): boolean {
    return this.#pin.run({ account, source: sourceKey(source), pinned: pinned ? 1 : 0 }).changes > 0;
  }

  noteBlocked(account: string, source: string, { since, last, causes }: Omit<BlockedRun, 'batches'>): void {
    this.#block.run({ account, source: sourceKey(source), since, last, causes });
  }

  endRun(account: string, source: string): void {
    this.#endRun.run({ account, source: sourceKey(source) });
  }
}
