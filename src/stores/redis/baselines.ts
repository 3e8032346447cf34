/**
 * Baselines in Redis. For each account and source, in one slot:
 *   base    hash: generation, version, sequence, folded
 *   order   sorted set: the tail's ids by sequence
 *   tail    hash: the tail's states by id
 *   past    sorted set: ids without states, recently folded or called off, by sequence
 *   notes, versions, copies   see `notes.ts` and `versions.ts`
 * For each account, the set of its sources, with their rooms (`rooms.ts`); a source in it may have no baseline. The set is in
 * another slot. So a new source is added to it before its baseline is created and again afterwards, and a reset that removes
 * a source checks whether its baseline was created meanwhile. In any interleaving, every source with a baseline is in
 * the set, and has its room.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  type BaselineStore,
  type BlockedRun,
  type Bounds,
  type Kept,
  type Known,
  NOTE_BYTES,
  type StoredBaseline,
  type StoredState,
  type StoredVersion,
  UNBOUNDED,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import {
  APPEND,
  CALL_OFF,
  FOLD,
  FORGET,
  LEARNED,
  MEASURE,
  READ,
  RESET,
  RESTORE,
  SOURCES,
  WITHDRAW,
} from './baseline-scripts.ts';
import { keyOf, type RedisConnection } from './connection.ts';
import { type Notes, notesIn, RedisNotes } from './notes.ts';
import { type Measured, RedisRooms, settingsBytes } from './rooms.ts';
import { RedisVersions } from './versions.ts';

/** Number of ids of folded states that are remembered for each source. */
const REMEMBERED_IDS = 1000;

