/** What a tiny run must look like: every number in it a measured one. */
import { expect } from 'bun:test';

/** Every number anywhere in `value` is finite and above 0; how many there are. `place`: where `value` is, for a failure. */
export function expectPositive(value: unknown, place = 'the result'): number {
  if (typeof value === 'number') {
    expect(value, place).toBeGreaterThan(0);
    expect(value, place).toBeLessThan(Number.POSITIVE_INFINITY);
    return 1;
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (count, [name, inner]) => count + expectPositive(inner, `${place}.${name}`),
    0,
  );
}
