/** Versions of a baseline: a copy that can be gone back to, with when, why and what it rests on. */
import type { BaselineRecord } from './record.ts';

/**
 * Why a copy was made. `learned`: a baseline that goes on learning is copied from time to time. The others are what was there just
 * before: to go back to one undoes what followed.
 */
export const VERSION_REASONS = [
  'learned',
  'before_accept',
  'before_feedback',
  'before_reset',
  'before_rollback',
] as const;
export type VersionReason = (typeof VERSION_REASONS)[number];

/** Between two copies of a baseline that learns, by the times of its batches. */
export const LEARNED_EVERY_MS = 24 * 3_600_000;

/** Spelled as the API has it. */
export interface VersionNote {
  made_at: string;
  reason: VersionReason;
  /** The job that was accepted or spoken of. */
  job_id?: string;
  batches: number;
  rows: number;
}

/** `at` in ms. */
export function noteOf(
  { batches, rows }: BaselineRecord,
  reason: VersionReason,
  at: number,
  job?: string,
): string {
  const note: VersionNote = {
    made_at: new Date(at).toISOString(),
    reason,
    ...(job !== undefined && { job_id: job }),
    batches,
    rows,
  };
  return JSON.stringify(note);
}

export const versionIn = (note: string): VersionNote => JSON.parse(note) as VersionNote;

/** Of a record as it is stored: compressed, about two fifths of it. */
export const copyOf = (record: Uint8Array): Promise<Uint8Array> =>
  Bun.zstdCompress(record as Uint8Array<ArrayBuffer>);

/** The bytes of the record that was copied. */
export const recordIn = (copy: Uint8Array): Promise<Uint8Array> =>
  Bun.zstdDecompress(copy as Uint8Array<ArrayBuffer>);
