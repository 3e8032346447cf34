/** What the path of a batch is given, and what it returns. */
import type { IdempotencyDependencies, RequestHash } from '../account/idempotency.ts';
import type { StorageLimits } from '../account/storage.ts';
import type { BaselineCache } from '../baseline/baseline-cache.ts';
import type { Report } from '../contract/report.ts';
import type { Engine } from '../engine/engine.ts';
import type { ContentType } from '../intake/content-type.ts';
import type { Engines, Parser } from '../intake/engine-lease.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import type { Upload } from '../intake/upload.ts';
import type { Mode } from '../options/options.ts';
import type { Response200 } from '../report/response.ts';
import type { ParsedRules } from '../source-rules.ts';
import type { PatternCache } from '../rules/declared/patterns.ts';
import type { History } from '../rules/learned/history.ts';
import type { StageClock } from '../stages.ts';
import type { Account, AllowanceStore, JobStore } from '../stores/ports.ts';

/** What the path needs of an engine. */
export type BatchEngine = Parser &
  Pick<Engine, 'envelope' | 'rows' | 'measuring' | 'queries' | 'rowQueries' | 'ruleChecks'>;

export interface ScreenDependencies extends IdempotencyDependencies, StorageLimits {
  engines: Engines<BatchEngine>;
  baselines: Pick<BaselineCache<History>, 'know' | 'historyOf' | 'learn' | 'unlearn' | 'callOff' | 'noteRun'>;
  allowance: AllowanceStore;
  random(bytes: number): Uint8Array;
  /** Null: nothing is kept of a batch but what its source learns. */
  jobs: Pick<JobStore, 'complete'> | null;
  maxBodyBytes: number;
  /** Rows whose values are measured when there are more and not all are asked for. */
  sampleRows: number;
  /** Patterns of declared rules, compiled. */
  patterns: PatternCache;
  /** Those of sources. */
  parsedRules: ParsedRules;
  /** The mode where neither the request nor the source's settings give one. */
  defaultMode: Mode;
  /** Whether jobs, and answers to repeated requests, keep values of the payload. */
  storeValues: boolean;
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
  /** Null without an Idempotency-Key. */
  keyed: Keyed | null;
  /** Measures how long each stage takes. */
  clock: StageClock;
  /** Headers of ours that are kept with the answer for a repeat. */
  marks?: Record<string, string>;
}

export interface Keyed {
  key: string;
  /** Hashes what the upload reads. */
  hash: RequestHash;
}

/** The report and the answer that has it. */
export interface Screened extends Response200 {
  report: Report;
  /** It repeats the answer to an earlier request. */
  replayed: boolean;
  /** Remaining rows of the plan's allowance; null: not known. */
  remainingRows: number | null;
}
