/**
 * Baselines by account and source: keeps the decoded ones of the sources last asked for, and asks the store only
 * for what is new.
 *
 * What it holds of a source is never changed, only replaced, so any number of loads may run at once. Generation,
 * version and sequence together name what a store holds, so a load that comes back to find its answer already
 * there takes it. An answer that comes late can at worst put something older back; the next load asks for
 * what is new since then, so nothing here can make a wrong baseline, only a slower read.
 *
 * After a batch was learnt, and when its answer is out, the baseline with its state is made ready. The next load
 * takes it if the store's answer is that state, byte for byte, and nothing else: then it is what would be made of the answer.
 */
import { setImmediate } from 'node:timers/promises';
import { Rejection } from '../errors.ts';
import type {
  BaselineStore,
  BlockedRun,
  Known,
  SourceNotes,
  StoredBaseline,
  StoredState,
} from '../stores/ports.ts';
import type { Baseline } from './baseline.ts';
import { DamagedBytes } from './bytes.ts';
import { decodeRecord, decodeState, encodeRecord, encodeState } from './encode.ts';
import { byId, foldInTurns, mergeInTurns, mergeState, type Settled, settle } from './merge.ts';
import { baselineOf } from './merged.ts';
import { type BaselineRecord, EMPTY_RECORD } from './record.ts';
import { type Size, sizeOf } from './size.ts';
import type { BatchState } from './state.ts';
import { Turns } from './turns.ts';
import { copyOf, LEARNED_EVERY_MS, noteOf, versionIn } from './version.ts';

/** A tail of this many states is folded .. */
export const LONG_TAIL = 32;
/** .. but for its newest: a batch that comes late still finds its place among them, and the error of `quantiles.ts` rests on it. */
export const UNFOLDED = 16;

// Room for the largest source there can be, with 40 states: one that is not held is read and decoded whole for each batch.
const DEFAULT_MAX_BYTES = 128 * 1024 * 1024;
// Estimates, with the objects around the numbers: of a source, a field in a state, and one in the records, folded and merged.
const SOURCE_BYTES = 1000;
const STATE_FIELD_BYTES = 1600;
const RECORD_FIELD_BYTES = 23_000;

/** Baselines of a list that are read at once. */
const READ_AT_ONCE = 8;

/** What the keeper asks of a store. */
export type KeptIn = Pick<
  BaselineStore,
  | 'read'
  | 'append'
  | 'fold'
  | 'withdraw'
  | 'sources'
  | 'reset'
  | 'keepVersion'
  | 'noteBlocked'
  | 'endRun'
  | 'versions'
>;

