/**
 * What accounts keep in Redis. For each account, in the slot of its list of sources:
 *   rooms    hash of bytes: `b` and a source for the room of its baseline, `v` for its versions, `s` for its settings, `r` for its rules;
 *            `bytes` and `versions` are sums, `counted` says that the account was counted
 *   copied   sorted set: sources with versions, by the time of their newest one
 *
 * A baseline is in another slot. So it takes room before it grows: the account grants room in steps, and the baseline's own
 * slot knows how much it has. Within its room it grows without asking. A process that dies in between leaves room that
 * the source uses later, so the sum is never less than what baselines hold.
 */
import { type Bounds, type Kept, NOTE_BYTES, ROOM_STEP, UNBOUNDED } from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import { keyOf, type RedisConnection, type Script } from './connection.ts';

/** Sets a charge (`max`: if it is more; `add`: by adding). Rooms also add the source to the list. */
const CHARGE: Script = {
  name: 'sluiceRoomCharge',
  keys: 3,
  lua: `
    local kind, source, how, value = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
    local sums = redis.call('HMGET', KEYS[2], 'bytes', 'versions', 'counted')
    local sources, bytes, versions = redis.call('ZCARD', KEYS[1]), tonumber(sums[1] or 0), tonumber(sums[2] or 0)
    if not sums[3] and how ~= 'count' then
      if sources > 0 then return { 'UNCOUNTED', sources, bytes } end
      redis.call('HSET', KEYS[2], 'counted', 1)
    end
    local was = tonumber(redis.call('HGET', KEYS[2], kind .. source) or 0)
    local now = math.max(was, value)
    if how == 'set' then now = value elseif how == 'add' then now = math.max(0, was + value) end
    local isNew = kind == 'b' and not redis.call('ZSCORE', KEYS[1], source)
    if isNew and sources >= tonumber(ARGV[5]) then return { 'sources', sources, bytes } end
    if now > was and bytes + now - was > tonumber(ARGV[6]) then
      local isEnough = bytes - versions + now - was <= tonumber(ARGV[6]) and redis.call('ZCARD', KEYS[3]) > 0
      return { isEnough and 'CROWDED' or 'bytes', sources, bytes }
    end
    if isNew then redis.call('ZADD', KEYS[1], 0, source) end
    redis.call('HINCRBY', KEYS[2], 'bytes', now - was)
    if now > 0 then redis.call('HSET', KEYS[2], kind .. source, now) else redis.call('HDEL', KEYS[2], kind .. source) end
    if kind == 'v' then
      redis.call('HINCRBY', KEYS[2], 'versions', now - was)
      if now == 0 then redis.call('ZREM', KEYS[3], source) end
      if now > was then redis.call('ZADD', KEYS[3], redis.call('TIME')[1], source) end
    end
    return { 'CHARGED', sources, bytes }`,
};

const REMOVE: Script = {
  name: 'sluiceRoomRemove',
  keys: 2,
  lua: `
    local room = redis.call('HGET', KEYS[2], 'b' .. ARGV[1])
    if room then redis.call('HINCRBY', KEYS[2], 'bytes', '-' .. room) end
    redis.call('HDEL', KEYS[2], 'b' .. ARGV[1])
    return redis.call('ZREM', KEYS[1], ARGV[1])`,
};

const COUNTED: Script = {
  name: 'sluiceRoomCounted',
  keys: 1,
  lua: `return redis.call('HSET', KEYS[1], 'counted', 1)`,
};

const OLDEST: Script = {
  name: 'sluiceRoomOldest',
  keys: 1,
  lua: `return redis.call('ZRANGE', KEYS[1], 0, 0)`,
};

const KEPT: Script = {
  name: 'sluiceRoomKept',
  keys: 2,
  lua: `
    local sources, held = redis.call('ZCARD', KEYS[1]), redis.call('HMGET', KEYS[2], 'bytes', 'counted')
    return { (held[2] or sources == 0) and 1 or 0, sources, tonumber(held[1] or 0) }`,
};

/** `b`: room of a baseline. `v`: bytes of versions. `s`: bytes of settings. `r`: bytes of rules. */
type Kind = 'b' | 'v' | 's' | 'r';
type How = 'max' | 'set' | 'add' | 'count';
type Call = ReturnType<RedisConnection['script']>;

interface Charge {
  kind: Kind;
  how: How;
  value: number;
}

/** What a source keeps in its own slot, in bytes. */
export interface Measured {
  /** 0: no baseline. */
  room: number;
  versions: number;
  settings: number;
  rules: number;
}

