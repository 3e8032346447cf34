/** What people and programs changed at sources. */
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import {
  type ChangeAction,
  type ChangeStore,
  MAX_SOURCE_CHANGES,
  type NewChange,
  type SourceChange,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import type { Queries, SqlDatabase, Statement } from './database.ts';
import { newId } from './ids.ts';
import { sourceChanges } from './schema.ts';

/** Stands for all sources: no source has this key. */
export const ALL_SOURCES = '';
/** What makes a baseline forget what people said before. */
export const UNDOING = ['rolled_back', 'reset'] as const satisfies ChangeAction[];

export class SqlChanges implements ChangeStore {
  readonly #database: SqlDatabase;
  readonly #add: Statement<unknown>;
  readonly #prune: Statement<unknown>;
  readonly #list: Statement<SourceChange & { source: string }>;

  /** `most`: MAX_SOURCE_CHANGES. */
  constructor(
    database: SqlDatabase,
    readonly most = MAX_SOURCE_CHANGES,
  ) {
    this.#database = database;
    this.#add = database.statement(add);
    this.#prune = database.statement(prune);
    this.#list = database.statement(list);
  }

  async add(account: string, change: NewChange): Promise<void> {
    const source = change.source === null ? ALL_SOURCES : sourceKey(change.source);
    const added = { job: null, detail: null, ...change, id: newId('chg'), account, source };
    await this.#database.atomically([
      { statement: this.#add, values: added },
      { statement: this.#prune, values: { account, most: this.most } },
    ]);
  }

  async list(account: string, source: string, limit: number): Promise<SourceChange[]> {
    const found = await this.#list.run({ account, source: sourceKey(source), limit });
    return found.map(each => ({
      ...each,
      source: each.source === ALL_SOURCES ? null : sourceOf(each.source),
    }));
  }
}

const { id, account, source, action, at, by, key, job, detail } = sourceChanges;
const ofAccount = eq(account, sql.placeholder('account'));

const add = (queries: Queries) =>
  queries
    .insert(sourceChanges)
    .values({
      id: sql.placeholder('id'),
      account: sql.placeholder('account'),
      source: sql.placeholder('source'),
      action: sql`${sql.placeholder('action')}`,
      at: sql.placeholder('at'),
      by: sql.placeholder('by'),
      key: sql.placeholder('key'),
      job: sql.placeholder('job'),
      detail: sql.placeholder('detail'),
    })
    .returning({ id });

const prune = (queries: Queries) =>
  queries
    .delete(sourceChanges)
    .where(
      inArray(
        id,
        queries
          .select({ id })
          .from(sourceChanges)
          .where(ofAccount)
          .orderBy(desc(at), desc(id))
          // SQLite has no OFFSET without LIMIT.
          .limit(1_000)
          .offset(sql.placeholder('most')),
      ),
    )
    .returning({ id });

const list = (queries: Queries) =>
  queries
    .select({ source, action, at, by, key, job, detail })
    .from(sourceChanges)
    .where(and(ofAccount, inArray(source, [sql.placeholder('source'), ALL_SOURCES])))
    .orderBy(desc(at), desc(id))
    .limit(sql.placeholder('limit'));
