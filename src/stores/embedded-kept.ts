/**
 * Counts what accounts keep in the SQLite file of the baselines. Triggers count with every change, so the counts hold for
 * all statements of all processes, and change in the same transaction.
 */
import type { Database, Statement } from 'bun:sqlite';
import { type Bounds, type Kept, NOTE_BYTES, SOURCE_BYTES, STATE_BYTES } from './ports.ts';
import { sourceKey } from './source-key.ts';

/**
 * `kept`: sums by account. `size`: bytes of a baseline or of a note with its versions, by the key of its row, and when the
 * baseline last learned, in seconds. It is a table of its own because SQLite would rewrite a folded record with every
 * change of its row.
 */
const TABLES = `
  CREATE TABLE kept (account TEXT PRIMARY KEY, sources INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  CREATE TABLE size (
    kind TEXT NOT NULL,
    key INTEGER NOT NULL,
    account TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    learned INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
`;

/** Counts what a file of an older version holds. */
const COUNT = `
  INSERT INTO size SELECT 'baseline', key, account, ${SOURCE_BYTES} + coalesce(length(folded), 0)
    + (SELECT coalesce(sum(length(bytes) + ${STATE_BYTES}), 0) FROM state WHERE baseline = key)
    + (SELECT count(*) * ${STATE_BYTES} FROM folded_state WHERE baseline = key), unixepoch() FROM baseline;
  INSERT INTO size SELECT 'note', key, account, ${NOTE_BYTES} + coalesce(octet_length(settings), 0)
    + (SELECT coalesce(sum(length(copy) + ${NOTE_BYTES}), 0) FROM version WHERE owner = key), 0 FROM note;
  INSERT INTO kept SELECT account, sum(kind = 'baseline'), sum(bytes) FROM size GROUP BY account;
`;

/** `is`: 1 for a baseline, which is a source. The row is gone before its states and versions: their triggers then find nothing. */
const counted = (table: 'baseline' | 'note', is: 0 | 1, bytes: string): string => `
  CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} BEGIN
    INSERT OR IGNORE INTO kept (account, sources, bytes) VALUES (NEW.account, 0, 0);
    UPDATE kept SET sources = sources + ${is} WHERE account = NEW.account;
    INSERT INTO size (kind, key, account, bytes, learned) VALUES ('${table}', NEW.key, NEW.account, 0, unixepoch());
    UPDATE size SET bytes = ${bytes} WHERE kind = '${table}' AND key = NEW.key;
  END;
  CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN
    UPDATE size SET bytes = 0 WHERE kind = '${table}' AND key = OLD.key;
    DELETE FROM size WHERE kind = '${table}' AND key = OLD.key;
    UPDATE kept SET sources = sources - ${is} WHERE account = OLD.account;
  END;`;

const resized = (name: string, event: string, kind: string, key: string, growth: string): string => `
  CREATE TRIGGER ${name} AFTER ${event} BEGIN
    UPDATE size SET bytes = bytes + ${growth} WHERE kind = '${kind}' AND key = ${key};
  END;`;

const state = (row: string) => `length(${row}.bytes) + ${STATE_BYTES}`;
const version = (row: string) => `length(${row}.copy) + ${NOTE_BYTES}`;
const change = (column: string, length: string) =>
  `coalesce(${length}(NEW.${column}), 0) - coalesce(${length}(OLD.${column}), 0)`;

const TRIGGERS = `
  CREATE TRIGGER size_changed AFTER UPDATE OF bytes ON size BEGIN
    UPDATE kept SET bytes = bytes + NEW.bytes - OLD.bytes WHERE account = NEW.account;
  END;
  ${counted('baseline', 1, `${SOURCE_BYTES} + coalesce(length(NEW.folded), 0)`)}
  ${counted('note', 0, `${NOTE_BYTES} + coalesce(octet_length(NEW.settings), 0)`)}
  ${resized('baseline_resized', 'UPDATE OF folded ON baseline', 'baseline', 'NEW.key', change('folded', 'length'))}
  ${resized('note_resized', 'UPDATE OF settings ON note', 'note', 'NEW.key', change('settings', 'octet_length'))}
  ${resized('state_added', 'INSERT ON state', 'baseline', 'NEW.baseline', `${state('NEW')}, learned = unixepoch()`)}
  ${resized('state_deleted', 'DELETE ON state', 'baseline', 'OLD.baseline', `-(${state('OLD')})`)}
  ${resized('folded_added', 'INSERT ON folded_state', 'baseline', 'NEW.baseline', String(STATE_BYTES))}
  ${resized('folded_deleted', 'DELETE ON folded_state', 'baseline', 'OLD.baseline', `-${STATE_BYTES}`)}
  ${resized('version_added', 'INSERT ON version', 'note', 'NEW.owner', version('NEW'))}
  ${resized('version_deleted', 'DELETE ON version', 'note', 'OLD.owner', `-(${version('OLD')})`)}
`;

const rules = (row: string) => `octet_length(${row}.current) + octet_length(${row}.past) + ${NOTE_BYTES}`;

