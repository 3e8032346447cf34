/** Baselines by account and source: what the store keeps of them, and what the thread of each source makes of it. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { retryInBackground } from '../time/background-retry.ts';
import { DamagedBytes } from '../baseline/bytes.ts';
import type { SourceSummary, VersionCopy } from '../baseline/edit.ts';
import { type Size, sizeOf } from '../baseline/size.ts';
import { isSame } from '../baseline/source-content.ts';
import { NOT_HELD } from '../baseline/sources.ts';
import { copyOf, LEARNED_EVERY_MS, type VersionReason, versionIn } from '../baseline/version.ts';
import { Rejection } from '../terms/errors.ts';
import type { BlockedRun } from '../judge/blocked-run.ts';
import type { RulesDocument } from '../rules/declared/document.ts';
import type { MissingField } from '../rules/declared/missing-fields.ts';
import type {
  BaselineStore,
  Bounds,
  Known,
  SourceNotes,
  StoredBaseline,
  StoredState,
} from '../stores/ports.ts';
import type { DescribedSource } from '../threads/described-source.ts';
import type {
  FoldedSource,
  OpenedCopy,
  SourceReply,
  TrendOrder,
  TrendResult,
} from '../threads/source-tasks.ts';
import type { Judged, JudgeOrder, ParseOrder } from '../threads/tasks.ts';
import { type Thread, ThreadEnded } from '../threads/thread.ts';
import { keyOf, type Threads } from '../threads/threads.ts';

/** Baselines of a list that are read at once. */
const READ_AT_ONCE = 8;

