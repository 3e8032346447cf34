/** What a tiny run must look like: every number in it a measured one. */
import { expect } from 'bun:test';

/** Every number anywhere in `value` is finite and above 0; how many there are. */
export function expectPositive(value: unknown): number {
  if (typeof value === 'number') {
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThan(Number.POSITIVE_INFINITY);
    return 1;
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((count, inner) => count + expectPositive(inner), 0);
}
