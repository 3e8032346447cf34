/** Jobs with their reports, and everything that is written in the same transaction. */
import { Moved, OutcomeUnknown } from '../../terms/errors.ts';
import {
  type Completion,
  type Feedback,
  type HistoryEntry,
  type Job,
  type JobDocument,
  type JobFacts,
  type JobListQuery,
  type JobQuery,
  type JobStore,
  type JobTrend,
  type KeptFeedback,
  MAX_KEPT_STATE_BYTES,
  TOO_LARGE,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import {
  compressed,
  compressedBytes,
  contentBytes,
  decompressedBytes,
  packed,
  unpacked,
} from './compressed.ts';
import { addBadBatch } from './alert-queries.ts';
import {
  MaybeCommitted,
  type SqlDatabase,
  type Statement,
  type Statements,
  statementsOn,
  type Step,
} from './database.ts';
import { AFTER_ALL, DELETED_JOBS } from './ids.ts';
import {
  addJob,
  addReport,
  addState,
  countRows,
  countVerdict,
  findJob,
  findLastSeen,
  findState,
  holdAccount,
  jobFacts,
  keepAnswer,
  keepFeedback,
  keepState,
  listFeedback,
  listHistory,
  listJobs,
  MAX_READ_BYTES,
  MAX_READ_TREND_BYTES,
  pruneJobs,
  pruneOldest,
  sumKeptBytes,
} from './job-queries.ts';
import { KeptReports } from './kept-reports.ts';

const SHARDS = 16;
const ASK_AGAIN_MS = 1000;

export class SqlJobs implements JobStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;
  readonly #kept = new KeptReports((...call) => this.pruneOldest(...call));
  /** With and without a source, with and without a status. */
  readonly #lists: Statement<Job>[][];

  /** `written` is called with rows that the ledger now has. */
  constructor(
    database: SqlDatabase,
    readonly written: (account: string, periodStart: number, rows: number) => void = () => {},
  ) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
    this.#lists = FILTERED.map(isOfSource =>
      FILTERED.map(isOfStatus => database.statement(queries => listJobs(queries, isOfSource, isOfStatus))),
    );
  }

  async complete(completion: Completion): Promise<boolean> {
    const {
      account,
      job,
      periodStart,
      answer,
      state,
      mostBytes,
      isPerson,
      isCounted,
      reason = null,
    } = completion;
    const document = packed(completion.document.report, completion.document.profile);
    const trend = packedTrend(completion.trend);
    const compressedState = state ? compressedBytes(state) : null;
    const steps: Step[] = [
      {
        statement: this.#run.addJob,
        values: { ...job, source: sourceKey(job.source), account, periodStart },
      },
      {
        statement: this.#run.addReport,
        values: { job: job.id, document, trend },
      },
    ];
    if (!isCounted)
      steps.push({
        statement: this.#run.count,
        values: { account, periodStart, shard: shardOf(job.id), rows: job.rowsReceived },
      });
    if (compressedState !== null && compressedState.length <= MAX_KEPT_STATE_BYTES)
      steps.push({ statement: this.#run.addState, values: { job: job.id, state: compressedState } });
    if (reason !== null)
      steps.push({ statement: this.#run.addBadBatch, values: badBatch(account, job, reason) });
    if (isPerson) steps.unshift({ statement: this.#run.holdAccount, values: { account }, guard: true });
    if (answer !== null) {
      const { key, claim, expiresAt, headers } = answer;
      const values = { account, key, claim, expiresAt, answer: compressed({ headers, job: job.id }) };
      steps.unshift({ statement: this.#run.answer, values, guard: true });
    }
    try {
      const isWritten = await this.#database.together(steps);
      if (!isWritten && isPerson && (await this.#run.holdAccount.run({ account })).length === 0)
        throw new Moved();
      if (isWritten && !isCounted) this.written(account, periodStart, job.rowsReceived);
      const bytes = document.length + trend.length + (compressedState?.length ?? 0);
      if (isWritten && mostBytes !== undefined) this.#kept.wrote(account, bytes, mostBytes);
      return isWritten;
    } catch (error) {
      throw error instanceof MaybeCommitted
        ? Object.assign(new OutcomeUnknown(error.message, this.#wasWritten(account, job)), {
            cause: error.cause,
          })
        : error;
    }
  }

  /**
   * Polls until the database answers and has had time to finish commands in progress. A request that took over the key may have written a
   * job with the same id (`takeOver`). It was created at another time.
   */
  async #wasWritten(account: string, { id, createdAt }: Job): Promise<boolean> {
    for (let answers = 0; ; ) {
      await Bun.sleep(ASK_AGAIN_MS);
      const found = await this.#run.find.run({ account, id }).catch(() => null);
      if (found !== null && (found.length > 0 || ++answers === 2)) return found[0]?.createdAt === createdAt;
    }
  }

  async list(account: string, query: JobListQuery): Promise<Job[]> {
    const { limit, source, status, from = '', before = AFTER_ALL } = query;
    const list = this.#lists[Number(source !== undefined)]![Number(status !== undefined)]!;
    const values = { account, source: sourceKey(source ?? ''), status, from, before, limit };
    return (await list.run(values)).map(jobIn);
  }

  async feedback(account: string, id: string): Promise<KeptFeedback[]> {
    return (await this.#run.feedback.run({ account, id })).sort((a, b) => a.at - b.at);
  }

  async keepFeedback(account: string, id: string, { said, by, at }: Feedback): Promise<void> {
    await this.#run.keepFeedback.run({ account, id, said, by, at });
  }

  async find(
    account: string,
    id: string,
  ): Promise<{ job: Job; document: JobDocument | typeof TOO_LARGE } | null> {
    const [found] = await this.#run.find.run({ account, id });
    if (!found) return null;
    const { document, ...job } = found;
    const texts = textsIn(document, MAX_READ_BYTES);
    if (texts === TOO_LARGE) return { job: jobIn(job), document: TOO_LARGE };
    const [report, profile] = texts as [string, string];
    return { job: jobIn(job), document: { report, profile } };
  }

  async keptState(account: string, id: string): Promise<Uint8Array | null> {
    const [found] = await this.#run.keptState.run({ account, id });
    return found ? decompressedBytes(found.state) : null;
  }

  async keepState(account: string, id: string, state: Uint8Array): Promise<void> {
    const compressedState = compressedBytes(state);
    if (compressedState.length <= MAX_KEPT_STATE_BYTES)
      await this.#run.keepState.run({ account, id, state: compressedState });
  }

  async history(
    account: string,
    { limit, source, before = AFTER_ALL }: JobQuery & { source: string },
  ): Promise<HistoryEntry[]> {
    const found = await this.#run.history.run({ account, source: sourceKey(source), before, limit });
    return found.map(({ trend, ...job }) => ({ job: jobIn(job), trend: trendIn(trend) }));
  }

  async facts(account: string, from: string, before: string | null, limit: number): Promise<JobFacts[]> {
    const found = await this.#run.facts.run({ account, from, before: before ?? AFTER_ALL, limit });
    return found.map(job => ({ ...job, source: sourceOf(job.source) }));
  }

  async verdicts(account: string, from: string, before: string): Promise<Record<Job['status'], number>> {
    const count = async (status: Job['status']) =>
      (await this.#run.countVerdict.run({ account, status, from, before }))[0]!.count;
    const [PASS, WARN, BLOCK] = await Promise.all([count('PASS'), count('WARN'), count('BLOCK')]);
    return { PASS, WARN, BLOCK };
  }

  async lastSeen(account: string, sources: readonly string[]): Promise<Map<string, number>> {
    // Concurrently: a page of 200 would otherwise wait for 200 round trips.
    const found = sources.map(source => this.#run.lastSeen.run({ account, source: sourceKey(source) }));
    const seen = await Promise.all(found);
    return new Map(sources.flatMap((source, i) => seen[i]!.map(({ last }) => [source, last] as const)));
  }

  async prune(before: number, limit: number): Promise<number> {
    return (await this.#database.alone([DELETED_JOBS], this.#run.prune, { before, limit })).length;
  }

  async pruneOldest(account: string, mostBytes: number, limit: number): Promise<number> {
    const values = { account, mostBytes, limit };
    return (await this.#database.alone([DELETED_JOBS], this.#run.pruneOldest, values)).length;
  }

  async keptBytes(account: string): Promise<number> {
    return (await this.#run.keptBytes.run({ account }))[0]!.bytes;
  }
}

const badBatch = (account: string, { id, source, status, healthScore, createdAt }: Job, reason: string) => ({
  job: id,
  account,
  source: sourceKey(source),
  verdict: status,
  healthScore,
  reason,
  at: createdAt,
});

const FILTERED = [false, true];

/** The third text is missing where it is 0. */
const packedTrend = ({ drift, nullRates, nullRatesLeftOut }: JobTrend): Buffer =>
  packed(drift, nullRates, ...(nullRatesLeftOut ? [String(nullRatesLeftOut)] : []));

function trendIn(bytes: Buffer | null): JobTrend | typeof TOO_LARGE {
  const texts = textsIn(bytes, MAX_READ_TREND_BYTES);
  if (texts === TOO_LARGE) return TOO_LARGE;
  const [drift, nullRates, leftOut] = texts as [string, string, string?];
  return { drift, nullRates, ...(leftOut && { nullRatesLeftOut: Number(leftOut) }) };
}

/** Null in place of a value that the database did not read. */
const textsIn = (bytes: Buffer | null, most: number): string[] | typeof TOO_LARGE =>
  bytes === null || contentBytes(bytes) > most ? TOO_LARGE : unpacked(bytes);

const jobIn = (job: Job): Job => ({ ...job, source: sourceOf(job.source) });

/** The last character of an id is random. */
const shardOf = (id: string): number => id.charCodeAt(id.length - 1) % SHARDS;

const QUERIES = {
  addJob,
  addReport,
  count: countRows,
  answer: keepAnswer,
  holdAccount,
  addBadBatch,
  addState,
  keepState,
  keptState: findState,
  feedback: listFeedback,
  keepFeedback,
  find: findJob,
  history: listHistory,
  facts: jobFacts,
  countVerdict,
  lastSeen: findLastSeen,
  prune: pruneJobs,
  pruneOldest,
  keptBytes: sumKeptBytes,
};
