/** What the path of a batch is given, and what it returns. */
import type { Claim, IdempotencyDependencies, RequestHash } from '../account/idempotency.ts';
import type { StorageLimits } from '../account/storage.ts';
import type { Finding } from '../findings/kinds.ts';
import type { WindowSettings } from '../options/settings.ts';
import type { Quarantine, Report, WindowSoFar } from '../report-schema/report.ts';
import type { ContentType } from '../intake/content-type.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import type { Upload } from '../intake/upload.ts';
import type { Response200 } from '../report/response.ts';
import type { StageClock } from './stages.ts';
import type { Baselines } from '../sources/baselines.ts';
import type { Account, AllowanceStore, JobStore, SourceNotes } from '../stores/ports.ts';
import type { State } from '../states/state.ts';
import type { Threads } from '../threads/threads.ts';
import type { SaidOfPost, WindowPost } from '../threads/post-alone.ts';

export interface ScreenDependencies extends IdempotencyDependencies, StorageLimits {
  threads: Threads;
  baselines: Pick<
    Baselines,
    | 'readEarly'
    | 'judgeAtOnce'
    | 'judgedAtOnce'
    | 'judge'
    | 'learn'
    | 'unlearn'
    | 'callOff'
    | 'written'
    | 'noteRun'
    | 'isKnown'
  >;
  allowance: AllowanceStore;
  random(bytes: number): Uint8Array;
  /** Null: nothing is kept of a batch but what its source learns. */
  jobs: Pick<JobStore, 'complete'> | null;
  maxBodyBytes: number;
}

/** One request whose headers are in order. */
export interface Batch {
  account: Account;
  /** Sent with the token of a session. */
  isPerson: boolean;
  contentType: ContentType;
  /** From the headers; null when the body says it. */
  named: SourceAndOptions | null;
  upload: Upload;
  /** The whole body, looked at already: the upload is not read. */
  pieces?: readonly Uint8Array[];
  /** Of all slices of a batch that has come in slices: neither upload nor pieces are read. */
  state?: State;
  /** Of a batch in slices with row verdicts: its rows to hold back, once its findings are known. */
  quarantine?: (findings: readonly Finding[]) => Promise<Quarantine>;
  /** Null without an Idempotency-Key. */
  keyed: Keyed | null;
  /** Takes posts of sources with a window; absent: these are batches like others. */
  windows?: Windows;
  /** Its rows are in the ledger already. */
  isCounted?: boolean;
  /** Measures how long each stage takes. */
  clock: StageClock;
  /** Headers of ours that are kept with the answer for a repeat. */
  marks?: Record<string, string>;
}

/** A request to a source with a window. */
export interface WindowedPost {
  account: Account;
  source: string;
  claim: Claim | null;
  settings: WindowSettings;
  /** Of the source, as they are now. */
  notes: SourceNotes;
  post: WindowPost;
  answer(said: SaidOfPost, window: WindowSoFar | null, remainingRows: number): AnswerToPost;
}

export interface AnswerToPost {
  screened: Screened;
  /** As it is kept for a repeat. */
  kept: Response200;
}

export interface Windows {
  /** Throws `Rejection`, and `ClaimLost`. */
  add(posted: WindowedPost): Promise<Screened>;
}

export interface Keyed {
  key: string;
  /** Hashes what the upload reads. */
  hash: RequestHash;
}

/** The answer, and the report that it has. */
export interface Screened extends Response200 {
  readonly report: Report;
  /** It repeats the answer to an earlier request. */
  replayed: boolean;
  /** Of a batch in slices with row verdicts: its slices have to come once more. */
  readonly findings: readonly Finding[] | null;
  /** Remaining rows of the plan's allowance; null: not known. */
  remainingRows: number | null;
}
