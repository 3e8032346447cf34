/** Versions of a baseline: copies that can be restored, with the time, the reason and the number of batches. */
import { DAY_MS } from '../time/durations.ts';
import type { BaselineRecord } from './record.ts';

/**
 * Why a copy was made. `learned`: a source that learns is copied from time to time. The others were made just before a change:
 * restoring one undoes the change.
 */
export const VERSION_REASONS = [
  'learned',
  'before_accept',
  'before_feedback',
  'before_reset',
  'before_rollback',
  'before_rules',
] as const;
export type VersionReason = (typeof VERSION_REASONS)[number];

/** Least time between two copies of a source that learns, by the times of its batches. */
export const LEARNED_EVERY_MS = DAY_MS;

/** Spelled as in the API. */
export interface VersionNote {
  made_at: string;
  reason: VersionReason;
  /** The job that was accepted or that feedback was given on. */
  job_id?: string;
  batches: number;
  rows: number;
  /** Of the rules that held; 0: there were none. Absent in copies of older releases. */
  rules_version?: number;
}

/** `at` in ms. */
export function noteOf(
  { batches, rows }: BaselineRecord,
  reason: VersionReason,
  at: number,
  rules: string | null,
  job?: string,
): string {
  const note: VersionNote = {
    made_at: new Date(at).toISOString(),
    reason,
    ...(job !== undefined && { job_id: job }),
    batches,
    rows,
    rules_version: rulesVersionOf(rules),
  };
  return JSON.stringify(note);
}

/** The version in the text of a source's rules; 0 without rules. */
export const rulesVersionOf = (rules: string | null): number =>
  rules === null ? 0 : (JSON.parse(rules) as { version: number }).version;

export const versionIn = (note: string): VersionNote => JSON.parse(note) as VersionNote;

/** Compresses an encoded record, to about 40% of its size. */
export const copyOf = (record: Uint8Array): Promise<Uint8Array> =>
  Bun.zstdCompress(record as Uint8Array<ArrayBuffer>);
