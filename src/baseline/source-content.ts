/** What is known of one source: the stored parts, what they make together, and how much memory that takes. Never changed, only replaced. */
import type { Known, StoredBaseline } from '../stores/ports.ts';
import type { Baseline } from './baseline.ts';
import { decodeRecord } from './encode-record.ts';
import { decodeState } from './encode-state.ts';
import { byId, mergeState, type Settled, settle } from './merge.ts';
import { type BaselineRecord, EMPTY_RECORD } from './record.ts';
import { baselineOf } from './merged.ts';
import { BRIEF } from './detail.ts';
import { type BatchState, isBrief } from './state.ts';

// Estimates, with the objects around the numbers: of a source, a field in a state, and one in the records, folded and merged.
const SOURCE_BYTES = 1000;
const STATE_FIELD_BYTES = 1600;
const RECORD_FIELD_BYTES = 23_000;
/** The same of brief fields. */
const BRIEF_STATE_FIELD_BYTES = 700;
const BRIEF_RECORD_FIELD_BYTES = 4000;

export interface Content {
  known: Known;
  folded: BaselineRecord | null;
  /** The tail in id order. */
  states: readonly BatchState[];
  settled: Settled | null;
  /** The record before each of the newest states, in their order: a state that comes late is merged from there on. */
  steps: readonly Step[];
  baseline: Baseline | null;
  /** Of that the states. */
  stateBytes: number;
  /** Estimate of the memory it takes. */
  bytes: number;
}

interface Step {
  state: BatchState;
  before: BaselineRecord;
}

/** What is settled, and its last steps. */
type Stepped = Pick<Content, 'settled' | 'steps'>;

/** Requests that are judged at the same time are learned in any order. */
const MAX_STEPS = 16;
/** Of wide sources fewer steps are kept: a step has an object of about 1 kB for each field. */
const MAX_STEP_FIELDS = 4000;
const STEP_FIELD_BYTES = 1000;

export const NOTHING: Content = {
  known: { generation: '', version: 0, sequence: 0 },
  folded: null,
  states: [],
  settled: null,
  steps: [],
  baseline: null,
  stateBytes: 0,
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
  const base = read.complete ? NOTHING : before;
  const added = addedStates(before, read).sort(byId);
  const folded = read.folded ? decodeRecord(read.folded) : base.folded;
  const states = inOrder(base.states, added);
  const stepped = settleOn(base, folded, added, states);
  return contentOf(knownOf(read), folded, states, stepped, base.stateBytes + bytesOf(added));
}

/** The content before and more states. */
export function withStates(before: Content, added: readonly BatchState[]): Content {
  const newest = added.toSorted(byId);
  const states = inOrder(before.states, newest);
  const stepped = settleOn(before, before.folded, newest, states);
  return contentOf(before.known, before.folded, states, stepped, before.stateBytes + bytesOf(newest));
}

/** Both in id order. Batches mostly come in that order. */
function inOrder(before: readonly BatchState[], added: readonly BatchState[]): readonly BatchState[] {
  const [last, first] = [before.at(-1), added[0]];
  const states = [...before, ...added];
  return last && first && byId(first, last) < 0 ? states.sort(byId) : states;
}

/** What the store has after a fold of what was `known`, except for what was appended since. */
export function contentAfterFold(
  { generation, version, sequence }: Known,
  folded: BaselineRecord,
  states: readonly BatchState[],
): Content {
  const stepped = step(folded, [], states);
  return contentOf({ generation, version: version + 1, sequence }, folded, states, stepped, bytesOf(states));
}

const contentOf = (
  known: Known,
  folded: BaselineRecord | null,
  states: readonly BatchState[],
  { settled, steps }: Stepped,
  stateBytes: number,
): Content => ({
  known,
  folded,
  states,
  settled,
  steps,
  baseline: settled && baselineOf(settled),
  stateBytes,
  bytes: SOURCE_BYTES + stateBytes + recordBytesOf(settled) + stepBytesOf(steps),
});

const stepBytesOf = (steps: readonly Step[]): number =>
  steps.reduce((bytes, { before }) => bytes + before.fields.size * STEP_FIELD_BYTES, 0);

/**
 * The states of an answer. Within a generation an id stands for one state, so states that are there need no decoding. Only a provisional one is
 * replaced under its id, when its batch is admitted.
 */
function addedStates(before: Content, { generation, tail }: StoredBaseline): BatchState[] {
  const decoded = generation === before.known.generation ? before.states.filter(isFirm) : [];
  const byIds = new Map(decoded.map(state => [state.id, state]));
  const states: BatchState[] = [];
  for (const entry of tail) {
    states.push(byIds.get(entry.id) ?? decodeState(entry.state));
  }
  return states;
}

function bytesOf(states: readonly BatchState[]): number {
  let bytes = 0;
  for (const { fields } of states)
    for (const field of fields.values())
      bytes += isBrief(field) ? BRIEF_STATE_FIELD_BYTES : STATE_FIELD_BYTES;
  return bytes;
}

function recordBytesOf(settled: Settled | null): number {
  let bytes = 0;
  for (const { detail } of settled?.record.fields.values() ?? [])
    bytes += detail === BRIEF ? BRIEF_RECORD_FIELD_BYTES : RECORD_FIELD_BYTES;
  return bytes;
}

/** Continues the merged record, from before the first of its last states that one of the added ones comes before; else merges again from the folded one. */
function settleOn(
  { settled, steps, states: known }: Content,
  folded: BaselineRecord | null,
  added: readonly BatchState[],
  states: readonly BatchState[],
): Stepped {
  const firm = added.filter(isFirm);
  const [first] = firm;
  if (settled && !settled.provisional) {
    const late = first ? steps.findIndex(({ state }) => byId(first, state) < 0) : -1;
    if (late > 0) {
      const again = [...steps.slice(late).map(({ state }) => state), ...firm].sort(byId);
      return step(steps[late]!.before, steps.slice(0, late), again);
    }
    const last = known.at(-1);
    if (!last || !first || byId(last, first) < 0) return step(settled.record, steps, firm);
  }
  const all = states.filter(isFirm);
  if (folded || all.length > 0) return step(folded ?? EMPTY_RECORD, [], all);
  return { settled: settle(folded, states), steps: [] };
}

const isFirm = ({ provisional }: BatchState): boolean => !provisional;

function step(record: BaselineRecord, steps: readonly Step[], states: readonly BatchState[]): Stepped {
  const all = [...steps];
  let merged = record;
  for (const state of states) {
    all.push({ state, before: merged });
    merged = mergeState(merged, state);
  }
  const kept = Math.min(MAX_STEPS, Math.ceil(MAX_STEP_FIELDS / merged.fields.size));
  return { settled: { record: merged, provisional: false }, steps: all.slice(-kept) };
}
