import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { faultOfDate } from '../../src/signs/dates.ts';

test.each([
  ['2026-02-30', 'impossible'],
  ['2026-02-30T10:00:00Z', 'impossible'],
  ['2026-13-05', 'impossible'],
  ['2026-00-10', 'impossible'],
  ['2025-02-29', 'impossible'],
  ['1900-02-29', 'impossible'],
  ['2026/4/31', 'impossible'],
  ['31/04/2026', 'impossible'],
  ['04/31/2026', 'impossible'],
  ['30.02.2026', 'impossible'],
  ['13/13/2026', 'impossible'],
  ['0000-00-00', 'zero'],
  ['0000-00-00 00:00:00', 'zero'],
  ['00/00/0000', 'zero'],
  ['20260230', 'compact'],
  ['19990000', 'compact'],
  ['20240229', null],
  ['30000230', null],
  ['202602301', null],
  ['2024-02-29', null],
  ['2000-02-29', null],
  ['31/12/2026', null],
  ['12/31/2026', null],
  ['2026-02-03 lunch', null],
  ['10-10', null],
  ['2026-01/02', null],
  ['1.2.3.4', null],
] as const)('%s: %p', (text, fault) => {
  expect(faultOfDate(text)).toBe(fault);
});

test('a day of the calendar is right in any order, and the day after the last of a month is not', () => {
  const parts = fc.tuple(fc.integer({ min: 1583, max: 9999 }), fc.integer({ min: 1, max: 12 }));
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 31 }), ([year, month], day) => {
      const at = new Date(Date.UTC(year, month - 1, day));
      const exists = at.getUTCMonth() === month - 1;
      const two = (n: number) => String(n).padStart(2, '0');
      const expected = exists ? null : 'impossible';
      expect(faultOfDate(`${year}-${two(month)}-${two(day)}`)).toBe(expected);
      expect(faultOfDate(`${two(day)}/${two(month)}/${year}`)).toBe(expected);
      expect(faultOfDate(`${month}/${day}/${year}`)).toBe(expected);
    }),
  );
});
