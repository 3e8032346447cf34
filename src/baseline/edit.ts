/** What people change in a baseline, and what must be known for it: pure functions over the content of a source. */
import { dominantType, isDefinite } from '../profile/field-type.ts';
import { PLACE } from '../statistics/registry.ts';
import type { Known } from '../stores/ports.ts';
import { isMissed } from './baseline.ts';
import { encodeRecord } from './encode-record.ts';
import { decodeState } from './encode-state.ts';
import { fold, settle } from './merge.ts';
import { type BaselineRecord, EMPTY_RECORD } from './record.ts';
import { renewed } from './renew.ts';
import type { Content } from './source-content.ts';
import { type BatchState, typeCountsOf } from './state.ts';
import { noteOf, type VersionReason } from './version.ts';

/** A source without its fields. */
export interface SourceSummary {
  known: Known;
  /** Of the tail, in id order. */
  states: { id: string; provisional: boolean }[];
  /** Null without a baseline. */
  baseline: {
    provisional: boolean;
    batches: number;
    rows: number;
    /** The last batches, at most 32. */
    recent: { id: string; isAccepted: boolean }[];
  } | null;
}

export const summaryOf = ({ known, states, settled }: Content): SourceSummary => ({
  known,
  states: states.map(({ id, provisional }) => ({ id, provisional })),
  baseline: settled && {
    provisional: settled.provisional,
    batches: settled.record.batches,
    rows: settled.record.rows,
    recent: settled.record.recent.map(({ id, accepted }) => ({ id, isAccepted: accepted === true })),
  },
});

/** A copy of a baseline: its note, and the folded record compressed. */
export interface VersionCopy {
  note: string;
  bytes: Uint8Array;
}

/** Null without a baseline that is more than provisional. `at` in ms; `job`: what the change is about. */
export function versionOf(
  { settled }: Content,
  reason: VersionReason,
  at: number,
  rules: string | null,
  job?: string,
): VersionCopy | null {
  if (settled === null || settled.provisional) return null;
  const note = noteOf(settled.record, reason, at, rules, job);
  return { note, bytes: Bun.zstdCompressSync(encodeRecord(fold(settled.record)) as Uint8Array<ArrayBuffer>) };
}

/**
 * The record after a batch became the new normal, see `renew.ts`, as bytes. `kept`: the encoded state of the batch.
 * `changed`: the fields that start again from it, beside those whose structure differs from that of the baseline.
 */
export function renewedRecord(content: Content, kept: Uint8Array, changed: ReadonlySet<string>): Uint8Array {
  const state = decodeState(kept);
  const before = recordWithout(content, state.id);
  // What the batch was compared with may have changed since.
  const all = changed.union(structureChanges(before, state));
  return encodeRecord(fold(renewed(before, state, all)));
}

/** Fields of another type than in the batch, and those that the batch lacks, unless that may be chance. */
function structureChanges(record: BaselineRecord, state: BatchState): Set<string> {
  const changed = new Set<string>();
  for (const [name, { type, present, rows }] of record.fields) {
    const field = state.fields.get(name);
    const now = field ? dominantType(typeCountsOf(field)) : 'null';
    const isAbsent = !field || field.numbers[PLACE.present] === 0;
    if (isAbsent ? isMissed(present / rows, state.rows) : isDefinite(type) && now !== 'null' && now !== type)
      changed.add(name);
  }
  return changed;
}

/** All that was learned except for one batch. A provisional baseline is no history. */
function recordWithout({ folded, states }: Content, id: string): BaselineRecord {
  const settled = settle(
    folded,
    states.filter(state => state.id !== id),
  );
  return settled && !settled.provisional ? settled.record : EMPTY_RECORD;
}
