/**
 * Changes baselines as people ask: accepts a batch, lets one in or out, goes back to a version. To accept and to go back make another record and
 * replace the stored one if nothing but further batches came meanwhile; else they try again. The content before is kept as a version first.
 */
import { DamagedBytes } from '../baseline/bytes.ts';
import type { SourceSummary } from '../baseline/edit.ts';
import { decodeStateHead } from '../baseline/encode-state.ts';
import { versionIn, type VersionNote, type VersionReason } from '../baseline/version.ts';
import { Rejection } from '../terms/errors.ts';
import type { BaselineStore, Bounds, SourceNotes } from '../stores/ports.ts';
import type { Baselines } from './baselines.ts';
import { Turns } from './turns.ts';

type EditedBaselines = Pick<Baselines, 'summary' | 'copy' | 'renew' | 'reset' | 'admitted' | 'openCopy'>;

/** If other processes change the same baseline, it is tried this often before the caller is asked to try again. */
const TRIES = 5;

type NotedSummary = SourceSummary & { notes: SourceNotes };
type Attempt = (content: NotedSummary, isFirst: boolean) => Promise<'done' | 'nothing' | 'again'>;

/** What a baseline knows of a batch. */
export type Place =
  /** It is in the tail and can still be taken out. */
  | 'open'
  /** It is part of the averages, and among the last 32. */
  | 'folded'
  /** It was accepted as the new normal. */
  | 'accepted'
  /** It is not among the last 32. */
  | 'none';

export interface Version extends VersionNote {
  version: number;
}

export interface RolledBack {
  batches: number;
  rows: number;
  /** Of the rules that held then, 0 for none; null: the version does not say. */
  rulesVersion: number | null;
}

/**
 * Times (`at`) are in ms. `bounds` are those of the account. All methods throw SERVICE_UNAVAILABLE, the bounds' refusal, and DamagedBytes for a baseline
 * that cannot be read.
 */
export class BaselineEditor {
  readonly #store: BaselineStore;
  readonly #baselines: EditedBaselines;
  readonly #turns = new Turns();
  readonly #others = new Turns();

  constructor(store: BaselineStore, baselines: EditedBaselines) {
    this.#store = store;
    this.#baselines = baselines;
  }

  /** Runs work that makes changes and does more, one after the other for each source. */
  inTurn<T>(account: string, source: string, work: () => Promise<T>): Promise<T> {
    return this.#others.take(turnOf(account, source), work);
  }

