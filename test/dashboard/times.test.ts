/** Texts of the service as the pages show them. */
import { expect, test } from 'bun:test';
import { ago, dateTime, withLocalTimes } from '../../src/dashboard/times.ts';

test('date-times in a text are shown as people read them, and other texts stay as they are', () => {
  const iso = '2026-11-23T13:03:02.959Z';
  expect(withLocalTimes(`A new normal since ${iso}, 3 batches`)).toBe(
    `A new normal since ${dateTime(iso)}, 3 batches`,
  );
  const odd = "Unusual mean of '9999-99-99T99:99:99Z': 2";
  expect(withLocalTimes(odd)).toBe(odd);
});

test('the age of a batch is counted in whole units, not in days of the calendar', () => {
  const now = Date.parse('2026-11-26T09:00:00Z');
  expect(ago('2026-11-24T22:00:00Z', now)).toBe('1 day ago');
  expect(ago('2026-11-25T09:00:01Z', now)).toBe('23 hours ago');
  expect(ago('2026-11-26T08:00:01Z', now)).toBe('59 minutes ago');
  expect(ago('2026-11-26T08:59:01Z', now)).toBe('just now');
});
