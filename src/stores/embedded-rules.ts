/** Rules of sources and what is kept of earlier ones, in the SQLite file of the baselines. */
import type { Database, Statement } from 'bun:sqlite';
import type { EmbeddedKept } from './embedded-kept.ts';
import { type Bounds, NOTE_BYTES } from './ports.ts';
import { sourceKey } from './source-key.ts';

/** `owner`: key of the source's row in `note`, which survives a reset. */
export const RULES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS rule (
    owner INTEGER PRIMARY KEY REFERENCES note (key) ON DELETE CASCADE,
    current TEXT NOT NULL,
    past TEXT NOT NULL
  ) STRICT;
`;

type SourceBinding = { account: string; source: string };

export interface RulesReplacement {
  /** Null: there are none. */
  before: string | null;
  after: string;
  past: string;
}

export class EmbeddedRules {
  readonly #kept: EmbeddedKept;
  readonly #find: Statement<{ current: string; past: string; bytes: number }, [SourceBinding]>;
  readonly #own: Statement<unknown, [SourceBinding]>;
  readonly #put: Statement<unknown, [SourceBinding & { after: string; past: string }]>;
  readonly #setAtomically: { immediate: EmbeddedRules['set'] };

  constructor(database: Database, kept: EmbeddedKept) {
    this.#kept = kept;
    const ofSource = '(SELECT key FROM note WHERE account = $account AND source = $source)';
    this.#find = database.prepare(
      `SELECT current, past, octet_length(current) + octet_length(past) + ${NOTE_BYTES} AS bytes
       FROM rule WHERE owner = ${ofSource}`,
    );
    this.#own = database.prepare(
      'INSERT INTO note (account, source) VALUES ($account, $source) ON CONFLICT DO NOTHING',
    );
    this.#put = database.prepare(
      `INSERT INTO rule (owner, current, past) VALUES (${ofSource}, $after, $past)
       ON CONFLICT DO UPDATE SET current = excluded.current, past = excluded.past`,
    );
    this.#setAtomically = database.transaction((...call) => this.#setNow(...call));
  }

  set(account: string, source: string, replacement: RulesReplacement, bounds: Bounds): boolean {
    return this.#setAtomically.immediate(account, source, replacement, bounds);
  }

  past(account: string, source: string): string | null {
    return this.#find.get({ account, source: sourceKey(source) })?.past ?? null;
  }

  #setNow(
    account: string,
    source: string,
    { before, after, past }: RulesReplacement,
    bounds: Bounds,
  ): boolean {
    const named = { account, source: sourceKey(source) };
    const found = this.#find.get(named);
    if ((found?.current ?? null) !== before) return false;
    const bytes = Buffer.byteLength(after) + Buffer.byteLength(past) + NOTE_BYTES;
    // The first change also makes the row of the source.
    this.#kept.makeRoom(account, bounds, 0, found ? bytes - found.bytes : bytes + NOTE_BYTES);
    this.#own.run(named);
    this.#put.run({ ...named, after, past });
    return true;
  }
}
