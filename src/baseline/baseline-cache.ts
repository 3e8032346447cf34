/**
 * Baselines by account and source: keeps the decoded ones of the sources last asked for, and asks the store only for what is new.
 *
 * What it holds of a source is never changed, only replaced, so any number of loads may run at once. Generation, version and sequence together
 * identify what a store holds, so a load that finds its answer already there takes it. A late answer can at worst put something older back. The next
 * load asks for what is new since then, so nothing here can make a wrong baseline, only a slower read.
 */
import { setImmediate } from 'node:timers/promises';
import { retryInBackground } from '../background-retry.ts';
import { CooperativeYield, withPauses } from '../cooperative-yield.ts';
import { Rejection } from '../errors.ts';
import type { BaselineStore, Bounds, Known, SourceNotes, StoredBaseline } from '../stores/ports.ts';
import type { Baseline } from './baseline.ts';
import { DamagedBytes } from './bytes.ts';
import { encoding } from './encode-record.ts';
import { encodingState } from './encode-state.ts';
import { FittedCache, type Fitter } from './fitted-cache.ts';
import { folding, merging } from './merge.ts';
import { type BaselineRecord, EMPTY_RECORD } from './record.ts';
import { type Size, sizeOf } from './size.ts';
import { SourceCache } from './source-cache.ts';
import {
  type Content,
  contentAfterFold,
  contentFrom,
  isNewer,
  isSame,
  knownOf,
  NOTHING,
} from './source-content.ts';
import type { BatchState } from './state.ts';
import { copyOf, LEARNED_EVERY_MS, noteOf, versionIn } from './version.ts';

/** A tail of this many states is folded, */
export const LONG_TAIL = 32;
/** except for its newest: a late batch still finds its place among them, and the error of `quantiles.ts` rests on it. */
export const UNFOLDED = 16;

// Room for the largest possible source with 40 states: a source that is not held is read and decoded for each batch.
const DEFAULT_MAX_BYTES = 128 * 1024 * 1024;

/** Baselines of a list that are read at once. */
const READ_AT_ONCE = 8;

/** What the cache asks of a store. */
export type CachedStore = Pick<
  BaselineStore,
  | 'read'
  | 'append'
  | 'fold'
  | 'callOff'
  | 'sources'
  | 'reset'
  | 'keepVersion'
  | 'noteBlocked'
  | 'endRun'
  | 'versions'
>;

interface Run {
  since: string;
  last: string;
  causes: unknown;
}

