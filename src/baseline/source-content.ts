/** What is known of one source: the stored parts, what they make together, and how much memory that takes. Never changed, only replaced. */
import type { CooperativeYield } from '../cooperative-yield.ts';
import type { Known, StoredBaseline } from '../stores/ports.ts';
import type { Baseline } from './baseline.ts';
import { decodeRecord } from './encode-record.ts';
import { decodeState } from './encode-state.ts';
import { byId, mergeState, mergeYielding, type Settled, settle } from './merge.ts';
import { baselineOf } from './merged.ts';
import type { BaselineRecord } from './record.ts';
import type { BatchState } from './state.ts';

// Estimates, with the objects around the numbers: of a source, a field in a state, and one in the records, folded and merged.
const SOURCE_BYTES = 1000;
const STATE_FIELD_BYTES = 1600;
const RECORD_FIELD_BYTES = 23_000;

export interface Content {
  known: Known;
  folded: BaselineRecord | null;
  /** The tail in id order. */
  states: readonly BatchState[];
  settled: Settled | null;
  baseline: Baseline | null;
  /** Estimate of the memory it takes. */
  bytes: number;
}

export const NOTHING: Content = {
  known: { generation: '', version: 0, sequence: 0 },
  folded: null,
  states: [],
  settled: null,
  baseline: null,
  bytes: 0,
};

export const knownOf = ({ generation, version, sequence }: Known): Known => ({
  generation,
  version,
  sequence,
});

export const isSame = (a: Known, b: Known): boolean =>
  a.generation === b.generation && a.version === b.version && a.sequence === b.sequence;

/** Whether `a` is a later content of the same generation. */
export const isNewer = (a: Known, b: Known): boolean =>
  a.generation === b.generation &&
  (a.version > b.version || (a.version === b.version && a.sequence > b.sequence));

/** The content before, and what was read since; a complete answer replaces it. */
export function contentFrom(before: Content, read: StoredBaseline): Content {
  const added = addedStates(before, read).sort(byId);
  const base = read.complete ? NOTHING : before;
  const folded = read.folded ? decodeRecord(read.folded) : base.folded;
  return { ...withStates(base, folded, added), known: knownOf(read) };
}

/** The content before, with another folded record and more states in id order. */
export function withStates(before: Content, folded: BaselineRecord | null, added: BatchState[]): Content {
  const states = [...before.states, ...added].sort(byId);
  const settled = settleOn(before, folded, added, states);
  return contentOf(before.known, folded, states, settled);
}

/** What the store has after a fold of what was `known`, except for what was appended since. */
export async function contentAfterFold(
  { generation, version, sequence }: Known,
  folded: BaselineRecord,
  states: readonly BatchState[],
  yielding: CooperativeYield,
): Promise<Content> {
  const settled = { record: await mergeYielding(folded, states, yielding), provisional: false };
  return contentOf({ generation, version: version + 1, sequence }, folded, states, settled);
}

const contentOf = (
  known: Known,
  folded: BaselineRecord | null,
  states: readonly BatchState[],
  settled: Settled | null,
): Content => ({
  known,
  folded,
  states,
  settled,
  baseline: settled && baselineOf(settled),
  bytes: bytesOf(settled, states),
});

/** The states of an answer. Within a generation an id stands for one state, so states that are there need no decoding. */
function addedStates(before: Content, { generation, tail }: StoredBaseline): BatchState[] {
  const decoded = generation === before.known.generation ? before.states : [];
  const byIds = new Map(decoded.map(state => [state.id, state]));
  return tail.map(entry => byIds.get(entry.id) ?? decodeState(entry.state));
}

function bytesOf(settled: Settled | null, states: readonly BatchState[]): number {
  const inStates = states.reduce((fields, state) => fields + state.fields.size, 0);
  const inRecord = settled?.record.fields.size ?? 0;
  return SOURCE_BYTES + STATE_FIELD_BYTES * inStates + RECORD_FIELD_BYTES * inRecord;
}

/** Continues the merged record if all added states come after it; else merges again from the folded one. */
function settleOn(
  before: Content,
  folded: BaselineRecord | null,
  added: readonly BatchState[],
  states: readonly BatchState[],
): Settled | null {
  const firm = added.filter(state => !state.provisional);
  const last = before.states.at(-1);
  const { settled } = before;
  if (settled && !settled.provisional && (!last || !firm[0] || last.id < firm[0].id)) {
    return { record: firm.reduce(mergeState, settled.record), provisional: false };
  }
  return settle(folded, states);
}