  async placeOf(account: string, source: string, id: string): Promise<Place> {
    return placeIn(await this.#baselines.summary(account, source), id);
  }

  /** Whether it may have learned a batch that `placeOf` no longer knows: it has more batches than the last 32, and one of these is newer than the batch. */
  async mayHold(account: string, source: string, id: string): Promise<boolean> {
    const { baseline } = await this.#baselines.summary(account, source);
    if (baseline === null || baseline.provisional) return false;
    const { batches, recent } = baseline;
    return batches > recent.length && recent.some(batch => batch.id > id);
  }

  /** The state of a batch that can still be taken out; null for any other. */
  async stateOf(account: string, source: string, id: string): Promise<Uint8Array | null> {
    const { tail } = await this.#store.read(account, source);
    return tail.find(entry => entry.id === id)?.state ?? null;
  }

  /**
   * Makes the batch, whose encoded state is `kept`, the new normal, see `renew.ts`. False if it already is: nothing changes.
   * `changed`: the fields that start again from it, beside those whose structure differs from that of the baseline.
   */
  async accept(
    account: string,
    source: string,
    kept: Uint8Array,
    changed: ReadonlySet<string>,
    at: number,
    bounds?: Bounds,
  ): Promise<boolean> {
    const { id } = decodeStateHead(kept);
    return this.#replacing(account, source, async (content, isFirst) => {
      if (placeIn(content, id) === 'accepted') return 'nothing';
      if (isFirst) await this.#keep(account, source, 'before_accept', at, bounds, id);
      const { made, folded } = await this.#baselines.renew(account, source, kept, changed);
      // Read again since: another process may have accepted it meanwhile.
      if (placeIn(made, id) === 'accepted') return 'nothing';
      if (!(await this.#put(account, source, made, { id, folded }, bounds))) return 'again';
      await this.#store.noteRun(account, source, null);
      return 'done';
    });
  }

  /** Adds the batch, whose encoded state is `kept`, to the history. False if it is already there: nothing changes. */
  async admit(
    account: string,
    source: string,
    kept: Uint8Array,
    at: number,
    bounds?: Bounds,
  ): Promise<boolean> {
    const { id, state } = await this.#baselines.admitted(kept);
    return this.#replacing(account, source, async content => {
      if (placeIn(content, id) !== 'none') return 'nothing';
      await this.#keep(account, source, 'before_feedback', at, bounds, id);
      // A source's first batch has a provisional state under this id. `known`: not a state that another process has admitted since.
      const isReplaced = content.states.some(each => each.id === id);
      if (isReplaced && !(await this.#store.withdraw(account, source, id, content.known))) return 'again';
      const isAdded = await this.#store.append(account, source, { id, state }, bounds);
      return isAdded ? 'done' : 'nothing';
    });
  }

  /** Removes the batch from the history. False if it is not one that can be removed: nothing changes. */
  async dismiss(account: string, source: string, id: string, at: number, bounds?: Bounds): Promise<boolean> {
    return this.#replacing(account, source, async content => {
      if (placeIn(content, id) !== 'open') return 'nothing';
      await this.#keep(account, source, 'before_feedback', at, bounds, id);
      // It may have been folded or taken out in the meantime.
      return (await this.#store.withdraw(account, source, id)) ? 'done' : 'nothing';
    });
  }

