/** The tables of the SQLite file of the baselines, besides those that count what accounts keep. */
import type { Database } from 'bun:sqlite';
import { NOTES_SCHEMA } from './embedded-notes.ts';
import { addCalledOff, REMEMBERED_SCHEMA } from './embedded-remembered.ts';
import { RULES_SCHEMA } from './embedded-rules.ts';
import { VERSIONS_SCHEMA } from './embedded-versions.ts';
import { openSqlite } from './sqlite-file.ts';

const SCHEMA = `
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
  ${REMEMBERED_SCHEMA}
  -- Of 1.0.0. To store the sequence with every state, SQLite reads and compares the whole folded record.
  DROP TRIGGER IF EXISTS state_counts;
  ${NOTES_SCHEMA}
  ${VERSIONS_SCHEMA}
  ${RULES_SCHEMA}
`;

/** Opens or creates the file. Throws SQLite's error if it cannot. */
export function openBaselines(path: string, busyTimeoutMs?: number): Database {
  const database = openSqlite(path, busyTimeoutMs);
  database.exec(SCHEMA);
  addCalledOff(database);
  return database;
}
