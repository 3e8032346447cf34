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
import { type Bounds, type Kept, ROOM_STEP, UNBOUNDED } from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import type { Passed } from '../room.ts';
import { keyOf, type RedisConnection } from './connection.ts';

/** Sets a charge (`max`: if it is more; `add`: by adding). Rooms also add the source to the list. */
const CHARGE = `
  local kind, source, how, value = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
  local sums = redis.call('HMGET', KEYS[2], 'bytes', 'counted')
  local sources, bytes = redis.call('ZCARD', KEYS[1]), tonumber(sums[1] or 0)
  if not sums[2] and how ~= 'count' then
    if sources > 0 then return { 'UNCOUNTED', sources, bytes } end
    redis.call('HSET', KEYS[2], 'counted', 1)
  end
  local was = tonumber(redis.call('HGET', KEYS[2], kind .. source) or 0)
  local now = math.max(was, value)
  if how == 'set' then now = value elseif how == 'add' then now = math.max(0, was + value) end
  local isNew = kind == 'b' and not redis.call('ZSCORE', KEYS[1], source)
  if isNew and sources >= tonumber(ARGV[5]) then return { 'sources', sources, bytes, 0 } end
  if now > was and bytes + now - was > tonumber(ARGV[6]) then
    return { 'bytes', sources, bytes, bytes + now - was - tonumber(ARGV[6]) }
  end
  if isNew then redis.call('ZADD', KEYS[1], 0, source) end
  redis.call('HINCRBY', KEYS[2], 'bytes', now - was)
  if now > 0 then redis.call('HSET', KEYS[2], kind .. source, now) else redis.call('HDEL', KEYS[2], kind .. source) end
  if kind == 'v' then
    redis.call('HINCRBY', KEYS[2], 'versions', now - was)
    if now == 0 then redis.call('ZREM', KEYS[3], source) end
    if now > was then redis.call('ZADD', KEYS[3], redis.call('TIME')[1], source) end
  end
  return { 'CHARGED', sources, bytes }`;

const REMOVE = `
  local room = redis.call('HGET', KEYS[2], 'b' .. ARGV[1])
  if room then redis.call('HINCRBY', KEYS[2], 'bytes', '-' .. room) end
  redis.call('HDEL', KEYS[2], 'b' .. ARGV[1])
  return redis.call('ZREM', KEYS[1], ARGV[1])`;

/** The source whose newest version is the oldest, if all versions of the account have ARGV[1] bytes. */
const OLDEST = `
  if tonumber(redis.call('HGET', KEYS[2], 'versions') or 0) < tonumber(ARGV[1]) then return {} end
  return redis.call('ZRANGE', KEYS[3], 0, 0)`;

const KEPT = `
  local sources, held = redis.call('ZCARD', KEYS[1]), redis.call('HMGET', KEYS[2], 'bytes', 'counted')
  return { (held[2] or sources == 0) and 1 or 0, sources, tonumber(held[1] or 0) }`;

/** `b`: room of a baseline. `v`: bytes of versions. `s`: bytes of settings. `r`: bytes of rules. */
type Kind = 'b' | 'v' | 's' | 'r';
type How = 'max' | 'set' | 'add' | 'count';

interface Charge {
  kind: Kind;
  how: How;
  value: number;
}

/** What a source keeps in its own slot, in bytes. `b` is 0 without a baseline. */
export type Measured = Record<Kind, number>;

/** What the rooms need of the sources' own slots. */
export interface Sources {
  /** All that are listed. */
  list(account: string): AsyncIterable<string[]>;
  measure(account: string, source: string): Promise<Measured>;
}

export class RedisRooms {
  readonly #connection: RedisConnection;
  readonly #sources: Sources;

  constructor(connection: RedisConnection, sources: Sources) {
    this.#connection = connection;
    this.#sources = sources;
  }

  /** Grants a baseline room for `bytes`, and lists its source. Returns the room, or the bound that it would pass. */
  async grant(
    account: string,
    source: string,
    bytes: number,
    bounds: Bounds = UNBOUNDED,
  ): Promise<number | Passed> {
    const room = inSteps(bytes);
    return (await this.charge(account, source, { kind: 'b', how: 'max', value: room }, bounds)) ?? room;
  }

  /** Returns the bound that the charge would pass; null if it passes none. */
  async charge(
    account: string,
    source: string,
    { kind, how, value }: Charge,
    bounds: Bounds = UNBOUNDED,
  ): Promise<Passed | null> {
    const values = [kind, sourceKey(source), how, value, bounds.sources, bounds.bytes];
    for (;;) {
      const answer = await this.#connection.run(CHARGE, keysOf(account), values);
      const [outcome, sources, bytes, excess] = answer as [Buffer, number, number, number];
      const bound = String(outcome);
      if (bound === 'CHARGED') return null;
      if (bound !== 'UNCOUNTED') return { bound: bound as keyof Kept, kept: { sources, bytes }, excess };
      await this.#count(account);
    }
  }

  /** Removes a source from the list, with its room. */
  async remove(account: string, source: string): Promise<void> {
    await this.#connection.run(REMOVE, keysOf(account), [sourceKey(source)]);
  }

  async kept(account: string): Promise<Kept> {
    const [isCounted, sources, bytes] = (await this.#connection.run(KEPT, keysOf(account))) as number[];
    if (isCounted === 1) return { sources: sources!, bytes: bytes! };
    await this.#count(account);
    return this.kept(account);
  }

  /** The source whose newest version is the oldest; null if all versions of the account have less than `bytes`. */
  async oldest(account: string, bytes: number): Promise<string | null> {
    const [oldest] = (await this.#connection.run(OLDEST, keysOf(account), [bytes])) as Buffer[];
    return oldest ? sourceOf(oldest.toString()) : null;
  }

  /** Counts what an older version has stored, or what was lost with the account's slot. */
  async #count(account: string): Promise<void> {
    const count = async (source: string) => {
      const measured = await this.#sources.measure(account, source);
      const charges = { ...measured, b: inSteps(measured.b) };
      for (const kind of ['b', 'v', 's', 'r'] as const)
        if (charges[kind] > 0)
          await this.charge(account, source, { kind, how: 'count', value: charges[kind] });
    };
    for await (const page of this.#sources.list(account)) await Promise.all(page.map(count));
    await this.#connection.command('HSET', keyOf('rooms', account), 'counted', 1);
  }
}

const inSteps = (bytes: number): number => Math.ceil(bytes / ROOM_STEP) * ROOM_STEP;

/** List, rooms, copied. */
const keysOf = (account: string): string[] => [
  keyOf('sources', account),
  keyOf('rooms', account),
  keyOf('copied', account),
];
