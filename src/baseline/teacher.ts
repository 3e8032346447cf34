/**
 * What people say of batches changes the baseline: accepting one, going back to a version. Both make another record of what the
 * store has, and replace it if nothing but further batches came meanwhile; else they begin anew. What was there before is kept as a version first.
 */
import { Rejection } from '../errors.ts';
import type { BaselineStore } from '../stores/ports.ts';
import { DamagedBytes } from './bytes.ts';
import { decodeRecord, decodeState, encodeRecord, encodeState } from './encode.ts';
import type { BaselineKeeper, Content } from './keeper.ts';
import { foldInTurns, settle } from './merge.ts';
import { type BaselineRecord, EMPTY_RECORD } from './record.ts';
import { renewed } from './renew.ts';
import type { BatchState } from './state.ts';
import { Turns } from './turns.ts';
import { copyOf, noteOf, recordIn, versionIn, type VersionNote, type VersionReason } from './version.ts';

/** Others change the same baseline: so often is it tried before the caller is asked to. */
const TRIES = 5;

/** Where a batch is, as far as the baseline can tell. */
export type Place =
  /** One of those that can still be taken out. */
  | 'open'
  /** Part of the averages, among the last 32. */
  | 'folded'
  /** The new normal began with it. */
  | 'accepted'
  /** Not among the last 32. */
  | 'none';

export interface Version extends VersionNote {
  version: number;
}

/** Times (`at`) are in ms. Everything here throws SERVICE_UNAVAILABLE, and DamagedBytes of a baseline that cannot be read. */
export class Teacher {
  readonly #store: BaselineStore;
  readonly #keeper: Pick<BaselineKeeper, 'content' | 'reset'>;

  constructor(store: BaselineStore, keeper: Pick<BaselineKeeper, 'content' | 'reset'>) {
    this.#store = store;
    this.#keeper = keeper;
  }

  async placeOf(account: string, source: string, id: string): Promise<Place> {
    return placeIn(await this.#keeper.content(account, source), id);
  }

  /** The state of a batch that can still be taken out; null of any other. */
  async stateOf(account: string, source: string, id: string): Promise<Uint8Array | null> {
    const { states } = await this.#keeper.content(account, source);
    const found = states.find(state => state.id === id);
    return found ? encodeState(found) : null;
  }

  /**
   * The batch, whose encoded state is `kept`, is the new normal, see `renew.ts`. False when it is already: nothing is changed.
   * `changed`: the fields that begin anew.
   */
  async accept(
    account: string,
    source: string,
    kept: Uint8Array,
    changed: ReadonlySet<string>,
    at: number,
  ): Promise<boolean> {
    const state = decodeState(kept);
    return this.#replacing(account, source, async (content, isFirst) => {
      if (placeIn(content, state.id) === 'accepted') return 'nothing';
      if (isFirst) await this.#keep(account, source, content, 'before_accept', at, state.id);
      const record = renewed(recordWithout(content, state.id), state, changed);
      const folded = encodeRecord(await foldInTurns(record, new Turns()));
      if (!(await this.#put(account, source, content, folded))) return 'again';
      await this.#store.endRun(account, source);
      return 'done';
    });
  }

  /** The batch, whose encoded state is `kept`, joins the history. False when it had: nothing is changed. */
  async admit(account: string, source: string, kept: Uint8Array, at: number): Promise<boolean> {
    const content = await this.#keeper.content(account, source);
    const state: BatchState = { ...decodeState(kept), provisional: false };
    if (placeIn(content, state.id) !== 'none') return false;
    await this.#keep(account, source, content, 'before_feedback', at, state.id);
    // Of a source's first batch there is a provisional state under this id.
    await this.#store.withdraw(account, source, state.id);
    await this.#store.append(account, source, { id: state.id, state: encodeState(state) });
    return (await this.placeOf(account, source, state.id)) !== 'none';
  }

  /** The batch leaves the history. False when it was not one of those that can: nothing is changed. */
  async dismiss(account: string, source: string, id: string, at: number): Promise<boolean> {
    const content = await this.#keeper.content(account, source);
    if (placeIn(content, id) !== 'open') return false;
    await this.#keep(account, source, content, 'before_feedback', at, id);
    await this.#store.withdraw(account, source, id);
    // A fold may have been first.
    return (await this.placeOf(account, source, id)) === 'none';
  }

  /** What judges the source's batches where they do not say it; JSON text, null: nothing. */
  setSettings(account: string, source: string, settings: string | null): Promise<void> {
    return this.#store.setSettings(account, source, settings);
  }

  /** Whether nothing is to be learnt. False for a source without a baseline. */
  setPinned(account: string, source: string, pinned: boolean): Promise<boolean> {
    return this.#store.setPinned(account, source, pinned);
  }

  /** Forgets what was learnt; a version of it is kept, but of what is damaged. */
  async reset(account: string, source: string, at: number): Promise<void> {
    try {
      const content = await this.#keeper.content(account, source);
      await this.#keep(account, source, content, 'before_reset', at);
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error;
    }
    await this.#keeper.reset(account, source);
  }

  /** The newest first. */
  async versions(account: string, source: string): Promise<Version[]> {
    const found = await this.#store.versions(account, source);
    return found.map(({ number, note }) => ({ version: number, ...versionIn(note) }));
  }

  /** The baseline is again as the version has it: how many batches and rows that is. Null when the version is not kept; what came since is forgotten. */
  async rollBack(
    account: string,
    source: string,
    version: number,
    at: number,
  ): Promise<{ batches: number; rows: number } | null> {
    const copy = await this.#store.version(account, source, version);
    if (copy === null) return null;
    const bytes = await recordIn(copy);
    // What cannot be read would lock the source out of every screening.
    const { batches, rows } = decodeRecord(bytes);
    await this.#replacing(account, source, async (content, isFirst) => {
      if (isFirst) await this.#keep(account, source, content, 'before_rollback', at);
      return (await this.#store.restore(account, source, content.known, bytes)) ? 'done' : 'again';
    });
    return { batches, rows };
  }

