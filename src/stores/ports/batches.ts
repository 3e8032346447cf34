/** Port: batches that come in parts, with what each part has left behind. */

export type BatchStatus = 'open' | 'finishing' | 'finished' | 'aborted' | 'expired';

export interface StoredBatch {
  /** `bat_…`; ids sort by time. */
  id: string;
  account: string;
  source: string;
  /** As given, in JSON; null: none. */
  options: string | null;
  /** The source as it was when the batch was opened, as bytes of the caller. */
  begun: Uint8Array;
  status: BatchStatus;
  /** In ms. */
  createdAt: number;
  expiresAt: number;
  /** Of its answer; null before that. */
  requestId: string | null;
  /** The answer to `finish`, as text of the caller; null before that, and of a window. */
  answer: string | null;
  /** Null: a client sends its parts. */
  window: WindowOfBatch | null;
}

/** Of a batch that posts to a source with a window become. */
export interface WindowOfBatch {
  rows: number;
  mostRows: number;
  /** When it ends, in ms; null: it has been judged. */
  dueAt: number | null;
}

/** How a client opened a batch: the same once more opens nothing. */
export interface OpenedBy {
  key: string;
  requestSha256: string;
}

export interface StoredPart {
  part: number;
  rows: number;
  /** Of the body's bytes, in hex. */
  sha256: string;
  /** What the client was answered, in JSON. */
  answer: string;
  /** Why rows are held back, in JSON; null without row verdicts. */
  reasons: string | null;
}

/** What an account may have of batches that are open. */
export interface BatchBounds {
  batches: number;
  /** Of what their parts leave behind. */
  bytes: number;
}

/** Why a part was not added. */
export type PartRefusal = 'gone' | 'full' | 'there';

export interface BatchStore {
  /** The batch that was opened with the same key, if there is one; null: this one is open now. Throws nothing for too many: that is `too_many`. */
  open(
    batch: StoredBatch,
    by: OpenedBy | null,
    bounds: BatchBounds,
  ): Promise<'opened' | 'too_many' | { id: string; requestSha256: string }>;
  /** Null unless it is the account's. */
  find(account: string, id: string): Promise<StoredBatch | null>;
  /** The open ones first, then the newest first; at most `limit`. */
  list(account: string, limit: number): Promise<Omit<StoredBatch, 'begun' | 'answer'>[]>;
  /** In the order of their numbers. */
  parts(id: string): Promise<Omit<StoredPart, 'answer' | 'reasons'>[]>;
  /** Of the parts that have some, in the order of their numbers. */
  reasons(id: string): Promise<string[]>;
  part(id: string, part: number): Promise<StoredPart | null>;
  /** Keeps keys of rows of a part that is on its way. `upload`: names this attempt to send it. */
  addKeys(
    id: string,
    upload: string,
    entry: { number: number; part: number; bytes: Uint8Array },
  ): Promise<void>;
  /** Forgets the keys of an attempt that broke off. */
  dropKeys(upload: string): Promise<void>;
  /** Adds a part with its state, once: from now on it is part of the batch. `state`: null for one without rows. Null: done. */
  addPart(
    id: string,
    part: StoredPart,
    left: { upload: string; state: Uint8Array | null; bytes: number },
    bounds: Pick<BatchBounds, 'bytes'>,
  ): Promise<PartRefusal | null>;
  /** Numbers of the states of a batch: they only grow. */
  stateNumbers(id: string): Promise<number[]>;
  state(id: string, number: number): Promise<Uint8Array | null>;
  /** Replaces states by one that has all of them. False if one is gone: another process was first. */
  foldStates(id: string, numbers: readonly number[], state: Uint8Array): Promise<boolean>;
  /** The keys of all parts, some at a time; `after`: the last place that was read. */
  keys(id: string, after: string): Promise<{ place: string; part: number; bytes: Uint8Array }[]>;
  /** Takes no more parts, if the batch has those from 0 to `parts - 1` and no other one. False: it has not, or is not open. */
  beginFinish(id: string, parts: number): Promise<boolean>;
  /** It may get parts again. */
  reopen(id: string): Promise<void>;
  finish(id: string, requestId: string, answer: string): Promise<void>;
  /** False unless it is open. */
  abort(account: string, id: string): Promise<boolean>;
  /** Ends batches that are open for too long, and forgets what the parts of ended ones left behind, and ended ones themselves after `forgotten` (ms). Returns how many it changed. */
  prune(now: number, forgotten: number, limit: number): Promise<number>;
}
