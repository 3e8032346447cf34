/** The data of the charts. */
import { describe, expect, test } from 'bun:test';
import type { Batch } from '../../src/dashboard/contract.ts';
import { heatRows, SHADES, shadeOf } from '../../src/dashboard/heat.ts';
import { DAY, timeLine } from '../../src/dashboard/time-line.ts';
import { ago } from '../../src/dashboard/times.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21, 12);

const batchOf = (null_rates: Record<string, number>): Batch => ({ null_rates }) as Batch;

describe('verdicts over time', () => {
  test('are in days that begin at midnight of the reader, and cover the time', () => {
    const { from, width, count } = timeLine(NOW - 30 * DAY, NOW);
    expect([width, count]).toEqual([DAY, 31]);
    expect(new Date(from).getHours()).toBe(0);
    expect(from).toBeLessThanOrEqual(NOW - 30 * DAY);
    expect(from + count * width).toBeGreaterThan(NOW);
  });

  test.each([1, 60, 24 * 7, 24 * 30, 24 * 365])('%d hours have few enough spans', hours => {
    const { count } = timeLine(NOW - hours * HOUR, NOW);
    expect(count).toBeWithin(4, 47);
  });
});

describe('the heat map', () => {
  test('has the field that changed most first, and gaps where a batch lacks a field', () => {
    const rows = heatRows([
      batchOf({ still: 0.5, moved: 0 }),
      batchOf({ still: 0.5, moved: 0.9, added: 0.1 }),
    ]);
    expect(rows).toEqual([
      { name: 'moved', rates: [0, 0.9] },
      { name: 'still', rates: [0.5, 0.5] },
      { name: 'added', rates: [null, 0.1] },
    ]);
  });

  test('accepts names of Object.prototype', () => {
    const rows = heatRows([batchOf(JSON.parse('{"__proto__":0.5}')), batchOf({ constructor: 1 as never })]);
    expect(rows.map(({ name }) => name).sort()).toEqual(['__proto__', 'constructor']);
  });

  test('shades grow with the rate, and only 0 has the first', () => {
    const shades = Array.from({ length: 1001 }, (_, i) => shadeOf(i / 1000));
    expect(shades).toEqual(shades.toSorted((a, b) => a - b));
    expect([shades[0], shades[1], shades.at(-1)]).toEqual([0, 1, SHADES - 1]);
  });
});

test('a time is relative to now', () => {
  const before = (ms: number) => ago(new Date(NOW - ms).toISOString(), NOW);
  expect([1_000, 5 * 60_000, HOUR, 48 * HOUR].map(before)).toEqual([
    'just now',
    '5 minutes ago',
    '1 hour ago',
    '2 days ago',
  ]);
});
