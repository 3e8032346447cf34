/**
 * Baselines in Redis. For each account and source, in one slot:
 *   base      hash: generation, version, sequence, folded, and what `baseline-scripts.ts` counts
 *   order     sorted set: the tail's ids by sequence
 *   tail      hash: the tail's states by id
 *   past      sorted set: ids without states, recently folded or called off, by sequence
 *   notes     hash: settings, rules, pin and run of BLOCKed batches, and `copies`, the number of versions ever stored
 *   versions  hash: notes of versions by number
 *   copies    hash: bytes of versions by number
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
  MAX_VERSION_BYTES,
  MAX_VERSIONS,
  NOTE_BYTES,
  REMEMBERED_IDS,
  type SourceNotes,
  type SourceTexts,
  type StoredBaseline,
  type StoredState,
  type StoredVersion,
  UNBOUNDED,
} from '../ports.ts';
import { ifRoom, inRoom, type Roomy } from '../room.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import * as scripts from './baseline-scripts.ts';
import { keyOf, type RedisConnection } from './connection.ts';
import { type Measured, RedisRooms } from './rooms.ts';

/** Sources per step of a reset or count of all sources. */
const PAGE = 1000;

type Notes = (Buffer | null)[];
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

export class RedisBaselines implements BaselineStore, Roomy {
  readonly #connection: RedisConnection;
  readonly #rooms: RedisRooms;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#rooms = new RedisRooms(connection, {
      list: account => this.#pages(account),
      measure: (account, source) => this.#measured(account, source),
    });
  }

  // ---- The baseline ----

  async read(account: string, source: string, known?: Known): Promise<StoredBaseline> {
    const { generation = '', version = '', sequence = 0 } = known ?? {};
    const { base, order, tail, notes } = keysOf(account, source);
    const values = [generation, version, sequence];
    const read = await this.#connection.run(scripts.READ, [base, order, tail, notes], values);
    return storedIn(read as Read | [Notes]);
  }

  append(account: string, source: string, { id, state }: StoredState, bounds = UNBOUNDED): Promise<boolean> {
    const { base, order, tail, past } = keysOf(account, source);
    return this.#withRoom(account, source, bounds, room =>
      this.#connection.run(scripts.APPEND, [base, order, tail, past], [randomUUID(), id, state, room]),
    );
  }

  async fold(
    account: string,
    source: string,
    { generation, version }: Known,
    folded: Uint8Array,
    taken: string[],
    dropped: string[] = [],
  ): Promise<boolean> {
    const values = [generation, version, folded, REMEMBERED_IDS, taken.length, ...taken, ...dropped];
    const { base, order, tail, past } = keysOf(account, source);
    const kept = (await this.#connection.run(scripts.FOLD, [base, order, tail, past], values)) as number;
    if (kept > 1) await this.#rooms.grant(account, source, kept);
    return kept > 0;
  }

  restore(
    account: string,
    source: string,
    { generation, version }: Known,
    folded: Uint8Array,
    bounds = UNBOUNDED,
    taken: string[] = [],
  ): Promise<boolean> {
    const { base, order, tail, past, notes } = keysOf(account, source);
    const values = [generation, version, randomUUID(), folded];
    return this.#withRoom(account, source, bounds, room =>
      this.#connection.run(scripts.RESTORE, [base, order, tail, past, notes], [...values, room, ...taken]),
    );
  }

  async withdraw(account: string, source: string, id: string, expected?: Known): Promise<boolean> {
    const { base, order, tail } = keysOf(account, source);
    const values = expected ? [id, expected.generation, expected.version] : [id];
    return (await this.#connection.run(scripts.WITHDRAW, [base, order, tail], values)) === 1;
  }

  async callOff(account: string, source: string, id: string): Promise<boolean> {
    const { base, order, tail, past } = keysOf(account, source);
    const keys = [base, order, tail, past];
    return (await this.#connection.run(scripts.CALL_OFF, keys, [id, REMEMBERED_IDS])) === 1;
  }

  async sources(account: string, after: string | null, limit: number): Promise<string[]> {
    const key = keyOf('sources', account);
    const from = after === null ? '-' : `(${sourceKey(after)}`;
    const found = await this.#connection.command('ZRANGE', key, from, '+', 'BYLEX', 'LIMIT', 0, limit);
    return (found as Buffer[]).map(source => sourceOf(source.toString()));
  }

  async reset(account: string, source?: string): Promise<void> {
    if (source !== undefined) return this.#resetOne(account, source);
    for await (const page of this.#pages(account))
      for (const each of page) await this.#resetOne(account, each);
  }

  async forget(account: string, source: string): Promise<void> {
    await this.#connection.command('DEL', ...Object.values(keysOf(account, source)));
    for (const kind of ['v', 's', 'r'] as const)
      await this.#rooms.charge(account, source, { kind, how: 'set', value: 0 });
    await this.#resetOne(account, source);
  }

  // ---- What is noted of a source ----

  /** Charged first, so that an account never keeps more than it is charged for. */
  setTexts(
    account: string,
    source: string,
    before: Partial<SourceTexts>,
    after: Partial<SourceTexts>,
    bounds = UNBOUNDED,
  ): Promise<boolean> {
    const kind = 'settings' in after ? 's' : 'r';
    const charge = (value: number, within?: Bounds) =>
      this.#rooms.charge(account, source, { kind, how: 'set', value }, within);
    const [expected, set] = [before, after].map(texts =>
      Object.entries(texts).flatMap(([name, text]) => [name, text ?? '']),
    );
    return inRoom(this, account, bounds, async () => {
      const passed = await charge(bytesOf(after), bounds);
      if (passed) return passed;
      const values = [expected!.length, ...expected!, ...set!];
      const isSet = await this.#connection.run(scripts.SET_TEXTS, [keysOf(account, source).notes], values);
      if (isSet !== 1) await charge((await this.#measured(account, source))[kind]);
      return isSet === 1;
    });
  }

  async rulesPast(account: string, source: string): Promise<string | null> {
    const past = await this.#connection.command('HGET', keysOf(account, source).notes, 'rulesPast');
    return past === null ? null : String(past);
  }

  async setPinned(account: string, source: string, pinned: boolean): Promise<boolean> {
    const { notes, base } = keysOf(account, source);
    return (await this.#connection.run(scripts.PIN, [notes, base], [Number(pinned)])) === 1;
  }

  async noteRun(account: string, source: string, run: Omit<BlockedRun, 'batches'> | null): Promise<void> {
    const { notes } = keysOf(account, source);
    if (run) await this.#connection.run(scripts.BLOCKED, [notes], [run.since, run.last, run.causes]);
    else await this.#connection.run(scripts.END_RUN, [notes]);
  }

  // ---- Versions ----

  async keepVersion(
    account: string,
    source: string,
    note: string,
    copy: Uint8Array,
    bounds = UNBOUNDED,
  ): Promise<void> {
    const charge = (value: number, within?: Bounds) =>
      this.#rooms.charge(account, source, { kind: 'v', how: 'add', value }, within);
    const most = copy.length + NOTE_BYTES;
    const room = await ifRoom(this, account, async () => (await charge(most, bounds)) ?? true);
    if (room !== true) return;
    const { notes, versions, copies } = keysOf(account, source);
    const values = [note, copy, MAX_VERSIONS, MAX_VERSION_BYTES];
    const grown = await this.#connection.run(scripts.KEEP_VERSION, [notes, versions, copies], values);
    if ((grown as number) < most) await charge((grown as number) - most);
  }

  async versions(account: string, source: string): Promise<StoredVersion[]> {
    const found = await this.#connection.command('HGETALL', keysOf(account, source).versions);
    const pairs = (found as Buffer[]).map(String);
    return pairs
      .flatMap((note, i) => (i % 2 ? [{ number: Number(pairs[i - 1]), note }] : []))
      .sort((a, b) => b.number - a.number);
  }

  async version(account: string, source: string, number: number): Promise<Uint8Array | null> {
    return (await this.#connection.command('HGET', keysOf(account, source).copies, number)) as Buffer | null;
  }

  // ---- What an account keeps ----

  kept(account: string): Promise<Kept> {
    return this.#rooms.kept(account);
  }

  async lastLearned(account: string, source: string): Promise<number> {
    const learned = await this.#connection.run(scripts.LEARNED, [keysOf(account, source).base]);
    return 1000 * (learned as number);
  }

  async dropOldest(account: string, bytes: number): Promise<boolean> {
    const source = await this.#rooms.oldest(account, bytes);
    if (source === null) return false;
    const { notes, versions, copies, base } = keysOf(account, source);
    const keys = [notes, versions, copies, base];
    const dropped = (await this.#connection.run(scripts.DROP_VERSIONS, keys)) as number;
    const charge =
      dropped > 0 ? ({ how: 'add', value: -dropped } as const) : ({ how: 'set', value: 0 } as const);
    await this.#rooms.charge(account, source, { kind: 'v', ...charge });
    return true;
  }

  /** Makes a change again with more room as long as it answers with the bytes that it needs. */
  #withRoom(
    account: string,
    source: string,
    bounds: Bounds,
    change: (room: number) => Promise<unknown>,
  ): Promise<boolean> {
    return inRoom(this, account, bounds, async () => {
      let needed = (await change(0)) as number;
      let enough = 0;
      while (needed > 1) {
        enough = needed;
        const granted = await this.#rooms.grant(account, source, enough, bounds);
        if (typeof granted !== 'number') return granted;
        needed = (await change(granted)) as number;
      }
      // A reset may have removed the source meanwhile.
      if (enough > 0) await this.#rooms.grant(account, source, enough);
      return needed === 1;
    });
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
    const measured = await this.#connection.run(scripts.MEASURE, [base, order, tail, past, notes, copies]);
    const [b, v, s, r] = measured as [number, number, number, number];
    return { b, v, s, r };
  }

  /** Deletes the baseline first: a source that is still listed can be reset again. */
  async #resetOne(account: string, source: string): Promise<void> {
    const { base, order, tail, past, notes, versions } = keysOf(account, source);
    await this.#connection.run(scripts.RESET, [base, order, tail, past, notes, versions]);
    await this.#rooms.remove(account, source);
    const { b: room } = await this.#measured(account, source);
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

/** In the order of `NOTE_FIELDS`. */
function notesIn(notes: Notes): SourceNotes {
  const [settings, pinned, since, last, batches, causes, rules] = notes.map(
    note => note?.toString() ?? null,
  ) as [string | null, string | null, string | null, string, string, string, string | null];
  const run = since === null ? null : { since, last, batches: Number(batches), causes };
  return { settings, rules, pinned: pinned !== null, run };
}

/** What an account is charged for texts. */
function bytesOf(texts: Partial<SourceTexts>): number {
  const present = Object.values(texts).filter(text => text !== null);
  return present.length === 0 ? 0 : NOTE_BYTES + Buffer.byteLength(present.join(''));
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
