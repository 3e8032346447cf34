/**
 * Counts rows against the allowance in Redis: one hash for each account, with a field for each period.
 *
 * The ledger in SQL is the truth. Redis holds a copy of it plus the rows of requests in progress. The copy is valid for
 * one run of the Redis server: after a restart the last counts may be lost, so the copy is filled again from the ledger.
 * Requests with older reservations may still write to the ledger: a request starts to write at most RESERVATION_TTL_MS
 * after it reserved (`account/reservation.ts`), and writes for at most `questionMs`. Until the server has been up longer than
 * that, nothing is reserved, and rows that older requests release are not in the count. The same holds if the copy is
 * gone (flushed, evicted) or comes from a promoted replica, which may be behind: for the same time after the loss is
 * first seen nothing is reserved, unless the ledger is empty, as for a new account. So no failure of Redis lets an account
 * exceed its allowance.
 *
 * A command without an answer may have run, or may run later. So every change has its own id and stores a marker under
 * it: a command that is sent again counts once, and a reservation without an answer is cancelled, before or after it runs.
 */
import { randomUUID } from 'node:crypto';
import { Rejection } from '../../terms/errors.ts';
import { type Timeouts, timeoutsOf } from '../timeouts.ts';
import { RETRY_FOR_MS, retryInBackground } from '../../time/background-retry.ts';
import { type AllowanceStore, RESERVATION_TTL_MS, type ReserveResult, type UsageStore } from '../ports.ts';
import { keyOf, type RedisConnection } from './connection.ts';

/** Timers may be late. */
const SLACK_MS = 200;
/** Time until no older request can write its rows. */
const overMs = ({ questionMs }: Timeouts): number => RESERVATION_TTL_MS + questionMs + SLACK_MS;
/** Uptime from which a server's count is trusted. A server that reports n seconds has been up for more than n - 1. */
const settledSecondsOf = (timeouts: Timeouts): number => Math.ceil(overMs(timeouts) / 1000) + 1;
/** The same for the default of STORE_TIMEOUT_MS. */
export const SETTLED_SECONDS = settledSecondsOf(timeoutsOf());
/** How long a noticed loss is remembered: longer than clients wait between retries. */
const NOTICED_MS = 3_600_000;
/** Markers are needed as long as commands are retried. */
const MARKED_MS = RETRY_FOR_MS;
/** Longer than the longest period of one year, so that rows of requests in progress do not expire. A missing hash is filled from the ledger. */
const KEPT_SECONDS = 400 * 24 * 3600;

const RUN = `
  local info = redis.call('INFO', 'server')
  local run = string.match(info, 'run_id:(%w+)')`;

/**
 * Sets isOver if no request can still write rows of a lost count. After a mere restart the uptime tells this; a server that
 * was never promoted has no second replication id.
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

/** `made` is the id of the counter. A rebuilt counter has another id. */
const RESERVE = `${RUN}
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
  return { 'GRANTED', redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]), held[3] }`;

/**
 * Fills a period once, and only in the server run for which the ledger was read: an existing period has counted rows since.
 * Does nothing if the count was lost after the ledger was read and the loss is not recorded yet.
 */
const FILL = `${RUN}
  if run ~= ARGV[4] then return 0 end
  if redis.call('HGET', KEYS[1], 'run') ~= run then
    if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], 'run', run)
  end
  redis.call('DEL', KEYS[2])
  redis.call('HSETNX', KEYS[1], 'made', ARGV[5])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])`;

/** Subtracts rows only if they were reserved in this counter. */
const GIVE_BACK = `${RUN}
  local function giveBack(rows, reservedIn)
  local held = redis.call('HMGET', KEYS[1], 'run', ARGV[1], 'made')
  if held[3] ~= reservedIn or held[1] ~= run or not held[2] then return 0 end
  return redis.call('HINCRBY', KEYS[1], ARGV[1], -math.min(tonumber(held[2]), tonumber(rows)))
  end`;

const RELEASE = `${GIVE_BACK}
  if not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[4]) then return 0 end
  return giveBack(ARGV[2], ARGV[3])`;

/** Leaves a marker for a reservation that runs later. */
const CALL_OFF = `${GIVE_BACK}
  local mark = redis.call('GET', KEYS[2])
  redis.call('SET', KEYS[2], '', 'PX', ARGV[2])
  if not mark or mark == '' then return 0 end
  local reservedIn, rows = string.match(mark, '(%S+) (%d+)')
  return giveBack(rows, reservedIn)`;

/** For GRANTED the rows counted and the counter's id; for UNKNOWN, LOST and SETTLING the server's run id. */
type Reserved = [status: Buffer, value: Buffer | number, made?: Buffer];

export class RedisAllowance implements AllowanceStore {
  readonly #ledger: UsageStore;
  readonly #connection: RedisConnection;
  readonly #settledSeconds: number;
  readonly #overMs: number;

  /** `ledger`: the truth. `settledSeconds`: tests set less. */
  constructor(
    connection: RedisConnection,
    ledger: UsageStore,
    settledSeconds = settledSecondsOf(connection.timeouts),
  ) {
    this.#ledger = ledger;
    this.#connection = connection;
    this.#settledSeconds = settledSeconds;
    this.#overMs = overMs(connection.timeouts);
  }

  async reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<ReserveResult | null> {
    const ask = () => this.#reserveOnce(account, periodStart, rows, allowance);
    let [status, value, made] = await ask();
    if (['UNKNOWN', 'LOST'].includes(String(status))) {
      await this.#fillFrom(account, periodStart, value as Buffer, String(status) === 'LOST');
      [status, value, made] = await ask();
    }
    switch (String(status)) {
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
    await retryInBackground(() => this.#connection.run(RELEASE, keys, [periodStart, rows, count, MARKED_MS]));
  }

  /** Throws SERVICE_UNAVAILABLE if the server has started too recently to grant rows. */
  async checkSettled(): Promise<void> {
    if ((await this.#connection.uptimeSeconds()) >= this.#settledSeconds) return;
    const why = `Redis has just started: rows are granted when it has been up for ${this.#settledSeconds} s`;
    throw Object.assign(unsettled(), { cause: new Error(why) });
  }

  async counted(account: string, periodStart: number): Promise<number> {
    // Reserves 0 rows with an unlimited allowance: the difference to what is left is the count.
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
      return (await this.#connection.run(RESERVE, [...keys, noticeOf(account)], values)) as Reserved;
    } catch (error) {
      void retryInBackground(() => this.#connection.run(CALL_OFF, keys, [periodStart, MARKED_MS])).catch(
        () => {},
      );
      throw error;
    }
  }

  async #fillFrom(account: string, periodStart: number, run: Buffer, isLost: boolean): Promise<void> {
    const { rows } = await this.#ledger.usage(account, periodStart);
    // Asking again tells whether another request has filled it meanwhile.
    if (isLost && rows > 0) return;
    const values = [periodStart, rows, KEPT_SECONDS, run, randomUUID()];
    await this.#connection.run(FILL, [keyOf('allowance', account), noticeOf(account)], values);
  }
}

/** The keys of the account's counter and of the marker of one change. */
const keysOf = (account: string, id: string): string[] => [
  keyOf('allowance', account),
  keyOf('allowance', account, id),
];

/** The key that records when a loss was noticed. */
const noticeOf = (account: string): string => keyOf('allowance', account, 'lost');

const unsettled = () =>
  new Rejection(
    'SERVICE_UNAVAILABLE',
    'The store of allowances is recovering its counts: send the request again',
    { 'Retry-After': '1' },
  );
