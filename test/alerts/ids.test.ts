import { describe, expect, test } from 'bun:test';
import { alertIds, isAlertId } from '../../src/alerts/ids.ts';
import { timeOf } from '../../src/names/request-id.ts';

const NOW = 1_790_000_000_000;
const noise = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
const timeIn = (id: string) => timeOf(id.replace(/^.{4}/, 'req_'));

describe('ids of one process', () => {
  test('sort in the order in which they are made, also within a millisecond and of different kinds', () => {
    const newId = alertIds(() => NOW, noise);
    const ids = Array.from({ length: 5000 }, (_, n) => newId(n % 2 ? 'inc' : 'msg'));
    const numbers = ids.map(id => id.slice(4));
    expect(numbers).toEqual([...new Set(numbers)].sort());
    expect(ids.every((id, n) => isAlertId(n % 2 ? 'inc' : 'msg', id))).toBe(true);
    expect(new Set(ids.map(timeIn))).toEqual(new Set([NOW]));
  });

  test('keep their order when the clock is set back, and have its time again once it has caught up', () => {
    const times = [NOW, NOW - 3_600_000, NOW - 1, NOW + 1];
    const newId = alertIds(() => times.shift()!, noise);
    const ids = Array.from({ length: 4 }, () => newId('msg'));
    expect(ids).toEqual(ids.toSorted());
    expect(ids.map(timeIn)).toEqual([NOW, NOW, NOW, NOW + 1]);
  });

  test('go on with the next millisecond after the greatest of one', () => {
    const newId = alertIds(
      () => NOW,
      bytes => new Uint8Array(bytes).fill(255),
    );
    const [first, second, third] = [newId('msg'), newId('msg'), newId('msg')];
    expect(first.slice(-16)).toBe('Z'.repeat(16));
    expect([second, third].map(id => [timeIn(id) - NOW, id.slice(-16)])).toEqual([
      [1, '0'.repeat(16)],
      [1, `${'0'.repeat(15)}1`],
    ]);
  });

  test('are those of the time and random bytes that are given', () => {
    const newId = alertIds(
      () => NOW,
      bytes => new Uint8Array(bytes),
    );
    expect([timeIn(newId('chn')), newId('chn').slice(-16)]).toEqual([NOW, `${'0'.repeat(15)}1`]);
  });
});
