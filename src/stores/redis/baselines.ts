/**
 * Baselines in Redis. For each account and source, in one slot:
 *   base    hash: generation, version, sequence, folded
 *   order   sorted set: the tail's ids by sequence
 *   tail    hash: the tail's states by id
 *   past    sorted set: recently folded ids by sequence
 *   notes, versions, copies   see `notes.ts` and `versions.ts`
 * For each account, the set of its sources; a source in it may have no baseline. The set is in another slot. So a new source
 * is added to it before its baseline is created and again afterwards, and a reset that removes a source checks whether
 * its baseline was created meanwhile. In any interleaving, every source with a baseline is in the set.
 */
import { createHash, randomUUID } from 'node:crypto';
import { retryInBackground } from '../background-retry.ts';
import type {
  BaselineStore,
  BlockedRun,
  Known,
  StoredBaseline,
  StoredState,
  StoredVersion,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import {
  ADD_SOURCE,
  APPEND,
  CALL_OFF,
  EXISTS,
  FOLD,
  READ,
  REMOVE_SOURCE,
  RESET,
  RESTORE,
  SOURCES,
  WITHDRAW,
} from './baseline-scripts.ts';
import { keyOf, type RedisConnection } from './connection.ts';
import { type Notes, notesIn, RedisNotes } from './notes.ts';
import { RedisVersions } from './versions.ts';

/** Number of ids of folded states that are remembered for each source. */
const REMEMBERED_IDS = 1000;

/** Sources per step of a reset of all sources. */
const PAGE = 1000;

type Call = ReturnType<RedisConnection['script']>;
type Read = [
  notes: Notes,
  complete: number,
  generation: Buffer,
  version: Buffer,
  sequence: Buffer,
  folded: Buffer | null,
  ids: Buffer[],
  states: Buffer[],
];

export class RedisBaselines implements BaselineStore {
  readonly #read: Call;
  readonly #append: Call;
  readonly #fold: Call;
  readonly #withdraw: Call;
  readonly #callOff: Call;
  readonly #reset: Call;
  readonly #exists: Call;
  readonly #addSource: Call;
  readonly #removeSource: Call;
  readonly #sources: Call;
  readonly #restore: Call;
  readonly #notes: RedisNotes;
  readonly #versions: RedisVersions;

  constructor(connection: RedisConnection) {
    this.#read = connection.script(READ);
    this.#append = connection.script(APPEND);
    this.#fold = connection.script(FOLD);
    this.#withdraw = connection.script(WITHDRAW);
    this.#callOff = connection.script(CALL_OFF);
    this.#reset = connection.script(RESET);
    this.#exists = connection.script(EXISTS);
    this.#addSource = connection.script(ADD_SOURCE);
    this.#removeSource = connection.script(REMOVE_SOURCE);
    this.#sources = connection.script(SOURCES);
    this.#restore = connection.script(RESTORE);
    this.#notes = new RedisNotes(connection);
    this.#versions = new RedisVersions(connection);
  }

  async read(account: string, source: string, known?: Known): Promise<StoredBaseline> {
    const { generation = '', version = '', sequence = 0 } = known ?? {};
    const [base, order, tail, , notes] = keysOf(account, source);
    const read = await this.#read([base!, order!, tail!, notes!], [generation, version, sequence]);
    return storedIn(read as Read | [Notes]);
  }

  async append(account: string, source: string, entry: StoredState): Promise<void> {
    if (await this.#appended(account, source, entry, 'add')) return;
    const list = () => this.#addSource([sourcesKey(account)], [sourceKey(source)]);
    await list();
    await this.#appended(account, source, entry, 'make');
    await list();
  }

  async fold(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    taken: string[],
  ): Promise<boolean> {
    const { generation, version } = expected;
    const values = [generation, version, folded, REMEMBERED_IDS, ...taken];
    return (await this.#fold(keysOf(account, source).slice(0, 4), values)) === 1;
  }

  async restore(account: string, source: string, expected: Known, folded: Uint8Array): Promise<boolean> {
    // This may create a baseline, which must be in the list.
    const list = () => this.#addSource([sourcesKey(account)], [sourceKey(source)]);
    await list();
    const values = [expected.generation, expected.version, randomUUID(), folded];
    const done = (await this.#restore(keysOf(account, source), values)) === 1;
    await list();
    return done;
  }

  async withdraw(account: string, source: string, id: string): Promise<void> {
    await retryInBackground(() => this.#withdraw(keysOf(account, source).slice(0, 3), [id]));
  }

  async sources(account: string, after: string | null, limit: number): Promise<string[]> {
    const from = after === null ? '-' : `(${sourceKey(after)}`;
    const found = (await this.#sources([sourcesKey(account)], [from, limit])) as Buffer[];
    return found.map(source => sourceOf(source.toString()));
  }

  async reset(account: string, source?: string): Promise<void> {
    if (source !== undefined) return this.#resetOne(account, source);
    for (;;) {
      const found = await this.sources(account, null, PAGE);
      if (found.length === 0) return;
      for (const each of found) await this.#resetOne(account, each);
    }
  }

  setSettings(account: string, source: string, settings: string | null): Promise<void> {
    return this.#notes.setSettings(besideOf(account, source).notes, settings);
  }

  setPinned(account: string, source: string, pinned: boolean): Promise<boolean> {
    const { notes, base } = besideOf(account, source);
    return this.#notes.setPinned(notes, base, pinned);
  }

  noteBlocked(account: string, source: string, run: Omit<BlockedRun, 'batches'>): Promise<void> {
    return this.#notes.noteBlocked(besideOf(account, source).notes, run);
  }

  endRun(account: string, source: string): Promise<void> {
    return this.#notes.endRun(besideOf(account, source).notes);
  }

  keepVersion(account: string, source: string, note: string, copy: Uint8Array): Promise<void> {
    const { notes, versions, copies } = besideOf(account, source);
    return this.#versions.keep([notes, versions, copies], note, copy);
  }

  versions(account: string, source: string): Promise<StoredVersion[]> {
    return this.#versions.list(besideOf(account, source).versions);
  }

  version(account: string, source: string, number: number): Promise<Uint8Array | null> {
    return this.#versions.copy(besideOf(account, source).copies, number);
  }

  async #appended(
    account: string,
    source: string,
    { id, state }: StoredState,
    how: 'add' | 'make',
  ): Promise<boolean> {
    const keys = keysOf(account, source).slice(0, 4);
    try {
      return (await this.#append(keys, [randomUUID(), id, state, how])) === 1;
    } catch (error) {
      void retryInBackground(() => this.#callOff(keys, [id, REMEMBERED_IDS])).catch(() => {});
      throw error;
    }
  }

  /** Deletes the baseline first: a source that is still listed can be reset again. */
  async #resetOne(account: string, source: string): Promise<void> {
    const keys = keysOf(account, source);
    await this.#reset(keys, []);
    await this.#removeSource([sourcesKey(account)], [sourceKey(source)]);
    if ((await this.#exists(keys.slice(0, 1), [])) === 1)
      await this.#addSource([sourcesKey(account)], [sourceKey(source)]);
  }
}

const NOTHING = { generation: '', version: 0, sequence: 0, complete: true, folded: null, tail: [] };

function storedIn(read: Read | [Notes]): StoredBaseline {
  if (read.length === 1) return { ...NOTHING, notes: notesIn(read[0]) };
  const [notes, complete, generation, version, sequence, folded, ids, states] = read;
  return {
    generation: generation.toString(),
    version: Number(version),
    sequence: Number(sequence),
    complete: complete === 1,
    folded,
    tail: ids.map((id, i) => ({ id: id.toString(), state: states[i]! })),
    notes: notesIn(notes),
  };
}

/** Keys in the order of the scripts, with a hash of the source, whose name may contain any character. */
function keysOf(account: string, source: string): string[] {
  const tag = tagOf(account, source);
  return ['base', 'order', 'tail', 'past', 'notes'].map(part => keyOf('baseline', tag, part));
}

function besideOf(account: string, source: string) {
  const [base, notes, versions, copies] = ['base', 'notes', 'versions', 'copies'].map(part =>
    keyOf('baseline', tagOf(account, source), part),
  );
  return { base: base!, notes: notes!, versions: versions!, copies: copies! };
}

const tagOf = (account: string, source: string): string =>
  `${account}:${createHash('sha256').update(sourceKey(source)).digest('base64url')}`;

const sourcesKey = (account: string): string => keyOf('sources', account);
