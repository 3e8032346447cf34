import { expect, test } from 'bun:test';
import { restartDelayMs } from '../src/supervise.ts';

test('a worker that served is replaced at once; repeated early deaths double the delay, up to 30 seconds', () => {
  const delays = Array.from({ length: 100 }, (_, deaths) => restartDelayMs(deaths));
  expect(delays.slice(0, 4)).toEqual([100, 200, 400, 800]);
  expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
  expect(Math.max(...delays)).toBe(30_000);
});
