/**
 * Rows counted against the allowance, in Redis: one hash an account, a field a period.
 *
 * The ledger in SQL is the truth and this a copy of it, with the rows of requests under way. The copy holds for the run of
 * the server that has it: one that was restarted may have lost what it had counted last, so it is filled again from the
 * ledger. Requests that had reserved rows before may still write them there, for the RESERVATION_MS of `account/grant.ts` at most; until the
 * server has been up for longer, nothing is granted. So no restart lets an account have more than its allowance.
 *
 * A command that was not answered may have run, or run yet. So every change of a count has an id of its own, and leaves a mark
 * with it: what is sent again counts once, and a reservation whose answer did not come is called off, before or after it runs.
 */
import { Rejection } from '../../errors.ts';
import { randomUUID } from 'node:crypto';
import { LASTING_MS, lasting } from '../lasting.ts';
import type { AllowanceStore } from '../ports.ts';
import { keyOf, type RedisConnection, type Script } from './connection.ts';

/** Longer than `RESERVATION_MS` of `account/grant.ts` and the write that may follow take together. */
const SETTLED_SECONDS = 3;
/** Marks are of use as long as something is sent again. */
const MARKED_MS = LASTING_MS;
/** A quarter of a year: a period's hash is made anew from the ledger when it is missed. */
const KEPT_SECONDS = 92 * 24 * 3600;

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
    if ARGV[2] ~= '0' and not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[5]) then return { 'CALLED OFF', 0 } end
    return { 'GRANTED', redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]) }`,
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

/** Rows that were reserved in an earlier run are not in this one's count. */
const GIVE_BACK = `${RUN}
  local function giveBack(rows)
    local held = redis.call('HMGET', KEYS[1], 'run', ARGV[1])
    if held[1] ~= run or not held[2] then return 0 end
    return redis.call('HINCRBY', KEYS[1], ARGV[1], -math.min(tonumber(held[2]), tonumber(rows)))
  end`;

const RELEASE: Script = {
  name: 'sluiceAllowanceRelease',
  keys: 2,
  lua: `${GIVE_BACK}
    if not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return 0 end
    return giveBack(ARGV[2])`,
};

/** A reservation that has yet to come will find the mark. */
const CALL_OFF: Script = {
  name: 'sluiceAllowanceCallOff',
  keys: 2,
  lua: `${GIVE_BACK}
    local rows = redis.call('GET', KEYS[2])
    redis.call('SET', KEYS[2], '0', 'PX', ARGV[2])
    return rows and giveBack(rows) or 0`,
};

type Call = ReturnType<RedisConnection['script']>;
/** With GRANTED the rows counted, with UNKNOWN and SETTLING the run. */
type Reserved = [said: Buffer, value: Buffer | number];

/** Where the truth is. */
export interface Ledger {
  /** Rows of a period that begins at `periodStart` (ms). */
  rows(account: string, periodStart: number): Promise<number>;
}

export class RedisAllowance implements AllowanceStore {
  readonly #ledger: Ledger;
  readonly #reserve: Call;
  readonly #fill: Call;
  readonly #release: Call;
  readonly #callOff: Call;

  constructor(connection: RedisConnection, ledger: Ledger) {
    this.#ledger = ledger;
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
  ): Promise<number | null> {
    const ask = () => this.#reserveOnce(account, periodStart, rows, allowance);
    let [said, value] = await ask();
    if (String(said) === 'UNKNOWN') {
      await this.#fillFrom(account, periodStart, value as Buffer);
      [said, value] = await ask();
    }
    switch (String(said)) {
      case 'GRANTED':
        return allowance - Number(value);
      case 'REFUSED':
        return null;
      default:
        throw unsettled();
    }
  }

  async release(account: string, periodStart: number, rows: number): Promise<void> {
    const keys = keysOf(account, randomUUID());
    await lasting(() => this.#release(keys, [periodStart, rows, MARKED_MS]));
  }

  async counted(account: string, periodStart: number): Promise<number> {
    // Rows that are granted whatever the allowance, none of them: what is left of nothing is what is counted, negated.
    const left = await this.reserve(account, periodStart, 0, Number.MAX_SAFE_INTEGER);
    return Number.MAX_SAFE_INTEGER - left!;
  }

  async #reserveOnce(
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<Reserved> {
    const keys = keysOf(account, randomUUID());
    try {
      const values = [periodStart, rows, allowance, SETTLED_SECONDS, MARKED_MS];
      return (await this.#reserve(keys, values)) as Reserved;
    } catch (error) {
      void lasting(() => this.#callOff(keys, [periodStart, MARKED_MS])).catch(() => {});
      throw error;
    }
  }

  async #fillFrom(account: string, periodStart: number, run: Buffer): Promise<void> {
    const rows = await this.#ledger.rows(account, periodStart);
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
