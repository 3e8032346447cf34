/** Versions of baselines, in the baseline's slot: `versions` has the notes by number, `copies` the bytes by number. */
import { MAX_VERSION_BYTES, MAX_VERSIONS, NOTE_BYTES, type StoredVersion } from '../ports.ts';
import type { RedisConnection, Script } from './connection.ts';

/** The counter is in the source's notes, which survive a reset. Returns by how much the kept bytes grow. */
const KEEP: Script = {
  name: 'sluiceVersionKeep',
  keys: 3,
  lua: `
    local number = redis.call('HINCRBY', KEYS[1], 'copies', 1)
    redis.call('HSET', KEYS[2], number, ARGV[1])
    redis.call('HSET', KEYS[3], number, ARGV[2])
    local kept = redis.call('HKEYS', KEYS[2])
    table.sort(kept, function(a, b) return tonumber(a) > tonumber(b) end)
    local bytes, growth = 0, #ARGV[2] + ${NOTE_BYTES}
    for place, each in ipairs(kept) do
      local size = redis.call('HSTRLEN', KEYS[3], each)
      bytes = bytes + size
      if place > tonumber(ARGV[3]) or (place > 1 and bytes > tonumber(ARGV[4])) then
        redis.call('HDEL', KEYS[2], each)
        redis.call('HDEL', KEYS[3], each)
        growth = growth - size - ${NOTE_BYTES}
      end
    end
    return growth`,
};

const LIST: Script = {
  name: 'sluiceVersionList',
  keys: 1,
  lua: `return redis.call('HGETALL', KEYS[1])`,
};

/** Returns the dropped bytes. Without a baseline and versions, nothing remembers the number of the last one. */
const DROP: Script = {
  name: 'sluiceVersionDrop',
  keys: 4,
  lua: `
    local dropped = 0
    for _, each in ipairs(redis.call('HKEYS', KEYS[3])) do
      dropped = dropped + redis.call('HSTRLEN', KEYS[3], each) + ${NOTE_BYTES}
    end
    redis.call('DEL', KEYS[2], KEYS[3])
    if redis.call('EXISTS', KEYS[4]) == 0 then redis.call('HDEL', KEYS[1], 'copies') end
    return dropped`,
};

const COPY: Script = {
  name: 'sluiceVersionCopy',
  keys: 1,
  lua: `return redis.call('HGET', KEYS[1], ARGV[1])`,
};

type Call = ReturnType<RedisConnection['script']>;

export class RedisVersions {
  readonly #keep: Call;
  readonly #list: Call;
  readonly #copy: Call;
  readonly #drop: Call;

  constructor(connection: RedisConnection) {
    this.#keep = connection.script(KEEP);
    this.#list = connection.script(LIST);
    this.#copy = connection.script(COPY);
    this.#drop = connection.script(DROP);
  }

  /** `keys`: those of notes, versions and copies. Returns by how much the kept bytes grow. */
  async keep(keys: string[], note: string, copy: Uint8Array): Promise<number> {
    return (await this.#keep(keys, [note, copy, MAX_VERSIONS, MAX_VERSION_BYTES])) as number;
  }

  /** Deletes all versions, and returns their bytes. `keys`: those of notes, versions, copies and baseline. */
  async drop(keys: string[]): Promise<number> {
    return (await this.#drop(keys, [])) as number;
  }

  async list(versions: string): Promise<StoredVersion[]> {
    const found = ((await this.#list([versions], [])) as Buffer[]).map(String);
    const pairs = Array.from({ length: found.length / 2 }, (_, i) => ({
      number: Number(found[2 * i]),
      note: found[2 * i + 1]!,
    }));
    return pairs.sort((a, b) => b.number - a.number);
  }

  async copy(copies: string, number: number): Promise<Uint8Array | null> {
    return (await this.#copy([copies], [number])) as Buffer | null;
  }
}
