/**
 * Changes baselines as people ask: accepts a batch, lets one in or out, goes back to a version. To accept and to go back make another record and
 * replace the stored one if nothing but further batches came meanwhile; else they try again. The content before is kept as a version first.
 */
import { CooperativeYield, each, type Pieces, withPauses } from '../cooperative-yield.ts';
import { Rejection } from '../errors.ts';
import { dominantType, isDefinite } from '../profile/field-type.ts';
import { PLACE } from '../statistics/registry.ts';
import type { BaselineStore, Bounds } from '../stores/ports.ts';
import { isMissed } from './baseline.ts';
import { DamagedBytes } from './bytes.ts';
import { decoding, encoding } from './encode-record.ts';
import { decodingState, encodingState } from './encode-state.ts';
import type { BaselineCache } from './baseline-cache.ts';
import { folding, settling } from './merge.ts';
import { type BaselineRecord, EMPTY_RECORD } from './record.ts';
import { renewing } from './renew.ts';
import type { Content } from './source-content.ts';
import { type BatchState, typeCountsOf } from './state.ts';
import { Turns } from './turns.ts';
import { copyOf, noteOf, recordIn, versionIn, type VersionNote, type VersionReason } from './version.ts';

/** If other processes change the same baseline, it is tried this often before the caller is asked to try again. */
const TRIES = 5;

