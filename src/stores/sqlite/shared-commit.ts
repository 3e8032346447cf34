/**
 * Writes what arrives in one turn of the event loop in one SQLite transaction. The pages that a commit writes are what a small
 * write costs, and those of eight batches are mostly the same ones. Who comes alone does not wait: as long as turns have one
 * entry each, it is written at once.
 *
 * Each entry succeeds or fails by itself: `write` must be one statement, or a transaction, which becomes a savepoint here. If
 * the whole transaction fails, nothing of it has happened, and every entry is written again alone. Only a lock of another
 * process fails all of them, because each would wait for it again.
 */
import { type Database, SQLiteError } from 'bun:sqlite';

/** `committed` runs in the same turn as the commit, before anything else can read. */
export interface Writes<Entry, Outcome> {
  write(entry: Entry): Outcome;
  committed(entry: Entry, outcome: Outcome): void;
}

interface Member<Entry, Outcome> extends PromiseWithResolvers<Outcome> {
  entry: Entry;
}

type Result<Outcome> = { value: Outcome } | { error: unknown };

export class SharedCommit<Entry, Outcome> {
  readonly #database: Database;
  readonly #writes: Writes<Entry, Outcome>;
  readonly #nextTurn: (run: () => void) => unknown;
  /** Made once: making it costs as much as a small transaction. */
  readonly #writeAll: { immediate(entries: readonly Entry[]): Result<Outcome>[] };
  #waiting: Member<Entry, Outcome>[] = [];
  /** Entries of this turn. */
  #added = 0;
  /** The turn before had several. */
  #isBusy = false;

  constructor(
    database: Database,
    writes: Writes<Entry, Outcome>,
    nextTurn: (run: () => void) => unknown = setImmediate,
  ) {
    this.#database = database;
    this.#writes = writes;
    this.#nextTurn = nextTurn;
    this.#writeAll = database.transaction((entries: readonly Entry[]) =>
      entries.map(entry => this.#resultInside(entry)),
    );
  }

  /** Resolves when the entry is committed, with what `write` returned. Rejects with what it threw: nothing of the entry was written. */
  add(entry: Entry): Promise<Outcome> {
    const member = { entry, ...Promise.withResolvers<Outcome>() };
    this.#waiting.push(member);
    if (++this.#added === 1) {
      this.#nextTurn(() => this.#endTurn());
      if (!this.#isBusy) this.#commit();
    }
    return member.promise;
  }

  #endTurn(): void {
    this.#isBusy = this.#added > 1;
    this.#added = 0;
    this.#commit();
  }

  #commit(): void {
    const members = this.#waiting;
    if (members.length === 0) return;
    this.#waiting = [];
    const results = this.#results(members.map(({ entry }) => entry));
    for (const [i, { entry, resolve, reject }] of members.entries()) {
      const result = results[i]!;
      if ('error' in result) reject(result.error);
      else {
        this.#writes.committed(entry, result.value);
        resolve(result.value);
      }
    }
  }

  #results(entries: readonly Entry[]): Result<Outcome>[] {
    if (entries.length === 1) return [this.#result(entries[0]!)];
    try {
      return this.#writeAll.immediate(entries);
    } catch (error) {
      if (isLocked(error)) return entries.map(() => ({ error }));
      return entries.map(entry => this.#result(entry));
    }
  }

  #result(entry: Entry): Result<Outcome> {
    try {
      return { value: this.#writes.write(entry) };
    } catch (error) {
      return { error };
    }
  }

  #resultInside(entry: Entry): Result<Outcome> {
    const result = this.#result(entry);
    // A full disk, for one, ends the whole transaction, and with it what the others have written.
    if ('error' in result && !this.#database.inTransaction) throw result.error;
    return result;
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code ?? '');