  /**
   * Changes what judges the source's batches if a request does not say it: JSON text. `change` says null where nothing changes, and is called
   * again if others were first.
   */
  async setSettings(
    account: string,
    source: string,
    change: (before: string | null) => string | null,
    bounds?: Bounds,
  ): Promise<void> {
    await this.#replacing(account, source, async ({ notes: { settings } }) => {
      const text = change(settings);
      if (text === null) return 'nothing';
      return (await this.#store.setTexts(account, source, { settings }, { settings: text }, bounds))
        ? 'done'
        : 'again';
    });
  }

  /**
   * Replaces the text of the source's rules; `past`: what is kept of earlier ones. `change` says null where nothing changes, and is called again
   * if others were first. A version of the baseline is kept first: to go back to it brings the rules back.
   */
  async setRules(
    account: string,
    source: string,
    change: (before: string | null) => Promise<{ after: string; past: string } | null>,
    at: number,
    bounds?: Bounds,
  ): Promise<void> {
    await this.#replacing(account, source, async (content, isFirst) => {
      const before = content.notes.rules;
      const text = await change(before);
      if (text === null) return 'nothing';
      if (isFirst) await this.#keep(account, source, 'before_rules', at, bounds);
      const isSet = await this.#store.setTexts(
        account,
        source,
        { rules: before },
        { rules: text.after, rulesPast: text.past },
        bounds,
      );
      return isSet ? 'done' : 'again';
    });
  }

  rulesPast(account: string, source: string): Promise<string | null> {
    return this.#store.rulesPast(account, source);
  }

  /** Stops or resumes learning. False for a source without a baseline. */
  setPinned(account: string, source: string, pinned: boolean): Promise<boolean> {
    return this.#store.setPinned(account, source, pinned);
  }

  /** Forgets what was learned. A version of it is kept, unless it is damaged. */
  async reset(account: string, source: string, at: number, bounds?: Bounds): Promise<void> {
    await this.#turns.take(turnOf(account, source), async () => {
      try {
        await this.#keep(account, source, 'before_reset', at, bounds);
      } catch (error) {
        if (!(error instanceof DamagedBytes)) throw error;
      }
      await this.#baselines.reset(account, source);
    });
  }

  /** Newest first. */
  async versions(account: string, source: string): Promise<Version[]> {
    const found = await this.#store.versions(account, source);
    return found.map(({ number, note }) => ({ version: number, ...versionIn(note) }));
  }

  /** Whether a version has the batch among its last 32. False if the version is not kept. */
  async isInVersion(account: string, source: string, version: number, id: string): Promise<boolean> {
    const copy = await this.#store.version(account, source, version);
    if (copy === null) return false;
    const { recent } = await this.#baselines.openCopy(copy);
    return recent.includes(id);
  }

  /** Restores a version and forgets what came since. Returns what it says of itself; null if the version is not kept. */
  async rollBack(
    account: string,
    source: string,
    version: number,
    at: number,
    bounds?: Bounds,
  ): Promise<RolledBack | null> {
    // Read before a version is kept, which may delete this one.
    const noted = (await this.versions(account, source)).find(each => each.version === version);
    const copy = await this.#store.version(account, source, version);
    if (!noted || copy === null) return null;
    // Bytes that cannot be read would make every screening of the source fail.
    const { bytes, batches, rows, recent } = await this.#baselines.openCopy(copy);
    await this.#replacing(account, source, async (content, isFirst) => {
      if (isFirst) await this.#keep(account, source, 'before_rollback', at, bounds);
      const isRestored = await this.#store.restore(account, source, content.known, bytes, bounds, recent);
      return isRestored ? 'done' : 'again';
    });
    return { batches, rows, rulesVersion: noted.rules_version ?? null };
  }

  /** Repeats the attempt until it succeeds, or has nothing to do: then false. Throws SERVICE_UNAVAILABLE if others are always first. */
  #replacing(account: string, source: string, attempt: Attempt): Promise<boolean> {
    return this.#turns.take(turnOf(account, source), () => this.#tried(account, source, attempt));
  }

  async #tried(account: string, source: string, attempt: Attempt): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const outcome = await attempt(await this.#baselines.summary(account, source), tries === 0);
      if (outcome !== 'again') return outcome === 'done';
    }
    throw new Rejection('SERVICE_UNAVAILABLE', 'Others change this baseline: send the request again', {
      'Retry-After': '1',
    });
  }

  /**
   * Replaces the folded record by one that includes the batch `id`. What came since the content was read stays in the tail, but for this batch:
   * another process may have called it expected, or be about to.
   */
  #put(
    account: string,
    source: string,
    { known, states }: Pick<SourceSummary, 'known' | 'states'>,
    { id, folded }: { id: string; folded: Uint8Array },
    bounds?: Bounds,
  ): Promise<boolean> {
    if (known.generation === '') return this.#store.restore(account, source, known, folded, bounds, [id]);
    // A provisional batch is not merged: it may yet be called expected.
    const [merged, provisional] = [false, true].map(which =>
      states.filter(state => state.provisional === which && state.id !== id).map(state => state.id),
    );
    return this.#store.fold(account, source, known, folded, [...merged!, id], provisional);
  }

  /** Keeps a version, unless there is no baseline or only a provisional one. */
  async #keep(
    account: string,
    source: string,
    reason: VersionReason,
    at: number,
    bounds?: Bounds,
    job?: string,
  ): Promise<void> {
    const copy = await this.#baselines.copy(account, source, {
      reason,
      at,
      ...(job !== undefined && { job }),
    });
    if (copy) await this.#store.keepVersion(account, source, copy.note, copy.bytes, bounds);
  }
}

const turnOf = (account: string, source: string): string => `${account} ${source}`;

function placeIn({ states, baseline }: SourceSummary, id: string): Place {
  if (baseline === null || baseline.provisional) return 'none';
  if (states.some(state => state.id === id && !state.provisional)) return 'open';
  const found = baseline.recent.find(batch => batch.id === id);
  return found ? (found.isAccepted ? 'accepted' : 'folded') : 'none';
}