export interface SourcePage {
  /** `settings`: as the source's notes keep them. */
  sources: (Size & { source: string; settings: string | null })[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

/** A read that runs while the body is parsed. */
export interface EarlyRead {
  source: string;
  since: Known | null;
  read: Promise<StoredBaseline>;
  /** What was read; null until then. */
  stored: StoredBaseline | null;
}

/** A batch that is judged. */
type Judging = Pick<JudgeOrder, 'id' | 'at' | 'arrivedAt' | 'isKept'>;

/** All methods throw SERVICE_UNAVAILABLE; those that read a baseline also DamagedBytes. */
export class Baselines {
  readonly #store: BaselineStore;
  readonly #threads: Threads;
  readonly #log: Pick<Logger, 'error'>;
  readonly #folding = new Set<string>();

  /** `log` receives bugs of the work after an answer. */
  constructor(store: BaselineStore, threads: Threads, log: Pick<Logger, 'error'>) {
    this.#store = store;
    this.#threads = threads;
    this.#log = log;
  }

  // ---- Screening ----

  /** Begins to read what is new of a source since what its thread holds. */
  readEarly(account: string, source: string): EarlyRead {
    const since = this.#threads.known(keyOf(account, source));
    const early: EarlyRead = {
      ...{ source, since, stored: null },
      read: this.#store.read(account, source, since ?? undefined),
    };
    early.read.then(
      stored => {
        early.stored = stored;
      },
      // When the body is rejected, nobody asks for the outcome of the read.
      () => {},
    );
    return early;
  }

  /** All that is stored of a source. */
  readAll(account: string, source: string): Promise<StoredBaseline> {
    return this.#store.read(account, source);
  }

  /** All that the thread needs to judge a batch as soon as it is parsed; null if that has not been read. */
  judgeAtOnce(thread: Thread, account: string, order: Judging, early: EarlyRead): ParseOrder['judge'] | null {
    const { source, stored } = early;
    const key = keyOf(account, source);
    const since = this.#threads.knownIn(thread, key);
    return stored && fits(stored, since, early) ? { ...order, source, key, read: { stored, since } } : null;
  }

  /** What the thread has judged at once; null if it holds less of the source than was thought. */
  judgedAtOnce(
    thread: Thread,
    account: string,
    source: string,
    { result, known }: SourceReply<Judged>,
  ): Judged | null {
    this.#threads.heard(thread, keyOf(account, source), known);
    return result === NOT_HELD ? null : result;
  }

  /** Judges the batch that was parsed in the thread by what is known of its source. */
  judge(thread: Thread, account: string, source: string, order: Judging, early: EarlyRead): Promise<Judged> {
    const read = async (since: Known | null) => {
      const stored = await early.read;
      return fits(stored, since, early) ? stored : this.#store.read(account, source, since ?? undefined);
    };
    return this.#threads.askAt(thread, 'judge', { ...order, key: keyOf(account, source) }, read);
  }

  /** Adds a batch's state, once however often it is called: false if it was there. Throws also if the state may have been added, and the bounds' refusal. */
  learn(account: string, source: string, entry: StoredState, bounds?: Bounds): Promise<boolean> {
    return this.#store.append(account, source, entry, bounds);
  }

  /** Removes what `learn` added for a request that could not be answered, unless it was folded since. If that fails, tries again in the background. */
  unlearn(account: string, source: string, id: string): Promise<void> {
    return retryInBackground(() => this.#store.callOff(account, source, id));
  }

  /** Removes what another request may have learned, or may yet learn. False if it was folded: it stays learned. */
  callOff(account: string, source: string, id: string): Promise<boolean> {
    return this.#store.callOff(account, source, id);
  }

  /**
   * A judged batch is written, or given up. Its thread makes the next baseline, and a long tail is folded; no answer waits for that.
   */
  async written(
    thread: Thread,
    account: string,
    source: string,
    { id, isLearned }: { id: string; isLearned: boolean },
    bounds?: Bounds,
  ): Promise<void> {
    try {
      const key = keyOf(account, source);
      const isLong = await thread.ask('written', { key, id, isLearned, isBusy: this.#threads.waiting > 0 });
      if (isLong && !this.#folding.has(key)) await this.#foldOnce(account, source, key, bounds);
    } catch (error) {
      // The state is safe. The next batch folds, or its read reports what is wrong.
      const isExpected =
        error instanceof Rejection || error instanceof DamagedBytes || error instanceof ThreadEnded;
      if (!isExpected) this.#log.error({ err: error }, 'bug');
    }
  }

  /** Notes the run of a BLOCKed batch; `null` ends the run. If that fails, the next report only says less. */
  async noteRun(account: string, source: string, run: BlockedRun | null): Promise<void> {
    try {
      const noted = run && { since: run.since, last: run.last, causes: JSON.stringify(run.causes) };
      await this.#store.noteRun(account, source, noted);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
  }

  // ---- Looking at a source ----

  /** Settings, rules, pin and current run of a source. */
  async notes(account: string, source: string): Promise<SourceNotes> {
    // Answers to what is known have no more of the baseline than is new.
    const known = this.#threads.known(keyOf(account, source));
    return (await this.#store.read(account, source, known ?? undefined)).notes;
  }

  /** Whether the source has a baseline. */
  async isKnown(account: string, source: string): Promise<boolean> {
    return (await this.summary(account, source)).baseline !== null;
  }

  async summary(account: string, source: string): Promise<SourceSummary & { notes: SourceNotes }> {
    let notes: SourceNotes;
    const read = async (since: Known | null) => {
      const stored = await this.#store.read(account, source, since ?? undefined);
      notes = stored.notes;
      return stored;
    };
    const summary = await this.#threads.ask('summarise', { key: keyOf(account, source) }, read);
    return { ...summary, notes: notes! };
  }

  /** Null for a source without a baseline. */
  describe(account: string, source: string): Promise<DescribedSource | null> {
    return this.#threads.ask('describe', { key: keyOf(account, source) }, this.#reading(account, source));
  }

  /** Fields that rules name and no batch of the source had. */
  unknownFields(account: string, source: string, document: RulesDocument): Promise<MissingField[]> {
    const asked = { document, key: keyOf(account, source) };
    return this.#threads.ask('unknownFields', asked, this.#reading(account, source));
  }

  trend(account: string, source: string, order: TrendOrder): Promise<TrendResult> {
    const asked = { ...order, key: keyOf(account, source) };
    return this.#threads.ask('trend', asked, this.#reading(account, source));
  }

  /** The account's sources after `after`, in a fixed order, at most `limit`. */
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

  // ---- Changing a source ----

  /** A copy of the baseline to go back to; null without one that is more than provisional. */
  copy(
    account: string,
    source: string,
    order: { reason: VersionReason; at: number; job?: string },
  ): Promise<VersionCopy | null> {
    const asked = { ...order, key: keyOf(account, source) };
    return this.#threads.ask('copy', asked, this.#reading(account, source));
  }

  /** The record that a batch renewed, encoded, and what of the source it was made of. */
  renew(account: string, source: string, kept: Uint8Array, changed: ReadonlySet<string>) {
    const asked = { key: keyOf(account, source), kept, changed };
    return this.#threads.ask('renew', asked, this.#reading(account, source));
  }

  /** An encoded state as it is admitted to a history. */
  admitted(kept: Uint8Array): Promise<StoredState> {
    return this.#threads.run('admitted', { kept });
  }

  /** What a copied baseline holds. */
  openCopy(copy: Uint8Array): Promise<OpenedCopy> {
    return this.#threads.run('openCopy', { copy });
  }

  /** Forgets one source, or all of the account. */
  reset(account: string, source?: string): Promise<void> {
    return this.#store.reset(account, source);
  }

  #reading(account: string, source: string) {
    return (since: Known | null) => this.#store.read(account, source, since ?? undefined);
  }

  /** Empty for a source that was reset a moment ago. A source that no thread holds is not decoded: a long list would push out all that is screened. */
  async #sized(account: string, source: string): Promise<SourcePage['sources']> {
    const { size, notes } = this.#threads.known(keyOf(account, source))
      ? await this.#sizedInThread(account, source)
      : await this.#sizedHere(account, source);
    return size ? [{ source, batches: size.batches, rows: size.rows, settings: notes.settings }] : [];
  }

  async #sizedInThread(account: string, source: string) {
    const { baseline, notes } = await this.summary(account, source);
    return { size: baseline, notes };
  }

  async #sizedHere(account: string, source: string) {
    const read = await this.#store.read(account, source);
    return { size: sizeOf(read), notes: read.notes };
  }

  async #foldOnce(account: string, source: string, key: string, bounds?: Bounds): Promise<void> {
    this.#folding.add(key);
    try {
      const folded = await this.#threads.ask('fold', { key }, this.#reading(account, source));
      if (folded) await this.#storeFolded(account, source, key, folded, bounds);
    } finally {
      this.#folding.delete(key);
    }
  }

  /** Losing a race changes nothing. */
  async #storeFolded(account: string, source: string, key: string, folded: FoldedSource, bounds?: Bounds) {
    const { expected, bytes, spent, dropped, at, note } = folded;
    const won = await this.#store.fold(account, source, expected, bytes, spent, dropped);
    await this.#threads.foldEnded(key, won);
    if (!won) return;
    // A copy to go back to, but only now and then: a busy source would soon have none but its newest.
    const kept = (await this.#store.versions(account, source)).map(version => versionIn(version.note));
    const last = kept.find(({ reason }) => reason === 'learned');
    if (last && at - Date.parse(last.made_at) < LEARNED_EVERY_MS) return;
    await this.#store.keepVersion(account, source, note, await copyOf(bytes), bounds);
  }
}

/** Whether what was read is all that is new since `since`. */
const fits = (stored: StoredBaseline, since: Known | null, early: EarlyRead): boolean =>
  stored.complete || (since !== null && early.since !== null && isSame(since, early.since));
