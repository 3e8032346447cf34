/**
 * Baselines in Redis. Of each account and source, in one slot:
 *   base    hash: generation, version, sequence, folded
 *   order   sorted set: the tail's ids by sequence
 *   tail    hash: the tail's states by id
 *   past    sorted set: ids that were folded lately, by sequence
 *   notes, versions, copies   see `notes.ts` and `versions.ts`
 * and of each account the set of its sources: one in it may turn out to have no baseline. It lies in another slot, so it is
 * written before the baseline is made and again after that, and a reset that has taken a source out looks whether it
 * was made meanwhile: however the two interleave, a source with a baseline is in the set.
 */
import { createHash, randomUUID } from 'node:crypto';
import { lasting } from '../lasting.ts';
import type {
  BaselineStore,
  BlockedRun,
  Known,
  StoredBaseline,
  StoredState,
  StoredVersion,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import { keyOf, type RedisConnection, type Script } from './connection.ts';
import { NOTE_FIELDS, type Notes, notesIn, OF_THE_BASELINE, OF_THE_RUN, RedisNotes } from './notes.ts';
import { RedisVersions } from './versions.ts';

/** Ids of folded states that are remembered for each source. */
const REMEMBERED_IDS = 1000;

const READ: Script = {
  name: 'sluiceBaselineRead',
  keys: 4,
  lua: `
    local base = redis.call('HMGET', KEYS[1], 'generation', 'version', 'sequence')
    local notes = redis.call('HMGET', KEYS[4], ${NOTE_FIELDS})
    if not base[1] then return { notes } end
    local complete = base[1] ~= ARGV[1] or base[2] ~= ARGV[2]
    local from = complete and '0' or ARGV[3]
    local ids = redis.call('ZRANGE', KEYS[2], '(' .. from, '+inf', 'BYSCORE')
    local states = {}
    for i, id in ipairs(ids) do states[i] = redis.call('HGET', KEYS[3], id) end
    return { notes, complete and 1 or 0, base[1], base[2], base[3], complete and redis.call('HGET', KEYS[1], 'folded'), ids, states }`,
};

/** 0: there is no baseline, and it is not to be made. */
const APPEND: Script = {
  name: 'sluiceBaselineAppend',
  keys: 4,
  lua: `
    if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 1 or redis.call('ZSCORE', KEYS[4], ARGV[2]) then return 1 end
    if redis.call('EXISTS', KEYS[1]) == 0 then
      if ARGV[4] ~= 'make' then return 0 end
      redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'version', 0, 'sequence', 0)
    end
    local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
    redis.call('ZADD', KEYS[2], sequence, ARGV[2])
    redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
    return 1`,
};

const FOLD: Script = {
  name: 'sluiceBaselineFold',
  keys: 4,
  lua: `
    local base = redis.call('HMGET', KEYS[1], 'generation', 'version')
    if base[1] ~= ARGV[1] or base[2] ~= ARGV[2] then return 0 end
    redis.call('HSET', KEYS[1], 'folded', ARGV[3])
    redis.call('HINCRBY', KEYS[1], 'version', 1)
    for i = 5, #ARGV do
      local sequence = redis.call('ZSCORE', KEYS[2], ARGV[i])
      if sequence then
        redis.call('ZADD', KEYS[4], sequence, ARGV[i])
        redis.call('ZREM', KEYS[2], ARGV[i])
        redis.call('HDEL', KEYS[3], ARGV[i])
      end
    end
    redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[4])
    return 1`,
};

const RESTORE: Script = {
  name: 'sluiceBaselineRestore',
  keys: 5,
  lua: `
    local base = redis.call('HMGET', KEYS[1], 'generation', 'version')
    if (base[1] or '') ~= ARGV[1] or (base[2] or '0') ~= ARGV[2] then return 0 end
    redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
    redis.call('HSET', KEYS[1], 'generation', ARGV[3], 'version', 0, 'sequence', 0, 'folded', ARGV[4])
    redis.call('HDEL', KEYS[5], ${OF_THE_RUN})
    return 1`,
};

const WITHDRAW: Script = {
  name: 'sluiceBaselineWithdraw',
  keys: 3,
  lua: `
    if redis.call('HDEL', KEYS[3], ARGV[1]) == 0 then return 0 end
    redis.call('ZREM', KEYS[2], ARGV[1])
    redis.call('HINCRBY', KEYS[1], 'version', 1)
    return 1`,
};

/** Of an append that was not answered: it may have run, or run yet, and then finds its id among those that were folded. */
const CALL_OFF: Script = {
  name: 'sluiceBaselineCallOff',
  keys: 4,
  lua: `
    redis.call('ZADD', KEYS[4], 'NX', redis.call('HGET', KEYS[1], 'sequence') or 0, ARGV[1])
    redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[2])
    if redis.call('HDEL', KEYS[3], ARGV[1]) == 0 then return 0 end
    redis.call('ZREM', KEYS[2], ARGV[1])
    return redis.call('HINCRBY', KEYS[1], 'version', 1)`,
};

const RESET: Script = {
  name: 'sluiceBaselineReset',
  keys: 5,
  lua: `
    redis.call('HDEL', KEYS[5], ${OF_THE_BASELINE})
    return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])`,
};

const EXISTS: Script = {
  name: 'sluiceBaselineExists',
  keys: 1,
  lua: `return redis.call('EXISTS', KEYS[1])`,
};

const ADD_SOURCE: Script = {
  name: 'sluiceSourceAdd',
  keys: 1,
  lua: `return redis.call('ZADD', KEYS[1], 0, ARGV[1])`,
};

const REMOVE_SOURCE: Script = {
  name: 'sluiceSourceRemove',
  keys: 1,
  lua: `return redis.call('ZREM', KEYS[1], ARGV[1])`,
};

const SOURCES: Script = {
  name: 'sluiceSources',
  keys: 1,
  lua: `return redis.call('ZRANGE', KEYS[1], ARGV[1], '+', 'BYLEX', 'LIMIT', 0, ARGV[2])`,
};

/** Sources that are reset in one go. */
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
    // It may make a baseline where none was: it must not be without its place in the list.
    const list = () => this.#addSource([sourcesKey(account)], [sourceKey(source)]);
    await list();
    const values = [expected.generation, expected.version, randomUUID(), folded];
    const done = (await this.#restore(keysOf(account, source), values)) === 1;
    await list();
    return done;
  }

  async withdraw(account: string, source: string, id: string): Promise<void> {
    await lasting(() => this.#withdraw(keysOf(account, source).slice(0, 3), [id]));
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
      void lasting(() => this.#callOff(keys, [id, REMEMBERED_IDS])).catch(() => {});
      throw error;
    }
  }

  /** The baseline first: a source that is still listed can be reset again. */
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

/** In the order in which the scripts take them. A source's name may be of any characters; its hash is not. */
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
