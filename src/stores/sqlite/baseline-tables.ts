/**
 * The tables of the SQLite file of the baselines. Triggers count what accounts keep with every change, so the counts hold for all
 * statements of all processes, and change in the same transaction.
 */
import type { Database } from 'bun:sqlite';
import { NOTE_BYTES, SOURCE_BYTES, STATE_BYTES } from '../ports.ts';
import { openSqlite } from './file.ts';

/**
 * `baseline.sequence`: at the last fold or withdrawal; `state` holds the tail. `folded_state`: ids without states; `called_off` is 0 if the
 * state was folded, 1 if it was called off. `note.copies`: number of versions ever stored. A note survives a reset, and with it its versions
 * and its rule, whose `owner` is its key; what it says of the baseline does not.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS baseline (
    key INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    source TEXT NOT NULL,
    generation TEXT NOT NULL,
    version INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    folded BLOB,
    UNIQUE (account, source)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS state (
    baseline INTEGER NOT NULL REFERENCES baseline (key) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (baseline, sequence),
    UNIQUE (baseline, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS folded_state (
    baseline INTEGER NOT NULL REFERENCES baseline (key) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    called_off INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (baseline, sequence),
    UNIQUE (baseline, id)
  ) STRICT;
  -- Of 1.0.0. To store the sequence with every state, SQLite reads and compares the whole folded record.
  DROP TRIGGER IF EXISTS state_counts;
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
  CREATE TABLE IF NOT EXISTS version (
    owner INTEGER NOT NULL REFERENCES note (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    note TEXT NOT NULL,
    copy BLOB NOT NULL,
    PRIMARY KEY (owner, number)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS rule (
    owner INTEGER PRIMARY KEY REFERENCES note (key) ON DELETE CASCADE,
    current TEXT NOT NULL,
    past TEXT NOT NULL
  ) STRICT;
`;

/**
 * `kept`: sums by account. `size`: bytes of a baseline or of a note with its versions and its rule, by the key of its row, and when the
 * baseline last learned, in seconds. It is a table of its own because SQLite would rewrite a folded record with every
 * change of its row.
 */
const COUNTS = `
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

/** Counts what a file of 1.0.0 holds, which has no rules. */
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
  CREATE TRIGGER IF NOT EXISTS ${name} AFTER ${event} BEGIN
    UPDATE size SET bytes = bytes + ${growth} WHERE kind = '${kind}' AND key = ${key};
  END;`;

const state = (row: string) => `length(${row}.bytes) + ${STATE_BYTES}`;
const version = (row: string) => `length(${row}.copy) + ${NOTE_BYTES}`;
const rule = (row: string) => `octet_length(${row}.current) + octet_length(${row}.past) + ${NOTE_BYTES}`;
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

/** Not in files that were counted before there were rules. A rule is deleted only with its note. */
const RULE_TRIGGERS = `
  ${resized('rule_added', 'INSERT ON rule', 'note', 'NEW.owner', rule('NEW'))}
  ${resized('rule_resized', 'UPDATE ON rule', 'note', 'NEW.owner', `${rule('NEW')} - (${rule('OLD')})`)}
`;

/** Opens or creates the file. Throws SQLite's error if it cannot. */
export function openBaselines(path: string, busyTimeoutMs?: number): Database {
  const database = openSqlite(path, busyTimeoutMs);
  database.exec(TABLES);
  const has = (what: string) => database.prepare(`SELECT 1 FROM ${what}`).get() !== null;
  const hasAll = () => has(CALLED_OFF) && has(KEPT);
  const upgrade = database.transaction(() => {
    if (!has(CALLED_OFF))
      database.exec('ALTER TABLE folded_state ADD COLUMN called_off INTEGER NOT NULL DEFAULT 0');
    if (!has(KEPT)) database.exec(COUNTS + TRIGGERS + COUNT);
  });
  if (!hasAll()) upgrade.immediate();
  database.exec(RULE_TRIGGERS);
  return database;
}

const CALLED_OFF = `pragma_table_info('folded_state') WHERE name = 'called_off'`;
const KEPT = `sqlite_master WHERE name = 'kept'`;