/** What the rooms need of the sources' own slots. */
export interface Sources {
  /** All that are listed. */
  list(account: string): AsyncIterable<string[]>;
  measure(account: string, source: string): Promise<Measured>;
  /** Deletes all versions, and returns their bytes. */
  dropVersions(account: string, source: string): Promise<number>;
}

export const settingsBytes = (settings: string | null): number =>
  settings === null ? 0 : Buffer.byteLength(settings) + NOTE_BYTES;

export class RedisRooms {
  readonly #sources: Sources;
  readonly #charge: Call;
  readonly #remove: Call;
  readonly #counted: Call;
  readonly #oldest: Call;
  readonly #kept: Call;

  constructor(connection: RedisConnection, sources: Sources) {
    this.#sources = sources;
    this.#charge = connection.script(CHARGE);
    this.#remove = connection.script(REMOVE);
    this.#counted = connection.script(COUNTED);
    this.#oldest = connection.script(OLDEST);
    this.#kept = connection.script(KEPT);
  }

  /** Grants a baseline room for `bytes`, and lists its source. Returns the room. Throws the bound's refusal. */
  async grant(account: string, source: string, bytes: number, bounds: Bounds = UNBOUNDED): Promise<number> {
    const room = Math.ceil(bytes / ROOM_STEP) * ROOM_STEP;
    await this.charge(account, source, { kind: 'b', how: 'max', value: room }, bounds);
    return room;
  }

  /** Makes room by deleting the oldest versions, if that is enough. Throws the bound's refusal. */
  async charge(account: string, source: string, charge: Charge, bounds: Bounds = UNBOUNDED): Promise<void> {
    const passed = await this.tryCharge(account, source, charge, bounds);
    if (passed) throw bounds.refusal(passed.bound, passed.kept);
  }

  /** The same, but returns the bound that it would pass; null if it passes none. */
  async tryCharge(
    account: string,
    source: string,
    { kind, how, value }: Charge,
    bounds: Bounds,
  ): Promise<{ bound: keyof Kept; kept: Kept } | null> {
    const values = [kind, sourceKey(source), how, value, bounds.sources, bounds.bytes];
    for (;;) {
      const answer = await this.#charge(keysOf(account), values);
      const [outcome, sources, bytes] = answer as [Buffer, number, number];
      switch (String(outcome)) {
        case 'CHARGED':
          return null;
        case 'UNCOUNTED':
          await this.#count(account);
          break;
        case 'CROWDED':
          await this.#dropOldest(account);
          break;
        default:
          return { bound: String(outcome) as keyof Kept, kept: { sources, bytes } };
      }
    }
  }

  /** Removes a source from the list, with its room. */
  async remove(account: string, source: string): Promise<void> {
    await this.#remove(keysOf(account).slice(0, 2), [sourceKey(source)]);
  }

  async kept(account: string): Promise<Kept> {
    const [isCounted, sources, bytes] = (await this.#kept(keysOf(account).slice(0, 2), [])) as number[];
    if (isCounted === 1) return { sources: sources!, bytes: bytes! };
    await this.#count(account);
    return this.kept(account);
  }

  /** Counts what an older version has stored, or what was lost with the account's slot. */
  async #count(account: string): Promise<void> {
    const count = async (source: string) => {
      const { room, versions, settings, rules } = await this.#sources.measure(account, source);
      const charge = (kind: Kind, value: number) =>
        value > 0 && this.charge(account, source, { kind, how: 'count', value });
      const step = Math.ceil(room / ROOM_STEP) * ROOM_STEP;
      await Promise.all([
        charge('b', step),
        charge('v', versions),
        charge('s', settings),
        charge('r', rules),
      ]);
    };
    for await (const page of this.#sources.list(account)) await Promise.all(page.map(count));
    await this.#counted(keysOf(account).slice(1, 2), []);
  }

  async #dropOldest(account: string): Promise<void> {
    const [oldest] = (await this.#oldest(keysOf(account).slice(2), [])) as Buffer[];
    // Another process may have dropped it meanwhile.
    if (!oldest) return;
    const source = sourceOf(oldest.toString());
    const dropped = await this.#sources.dropVersions(account, source);
    const charge =
      dropped > 0 ? ({ how: 'add', value: -dropped } as const) : ({ how: 'set', value: 0 } as const);
    await this.charge(account, source, { kind: 'v', ...charge });
  }
}

/** List, rooms, copied. */
const keysOf = (account: string): string[] => [
  keyOf('sources', account),
  keyOf('rooms', account),
  keyOf('copied', account),
];