  /** Tries until the attempt comes through, or finds nothing to do: false. Throws SERVICE_UNAVAILABLE when others are always first. */
  async #replacing(
    account: string,
    source: string,
    attempt: (content: Content, isFirst: boolean) => Promise<'done' | 'nothing' | 'again'>,
  ): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const outcome = await attempt(await this.#keeper.content(account, source), tries === 0);
      if (outcome !== 'again') return outcome === 'done';
    }
    throw new Rejection('SERVICE_UNAVAILABLE', 'Others change this baseline: send the request again', {
      'Retry-After': '1',
    });
  }

  /** What came since the content was read stays in the tail. */
  #put(account: string, source: string, { known, states }: Content, folded: Uint8Array): Promise<boolean> {
    if (known.generation === '') return this.#store.restore(account, source, known, folded);
    const taken = states.map(({ id }) => id);
    return this.#store.fold(account, source, known, folded, taken);
  }

  /** A baseline that is provisional, or none, is not worth going back to. */
  async #keep(
    account: string,
    source: string,
    { settled }: Content,
    reason: VersionReason,
    at: number,
    job?: string,
  ): Promise<void> {
    if (settled === null || settled.provisional) return;
    const note = noteOf(settled.record, reason, at, job);
    const folded = await foldInTurns(settled.record, new Turns());
    await this.#store.keepVersion(account, source, note, await copyOf(encodeRecord(folded)));
  }
}

function placeIn({ states, settled }: Content, id: string): Place {
  if (settled === null || settled.provisional) return 'none';
  if (states.some(state => state.id === id && !state.provisional)) return 'open';
  const found = settled.record.recent.find(batch => batch.id === id);
  return found ? (found.accepted ? 'accepted' : 'folded') : 'none';
}

/** All that was learnt but for one batch; a provisional baseline is no history. */
function recordWithout({ folded, states }: Content, id: string): BaselineRecord {
  const settled = settle(
    folded,
    states.filter(state => state.id !== id),
  );
  return settled && !settled.provisional ? settled.record : EMPTY_RECORD;
}
