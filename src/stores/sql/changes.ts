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
import { given, type Queries, type SqlDatabase, type Statements, statementsOn } from './database.ts';
import { newId } from './ids.ts';
import { sourceChanges } from './schema.ts';

/** Stands for all sources: no source has this key. */
export const ALL_SOURCES = '';
/** What makes a baseline forget what people said before. */
export const UNDOING = ['rolled_back', 'reset'] as const satisfies ChangeAction[];

export class SqlChanges implements ChangeStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;

  /** `most`: MAX_SOURCE_CHANGES. */
  constructor(
    database: SqlDatabase,
    readonly most = MAX_SOURCE_CHANGES,
  ) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
  }

  async add(account: string, change: NewChange): Promise<void> {
    const source = change.source === null ? ALL_SOURCES : sourceKey(change.source);
    const added = { job: null, detail: null, ...change, id: newId('chg'), account, source };
    await this.#database.atomically([
      { statement: this.#run.add, values: added },
      { statement: this.#run.prune, values: { account, most: this.most } },
    ]);
  }

  async list(account: string, source: string, limit: number): Promise<SourceChange[]> {
    const found = await this.#run.list.run({ account, source: sourceKey(source), limit });
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
    .values(given('id', 'account', 'source', 'action', 'at', 'by', 'key', 'job', 'detail'))
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

const QUERIES = { add, prune, list };
