/**
 * Rows counted against the allowance, in Redis: one hash an account, a field a period.
 *
 * The ledger in SQL is the truth and this a copy of it, with the rows of requests under way. The copy holds for the run of
 * the server that has it: one that was restarted may have lost what it had counted last, so it is filled again from the
 * ledger. Requests that had reserved rows before may still write them there: one begins to write at most RESERVATION_TTL_MS
 * after it reserved (`account/reservation.ts`), and has `questionMs` for it. Until the server has been up for longer, nothing is
 * granted, and what a request of before gives back is not in the count. The same of a copy that is gone (flushed, evicted)
 * or that a promoted replica has, which may be behind: from when that is first seen nothing is granted for as long, unless
 * the ledger is empty, as a new account's is. So nothing that befalls Redis lets an account have more than its allowance.
 *
 * A command that was not answered may have run, or run yet. So every change of a count has an id of its own, and leaves a mark
 * with it: what is sent again counts once, and a reservation whose answer did not come is called off, before or after it runs.
 */
import { randomUUID } from 'node:crypto';
import { RESERVATION_TTL_MS } from '../../account/reservation.ts';
import { Rejection } from '../../errors.ts';
import { type Timeouts, timeoutsOf } from '../timeouts.ts';
import { LASTING_MS, lasting } from '../lasting.ts';
import type { AllowanceStore, ReserveResult, UsageStore } from '../ports.ts';
import { keyOf, type RedisConnection, type Script } from './connection.ts';

/** A timer may be late. */
const SLACK_MS = 200;
/** How long a request of before may still write its rows: it is `confirm`ed late, and then writes for as long as it may. */
const overMs = ({ questionMs }: Timeouts): number => RESERVATION_TTL_MS + questionMs + SLACK_MS;
/** From when on a server's count is trusted. One that says n seconds has been up for more than n - 1. */
const settledSecondsOf = (timeouts: Timeouts): number => Math.ceil(overMs(timeouts) / 1000) + 1;
/** The same with the default of STORE_TIMEOUT_MS. */
export const SETTLED_SECONDS = settledSecondsOf(timeoutsOf());
/** Longer than any client waits before it asks again: what was noticed is not noticed anew. */
const NOTICED_MS = 3_600_000;
/** Marks are of use as long as something is sent again. */
const MARKED_MS = LASTING_MS;
/** Longer than the longest period, which is a year's: rows of requests under way would go with it. A period's hash is made anew from the ledger when it is missed. */
const KEPT_SECONDS = 400 * 24 * 3600;

const RUN = `
  local info = redis.call('INFO', 'server')
  local run = string.match(info, 'run_id:(%w+)')`;

/**
 * Sets isOver when nobody can write rows any more that were in a count which is lost. That of a server which was merely
 * restarted is there: its uptime says it. One that was never promoted has no second replication id.
 */
