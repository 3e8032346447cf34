/** Jobs with their reports, and what is written together with them. */
import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import { OutcomeUnknown } from '../../errors.ts';
import {
  type Completion,
  type HistoryEntry,
  type Job,
  type JobDocument,
  type JobQuery,
  type JobStore,
  MAX_KEPT_STATE_BYTES,
  type Totals,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import { compressed, compressedBytes, decompressedBytes, packed, unpacked } from './compressed.ts';
import { MaybeCommitted, type Queries, type SqlDatabase, type Statement, type Step } from './database.ts';
import { idempotency, jobs, keptStates, ledger, reports } from './schema.ts';

const SHARDS = 16;
const ASK_AGAIN_MS = 1000;

const JOB = {
  id: jobs.id,
  source: jobs.source,
  status: jobs.status,
  healthScore: jobs.healthScore,
  rowsReceived: jobs.rowsReceived,
  driftCount: jobs.driftCount,
  latencyMs: jobs.latencyMs,
  createdAt: jobs.createdAt,
};

type HistoryRow = Job & { trend: Buffer };

export class SqlJobs implements JobStore {
  readonly #database: SqlDatabase;
  readonly #addJob: Statement<unknown>;
  readonly #addReport: Statement<unknown>;
  readonly #count: Statement<unknown>;
  readonly #answer: Statement<unknown>;
  readonly #list: Statement<Job>;
  readonly #listOfSource: Statement<Job>;
  readonly #find: Statement<Job & { document: Buffer }>;
  readonly #history: Statement<HistoryRow>;
  readonly #statistics: Statement<Totals & { source: string }>;
  readonly #lastSeen: Statement<{ last: number }>;
  readonly #prune: Statement<{ id: string }>;
  readonly #addState: Statement<unknown>;
  readonly #keepState: Statement<unknown>;
  readonly #keptState: Statement<{ state: Buffer }>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#addJob = database.statement(addJob);
    this.#addReport = database.statement(addReport);
    this.#count = database.statement(countRows);
    this.#answer = database.statement(keepAnswer);
    this.#addState = database.statement(addState);
    this.#keepState = database.statement(keepState);
    this.#keptState = database.statement(findState);
    const ofAccount = eq(jobs.account, sql.placeholder('account'));
    const ofSource = eq(jobs.source, sql.placeholder('source'));
    const older = lt(jobs.id, sql.placeholder('before'));
    const limit = sql.placeholder('limit');
    this.#list = database.statement(queries =>
      queries.select(JOB).from(jobs).where(and(ofAccount, older)).orderBy(desc(jobs.id)).limit(limit),
    );
    this.#listOfSource = database.statement(queries =>
      queries
        .select(JOB)
        .from(jobs)
        .where(and(ofAccount, ofSource, older))
        .orderBy(desc(jobs.id))
        .limit(limit),
    );
    this.#find = database.statement(queries =>
      queries
        .select({ ...JOB, document: reports.document })
        .from(jobs)
        .innerJoin(reports, eq(reports.job, jobs.id))
        .where(and(eq(jobs.id, sql.placeholder('id')), ofAccount)),
    );
    this.#history = database.statement(queries =>
      queries
        .select({ ...JOB, trend: reports.trend })
        .from(jobs)
        .innerJoin(reports, eq(reports.job, jobs.id))
        .where(and(ofAccount, ofSource, older))
        .orderBy(desc(jobs.id))
        .limit(limit),
    );
    this.#statistics = database.statement(statisticsBySource);
    this.#lastSeen = database.statement(queries =>
      queries
        .select({ last: jobs.createdAt })
        .from(jobs)
        // Ordered by id, SQLite reads all the account's jobs until one is of the source.
        .where(
          sql`${jobs.id} = (SELECT max(seen.id) FROM jobs AS seen WHERE seen.account = ${sql.placeholder('account')} AND seen.source = ${sql.placeholder('source')})`,
        ),
    );
    this.#prune = database.statement(queries =>
      queries
        .delete(jobs)
        .where(
          inArray(
            jobs.id,
            queries
              .select({ id: jobs.id })
              .from(jobs)
              .where(lt(jobs.createdAt, sql.placeholder('before')))
              .limit(limit),
          ),
        )
        .returning({ id: jobs.id }),
    );
  }

  async complete(completion: Completion): Promise<boolean> {
    const { account, job, document, trend, periodStart, answer, state } = completion;
    const steps: Step[] = [
      { statement: this.#addJob, values: { ...job, source: sourceKey(job.source), account, periodStart } },
      {
        statement: this.#addReport,
        values: {
          job: job.id,
          document: packed(document.report, document.profile),
          trend: packed(trend.drift, trend.nullRates),
        },
      },
      {
        statement: this.#count,
        values: { account, periodStart, shard: shardOf(job.id), rows: job.rowsReceived },
      },
    ];
    const kept = state ? compressedBytes(state) : null;
    if (kept !== null && kept.length <= MAX_KEPT_STATE_BYTES)
      steps.push({ statement: this.#addState, values: { job: job.id, state: kept } });
    if (answer !== null) {
      const { key, claim, expiresAt, headers, body } = answer;
      const values = { account, key, claim, expiresAt, answer: compressed({ headers, body }) };
      steps.unshift({ statement: this.#answer, values, guard: true });
    }
    try {
      return await this.#database.together(steps);
    } catch (error) {
      throw error instanceof MaybeCommitted
        ? Object.assign(new OutcomeUnknown(error.message, this.#wasWritten(account, job.id)), {
            cause: error.cause,
          })
        : error;
    }
  }

  /** Asks until the database answers, and has had the time to do what was on its way. */
  async #wasWritten(account: string, id: string): Promise<boolean> {
    for (let answers = 0; ; ) {
      await Bun.sleep(ASK_AGAIN_MS);
      const found = await this.#find.run({ account, id }).catch(() => null);
      if (found !== null && (found.length > 0 || ++answers === 2)) return found.length > 0;
    }
  }

  async list(account: string, { limit, source, before = AFTER_ALL }: JobQuery): Promise<Job[]> {
    if (source === undefined) return (await this.#list.run({ account, before, limit })).map(jobIn);
    return (await this.#listOfSource.run({ account, source: sourceKey(source), before, limit })).map(jobIn);
  }

  async find(account: string, id: string): Promise<{ job: Job; document: JobDocument } | null> {
    const [found] = await this.#find.run({ account, id });
    if (!found) return null;
    const { document, ...job } = found;
    const [report, profile] = unpacked(document);
    return { job: jobIn(job), document: { report, profile } };
  }

  async keptState(account: string, id: string): Promise<Uint8Array | null> {
    const [found] = await this.#keptState.run({ account, id });
    return found ? decompressedBytes(found.state) : null;
  }

  async keepState(account: string, id: string, state: Uint8Array): Promise<void> {
    const kept = compressedBytes(state);
    if (kept.length <= MAX_KEPT_STATE_BYTES) await this.#keepState.run({ account, id, state: kept });
  }

  async history(
    account: string,
    { limit, source, before = AFTER_ALL }: JobQuery & { source: string },
  ): Promise<HistoryEntry[]> {
    const found = await this.#history.run({ account, source: sourceKey(source), before, limit });
    return found.map(({ trend, ...job }) => {
      const [drift, nullRates] = unpacked(trend);
      return { job: jobIn(job), trend: { drift, nullRates } };
    });
  }

  async statistics(account: string, from: string): Promise<Map<string, Totals>> {
    const found = await this.#statistics.run({ account, from });
    return new Map(found.map(({ source, ...totals }) => [sourceOf(source), totals]));
  }

  async lastSeen(account: string, sources: readonly string[]): Promise<Map<string, number>> {
    // At once, not one after the other: a page of 200 would wait for as many round trips.
    const found = sources.map(source => this.#lastSeen.run({ account, source: sourceKey(source) }));
    const seen = await Promise.all(found);
    return new Map(sources.flatMap((source, i) => seen[i]!.map(({ last }) => [source, last] as const)));
  }

  async prune(before: number, limit: number): Promise<number> {
    return (await this.#prune.run({ before, limit })).length;
  }
}

/** Sorts after every id. */
const AFTER_ALL = '~';

const jobIn = (job: Job): Job => ({ ...job, source: sourceOf(job.source) });

/** The last character of an id is random. */
const shardOf = (id: string): number => id.charCodeAt(id.length - 1) % SHARDS;

const addJob = (queries: Queries) =>
  queries
    .insert(jobs)
    .values({
      id: sql.placeholder('id'),
      account: sql.placeholder('account'),
      source: sql.placeholder('source'),
      status: sql`${sql.placeholder('status')}`,
      healthScore: sql.placeholder('healthScore'),
      rowsReceived: sql.placeholder('rowsReceived'),
      driftCount: sql.placeholder('driftCount'),
      latencyMs: sql.placeholder('latencyMs'),
      createdAt: sql.placeholder('createdAt'),
      periodStart: sql.placeholder('periodStart'),
    })
    .returning({ id: jobs.id });

const addReport = (queries: Queries) =>
  queries
    .insert(reports)
    .values({
      job: sql.placeholder('job'),
      document: sql.placeholder('document'),
      trend: sql.placeholder('trend'),
    })
    .returning({ job: reports.job });

const addState = (queries: Queries) =>
  queries
    .insert(keptStates)
    .values({ job: sql.placeholder('job'), state: sql.placeholder('state') })
    .returning({ job: keptStates.job });

/** Only of a job that is there, and the account's. */
const keepState = (queries: Queries) =>
  queries
    .insert(keptStates)
    .select(
      queries
        .select({ job: jobs.id, state: sql<Buffer>`${sql.placeholder('state')}`.as('state') })
        .from(jobs)
        .where(and(eq(jobs.id, sql.placeholder('id')), eq(jobs.account, sql.placeholder('account')))),
    )
    .onConflictDoNothing()
    .returning({ job: keptStates.job });

const findState = (queries: Queries) =>
  queries
    .select({ state: keptStates.state })
    .from(keptStates)
    .innerJoin(jobs, eq(jobs.id, keptStates.job))
    .where(and(eq(jobs.id, sql.placeholder('id')), eq(jobs.account, sql.placeholder('account'))));

const countRows = (queries: Queries) =>
  queries
    .insert(ledger)
    .values({
      account: sql.placeholder('account'),
      periodStart: sql.placeholder('periodStart'),
      shard: sql.placeholder('shard'),
      rows: sql.placeholder('rows'),
      requests: 1,
    })
    .onConflictDoUpdate({
      target: [ledger.account, ledger.periodStart, ledger.shard],
      set: { rows: sql`${ledger.rows} + excluded.rows`, requests: sql`${ledger.requests} + 1` },
    })
    .returning({ rows: ledger.rows });

const keepAnswer = (queries: Queries) =>
  queries
    .update(idempotency)
    .set({
      answer: sql`${sql.placeholder('answer')}`,
      expiresAt: sql`${sql.placeholder('expiresAt')}`,
    })
    .where(
      and(
        eq(idempotency.account, sql.placeholder('account')),
        eq(idempotency.key, sql.placeholder('key')),
        eq(idempotency.claim, sql.placeholder('claim')),
      ),
    )
    .returning({ key: idempotency.key });

function statisticsBySource(queries: Queries) {
  const having = (status: string) =>
    sql<number>`sum(CASE WHEN ${jobs.status} = ${status} THEN 1 ELSE 0 END)`.mapWith(Number);
  return queries
    .select({
      source: jobs.source,
      totalJobs: sql<number>`count(*)`.mapWith(Number),
      passCount: having('PASS'),
      warnCount: having('WARN'),
      blockCount: having('BLOCK'),
      avgHealth: sql<number>`avg(${jobs.healthScore})`.mapWith(Number),
      totalRows: sql<number>`sum(${jobs.rowsReceived})`.mapWith(Number),
      totalDrift: sql<number>`sum(${jobs.driftCount})`.mapWith(Number),
      lastRun: sql<number>`max(${jobs.createdAt})`.mapWith(Number),
    })
    .from(jobs)
    .where(and(eq(jobs.account, sql.placeholder('account')), gte(jobs.id, sql.placeholder('from'))))
    .groupBy(jobs.source);
}
