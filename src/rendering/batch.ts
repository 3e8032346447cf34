/** What is shown of a screened batch, and of an error. */
import type { Report } from '../client/contract.ts';

export interface ShownBatch {
  /** Name of the file, or of what was screened. */
  file: string;
  report: Report;
  /** What people said of it. */
  note?: string;
}

export interface ShownFailure {
  message: string;
  file: string | null;
  /** From 1. */
  line: number | null;
  /** With its place. */
  shown: string;
}
