/** Port: windows, which are batches that many small posts to one source become. Their states are those of the store of batches. */
import type { Answer } from './idempotency.ts';
import type { BatchBounds, StoredBatch } from './batches.ts';

/** One that takes posts. */
export interface OpenWindow {
  /** Of its batch. */
  id: string;
  /** When it ends, in ms. */
  dueAt: number;
  /** With so many rows it ends at once. */
  mostRows: number;
  rows: number;
}

/** A finding, and how many posts had it. */
export interface CountedFinding {
  kind: string;
  /** Null: of the post as a whole. */
  field: string | null;
  /** Path of the declared rule; null: of no rule. */
  rule: string | null;
  severity: 'warn' | 'block';
  posts: number;
}

/** An answer to a post that is kept for a repeat. */
export interface PostAnswer extends Answer {
  body: string;
}

/** Posts that are added together. */
export interface Appended {
  account: string;
  /** Of the window. */
  id: string;
  /** A number that was taken. */
  number: number;
  rows: number;
  state: Uint8Array;
  findings: readonly CountedFinding[];
  /** Start of the billing period in which they count, in ms. */
  periodStart: number;
  posts: number;
  answers: readonly PostAnswer[];
  /** Current time in ms: a window that has all its rows is due. */
  now: number;
}

/**
 * Only with `added` anything is written. `ended`: the window takes no posts any more, or has all its rows. `full`: what is kept of the account's windows takes as much as it may. `lost`: the
 * claim of an answer is lost.
 */
export type AppendResult = 'added' | 'ended' | 'full' | 'lost';

export interface WindowStore {
  /** The open window of the batch's source: this one, unless another one is open. `full`: what is kept of the account's windows takes as much as it may. */
  open(
    batch: StoredBatch,
    ends: Pick<OpenWindow, 'dueAt' | 'mostRows'>,
    bounds: Pick<BatchBounds, 'bytes'>,
  ): Promise<OpenWindow | 'full'>;
  find(account: string, source: string): Promise<OpenWindow | null>;
  /** The first of so many numbers for states, which nobody else gets. Throws SERVICE_UNAVAILABLE if there is no such window. */
  takeNumbers(id: string, count: number): Promise<number>;
  /** Adds posts, their rows in the ledger and their answers in one transaction. Throws `OutcomeUnknown`. */
  append(appended: Appended, bounds: Pick<BatchBounds, 'bytes'>): Promise<AppendResult>;
  /** Rows and findings of all posts; the gravest findings first, at most `limit`. */
  soFar(id: string, limit: number): Promise<{ rows: number; findings: CountedFinding[] }>;
  /** It takes no posts any more, and is due. */
  end(id: string, now: number): Promise<void>;
  /** Ends the open window of a source, or of all sources of the account (null). Returns their ids. */
  endOf(account: string, source: string | null, now: number): Promise<string[]>;
  /** Ends windows whose time is over. Returns those that are due, at most `limit`. */
  due(now: number, limit: number): Promise<{ id: string; account: string }[]>;
  /** It is due again at `dueAt` (ms). */
  postpone(id: string, dueAt: number): Promise<void>;
  /** It was judged, under this id of a request. */
  finish(id: string, requestId: string): Promise<void>;
  /** It had no post. */
  drop(id: string): Promise<void>;
  /** Numbers of its states, ascending, with their bytes as they are stored. */
  sizes(id: string): Promise<{ number: number; bytes: number }[]>;
  /** Replaces states by one that has all of them, under a number that was taken. False if one is gone, or the window has ended. */
  fold(id: string, numbers: readonly number[], into: number, state: Uint8Array): Promise<boolean>;
}
