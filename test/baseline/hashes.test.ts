import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { hasAll } from '../../src/baseline/hashes.ts';

/** Few high and few low words, so that hashes often share one of them and not the other. */
const hash = fc.oneof(
  fc.tuple(fc.nat(3), fc.nat(3)).map(([high, low]) => (BigInt(high) << 32n) | BigInt(low)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const hashes = fc.uniqueArray(hash, { maxLength: 12 }).map(list => BigUint64Array.from(list).sort());

test('hasAll is true if each hash is among the others', () => {
  fc.assert(
    fc.property(hashes, hashes, fc.boolean(), (all, others, within) => {
      const some = within ? all.filter((_, i) => i % 2 === 0) : others;
      expect(hasAll(all, some)).toBe([...some].every(each => all.includes(each)));
    }),
  );
});