export interface SourcePage {
  /** `settings`: as the source's notes keep them. */
  sources: (Size & { source: string; settings: string | null })[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

/** Runs work that no answer needs; `learn` waits for what it returns. */
export type Later = (work: () => Promise<void>) => unknown;

export interface BaselineCacheOptions<Fitted extends object> {
  /** Memory for what is held. */
  maxBytes?: number;
  /** May put work off until the answer is sent; by default it is done at once. */
  later?: Later;
  /** Fits what rules learn from a baseline. */
  fitter?: Fitter<Fitted>;
  /** Makes the pauses of long work. */
  pauses?: () => CooperativeYield;
  /** Whether requests wait for processor time: then `prefetch` is left out. */
  isBusy?: () => boolean;
}

export class BaselineCache<Fitted extends object = never> {
  readonly #store: CachedStore;
  readonly #later: Later;
  readonly #cache: SourceCache;
  readonly #histories: FittedCache<Fitted> | null;
  readonly #pauses: () => CooperativeYield;
  readonly #isBusy: () => boolean;
  readonly #folding = new Set<string>();
  /** Fits in progress, the newest of each source. They never fail. */
  readonly #fitting = new Map<string, Promise<void>>();
  /** Sources whose last batch is still to be merged. */
  readonly #following = new Set<string>();
  /** Contents that are being decoded: requests that come meanwhile share them. */
  readonly #decoding = new Map<string, { known: Known; content: Promise<Content> }>();

  constructor(store: CachedStore, options: BaselineCacheOptions<Fitted> = {}) {
    const { maxBytes = DEFAULT_MAX_BYTES, later = work => work(), fitter } = options;
    this.#pauses = options.pauses ?? (() => new CooperativeYield());
    this.#isBusy = options.isBusy ?? (() => false);
    this.#store = store;
    this.#later = later;
    this.#cache = new SourceCache(maxBytes);
    this.#histories = fitter ? new FittedCache(fitter) : null;
  }

  /** The baseline as the store has it now; null for a source without one. Throws SERVICE_UNAVAILABLE, and DamagedBytes. */
  async load(account: string, source: string): Promise<Baseline | null> {
    return (await this.#refresh(account, source)).content.baseline;
  }

  /**
   * The same, and the notes beside it. While a history of the source is fitted it waits: so batches that come meanwhile are judged by the same baseline,
   * with all that was learned until then, and share the next fit.
   */
  async know(account: string, source: string): Promise<{ baseline: Baseline | null; notes: SourceNotes }> {
    await this.#fitting.get(keyOf(account, source));
    const { content, notes } = await this.#refresh(account, source);
    return { baseline: content.baseline, notes };
  }

  /** What it is made of, and the notes beside it. */
  async content(account: string, source: string): Promise<Content & { notes: SourceNotes }> {
    const { content, notes } = await this.#refresh(account, source);
    return { ...content, notes };
  }

  /** What rules learned from a baseline: fitted when it is first asked for, with pauses for other requests. */
  historyOf(
    account: string,
    source: string,
    baseline: Baseline,
    settleAfter: number,
    yielding = this.#pauses(),
  ): Promise<Fitted> {
    if (this.#histories === null) throw new Error('this cache has no fitter');
    const key = keyOf(account, source);
    const fitted = this.#histories.of(key, baseline, yielding, settleAfter);
    this.#noteFit(key, fitted);
    return fitted;
  }

  #noteFit(key: string, fitted: Promise<Fitted>): void {
    const ends = () => {
      if (this.#fitting.get(key) === fit) this.#fitting.delete(key);
    };
    const fit = fitted.then(ends, ends);
    this.#fitting.set(key, fit);
  }

  /**
   * Adds a batch's state, once however often it is called. Do not call it for a BLOCK batch, except for the first of a source, as provisional.
   * Calls `prefetch` after the answer with the baseline that the next load will give, as far as is known here, unless requests wait. Throws SERVICE_UNAVAILABLE if the
   * state was not added, or may not have been, and the bounds' refusal.
   */
  async learn(
    account: string,
    source: string,
    state: BatchState,
    prefetch: (baseline: Baseline) => unknown = () => {},
    bounds?: Bounds,
  ): Promise<void> {
    const entry = { id: state.id, state: await withPauses(encodingState(state), this.#pauses()) };
    if (!(await this.#store.append(account, source, entry, bounds))) return;
    const key = keyOf(account, source);
    this.#cache.learned(key, entry, state);
    // What follows a batch is done for all that were learned before it begins.
    if (this.#following.has(key)) return;
    this.#following.add(key);
    await this.#later(async () => {
      this.#following.delete(key);
      const content = await this.#cache.prepare(key, this.#pauses());
      await this.#foldLong(account, source, bounds);
      // Who waits has read an older baseline, and learns: the next batch will be judged by a newer one.
      if (content?.baseline && !this.#isBusy()) await prefetch(content.baseline);
    });
  }

  /**
   * Removes what `learn` added for a request that could not be answered, unless it was folded since. Throws SERVICE_UNAVAILABLE, and then tries
   * again in the background.
   */
  unlearn(account: string, source: string, id: string): Promise<void> {
    return retryInBackground(() => this.#store.callOff(account, source, id));
  }

  /** Removes what another request may have learned, or may yet learn. False if it was folded: it stays learned. Throws SERVICE_UNAVAILABLE. */
  callOff(account: string, source: string, id: string): Promise<boolean> {
    return this.#store.callOff(account, source, id);
  }

  /** Notes the run of a BLOCKed batch; `null` ends the run. If that fails, the next report only says less. */
  async noteRun(account: string, source: string, run: Run | null): Promise<void> {
    try {
      if (run === null) return await this.#store.endRun(account, source);
      const { since, last, causes } = run;
      await this.#store.noteBlocked(account, source, { since, last, causes: JSON.stringify(causes) });
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
  }

  /** The account's sources after `after`, in a fixed order, at most `limit`. Throws SERVICE_UNAVAILABLE, and DamagedBytes. */
  async sources(account: string, after: string | null, limit: number): Promise<SourcePage> {
    const found = await this.#store.sources(account, after, limit + 1);
    const names = found.slice(0, limit);
    const sources: SourcePage['sources'] = [];
    for (let start = 0; start < names.length; start += READ_AT_ONCE) {
      // An embedded store answers within the same turn of the event loop: a long list would hold up every other request.
      await setImmediate();
      const reads = names.slice(start, start + READ_AT_ONCE).map(source => this.#sized(account, source));
      sources.push(...(await Promise.all(reads)).flat());
    }
    return { sources, next: found.length > limit ? names[limit - 1]! : null };
  }

  /** Forgets one source, or all of the account. */
  async reset(account: string, source?: string): Promise<void> {
    await this.#store.reset(account, source);
    const held = [...this.#cache.keys(), ...(this.#histories?.sources() ?? [])];
    const keys = source === undefined ? held : [keyOf(account, source)];
    for (const key of keys.filter(each => each.startsWith(accountPart(account)))) {
      this.#cache.forget(key);
      this.#histories?.forget(key);
    }
  }

  /** Empty for a source that was reset a moment ago. A source that is not held is not cached: a long list would push out all that is screened. */
  async #sized(account: string, source: string): Promise<SourcePage['sources']> {
    const { size, notes } = this.#cache.get(keyOf(account, source))
      ? await this.#held(account, source)
      : await this.#readSize(account, source);
    if (!size) return [];
    return [{ source, batches: size.batches, rows: size.rows, settings: notes.settings }];
  }

  async #held(account: string, source: string) {
    const { content, notes } = await this.#refresh(account, source);
    return { size: content.baseline, notes };
  }

  async #readSize(account: string, source: string) {
    const read = await this.#store.read(account, source);
    return { size: sizeOf(read), notes: read.notes };
  }

  async #foldLong(account: string, source: string, bounds?: Bounds): Promise<void> {
    const key = keyOf(account, source);
    if (!this.#tailIsLong(key) || this.#folding.has(key)) return;
    this.#folding.add(key);
    try {
      await this.#fold(account, source, bounds);
    } catch (error) {
      // The state is safe. The next batch folds, or its read reports what is wrong.
      if (!(error instanceof Rejection || error instanceof DamagedBytes)) throw error;
    } finally {
      this.#folding.delete(key);
    }
  }

  /** As far as is known here. The tail of a source that is not held has to be read. */
  #tailIsLong(key: string): boolean {
    return (this.#cache.tailLength(key) ?? LONG_TAIL) >= LONG_TAIL;
  }

  /** Folds all but the newest states of a long tail. Losing a race changes nothing. */
  async #fold(account: string, source: string, bounds?: Bounds): Promise<void> {
    const { content, notes } = await this.#refresh(account, source);
    const { known, folded, states } = content;
    const firm = states.filter(state => !state.provisional);
    if (firm.length < LONG_TAIL) return;
    const yielding = this.#pauses();
    const taken = firm.slice(0, -UNFOLDED);
    const merged = await withPauses(merging(folded ?? EMPTY_RECORD, taken), yielding);
    const record = await withPauses(folding(merged), yielding);
    const left = firm.slice(-UNFOLDED);
    const provisional = states.filter(state => state.provisional);
    const bytes = await withPauses(encoding(record), yielding);
    const won = await this.#store.fold(account, source, known, bytes, idsOf(taken), idsOf(provisional));
    if (!won) {
      await this.#refresh(account, source);
      return;
    }
    // Decoding the folded record would be more work than any other read: this process already has it.
    this.#replace(keyOf(account, source), await contentAfterFold(known, record, left, yielding));
    await this.#keepLearned(account, source, record, bytes, notes.rules, bounds);
  }

  /** Keeps a copy to go back to of a source that learns, but only now and then: a busy source would soon have none but its newest. */
  async #keepLearned(
    account: string,
    source: string,
    record: BaselineRecord,
    bytes: Uint8Array,
    rules: string | null,
    bounds?: Bounds,
  ): Promise<void> {
    const { at } = record.recent.at(-1)!;
    const kept = (await this.#store.versions(account, source)).map(({ note }) => versionIn(note));
    const last = kept.find(({ reason }) => reason === 'learned');
    if (last && at - Date.parse(last.made_at) < LEARNED_EVERY_MS) return;
    const note = noteOf(record, 'learned', at, rules);
    await this.#store.keepVersion(account, source, note, await copyOf(bytes), bounds);
  }

  /** Keeps the content after a fold, unless a newer one is held by now. */
  #replace(key: string, content: Content): void {
    const now = this.#cache.get(key);
    if (!now || isNewer(content.known, now.known)) this.#cache.set(key, content);
  }

  async #refresh(account: string, source: string): Promise<{ content: Content; notes: SourceNotes }> {
    const key = keyOf(account, source);
    const before = this.#cache.get(key);
    const read = await this.#store.read(account, source, before?.known);
    const now = this.#cache.get(key);
    if (now && isSame(now.known, read)) {
      this.#cache.set(key, now);
      return { content: now, notes: read.notes };
    }
    const content =
      (await this.#cache.preparedFor(key, before, read, this.#pauses())) ??
      (await this.#decoded(key, before ?? NOTHING, read));
    const held = this.#cache.get(key);
    if (!held || held === before || isNewer(content.known, held.known)) this.#cache.set(key, content);
    return { content, notes: read.notes };
  }

  async #decoded(key: string, before: Content, read: StoredBaseline): Promise<Content> {
    const pending = this.#decoding.get(key);
    if (pending && isSame(pending.known, read)) return pending.content;
    const own = { known: knownOf(read), content: contentFrom(before, read, this.#pauses()) };
    this.#decoding.set(key, own);
    try {
      return await own.content;
    } finally {
      if (this.#decoding.get(key) === own) this.#decoding.delete(key);
    }
  }
}

const idsOf = (states: readonly BatchState[]): string[] => states.map(({ id }) => id);
const accountPart = (account: string): string => `${JSON.stringify(account)}:`;
const keyOf = (account: string, source: string): string => accountPart(account) + source;