type NotedContent = Awaited<ReturnType<BaselineCache['content']>>;
type Attempt = (content: NotedContent, isFirst: boolean) => Promise<'done' | 'nothing' | 'again'>;

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
  readonly #cache: Pick<BaselineCache, 'content' | 'reset'>;
  readonly #pauses: () => CooperativeYield;
  readonly #turns = new Turns();
  readonly #others = new Turns();

  /** `pauses`: makes the pauses of long work. */
  constructor(
    store: BaselineStore,
    cache: Pick<BaselineCache, 'content' | 'reset'>,
    pauses = () => new CooperativeYield(),
  ) {
    this.#store = store;
    this.#cache = cache;
    this.#pauses = pauses;
  }

  /** Runs work that makes changes and does more, one after the other for each source. */
  inTurn<T>(account: string, source: string, work: () => Promise<T>): Promise<T> {
    return this.#others.take(turnOf(account, source), work);
  }

  async placeOf(account: string, source: string, id: string): Promise<Place> {
    return placeIn(await this.#cache.content(account, source), id);
  }

  /** Whether it may have learned a batch that `placeOf` no longer knows: it has more batches than the last 32, and one of these is newer than the batch. */
  async mayHold(account: string, source: string, id: string): Promise<boolean> {
    const { settled } = await this.#cache.content(account, source);
    if (settled === null || settled.provisional) return false;
    const { batches, recent } = settled.record;
    return batches > recent.length && recent.some(batch => batch.id > id);
  }

  /** The state of a batch that can still be taken out; null for any other. */
  async stateOf(account: string, source: string, id: string): Promise<Uint8Array | null> {
    const { states } = await this.#cache.content(account, source);
    const found = states.find(state => state.id === id);
    return found ? withPauses(encodingState(found), this.#pauses()) : null;
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
    const state = await withPauses(decodingState(kept), this.#pauses());
    return this.#replacing(account, source, async (content, isFirst) => {
      if (placeIn(content, state.id) === 'accepted') return 'nothing';
      if (isFirst) await this.#keep(account, source, content, 'before_accept', at, bounds, state.id);
      const yielding = this.#pauses();
      const before = await withPauses(recordWithout(content, state.id), yielding);
      // What the batch was compared with may have changed since.
      const since = await withPauses(structureChanges(before, state), yielding);
      const record = await withPauses(renewing(before, state, changed.union(since)), yielding);
      const folded = await this.#encoded(record, yielding);
      if (!(await this.#put(account, source, content, { id: state.id, folded }, bounds))) return 'again';
      await this.#store.endRun(account, source);
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
    const decoded = await withPauses(decodingState(kept), this.#pauses());
    const state: BatchState = { ...decoded, provisional: false };
    const bytes = await withPauses(encodingState(state), this.#pauses());
    return this.#replacing(account, source, async content => {
      if (placeIn(content, state.id) !== 'none') return 'nothing';
      await this.#keep(account, source, content, 'before_feedback', at, bounds, state.id);
      // A source's first batch has a provisional state under this id. `known`: not a state that another process has admitted since.
      const isReplaced = content.states.some(({ id }) => id === state.id);
      if (isReplaced && !(await this.#store.withdraw(account, source, state.id, content.known)))
        return 'again';
      const isAdded = await this.#store.append(account, source, { id: state.id, state: bytes }, bounds);
      return isAdded ? 'done' : 'nothing';
    });
  }

  /** Removes the batch from the history. False if it is not one that can be removed: nothing changes. */
  async dismiss(account: string, source: string, id: string, at: number, bounds?: Bounds): Promise<boolean> {
    return this.#replacing(account, source, async content => {
      if (placeIn(content, id) !== 'open') return 'nothing';
      await this.#keep(account, source, content, 'before_feedback', at, bounds, id);
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
      return (await this.#store.setSettings(account, source, settings, text, bounds)) ? 'done' : 'again';
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
      if (isFirst) await this.#keep(account, source, content, 'before_rules', at, bounds);
      const isSet = await this.#store.setRules(account, source, before, text.after, text.past, bounds);
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
        const content = await this.#cache.content(account, source);
        await this.#keep(account, source, content, 'before_reset', at, bounds);
      } catch (error) {
        if (!(error instanceof DamagedBytes)) throw error;
      }
      await this.#cache.reset(account, source);
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
    const { recent } = await withPauses(decoding(await recordIn(copy)), this.#pauses());
    return recent.some(batch => batch.id === id);
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
    const bytes = await recordIn(copy);
    // Bytes that cannot be read would make every screening of the source fail.
    const { batches, rows, recent } = await withPauses(decoding(bytes), this.#pauses());
    await this.#replacing(account, source, async (content, isFirst) => {
      if (isFirst) await this.#keep(account, source, content, 'before_rollback', at, bounds);
      const ids = recent.map(({ id }) => id);
      const isRestored = await this.#store.restore(account, source, content.known, bytes, bounds, ids);
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
      const outcome = await attempt(await this.#cache.content(account, source), tries === 0);
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
    { known, states }: Content,
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
    { settled, notes }: NotedContent,
    reason: VersionReason,
    at: number,
    bounds?: Bounds,
    job?: string,
  ): Promise<void> {
    if (settled === null || settled.provisional) return;
    const note = noteOf(settled.record, reason, at, notes.rules, job);
    const bytes = await this.#encoded(settled.record, this.#pauses());
    await this.#store.keepVersion(account, source, note, await copyOf(bytes), bounds);
  }

  async #encoded(record: BaselineRecord, yielding: CooperativeYield): Promise<Uint8Array> {
    return withPauses(encoding(await withPauses(folding(record), yielding)), yielding);
  }
}

const turnOf = (account: string, source: string): string => `${account} ${source}`;

function placeIn({ states, settled }: Content, id: string): Place {
  if (settled === null || settled.provisional) return 'none';
  if (states.some(state => state.id === id && !state.provisional)) return 'open';
  const found = settled.record.recent.find(batch => batch.id === id);
  return found ? (found.accepted ? 'accepted' : 'folded') : 'none';
}

/** Fields of another type than in the batch, and those that the batch lacks, unless that may be chance. */
function* structureChanges(record: BaselineRecord, state: BatchState): Pieces<Set<string>> {
  const changed = new Set<string>();
  yield* each(record.fields, ([name, { type, present, rows }]) => {
    const field = state.fields.get(name);
    const now = field ? dominantType(typeCountsOf(field)) : 'null';
    const isAbsent = !field || field.numbers[PLACE.present] === 0;
    if (isAbsent ? isMissed(present / rows, state.rows) : isDefinite(type) && now !== 'null' && now !== type)
      changed.add(name);
  });
  return changed;
}

/** All that was learned except for one batch. A provisional baseline is no history. */
function* recordWithout({ folded, states }: Content, id: string): Pieces<BaselineRecord> {
  const settled = yield* settling(
    folded,
    states.filter(state => state.id !== id),
  );
  return settled && !settled.provisional ? settled.record : EMPTY_RECORD;
}
