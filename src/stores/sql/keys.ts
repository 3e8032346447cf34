/** API keys of accounts. */
import { and, asc, eq, lt, or, sql } from 'drizzle-orm';
import type { KeyEntry, KeyStore } from '../ports.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { keysOf } from './ids.ts';
import { keys } from './schema.ts';

export class SqlKeys implements KeyStore {
  readonly #database: SqlDatabase;
  readonly #list: Statement<KeyEntry>;
  readonly #add: Statement<{ id: string }>;
  readonly #remove: Statement<{ sha256: string }>;
  readonly #touch: Statement<{ id: string }>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    const { id, account, name, prefix, createdAt, lastUsed, sha256 } = keys;
    this.#list = database.statement(queries =>
      queries
        .select({ id, name, prefix, createdAt, lastUsed })
        .from(keys)
        .where(eq(account, sql.placeholder('account')))
        .orderBy(asc(createdAt), asc(id)),
    );
    this.#add = database.statement(queries =>
      queries
        .insert(keys)
        .select(
          sql`SELECT ${sql.placeholder('id')}, ${sql.placeholder('account')}, ${sql.placeholder('name')},
            ${sql.placeholder('prefix')}, ${sql.placeholder('sha256')}, ${sql.placeholder('createdAt')}, NULL
            WHERE (SELECT count(*) FROM ${keys} WHERE ${account} = ${sql.placeholder('account')}) < ${sql.placeholder('limit')}`,
        )
        .returning({ id }),
    );
    this.#remove = database.statement(queries =>
      queries
        .delete(keys)
        .where(and(eq(account, sql.placeholder('account')), eq(id, sql.placeholder('id'))))
        .returning({ sha256 }),
    );
    this.#touch = database.statement(queries =>
      queries
        .update(keys)
        .set({ lastUsed: sql`${sql.placeholder('at')}` })
        .where(
          and(
            eq(id, sql.placeholder('id')),
            or(sql`${lastUsed} IS NULL`, lt(lastUsed, sql.placeholder('at'))),
          ),
        )
        .returning({ id }),
    );
  }

  list(account: string): Promise<KeyEntry[]> {
    return this.#list.run({ account });
  }

  async add(
    account: string,
    key: Omit<KeyEntry, 'lastUsed'> & { sha256: string },
    limit: number,
  ): Promise<boolean> {
    const { id, name, prefix, sha256, createdAt } = key;
    const values = { id, account, name, prefix, sha256, createdAt, limit };
    return (await this.#database.alone([keysOf(account)], this.#add, values)).length > 0;
  }

  async remove(account: string, id: string): Promise<string | null> {
    const [removed] = await this.#remove.run({ account, id });
    return removed?.sha256 ?? null;
  }

  async touch(uses: ReadonlyMap<string, number>): Promise<void> {
    // Always in the same order, so that two processes never deadlock.
    const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
    const steps = sorted.map(([id, at]) => ({ statement: this.#touch, values: { id, at } }));
    if (steps.length > 0) await this.#database.atomically(steps);
  }
}
