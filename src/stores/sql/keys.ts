/** API keys of accounts. */
import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { KeyEntry, KeyStore } from '../ports.ts';
import { type Queries, type SqlDatabase, type Statements, statementsOn } from './database.ts';
import { keysOf } from './ids.ts';
import { keys } from './schema.ts';

export class SqlKeys implements KeyStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
  }

  list(account: string): Promise<KeyEntry[]> {
    return this.#run.list.run({ account });
  }

  async add(
    account: string,
    key: Omit<KeyEntry, 'lastUsed'> & { sha256: string },
    limit: number,
  ): Promise<boolean> {
    const { id, name, prefix, sha256, createdAt } = key;
    const values = { id, account, name, prefix, sha256, createdAt, limit };
    return (await this.#database.alone([keysOf(account)], this.#run.add, values)).length > 0;
  }

  async remove(account: string, id: string): Promise<string | null> {
    const [removed] = await this.#run.remove.run({ account, id });
    return removed?.sha256 ?? null;
  }

  async touch(uses: ReadonlyMap<string, number>): Promise<void> {
    // Always in the same order, so that two processes never deadlock.
    const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
    const steps = sorted.map(([id, at]) => ({ statement: this.#run.touch, values: { id, at } }));
    if (steps.length > 0) await this.#database.atomically(steps);
  }
}

const { id, account, name, prefix, createdAt, lastUsed, sha256 } = keys;
const ofAccount = eq(account, sql.placeholder('account'));

const list = (queries: Queries) =>
  queries
    .select({ id, name, prefix, createdAt, lastUsed })
    .from(keys)
    .where(ofAccount)
    .orderBy(asc(createdAt), asc(id));

/** Counts and inserts in one statement. Callers run it alone. */
export const addKeyWithin = (queries: Queries) =>
  queries
    .insert(keys)
    .select(
      sql`SELECT ${sql.placeholder('id')}, ${sql.placeholder('account')}, ${sql.placeholder('name')},
        ${sql.placeholder('prefix')}, ${sql.placeholder('sha256')}, ${sql.placeholder('createdAt')}, NULL
        WHERE (SELECT count(*) FROM ${keys} WHERE ${ofAccount}) < ${sql.placeholder('limit')}`,
    )
    .returning({ id });

const remove = (queries: Queries) =>
  queries
    .delete(keys)
    .where(and(ofAccount, eq(id, sql.placeholder('id'))))
    .returning({ sha256 });

const touch = (queries: Queries) =>
  queries
    .update(keys)
    .set({ lastUsed: sql`${sql.placeholder('at')}` })
    .where(and(eq(id, sql.placeholder('id')), or(isNull(lastUsed), lt(lastUsed, sql.placeholder('at')))))
    .returning({ id });

const QUERIES = { list, add: addKeyWithin, remove, touch };
