/** Request rates across all replicas: the algorithm of `rates.ts` in a script with the server's clock. */
import type { Rate, RateDecision, RateStore } from '../ports.ts';
import { decisionOf, limitsOf } from '../rates.ts';
import { keyOf, type RedisConnection } from './connection.ts';

const TAKE = `
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
  local interval, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
  local tat = tonumber(redis.call('GET', KEYS[1]) or 0)
  local due = math.min(math.max(tat, now), now + tolerance)
  local next = due + interval
  if tat > due then redis.call('SET', KEYS[1], string.format('%.3f', due), 'PX', math.ceil(due - now)) end
  if next > now + tolerance then return { 0, string.format('%.3f', due - now) } end
  redis.call('SET', KEYS[1], string.format('%.3f', next), 'PX', math.ceil(next - now))
  return { 1, string.format('%.3f', next - now) }`;

export class RedisRates implements RateStore {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** Uses the server's clock, because the clocks of replicas may differ by more than a burst. */
  async take(account: string, rate: Rate): Promise<RateDecision> {
    const { intervalMs, toleranceMs } = limitsOf(rate);
    const answer = await this.#connection.run(TAKE, [keyOf('rate', account)], [intervalMs, toleranceMs]);
    const [allowed, aheadMs] = answer as [number, Buffer];
    return decisionOf(rate, allowed === 1, Number(aheadMs));
  }
}
