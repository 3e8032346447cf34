import { describe, expect, test } from 'bun:test';
import { MAX_CHANNELS } from '../../src/alerts/channel.ts';
import {
  choose,
  MAX_ATTEMPTS,
  MAX_RETRYING,
  MAX_SENDING,
  MAX_SENDING_OF_ACCOUNT,
  pauseAfter,
} from '../../src/alerts/schedule.ts';

const HOUR_MS = 3_600_000;

describe('the pauses', () => {
  const pauses = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, i) => pauseAfter(i + 1, 0)!);

  test('grow, and are together a day', () => {
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    const sum = pauses.reduce((a, b) => a + b);
    expect(sum).toBeGreaterThan(23 * HOUR_MS);
    expect(sum).toBeLessThan(25 * HOUR_MS);
    expect(pauses[0]).toBe(5000);
  });

  test('end with the last attempt', () => {
    expect(pauseAfter(MAX_ATTEMPTS, 0)).toBeNull();
  });

  test('differ by a tenth at most', () => {
    expect(pauseAfter(1, 1)).toBe(5500);
  });
});

describe('what is sent at once', () => {
  const due = (number: number, channel: number, account: number, attempts = 0) => ({
    attempts,
    id: `msg_${number}`,
    channel: `chn_${channel}`,
    account: `acc_${account}`,
  });
  const ids = (chosen: { id: string }[]) => chosen.map(({ id }) => Number(id.slice(4)));

  test('is one message of a channel, the longest due first', () => {
    expect(ids(choose([due(1, 1, 1), due(2, 1, 1), due(3, 2, 1)], []))).toEqual([1, 3]);
    expect(ids(choose([due(2, 1, 1)], [due(1, 1, 1)]))).toEqual([]);
  });

  test('is a part for each account, so that receivers that hang delay only their own', () => {
    const ofOne = Array.from({ length: 9 }, (_, n) => due(n, n, 1));
    expect(choose([...ofOne, due(99, 99, 2)], [])).toHaveLength(MAX_SENDING_OF_ACCOUNT + 1);
  });

  /** One message after the other is begun, as places are: `count` accounts that have `channels` which all hang. */
  const hanging = (count: number, channels: number, attempts = 0) => {
    const all = Array.from({ length: count * channels }, (_, n) =>
      due(n, n, Math.floor(n / channels), attempts),
    );
    return choose(all, []);
  };

  test.each([
    ['first attempts', 0, 39],
    ['attempts that are made again', 1, 19],
  ])('leaves a place to an account that has none: %s', (_, attempts, most) => {
    const late = due(9999, 9999, 9999, attempts);
    for (let count = 1; count <= most; count++)
      expect(choose([late], hanging(count, MAX_CHANNELS, attempts))).toEqual([late]);
    expect(choose([late], hanging(most + 1, MAX_CHANNELS, attempts))).toEqual([]);
  });

  test('is bounded for the process', () => {
    const many = Array.from({ length: 99 }, (_, n) => due(n, n, n));
    expect(choose(many, [])).toHaveLength(MAX_SENDING);
    expect(choose(many.slice(50), many.slice(0, MAX_SENDING - 1))).toHaveLength(1);
  });

  test('leaves room for first attempts beside those that are made again', () => {
    const retried = Array.from({ length: 99 }, (_, n) => due(n, n, n, 1));
    const first = Array.from({ length: 99 }, (_, n) => due(100 + n, 100 + n, 100 + n));
    expect(choose(retried, [])).toHaveLength(MAX_RETRYING);
    expect(choose([...retried, ...first], [])).toHaveLength(MAX_SENDING);
  });
});