const NOTICE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local seenIn, seenAt = string.match(redis.call('GET', KEYS[3]) or '', '(%w+) (%d+)')
  if seenIn ~= run then
    redis.call('SET', KEYS[3], string.format('%s %.0f', run, now), 'PX', ARGV[6])
    seenAt = now
  end
  local wasRestarted = held[1] and string.match(redis.call('INFO', 'replication'), 'master_replid2:0+%s')
  isOver = wasRestarted or now - seenAt >= tonumber(ARGV[7])`;

/** `made` is the id of the count: one that was lost and made anew is another. */
const RESERVE: Script = {
  name: 'sluiceAllowanceReserve',
  keys: 3,
  lua: `${RUN}
    local held = redis.call('HMGET', KEYS[1], 'run', ARGV[1], 'made')
    if held[1] ~= run or not held[2] or not held[3] then
      local isOver = held[1] == run
      if not isOver then ${NOTICE} end
      local isUp = tonumber(string.match(info, 'uptime_in_seconds:(%d+)')) >= tonumber(ARGV[4])
      return { isUp and (isOver and 'UNKNOWN' or 'LOST') or 'SETTLING', run }
    end
    if tonumber(held[2]) + tonumber(ARGV[2]) > tonumber(ARGV[3]) then return { 'REFUSED', 0 } end
    local mark = held[3] .. ' ' .. ARGV[2]
    if ARGV[2] ~= '0' and not redis.call('SET', KEYS[2], mark, 'NX', 'PX', ARGV[5]) then return { 'CALLED OFF', 0 } end
    return { 'GRANTED', redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]), held[3] }`,
};

/**
 * Only in the run for which the ledger was read, and once in it: a period that is there has been counted on since. Not if the
 * count was lost, without being noticed yet, since the ledger was read.
 */
const FILL: Script = {
  name: 'sluiceAllowanceFill',
  keys: 2,
  lua: `${RUN}
    if run ~= ARGV[4] then return 0 end
    if redis.call('HGET', KEYS[1], 'run') ~= run then
      if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
      redis.call('DEL', KEYS[1])
      redis.call('HSET', KEYS[1], 'run', run)
    end
    redis.call('DEL', KEYS[2])
    redis.call('HSETNX', KEYS[1], 'made', ARGV[5])
    redis.call('EXPIRE', KEYS[1], ARGV[3])
    return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])`,
};

/** Rows that were reserved in another count are not in this one. */
const GIVE_BACK = `${RUN}
  local function giveBack(rows, reservedIn)
    local held = redis.call('HMGET', KEYS[1], 'run', ARGV[1], 'made')
    if held[3] ~= reservedIn or held[1] ~= run or not held[2] then return 0 end
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
    local reservedIn, rows = string.match(mark, '(%S+) (%d+)')
    return giveBack(rows, reservedIn)`,
};

type Call = ReturnType<RedisConnection['script']>;
/** With GRANTED the rows counted and the count's id, with UNKNOWN, LOST and SETTLING the run. */
type Reserved = [said: Buffer, value: Buffer | number, made?: Buffer];

export class RedisAllowance implements AllowanceStore {
  readonly #ledger: UsageStore;
  readonly #connection: RedisConnection;
  readonly #settledSeconds: number;
  readonly #overMs: number;
  readonly #reserve: Call;
  readonly #fill: Call;
  readonly #release: Call;
  readonly #callOff: Call;

  /** `ledger` is where the truth is; `settledSeconds` is less where nobody was there before. */
  constructor(
    connection: RedisConnection,
    ledger: UsageStore,
    settledSeconds = settledSecondsOf(connection.timeouts),
  ) {
    this.#ledger = ledger;
    this.#connection = connection;
    this.#settledSeconds = settledSeconds;
    this.#overMs = overMs(connection.timeouts);
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
  ): Promise<ReserveResult | null> {
    const ask = () => this.#reserveOnce(account, periodStart, rows, allowance);
    let [said, value, made] = await ask();
    if (['UNKNOWN', 'LOST'].includes(String(said))) {
      await this.#fillFrom(account, periodStart, value as Buffer, String(said) === 'LOST');
      [said, value, made] = await ask();
    }
    switch (String(said)) {
      case 'GRANTED':
        return { left: allowance - Number(value), count: String(made) };
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

  /** Throws SERVICE_UNAVAILABLE while the server has been up for too short a time to grant rows. */
  async checkSettled(): Promise<void> {
    if ((await this.#connection.uptimeSeconds()) >= this.#settledSeconds) return;
    const why = `Redis has just started: rows are granted from ${this.#settledSeconds} s after its start on`;
    throw Object.assign(unsettled(), { cause: new Error(why) });
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
      const values = [
        periodStart,
        rows,
        allowance,
        this.#settledSeconds,
        MARKED_MS,
        NOTICED_MS,
        this.#overMs,
      ];
      return (await this.#reserve([...keys, noticeOf(account)], values)) as Reserved;
    } catch (error) {
      void lasting(() => this.#callOff(keys, [periodStart, MARKED_MS])).catch(() => {});
      throw error;
    }
  }

  async #fillFrom(account: string, periodStart: number, run: Buffer, isLost: boolean): Promise<void> {
    const { rows } = await this.#ledger.usage(account, periodStart);
    if (isLost && rows > 0) throw unsettled();
    const values = [periodStart, rows, KEPT_SECONDS, run, randomUUID()];
    await this.#fill([keyOf('allowance', account), noticeOf(account)], values);
  }
}

/** The account's counts, and the mark of one change of them. */
const keysOf = (account: string, id: string): string[] => [
  keyOf('allowance', account),
  keyOf('allowance', account, id),
];

/** Where stands when it was noticed that the counts are lost. */
const noticeOf = (account: string): string => keyOf('allowance', account, 'lost');

const unsettled = () =>
  new Rejection(
    'SERVICE_UNAVAILABLE',
    'the store of allowances has lost its counts and is being made whole: send the request again',
    { 'Retry-After': '1' },
  );
