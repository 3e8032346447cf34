/** Versions of baselines, in the baseline's slot: `versions` has the notes by number, `copies` the bytes by number. */
import { MAX_VERSION_BYTES, MAX_VERSIONS, type StoredVersion } from '../ports.ts';
import type { RedisConnection, Script } from './connection.ts';

/** The counter is in the source's notes, which survive a reset. */
const KEEP: Script = {
  name: 'sluiceVersionKeep',
  keys: 3,
  lua: `
    local number = redis.call('HINCRBY', KEYS[1], 'copies', 1)
    redis.call('HSET', KEYS[2], number, ARGV[1])
    redis.call('HSET', KEYS[3], number, ARGV[2])
    local kept = redis.call('HKEYS', KEYS[2])
    table.sort(kept, function(a, b) return tonumber(a) > tonumber(b) end)
    local bytes = 0
    for place, each in ipairs(kept) do
      bytes = bytes + redis.call('HSTRLEN', KEYS[3], each)
      if place > tonumber(ARGV[3]) or (place > 1 and bytes > tonumber(ARGV[4])) then
        redis.call('HDEL', KEYS[2], each)
        redis.call('HDEL', KEYS[3], each)
      end
    end
    return number`,
};

const LIST: Script = {
  name: 'sluiceVersionList',
  keys: 1,
  lua: `return redis.call('HGETALL', KEYS[1])`,
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

  constructor(connection: RedisConnection) {
    this.#keep = connection.script(KEEP);
    this.#list = connection.script(LIST);
    this.#copy = connection.script(COPY);
  }

  /** `keys`: those of notes, versions and copies. */
  async keep(keys: string[], note: string, copy: Uint8Array): Promise<void> {
    await this.#keep(keys, [note, copy, MAX_VERSIONS, MAX_VERSION_BYTES]);
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
