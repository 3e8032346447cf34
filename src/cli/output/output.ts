/** Where results go. */
import type { Verdict } from '../../terms/verdict.ts';
import type { Failure } from '../failure.ts';
import type { FileResult } from '../screening/named-batch.ts';
import type { ShownBatch, ShownFailure } from '../../rendering/batch.ts';

export const FAIL_ON = ['warn', 'block'] as const;

/** The gravest verdict that keeps the exit code 0 is the one before it. */
export type FailOn = (typeof FAIL_ON)[number];

/** What a run ended with. */
export interface RunResult {
  /** Null if no batch was screened. */
  worst: Verdict | null;
  failed: boolean;
  failOn: FailOn;
}

export const isStopped = (verdict: Verdict, failOn: FailOn): boolean =>
  verdict === 'BLOCK' || (verdict === 'WARN' && failOn === 'warn');

/** Receives the result of each file, or its error; both where the error came last. Its methods throw `OutputFailure`, each output once. */
export interface Output {
  result(result: FileResult): Promise<void>;
  failure(failure: Failure): Promise<void>;
  end(run: RunResult): Promise<void>;
}

/** One form of output, as pure functions. What they return is written in the order of the calls. */
export interface Form {
  head?(): string;
  file(result: ShownBatch): string;
  failure(failure: ShownFailure): string;
  tail?(run: RunResult): string;
}
