/** Port: jobs with their reports. */
import type { Answer } from './idempotency.ts';

/** A screening that was answered with 200. */
export interface Job {
  /** The request's id; ids sort by time. */
  id: string;
  source: string;
  status: 'PASS' | 'WARN' | 'BLOCK';
  /** 0..1. */
  healthScore: number;
  rowsReceived: number;
  driftCount: number;
  latencyMs: number;
  /** In ms. */
  createdAt: number;
}

/** The result of a job, as JSON texts. */
export interface JobDocument {
  /** Body of the 200 response. */
  report: string;
  /** {fields: {NAME: {..}}}. */
  profile: string;
}

/** The part of a job that charts over many jobs read, as JSON texts. */
export interface JobTrend {
  /** Drift events of the response; `[]` without any. */
  drift: string;
  /** {NAME: share of rows without a value}. */
  nullRates: string;
  /** Fields that `nullRates` lacks, because they do not fit. Absent where it lacks none. */
  nullRatesLeftOut?: number;
}

/** A job with everything that is written in the same transaction. */
export interface Completion {
  account: string;
  job: Job;
  document: JobDocument;
  trend: JobTrend;
  /** Start of the billing period that the rows count in, in ms. */
  periodStart: number;
  /** The answer to store for the request's Idempotency-Key; null without one. */
  answer: Answer | null;
  /** The state of a batch that the baseline did not learn. */
  state?: Uint8Array | null;
  /** Bytes that the account's jobs may take: the oldest are deleted soon. Absent: any. */
  mostBytes?: number;
  /** Sent by a person who is signed in, whose account may be left at any moment. */
  isPerson?: boolean;
  /** Its rows are in the ledger already. */
  isCounted?: boolean;
  /** Why the batch does not pass, for the incident of its source. Null or absent: it passes. */
  reason?: string | null;
}

/** Larger compressed states are not stored with their job: this is about 4,000 fields. */
export const MAX_KEPT_STATE_BYTES = 1024 * 1024;

export interface JobQuery {
  /** Maximum number of jobs, newest first. */
  limit: number;
  source?: string | undefined;
  /** Only jobs older than this one. */
  before?: string | undefined;
}

export interface JobListQuery extends JobQuery {
  status?: Job['status'] | undefined;
  /** Only jobs with at least this id. */
  from?: string | undefined;
}

/** What can be said of a job. */
export const SAID = ['accepted', 'expected', 'bad'] as const;
export type Said = (typeof SAID)[number];

export interface Feedback {
  said: Said;
  /** Id of the API key; null: a person who was signed in. */
  by: string | null;
  /** The last time that it was said, in ms. */
  at: number;
}

export interface KeptFeedback extends Feedback {
  /** Who it was, as they were called then; null: that is no longer known. */
  who: string | null;
  /** When the baseline went back to an earlier version or was reset, in ms; null: not since. */
  undoneAt: number | null;
}

/** A stored text is larger than is read: a version before 1.1 did not bound it. */
export const TOO_LARGE = Symbol('too large');

export interface HistoryEntry {
  job: Job;
  trend: JobTrend | typeof TOO_LARGE;
}

/** What statistics are made of. */
export type JobFacts = Omit<Job, 'latencyMs'>;

export interface JobStore {
  /**
   * Writes job, report, ledger and answer in one transaction. False if the request has lost its claim: nothing is written.
   * Throws `Moved` if a person's account was left: nothing is written either.
   */
  complete(completion: Completion): Promise<boolean>;
  list(account: string, query: JobListQuery): Promise<Job[]>;
  /** Null if the account does not have this job. */
  find(account: string, id: string): Promise<{ job: Job; document: JobDocument | typeof TOO_LARGE } | null>;
  /** What was said of the job, in the order of time. Empty if the account does not have it. */
  feedback(account: string, id: string): Promise<KeptFeedback[]>;
  /** Keeps what was said of a job. Does nothing if the account does not have it. */
  keepFeedback(account: string, id: string, feedback: Feedback): Promise<void>;
  /** The state stored with a job; null without one, or if the account does not have this job. */
  keptState(account: string, id: string): Promise<Uint8Array | null>;
  /** Stores a job's state once; later calls change nothing. Does nothing if the account does not have the job, or if the state is too large. */
  keepState(account: string, id: string, state: Uint8Array): Promise<void>;
  /** A source's jobs, newest first. */
  history(account: string, query: JobQuery & { source: string }): Promise<HistoryEntry[]>;
  /** Jobs with an id of at least `from`, newest first: the newest ones, or those before `before`. Fewer than `limit` only if there are no more. */
  facts(account: string, from: string, before: string | null, limit: number): Promise<JobFacts[]>;
  /** How many jobs with an id of at least `from` and before `before` have each verdict. */
  verdicts(account: string, from: string, before: string): Promise<Record<Job['status'], number>>;
  /** When each of these sources was last screened, in ms. Leaves out sources without jobs. */
  lastSeen(account: string, sources: readonly string[]): Promise<Map<string, number>>;
  /** Deletes at most `limit` jobs created before this time (ms); returns how many. */
  prune(before: number, limit: number): Promise<number>;
  /** Bytes that the account's jobs take, with their reports and states. */
  keptBytes(account: string): Promise<number>;
  /** Deletes the account's `limit` oldest jobs if all together take more than `mostBytes`; returns how many. */
  pruneOldest(account: string, mostBytes: number, limit: number): Promise<number>;
}