export interface SourcePage {
  sources: (Size & { source: string })[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

/** What there is of a source. */
export interface Content {
  known: Known;
  folded: BaselineRecord | null;
  /** The tail in id order. */
  states: readonly BatchState[];
  settled: Settled | null;
}

/** All that is known of one source. */
interface Held extends Content {
  baseline: Baseline | null;
  /** Estimate of the memory it takes. */
  bytes: number;
}

/** What a source will be when the store confirms what was learnt here, and nothing else, since `from`. */
interface Ahead {
  from: Held;
  learnt: StoredState[];
  held: Held;
}

/** Runs work that no answer needs; `learn` waits for what it returns. */
export type Later = (work: () => Promise<void>) => unknown;

const NOTHING: Held = {
  known: { generation: '', version: 0, sequence: 0 },
  folded: null,
  states: [],
  settled: null,
  baseline: null,
  bytes: 0,
};

export class BaselineKeeper {
  readonly #store: KeptIn;
  readonly #maxBytes: number;
  readonly #later: Later;
  /** In the order of last use. */
  readonly #held = new Map<string, Held>();
  #bytes = 0;
  readonly #ahead = new Map<string, Ahead>();
  /** States appended here since the source was last read. */
  readonly #unread = new Map<string, number>();
  readonly #folding = new Set<string>();

  /** `later` may put work off until the answer is out; by default it is done at once. */
  constructor(store: KeptIn, maxBytes = DEFAULT_MAX_BYTES, later: Later = work => work()) {
    this.#store = store;
    this.#maxBytes = maxBytes;
    this.#later = later;
  }

  /** The baseline as the store has it now; null for a source without one. Throws SERVICE_UNAVAILABLE, and DamagedBytes. */
  async load(account: string, source: string): Promise<Baseline | null> {
    return (await this.#refresh(account, source)).held.baseline;
  }

  /** The same with what lies beside it. */
  async know(account: string, source: string): Promise<{ baseline: Baseline | null; notes: SourceNotes }> {
    const { held, notes } = await this.#refresh(account, source);
    return { baseline: held.baseline, notes };
  }

  /** What it is made of. */
  async content(account: string, source: string): Promise<Content> {
    return (await this.#refresh(account, source)).held;
  }

  /**
   * Adds a batch's state, once however often it is called. A BLOCK batch must not come here, but for the first
   * of a source, as provisional. `ahead` is told, after the answer, what the next load will give as far as is known here.
   * Throws SERVICE_UNAVAILABLE when it was not, or not surely, added.
   */
  async learn(
    account: string,
    source: string,
    state: BatchState,
    ahead: (baseline: Baseline) => unknown = () => {},
  ): Promise<void> {
    const entry = { id: state.id, state: encodeState(state) };
    await this.#store.append(account, source, entry);
    const key = keyOf(account, source);
    this.#unread.set(key, (this.#unread.get(key) ?? 0) + 1);
    await this.#later(async () => {
      const baseline = this.#prepare(key, entry, state);
      await this.#foldLong(account, source);
      if (baseline) await ahead(baseline);
    });
  }

  /** Takes back what `learn` added for a request that could not be answered, unless it was folded since. Throws SERVICE_UNAVAILABLE. */
  unlearn(account: string, source: string, id: string): Promise<void> {
    return this.#store.withdraw(account, source, id);
  }

  /** A batch was BLOCKed, as one of a run. Throws SERVICE_UNAVAILABLE. */
  noteBlocked(account: string, source: string, run: Omit<BlockedRun, 'batches'>): Promise<void> {
    return this.#store.noteBlocked(account, source, run);
  }

  /** No batch is BLOCKed one after the other any more. Throws SERVICE_UNAVAILABLE. */
  endRun(account: string, source: string): Promise<void> {
    return this.#store.endRun(account, source);
  }

  /** The account's sources behind `after`, in a fixed order, at most `limit`. Throws SERVICE_UNAVAILABLE, and DamagedBytes. */
  async sources(account: string, after: string | null, limit: number): Promise<SourcePage> {
    const found = await this.#store.sources(account, after, limit + 1);
    const names = found.slice(0, limit);
    const sources: SourcePage['sources'] = [];
    for (let start = 0; start < names.length; start += READ_AT_ONCE) {
      // An embedded store answers without a turn of the event loop, and a long list would hold up every other request.
      await setImmediate();
      const reads = names.slice(start, start + READ_AT_ONCE).map(source => this.#sized(account, source));
      sources.push(...(await Promise.all(reads)).flat());
    }
    return { sources, next: found.length > limit ? names[limit - 1]! : null };
  }

  /** Forgets one source, or all of the account. */
  async reset(account: string, source?: string): Promise<void> {
    await this.#store.reset(account, source);
    const keys = source === undefined ? [...this.#held.keys()] : [keyOf(account, source)];
    for (const key of keys) if (key.startsWith(accountPart(account))) this.#forget(key);
  }

  /** Nothing for a source that was reset a moment ago. What is not held stays so: a long list would push out all that is screened. */
  async #sized(account: string, source: string): Promise<SourcePage['sources']> {
    const size = this.#held.has(keyOf(account, source))
      ? await this.load(account, source)
      : sizeOf(await this.#store.read(account, source));
    return size ? [{ source, batches: size.batches, rows: size.rows }] : [];
  }

  #prepare(key: string, entry: StoredState, state: BatchState): Baseline | null {
    const from = this.#held.get(key);
    if (!from) return null;
    const before = this.#ahead.get(key);
    const { learnt, held } = before?.from === from ? before : { learnt: [], held: from };
    const next = withStates(held, held.folded, [state]);
    this.#ahead.set(key, { from, learnt: [...learnt, entry], held: next });
    return next.baseline;
  }

  async #foldLong(account: string, source: string): Promise<void> {
    const key = keyOf(account, source);
    if (!this.#tailIsLong(key) || this.#folding.has(key)) return;
    this.#folding.add(key);
    try {
      await this.#fold(account, source);
    } catch (error) {
      // The state is safe; the next batch folds, or says what is wrong when it reads.
      if (!(error instanceof Rejection || error instanceof DamagedBytes)) throw error;
    } finally {
      this.#folding.delete(key);
    }
  }

  /** As far as is known here; a source that is not held has to be read to know. */
  #tailIsLong(key: string): boolean {
    const held = this.#held.get(key);
    return !held || held.states.length + (this.#unread.get(key) ?? 0) >= LONG_TAIL;
  }

  /** Folds all but the newest states of a long tail. A race that is lost changes nothing. */
  async #fold(account: string, source: string): Promise<void> {
    const { known, folded, states } = (await this.#refresh(account, source)).held;
    const firm = states.filter(state => !state.provisional);
    if (firm.length < LONG_TAIL) return;
    const turns = new Turns();
    const merged = await mergeInTurns(folded ?? EMPTY_RECORD, firm.slice(0, -UNFOLDED), turns);
    const record = await foldInTurns(merged, turns);
    const left = firm.slice(-UNFOLDED);
    const spent = states.filter(state => !left.includes(state)).map(state => state.id);
    // Reading what was folded is more work than any other read: who has folded it knows it.
    const bytes = encodeRecord(record);
    const won = await this.#store.fold(account, source, known, bytes, spent);
    if (!won) {
      await this.#refresh(account, source);
      return;
    }
    this.#replace(keyOf(account, source), await heldAfterFold(known, record, left, turns));
    await this.#keepLearned(account, source, record, bytes);
  }

  /** A copy to go back to, of a source that learns: now and then, or a busy one would soon have none but its newest. */
  async #keepLearned(
    account: string,
    source: string,
    record: BaselineRecord,
    bytes: Uint8Array,
  ): Promise<void> {
    const { at } = record.recent.at(-1)!;
    const kept = (await this.#store.versions(account, source)).map(({ note }) => versionIn(note));
    const last = kept.find(({ reason }) => reason === 'learned');
    if (last && at - Date.parse(last.made_at) < LEARNED_EVERY_MS) return;
    await this.#store.keepVersion(account, source, noteOf(record, 'learned', at), await copyOf(bytes));
  }

  /** Keeps what is known after a fold, unless more is known by now. */
  #replace(key: string, held: Held): void {
    const now = this.#held.get(key);
    if (!now || isNewer(held.known, now.known)) this.#keep(key, held);
  }

  async #refresh(account: string, source: string): Promise<{ held: Held; notes: SourceNotes }> {
    const key = keyOf(account, source);
    const before = this.#held.get(key);
    const read = await this.#store.read(account, source, before?.known);
    const now = this.#held.get(key);
    if (now && sameContent(now.known, read)) {
      this.#keep(key, now);
      return { held: now, notes: read.notes };
    }
    const held = this.#foreseen(key, before, read) ?? heldFrom(before ?? NOTHING, read);
    if (!now || now === before || isNewer(held.known, now.known)) this.#keep(key, held);
    return { held, notes: read.notes };
  }

  /** What was made ready, if it is what was read. */
  #foreseen(key: string, before: Held | undefined, read: StoredBaseline): Held | null {
    const ahead = this.#ahead.get(key);
    if (!ahead || ahead.from !== before || read.complete) return null;
    return sameEntries(ahead.learnt, read.tail) ? { ...ahead.held, known: knownOf(read) } : null;
  }