/** Files of older versions have no rules. A row of rules is deleted only with its note. */
const RULE_TRIGGERS = `
  CREATE TRIGGER IF NOT EXISTS rule_added AFTER INSERT ON rule BEGIN
    UPDATE size SET bytes = bytes + ${rules('NEW')} WHERE kind = 'note' AND key = NEW.owner;
  END;
  CREATE TRIGGER IF NOT EXISTS rule_resized AFTER UPDATE ON rule BEGIN
    UPDATE size SET bytes = bytes + ${rules('NEW')} - (${rules('OLD')}) WHERE kind = 'note' AND key = NEW.owner;
  END;
`;

/** The condition under which a state has room. Binds $account, $bytes and $mostBytes. */
export const HAS_ROOM = `(SELECT bytes FROM kept WHERE account = $account) + length($bytes) + ${STATE_BYTES} <= $mostBytes`;

type Account = { account: string };

export class EmbeddedKept {
  readonly #kept: Statement<Kept, [Account]>;
  readonly #versionBytes: Statement<{ bytes: number }, [Account]>;
  readonly #dropOldest: Statement<unknown, [Account]>;
  readonly #dropEmpty: Statement<unknown, [Account]>;
  readonly #learned: Statement<{ learned: number }, [Account & { source: string }]>;
  readonly #hasState: Statement<unknown, [{ key: number; id: string }]>;
  readonly #forget: Statement<unknown, [Account & { source: string }]>;

  /** The other tables must exist. */
  constructor(database: Database) {
    const isMissing = () => !database.query("SELECT 1 FROM sqlite_master WHERE name = 'kept'").get();
    const add = database.transaction(() => {
      if (isMissing()) database.exec(TABLES + TRIGGERS + COUNT);
    });
    if (isMissing()) add.immediate();
    database.exec(RULE_TRIGGERS);
    this.#kept = database.prepare('SELECT sources, bytes FROM kept WHERE account = $account');
    const ofAccount = 'FROM version JOIN note ON note.key = owner WHERE account = $account';
    this.#versionBytes = database.prepare(
      `SELECT coalesce(sum(length(copy) + ${NOTE_BYTES}), 0) AS bytes ${ofAccount}`,
    );
    this.#dropOldest = database.prepare(
      `DELETE FROM version WHERE rowid = (SELECT version.rowid ${ofAccount} ORDER BY version.rowid LIMIT 1)`,
    );
    // A note without settings, rules and versions says something only beside its baseline.
    this.#dropEmpty = database.prepare(
      `DELETE FROM note WHERE account = $account AND settings IS NULL
         AND NOT EXISTS (SELECT 1 FROM version WHERE owner = note.key)
         AND NOT EXISTS (SELECT 1 FROM rule WHERE owner = note.key)
         AND NOT EXISTS (SELECT 1 FROM baseline AS b WHERE b.account = note.account AND b.source = note.source)`,
    );
    this.#learned = database.prepare(
      `SELECT learned FROM size WHERE kind = 'baseline'
         AND key = (SELECT key FROM baseline WHERE account = $account AND source = $source)`,
    );
    this.#hasState = database.prepare(
      `SELECT 1 FROM state WHERE baseline = $key AND id = $id
       UNION ALL SELECT 1 FROM folded_state WHERE baseline = $key AND id = $id`,
    );
    this.#forget = database.prepare('DELETE FROM note WHERE account = $account AND source = $source');
  }

  of(account: string): Kept {
    return this.#kept.get({ account }) ?? { sources: 0, bytes: 0 };
  }

  lastLearned(account: string, source: string): number {
    return (this.#learned.get({ account, source: sourceKey(source) })?.learned ?? 0) * 1000;
  }

  /** Whether a baseline keeps a state or remembers it. It then needs no room. */
  hasState(key: number, id: string): boolean {
    return this.#hasState.get({ key, id }) !== null;
  }

  /** Makes room for one more source or none, and for `bytes`. Call it in a transaction. Throws the bound's refusal. */
  makeRoom(account: string, bounds: Bounds, sources: 0 | 1, bytes: number): void {
    if (sources > 0 && this.of(account).sources >= bounds.sources)
      throw bounds.refusal('sources', this.of(account));
    if (!this.hasRoom(account, bounds, bytes)) throw bounds.refusal('bytes', this.of(account));
  }

  /** Whether `bytes` have room, after the oldest versions were deleted where that is enough. Call it in a transaction. */
  hasRoom(account: string, bounds: Bounds, bytes: number): boolean {
    const isFull = () => bytes > 0 && this.of(account).bytes + bytes > bounds.bytes;
    if (!isFull()) return true;
    this.#dropEmpty.run({ account });
    const versions = this.#versionBytes.get({ account })!.bytes;
    if (this.of(account).bytes - versions + bytes > bounds.bytes) return false;
    while (isFull() && this.#dropOldest.run({ account }).changes > 0);
    return true;
  }

  /** Deletes the note of a source with its versions. */
  forgetNote(account: string, source: string): void {
    this.#forget.run({ account, source: sourceKey(source) });
  }
}
