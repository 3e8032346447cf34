import { expect, jest, test } from 'bun:test';
import { withTimeout } from '../../src/time/with-timeout.ts';

const LATE = new Error('late');
const late = () => LATE;

test('work that ends in time gives its result or its error, and leaves no timer', async () => {
  jest.useFakeTimers();
  try {
    const failed = new Error('failed');
    expect(await withTimeout(Promise.resolve(1), 1000, late)).toBe(1);
    await expect(withTimeout(Promise.reject(failed), 1000, late)).rejects.toBe(failed);
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

// Bun fails a test that leaves a rejection without a handler.
test('work that takes too long gives the error of the caller, and may fail later', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await expect(withTimeout(promise, 1, late)).rejects.toBe(LATE);
  reject(new Error('failed'));
  await Bun.sleep(1);
});