  #keep(key: string, held: Held): void {
    this.#forget(key);
    // What would push everything else out is read anew each time.
    if (held.bytes > this.#maxBytes) return;
    this.#held.set(key, held);
    this.#bytes += held.bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#held.get(key)?.bytes ?? 0;
    this.#held.delete(key);
    this.#ahead.delete(key);
    this.#unread.delete(key);
  }
}

const accountPart = (account: string): string => `${JSON.stringify(account)}:`;
const keyOf = (account: string, source: string): string => accountPart(account) + source;

const sameContent = (a: Known, b: Known): boolean =>
  a.generation === b.generation && a.version === b.version && a.sequence === b.sequence;

/** Whether one is a later content of the same generation. */
const isNewer = (a: Known, b: Known): boolean =>
  a.generation === b.generation &&
  (a.version > b.version || (a.version === b.version && a.sequence > b.sequence));

const knownOf = ({ generation, version, sequence }: Known): Known => ({ generation, version, sequence });

const sameEntries = (a: readonly StoredState[], b: readonly StoredState[]): boolean =>
  a.length === b.length &&
  a.every(({ id, state }, i) => id === b[i]!.id && Buffer.compare(state, b[i]!.state) === 0);

/** What was held, with what was read since; a complete answer stands alone. */
function heldFrom(before: Held, read: StoredBaseline): Held {
  const fresh = freshStates(before, read).sort(byId);
  const base = read.complete ? NOTHING : before;
  const folded = read.folded ? decodeRecord(read.folded) : base.folded;
  return { ...withStates(base, folded, fresh), known: knownOf(read) };
}

