/** Versions of baselines, in the SQLite file of the baselines. */
import type { Database, Statement } from 'bun:sqlite';
import { MAX_VERSION_BYTES, MAX_VERSIONS, type StoredVersion } from './ports.ts';
import { sourceKey } from './source-key.ts';

/** `owner`: key of the source's row in `note`, which survives a reset. */
export const VERSIONS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS version (
    owner INTEGER NOT NULL REFERENCES note (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    note TEXT NOT NULL,
    copy BLOB NOT NULL,
    PRIMARY KEY (owner, number)
  ) STRICT;
`;

type SourceBinding = { account: string; source: string };
type Count = { key: number; copies: number };
type NewVersion = { owner: number; number: number; note: string; copy: Uint8Array };

export class EmbeddedVersions {
  readonly #count: Statement<Count, [SourceBinding]>;
  readonly #add: Statement<unknown, [NewVersion]>;
  readonly #trim: Statement<unknown, [{ owner: number; most: number; mostBytes: number }]>;
  readonly #list: Statement<StoredVersion, [SourceBinding]>;
  readonly #copy: Statement<{ copy: Uint8Array }, [SourceBinding & { number: number }]>;

  constructor(database: Database) {
    const ofSource = 'owner = (SELECT key FROM note WHERE account = $account AND source = $source)';
    this.#count = database.prepare(
      `INSERT INTO note (account, source, copies) VALUES ($account, $source, 1)
       ON CONFLICT DO UPDATE SET copies = copies + 1 RETURNING key, copies`,
    );
    this.#add = database.prepare(
      'INSERT INTO version (owner, number, note, copy) VALUES ($owner, $number, $note, $copy)',
    );
    this.#trim = database.prepare(
      `DELETE FROM version WHERE owner = $owner AND number IN (
         SELECT number FROM (
           SELECT number, row_number() OVER newest AS place, sum(length(copy)) OVER newest AS bytes
           FROM version WHERE owner = $owner WINDOW newest AS (ORDER BY number DESC)
         ) WHERE place > $most OR (place > 1 AND bytes > $mostBytes))`,
    );
    this.#list = database.prepare(`SELECT number, note FROM version WHERE ${ofSource} ORDER BY number DESC`);
    this.#copy = database.prepare(`SELECT copy FROM version WHERE number = $number AND ${ofSource}`);
  }

  /** Call it in a transaction. */
  keep(account: string, source: string, note: string, copy: Uint8Array): void {
    const { key: owner, copies: number } = this.#count.get({ account, source: sourceKey(source) })!;
    this.#add.run({ owner, number, note, copy });
    this.#trim.run({ owner, most: MAX_VERSIONS, mostBytes: MAX_VERSION_BYTES });
  }

  list(account: string, source: string): StoredVersion[] {
    return this.#list.all({ account, source: sourceKey(source) });
  }

  copy(account: string, source: string, number: number): Uint8Array | null {
    return this.#copy.get({ account, source: sourceKey(source), number })?.copy ?? null;
  }
}
