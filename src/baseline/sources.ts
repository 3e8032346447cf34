/**
 * The decoded baselines of the sources of one thread, and what rules learned from them. The thread has no store: it is given what was read, mostly only
 * what is new since the content that it holds.
 *
 * What it holds of a source is never changed, only replaced. Generation, version and sequence together identify what a store holds, so an answer that comes
 * late can at worst be older than what is held, which stays.
 */
import { LRUCache } from 'lru-cache';
import type { Known, StoredBaseline, StoredState } from '../stores/ports.ts';
import type { Baseline } from './baseline.ts';
import { encodeRecord } from './encode-record.ts';
import { FittedCache, type Fitter } from './fitted-cache.ts';
import { fold, mergeStates } from './merge.ts';
import { type BaselineRecord, EMPTY_RECORD } from './record.ts';
import { SourceCache } from './source-cache.ts';
import { type Content, contentAfterFold, contentFrom, isNewer, isSame, NOTHING } from './source-content.ts';
import type { BatchState } from './state.ts';

/** A tail of this many states is folded, */
export const LONG_TAIL = 32;
/** except for its newest: a late batch still finds its place among them, and the error of `quantiles.ts` rests on it. */
export const UNFOLDED = 16;

/** Folds that wait for their store. The answer to one may get lost. */
const MAX_FOLDS = 16;
// Room for the largest possible source with 40 states: a source that is not held is read and decoded for each batch.
const DEFAULT_MAX_BYTES = 128 * 1024 * 1024;

/** What a store answered to a reader that holds `since`: what is new, or everything if that is null. */
export interface ReadBaseline {
  stored: StoredBaseline;
  since: Known | null;
}

/** The content that a delta continues is not held: read the source whole. */
export const NOT_HELD = 'not held';

/** A folded record that a store may take in place of the old one and the `spent` states, without the `dropped` ones, which it does not include. */
export interface Folded {
  expected: Known;
  bytes: Uint8Array;
  spent: string[];
  dropped: string[];
  record: BaselineRecord;
}

export class Sources<Fitted extends object> {
  readonly #cache: SourceCache;
  readonly #histories: FittedCache<Fitted>;
  /** Folds that a store has not confirmed yet. */
  readonly #folds = new LRUCache<string, { known: Known; record: BaselineRecord; left: BatchState[] }>({
    max: MAX_FOLDS,
  });

  constructor(fitter: Fitter<Fitted>, maxBytes = DEFAULT_MAX_BYTES) {
    this.#cache = new SourceCache(maxBytes);
    this.#histories = new FittedCache(fitter);
  }

  /** What is held of a source; null for nothing. */
  known(key: string): Known | null {
    return this.#cache.get(key)?.known ?? null;
  }

  /** What a source is made of. Throws DamagedBytes. */
  content(key: string, { stored, since }: ReadBaseline): Content | typeof NOT_HELD {
    const held = this.#cache.get(key);
    if (held && (isSame(held.known, stored) || isNewer(held.known, stored))) {
      this.#cache.set(key, held);
      return held;
    }
    const continues = held !== undefined && since !== null && isSame(held.known, since);
    if (!stored.complete && !continues) return NOT_HELD;
    const content = this.#cache.preparedFor(key, stored) ?? contentFrom(held ?? NOTHING, stored);
    this.#cache.set(key, content);
    return content;
  }

  /** What rules learned from a baseline, fitted when it is first asked for. */
  history(key: string, baseline: Baseline, settleAfter: number): Fitted {
    return this.#histories.of(key, baseline, settleAfter);
  }

  /** A state was appended to the store. */
  learned(key: string, entry: StoredState, state: BatchState): void {
    this.#cache.learned(key, entry, state);
  }

  /** The content that the next read will give, as far as is known here; null for a source that is not held. */
  next(key: string): Content | null {
    return this.#cache.prepare(key);
  }

  /** Whether the tail should be folded, as far as is known here. That of a source that is not held has to be read. */
  hasLongTail(key: string): boolean {
    return (this.#cache.tailLength(key) ?? LONG_TAIL) >= LONG_TAIL;
  }

  /** Folds all but the newest states of a long tail; null if it is not long. */
  fold(key: string, { known, folded, states }: Content): Folded | null {
    const firm = states.filter(state => !state.provisional);
    if (firm.length < LONG_TAIL) return null;
    const taken = firm.slice(0, -UNFOLDED);
    const record = fold(mergeStates(folded ?? EMPTY_RECORD, taken));
    const left = firm.slice(-UNFOLDED);
    const provisional = states.filter(state => state.provisional);
    this.#folds.set(key, { known, record, left });
    const [spent, dropped] = [taken, provisional].map(of => of.map(({ id }) => id));
    return { expected: known, bytes: encodeRecord(record), spent: spent!, dropped: dropped!, record };
  }

  /** The store has answered to the last fold of the source: decoding the folded record would be more work than any other read. */
  foldEnded(key: string, won: boolean): void {
    const made = this.#folds.get(key);
    this.#folds.delete(key);
    if (!won || !made) return;
    const content = contentAfterFold(made.known, made.record, made.left);
    const held = this.#cache.get(key);
    if (!held || isNewer(content.known, held.known)) this.#cache.set(key, content);
  }
}