/** What the store has after a fold of what was `known`, but for what was appended since. */
async function heldAfterFold(
  { generation, version, sequence }: Known,
  folded: BaselineRecord,
  states: readonly BatchState[],
  turns: Turns,
): Promise<Held> {
  const settled = { record: await mergeInTurns(folded, states, turns), provisional: false };
  const known = { generation, version: version + 1, sequence };
  return { known, folded, states, settled, baseline: baselineOf(settled), bytes: bytesOf(settled, states) };
}

/** The states of an answer. Within a generation an id stands for one state: those that are held need no decoding. */
function freshStates(before: Held, { generation, tail }: StoredBaseline): BatchState[] {
  const held = generation === before.known.generation ? before.states : [];
  const byIds = new Map(held.map(state => [state.id, state]));
  return tail.map(entry => byIds.get(entry.id) ?? decodeState(entry.state));
}

/** What was held, with another folded record and more states, in id order. */
function withStates(before: Held, folded: BaselineRecord | null, fresh: BatchState[]): Held {
  const states = [...before.states, ...fresh].sort(byId);
  const settled = settleOn(before, folded, fresh, states);
  const baseline = settled && baselineOf(settled);
  return { known: before.known, folded, states, settled, baseline, bytes: bytesOf(settled, states) };
}

function bytesOf(settled: Settled | null, states: readonly BatchState[]): number {
  const inStates = states.reduce((fields, state) => fields + state.fields.size, 0);
  const inRecord = settled?.record.fields.size ?? 0;
  return SOURCE_BYTES + STATE_FIELD_BYTES * inStates + RECORD_FIELD_BYTES * inRecord;
}

/** The merged record: continued where all that is fresh comes after what is merged, else made anew from the folded one. */
function settleOn(
  before: Held,
  folded: BaselineRecord | null,
  fresh: readonly BatchState[],
  states: readonly BatchState[],
): Settled | null {
  const firm = fresh.filter(state => !state.provisional);
  const last = before.states.at(-1);
  const { settled } = before;
  if (settled && !settled.provisional && (!last || !firm[0] || last.id < firm[0].id)) {
    return { record: firm.reduce(mergeState, settled.record), provisional: false };
  }
  return settle(folded, states);
}
