/** Texts of the service as the pages show them. */
import { expect, test } from 'bun:test';
import { dateTime, withLocalTimes } from '../../src/dashboard/times.ts';

test('date-times in a text are shown as people read them, and other texts stay as they are', () => {
  const iso = '2026-11-23T13:03:02.959Z';
  expect(withLocalTimes(`A new normal since ${iso}, 3 batches`)).toBe(
    `A new normal since ${dateTime(iso)}, 3 batches`,
  );
  const odd = "Unusual mean of '9999-99-99T99:99:99Z': 2";
  expect(withLocalTimes(odd)).toBe(odd);
});