/** Sources per step of a reset or count of all sources. */
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
  readonly #measure: Call;
  readonly #learned: Call;
  readonly #forget: Call;
  readonly #sources: Call;
  readonly #restore: Call;
  readonly #notes: RedisNotes;
  readonly #versions: RedisVersions;
  readonly #rooms: RedisRooms;

  constructor(connection: RedisConnection) {
    this.#read = connection.script(READ);
    this.#append = connection.script(APPEND);
    this.#fold = connection.script(FOLD);
    this.#withdraw = connection.script(WITHDRAW);
    this.#callOff = connection.script(CALL_OFF);
    this.#reset = connection.script(RESET);
    this.#measure = connection.script(MEASURE);
    this.#learned = connection.script(LEARNED);
    this.#forget = connection.script(FORGET);
    this.#sources = connection.script(SOURCES);
    this.#restore = connection.script(RESTORE);
    this.#notes = new RedisNotes(connection);
    this.#versions = new RedisVersions(connection);
    this.#rooms = new RedisRooms(connection, {
      list: account => this.#pages(account),
      measure: (account, source) => this.#measured(account, source),
      dropVersions: (account, source) => {
        const { notes, versions, copies, base } = keysOf(account, source);
        return this.#versions.drop([notes, versions, copies, base]);
      },
    });
  }

  async read(account: string, source: string, known?: Known): Promise<StoredBaseline> {
    const { generation = '', version = '', sequence = 0 } = known ?? {};
    const { base, order, tail, notes } = keysOf(account, source);
    const read = await this.#read([base, order, tail, notes], [generation, version, sequence]);
    return storedIn(read as Read | [Notes]);
  }

  async append(account: string, source: string, entry: StoredState, bounds = UNBOUNDED): Promise<boolean> {
    const append = (room: number) => this.#appendWithin(account, source, entry, room);
    return (await this.#withRoom(account, source, bounds, append)) === 1;
  }

  async fold(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    taken: string[],
    dropped: string[] = [],
  ): Promise<boolean> {
    const { generation, version } = expected;
    const values = [generation, version, folded, REMEMBERED_IDS, taken.length, ...taken, ...dropped];
    const { base, order, tail, past } = keysOf(account, source);
    const kept = (await this.#fold([base, order, tail, past], values)) as number;
    if (kept > 1) await this.#rooms.grant(account, source, kept);
    return kept > 0;
  }

  async restore(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    bounds = UNBOUNDED,
    taken: string[] = [],
  ): Promise<boolean> {
    const { base, order, tail, past, notes } = keysOf(account, source);
    const values = [expected.generation, expected.version, randomUUID(), folded];
    const restore = async (room: number) =>
      (await this.#restore([base, order, tail, past, notes], [...values, room, ...taken])) as number;
    return (await this.#withRoom(account, source, bounds, restore)) === 1;
  }

  async withdraw(account: string, source: string, id: string, expected?: Known): Promise<boolean> {
    const { base, order, tail } = keysOf(account, source);
    const values = expected ? [id, expected.generation, expected.version] : [id];
    return (await this.#withdraw([base, order, tail], values)) === 1;
  }

  async callOff(account: string, source: string, id: string): Promise<boolean> {
    const { base, order, tail, past } = keysOf(account, source);
    return (await this.#callOff([base, order, tail, past], [id, REMEMBERED_IDS])) === 1;
  }

  async sources(account: string, after: string | null, limit: number): Promise<string[]> {
    const from = after === null ? '-' : `(${sourceKey(after)}`;
    const found = (await this.#sources([sourcesKey(account)], [from, limit])) as Buffer[];
    return found.map(source => sourceOf(source.toString()));
  }

  async reset(account: string, source?: string): Promise<void> {
    if (source !== undefined) return this.#resetOne(account, source);
    for await (const page of this.#pages(account))
      for (const each of page) await this.#resetOne(account, each);
  }

  kept(account: string): Promise<Kept> {
    return this.#rooms.kept(account);
  }

  async lastLearned(account: string, source: string): Promise<number> {
    return 1000 * ((await this.#learned([keysOf(account, source).base], [])) as number);
  }

  async forget(account: string, source: string): Promise<void> {
    const { base, order, tail, past, notes, versions, copies } = keysOf(account, source);
    await this.#forget([base, order, tail, past, notes, versions, copies], []);
    for (const kind of ['v', 's', 'r'] as const)
      await this.#rooms.charge(account, source, { kind, how: 'set', value: 0 });
    await this.#resetOne(account, source);
  }

  async setSettings(
    account: string,
    source: string,
    before: string | null,
    after: string | null,
    bounds = UNBOUNDED,
  ): Promise<boolean> {
    const charge = (value: number, within?: Bounds) =>
      this.#rooms.charge(account, source, { kind: 's', how: 'set', value }, within);
    await charge(settingsBytes(after), bounds);
    const isSet = await this.#notes.setSettings(keysOf(account, source).notes, before, after);
    if (!isSet) await charge((await this.#measured(account, source)).settings);
    return isSet;
  }

  /** Charged first, so that an account never keeps more than it is charged for. */
  async setRules(
    account: string,
    source: string,
    before: string | null,
    after: string,
    past: string,
    bounds = UNBOUNDED,
  ): Promise<boolean> {
    const charge = (value: number, within?: Bounds) =>
      this.#rooms.charge(account, source, { kind: 'r', how: 'set', value }, within);
    await charge(Buffer.byteLength(after) + Buffer.byteLength(past) + NOTE_BYTES, bounds);
    const isSet = await this.#notes.setRules(keysOf(account, source).notes, before, after, past);
    if (!isSet) await charge((await this.#measured(account, source)).rules);
    return isSet;
  }

  rulesPast(account: string, source: string): Promise<string | null> {
    return this.#notes.rulesPast(keysOf(account, source).notes);
  }

  setPinned(account: string, source: string, pinned: boolean): Promise<boolean> {
    const { notes, base } = keysOf(account, source);
    return this.#notes.setPinned(notes, base, pinned);
  }

  noteBlocked(account: string, source: string, run: Omit<BlockedRun, 'batches'>): Promise<void> {
    return this.#notes.noteBlocked(keysOf(account, source).notes, run);
  }

  endRun(account: string, source: string): Promise<void> {
    return this.#notes.endRun(keysOf(account, source).notes);
  }

  async keepVersion(
    account: string,
    source: string,
    note: string,
    copy: Uint8Array,
    bounds = UNBOUNDED,
  ): Promise<void> {
    const add = (value: number) => ({ kind: 'v', how: 'add', value }) as const;
    const most = copy.length + NOTE_BYTES;
    if ((await this.#rooms.tryCharge(account, source, add(most), bounds)) !== null) return;
    const { notes, versions, copies } = keysOf(account, source);
    const growth = await this.#versions.keep([notes, versions, copies], note, copy);
    if (growth < most) await this.#rooms.charge(account, source, add(growth - most));
  }

  versions(account: string, source: string): Promise<StoredVersion[]> {
    return this.#versions.list(keysOf(account, source).versions);
  }

  version(account: string, source: string, number: number): Promise<Uint8Array | null> {
    return this.#versions.copy(keysOf(account, source).copies, number);
  }

  /** Makes a change again with more room as long as it answers with the bytes that it needs. */
  async #withRoom(
    account: string,
    source: string,
    bounds: Bounds,
    change: (room: number) => Promise<number>,
  ): Promise<number> {
    let needed = await change(0);
    if (needed <= 1) return needed;
    let room = 0;
    while (needed > 1) {
      room = await this.#rooms.grant(account, source, needed, bounds);
      needed = await change(room);
    }
    // A reset may have removed the source meanwhile.
    await this.#rooms.grant(account, source, room);
    return needed;
  }

  async #appendWithin(
    account: string,
    source: string,
    { id, state }: StoredState,
    room: number,
  ): Promise<number> {
    const { base, order, tail, past } = keysOf(account, source);
    return (await this.#append([base, order, tail, past], [randomUUID(), id, state, room])) as number;
  }

  /** All listed sources. Each page starts where the last one ended, so sources may be removed in between. */
  async *#pages(account: string): AsyncGenerator<string[]> {
    for (let after: string | null = null; ; ) {
      const found: string[] = await this.sources(account, after, PAGE);
      if (found.length === 0) return;
      yield found;
      after = found.at(-1)!;
    }
  }

  async #measured(account: string, source: string): Promise<Measured> {
    const { base, order, tail, past, notes, copies } = keysOf(account, source);
    const measured = await this.#measure([base, order, tail, past, notes, copies], []);
    const [room, versions, settings, rules] = measured as [number, number, Buffer | null, number];
    return {
      room,
      versions,
      settings: settingsBytes(settings?.toString() ?? null),
      rules: rules > 0 ? rules + NOTE_BYTES : 0,
    };
  }

  /** Deletes the baseline first: a source that is still listed can be reset again. */
  async #resetOne(account: string, source: string): Promise<void> {
    const { base, order, tail, past, notes, versions } = keysOf(account, source);
    await this.#reset([base, order, tail, past, notes, versions], []);
    await this.#rooms.remove(account, source);
    const { room } = await this.#measured(account, source);
    if (room > 0) await this.#rooms.grant(account, source, room);
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

/** They have a hash of the source: its name may contain any character. */
function keysOf(account: string, source: string) {
  const tag = `${account}:${createHash('sha256').update(sourceKey(source)).digest('base64url')}`;
  const key = (part: string) => keyOf('baseline', tag, part);
  return {
    base: key('base'),
    order: key('order'),
    tail: key('tail'),
    past: key('past'),
    notes: key('notes'),
    versions: key('versions'),
    copies: key('copies'),
  };
}

const sourcesKey = (account: string): string => keyOf('sources', account);
