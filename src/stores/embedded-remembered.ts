/** Remembers ids of states that a baseline no longer has, so that a state that is appended again is not counted twice. */
import type { Database, Statement } from 'bun:sqlite';

/** Number of ids that are remembered for each source. */
export const REMEMBERED_IDS = 1000;

/** `called_off`: 0 if the state was folded, 1 if it was called off. */
export const REMEMBERED_SCHEMA = `
  CREATE TABLE IF NOT EXISTS folded_state (
    baseline INTEGER NOT NULL REFERENCES baseline (key) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    called_off INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (baseline, sequence),
    UNIQUE (baseline, id)
  ) STRICT;
`;

/** Adds the column to a file of an older version. */
export function addCalledOff(database: Database): void {
  const isMissing = () =>
    !database.query("SELECT 1 FROM pragma_table_info('folded_state') WHERE name = 'called_off'").get();
  const add = database.transaction(() => {
    if (isMissing())
      database.exec('ALTER TABLE folded_state ADD COLUMN called_off INTEGER NOT NULL DEFAULT 0');
  });
  if (isMissing()) add.immediate();
}

type IdBinding = { key: number; id: string };

/** Call its methods in a transaction. `key`: of the baseline's row. */
export class EmbeddedRemembered {
  readonly #find: Statement<{ calledOff: number }, [IdBinding]>;
  readonly #remember: Statement<unknown, [IdBinding]>;
  readonly #rememberAlone: Statement<unknown, [IdBinding & { sequence: number }]>;
  readonly #callOff: Statement<unknown, [IdBinding & { sequence: number }]>;
  readonly #trim: Statement<unknown, [{ key: number; kept: number }]>;
  readonly #forget: Statement<unknown, [{ key: number }]>;

  constructor(database: Database) {
    this.#find = database.prepare(
      'SELECT called_off AS calledOff FROM folded_state WHERE baseline = $key AND id = $id',
    );
    this.#remember = database.prepare(
      `INSERT INTO folded_state (baseline, sequence, id)
       SELECT baseline, sequence, id FROM state WHERE baseline = $key AND id = $id`,
    );
    this.#rememberAlone = database.prepare(
      `INSERT INTO folded_state (baseline, sequence, id) VALUES ($key, $sequence, $id)
       ON CONFLICT (baseline, id) DO UPDATE SET called_off = 0`,
    );
    this.#callOff = database.prepare(
      'INSERT INTO folded_state (baseline, sequence, id, called_off) VALUES ($key, $sequence, $id, 1)',
    );
    this.#trim = database.prepare(
      `DELETE FROM folded_state WHERE baseline = $key AND sequence <=
         (SELECT sequence FROM folded_state WHERE baseline = $key ORDER BY sequence DESC LIMIT 1 OFFSET $kept)`,
    );
    this.#forget = database.prepare('DELETE FROM folded_state WHERE baseline = $key');
  }

  /** Whether the state was folded, or called off; null: neither is remembered. */
  find(key: number, id: string): 'folded' | 'called off' | null {
    const found = this.#find.get({ key, id });
    return found && (found.calledOff === 1 ? 'called off' : 'folded');
  }

  /** Remembers the ids of folded states. Ids that the tail does not have get new sequences after `sequence`. Returns the last sequence. */
  fold(key: number, ids: readonly string[], sequence: number): number {
    let last = sequence;
    for (const id of ids)
      if (this.#remember.run({ key, id }).changes === 0)
        this.#rememberAlone.run({ key, id, sequence: ++last });
    return last;
  }

  /** `sequence`: not used by any state. */
  callOff(key: number, id: string, sequence: number): void {
    this.#callOff.run({ key, id, sequence });
    this.trim(key);
  }

  trim(key: number): void {
    this.#trim.run({ key, kept: REMEMBERED_IDS });
  }

  forgetAll(key: number): void {
    this.#forget.run({ key });
  }
}
