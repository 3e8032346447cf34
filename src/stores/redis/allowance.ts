/**
 * Rows counted against the allowance, in Redis: one hash an account, a field a period.
 *
 * The ledger in SQL is the truth and this a copy of it, with the rows of requests under way. The copy holds for the run of
 * the server that has it: one that was restarted may have lost what it had counted last, so it is filled again from the
 * ledger. Requests that had reserved rows before may still write them there: one begins to write at most RESERVATION_MS
 * after it reserved (`account/grant.ts`), and has WRITE_MS for it. Until the server has been up for longer, nothing is
 * granted, and what a request of before gives back is not in the count. So no restart lets an account have more than
 * its allowance.
 *
 * A command that was not answered may have run, or run yet. So every change of a count has an id of its own, and leaves a mark
 * with it: what is sent again counts once, and a reservation whose answer did not come is called off, before or after it runs.
 */
import { randomUUID } from 'node:crypto';
import { RESERVATION_MS } from '../../account/grant.ts';
import { Rejection } from '../../errors.ts';
import { LASTING_MS, lasting } from '../lasting.ts';
import type { AllowanceStore, Reservation, UsageStore } from '../ports.ts';
import { keyOf, type RedisConnection, type Script } from './connection.ts';

/** What a write may take once it has begun. */
const WRITE_MS = 1000;
/** From when on a server's count is trusted. One that says n seconds has been up for more than n - 1. */
export const SETTLED_SECONDS = Math.ceil((RESERVATION_MS + WRITE_MS) / 1000) + 1;
/** Marks are of use as long as something is sent again. */
const MARKED_MS = LASTING_MS;
/** Longer than the longest period, which is a year's: rows of requests under way would go with it. A period's hash is made anew from the ledger when it is missed. */
const KEPT_SECONDS = 400 * 24 * 3600;

const RUN = `
  local info = redis.call('INFO', 'server')
  local run = string.match(info, 'run_id:(%w+)')`;

const RESERVE: Script = {
  name: 'sluiceAllowanceReserve',
  keys: 2,
  lua: `${RUN}
    local held = redis.call('HMGET', KEYS[1], 'run', ARGV[1])
    if held[1] ~= run or not held[2] then
      local settled = tonumber(string.match(info, 'uptime_in_seconds:(%d+)')) >= tonumber(ARGV[4])
      return { settled and 'UNKNOWN' or 'SETTLING', run }
    end
    if tonumber(held[2]) + tonumber(ARGV[2]) > tonumber(ARGV[3]) then return { 'REFUSED', 0 } end
    local mark = run .. ' ' .. ARGV[2]
    if ARGV[2] ~= '0' and not redis.call('SET', KEYS[2], mark, 'NX', 'PX', ARGV[5]) then return { 'CALLED OFF', 0 } end
    return { 'GRANTED', redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]), run }`,
};

/** Only in the run for which the ledger was read, and once in it: a period that is there has been counted on since. */
const FILL: Script = {
  name: 'sluiceAllowanceFill',
  keys: 1,
  lua: `${RUN}
    if run ~= ARGV[4] then return 0 end
    if redis.call('HGET', KEYS[1], 'run') ~= run then
      redis.call('DEL', KEYS[1])
      redis.call('HSET', KEYS[1], 'run', run)
    end
    redis.call('EXPIRE', KEYS[1], ARGV[3])
    return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])`,
};

/** Rows that were reserved in another run are not in this one's count. */
const GIVE_BACK = `${RUN}
  local function giveBack(rows, reservedIn)
    local held = redis.call('HMGET', KEYS[1], 'run', ARGV[1])
    if reservedIn ~= run or held[1] ~= run or not held[2] then return 0 end
    return redis.call('HINCRBY', KEYS[1], ARGV[1], -math.min(tonumber(held[2]), tonumber(rows)))
  end`;

const RELEASE: Script = {
  name: 'sluiceAllowanceRelease',
  keys: 2,
  lua: `${GIVE_BACK}
    if not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[4]) then return 0 end
    return giveBack(ARGV[2], ARGV[3])`,
};

/** A reservation that has yet to come will find the mark. */
const CALL_OFF: Script = {
  name: 'sluiceAllowanceCallOff',
  keys: 2,
  lua: `${GIVE_BACK}
    local mark = redis.call('GET', KEYS[2])
    redis.call('SET', KEYS[2], '', 'PX', ARGV[2])
    if not mark or mark == '' then return 0 end
    local reservedIn, rows = string.match(mark, '(%w+) (%d+)')
    return giveBack(rows, reservedIn)`,
};

type Call = ReturnType<RedisConnection['script']>;
/** With GRANTED the rows counted and the run, with UNKNOWN and SETTLING the run. */
type Reserved = [said: Buffer, value: Buffer | number, run?: Buffer];

export class RedisAllowance implements AllowanceStore {
  readonly #ledger: UsageStore;
  readonly #settledSeconds: number;
  readonly #reserve: Call;
  readonly #fill: Call;
  readonly #release: Call;
  readonly #callOff: Call;

  /** `ledger` is where the truth is; `settledSeconds` is less where nobody was there before. */
  constructor(connection: RedisConnection, ledger: UsageStore, settledSeconds = SETTLED_SECONDS) {
    this.#ledger = ledger;
    this.#settledSeconds = settledSeconds;
    this.#reserve = connection.script(RESERVE);
    this.#fill = connection.script(FILL);
    this.#release = connection.script(RELEASE);
    this.#callOff = connection.script(CALL_OFF);
  }

  async reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<Reservation | null> {
    const ask = () => this.#reserveOnce(account, periodStart, rows, allowance);
    let [said, value, run] = await ask();
    if (String(said) === 'UNKNOWN') {
      await this.#fillFrom(account, periodStart, value as Buffer);
      [said, value, run] = await ask();
    }
    switch (String(said)) {
      case 'GRANTED':
        return { left: allowance - Number(value), count: String(run) };
      case 'REFUSED':
        return null;
      default:
        throw unsettled();
    }
  }

  async release(account: string, periodStart: number, rows: number, count: string): Promise<void> {
    const keys = keysOf(account, randomUUID());
    await lasting(() => this.#release(keys, [periodStart, rows, count, MARKED_MS]));
  }

  async counted(account: string, periodStart: number): Promise<number> {
    // Rows that are granted whatever the allowance, none of them: what is left of nothing is what is counted, negated.
    const reservation = await this.reserve(account, periodStart, 0, Number.MAX_SAFE_INTEGER);
    return Number.MAX_SAFE_INTEGER - reservation!.left;
  }

  async #reserveOnce(
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<Reserved> {
    const keys = keysOf(account, randomUUID());
    try {
      const values = [periodStart, rows, allowance, this.#settledSeconds, MARKED_MS];
      return (await this.#reserve(keys, values)) as Reserved;
    } catch (error) {
      void lasting(() => this.#callOff(keys, [periodStart, MARKED_MS])).catch(() => {});
      throw error;
    }
  }

  async #fillFrom(account: string, periodStart: number, run: Buffer): Promise<void> {
    const { rows } = await this.#ledger.usage(account, periodStart);
    await this.#fill([keyOf('allowance', account)], [periodStart, rows, KEPT_SECONDS, run]);
  }
}

/** The account's counts, and the mark of one change of them. */
const keysOf = (account: string, id: string): string[] => [
  keyOf('allowance', account),
  keyOf('allowance', account, id),
];

const unsettled = () =>
  new Rejection(
    'SERVICE_UNAVAILABLE',
    'the store of allowances was restarted and is being made whole: send the request again',
    { 'Retry-After': '1' },
  );
