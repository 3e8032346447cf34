/** Where results go. */
import type { Verdict } from '../../terms/verdict.ts';
import type { Failure } from '../failure.ts';
import type { FileResult } from '../screening/named-batch.ts';
import type { FileSummary } from '../../rendering/summary.ts';

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

/** Receives the batches of each file in order, then the error of the file if there was one. Its methods throw `OutputFailure`, each output once. */
export interface Output {
  result(result: FileResult): Promise<void>;
  failure(failure: Failure): Promise<void>;
  end(run: RunResult): Promise<void>;
}

/** One form of output, as pure functions. What they return is written in the order of the calls. */
export interface Form {
  head?(): string;
  /** One batch of a file of several, with `--each`. */
  batch(result: FileResult): string;
  /** At the end of a file, or at its error. `batches` is what `batch` made of it. */
  file(summary: FileSummary, batches: string): string;
  tail?(run: RunResult): string;
  /** Whether batches are written as they come, before their file. */
  streams?: boolean;
}
