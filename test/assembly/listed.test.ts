import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ENUM_BYTES, ESCAPED_BIT, MAX_ENUM, MAX_ROWS } from '../../assembly/abi.ts';
import '../property/seed.ts';
import { buffer, exports, start } from './statistics.ts';

interface Listed {
  hash: bigint;
  offset: number;
  length: number;
  count: number;
}

const texts = start + MAX_ROWS * 8;
const known = texts + MAX_ROWS * 8;
const out = known + exports.MAX_TEXTS.value * 8;
const scratch = out + exports.MAX_TEXTS.value * ENUM_BYTES;
const scratchEnd = scratch + exports.TEXTS_SCRATCH_BYTES.value;
const GUARD = 0x5a;

const offsetOf = (i: number): number => 1000 + 10 * i;
const lengthOf = (i: number): number => (i % 3 ? i : i + 2 ** ESCAPED_BIT);

/** A hash represents its string. Each string has its own offset, which shows the first occurrence. */
function place(hashes: bigint[]): void {
  new Uint8Array(buffer, start).fill(GUARD);
  new BigUint64Array(buffer, start).set(hashes);
  new Uint32Array(buffer, texts).set(hashes.flatMap((_, i) => [offsetOf(i), lengthOf(i)]));
}

function entries(count: number): Listed[] {
  expect(new Uint8Array(buffer, scratchEnd, 256).every(byte => byte === GUARD)).toBe(true);
  return Array.from({ length: count }, (_, i) => {
    const entry = new DataView(buffer, out + i * ENUM_BYTES, ENUM_BYTES);
    return {
      hash: entry.getBigUint64(0, true),
      offset: entry.getUint32(8, true),
      length: entry.getUint32(12, true),
      count: entry.getUint32(16, true),
    };
  });
}

function listed(hashes: bigint[], limit: number): Listed[] {
  place(hashes);
  return entries(exports.listTexts(start, texts, hashes.length, limit, scratch, out));
}

function unseen(hashes: bigint[], seen: bigint[], limit: number): { rows: number; entries: Listed[] } {
  place(hashes);
  new BigUint64Array(buffer, known).set(seen);
  const rows = exports.unseenTexts(start, texts, hashes.length, known, seen.length, limit, scratch, out);
  return { rows, entries: entries(exports.unseenListed.value) };
}

function firstSights(hashes: bigint[]): Listed[] {
  const found = new Map<bigint, Listed>();
  hashes.forEach((hash, i) => {
    const before = found.get(hash);
    if (before) before.count++;
    else found.set(hash, { hash, offset: offsetOf(i), length: lengthOf(i), count: 1 });
  });
  return [...found.values()];
}

/** Few hashes, so that they repeat. Zero is a hash like any other. */
const someHashes = (maxLength: number) =>
  fc.array(
    fc.oneof(
      fc.bigInt({ min: 0n, max: 40n }),
      fc.bigInt({ min: 0n, max: 20n }).map(x => x << 58n),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    ),
    { minLength: 1, maxLength },
  );

describe('listTexts', () => {
  test('lists the distinct strings in order of first occurrence, or none when there are too many', () => {
    fc.assert(
      fc.property(someHashes(200), fc.nat(MAX_ENUM), (hashes, limit) => {
        const expected = firstSights(hashes);
        expect(listed(hashes, limit)).toEqual(expected.length <= limit ? expected : []);
      }),
    );
  });

  test('lists exactly as many as the limit, and not one more', () => {
    const hashes = Array.from(
      { length: MAX_ROWS },
      (_, i) => (BigInt(i % MAX_ENUM) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn,
    );
    expect(listed(hashes, MAX_ENUM)).toEqual(firstSights(hashes));
    expect(listed([...hashes.slice(1), 3n], MAX_ENUM)).toEqual([]);
  });

  test('serves the largest limit', () => {
    const limit = exports.MAX_TEXTS.value;
    const hashes = Array.from({ length: limit }, (_, i) => BigInt(i) << 20n);
    expect(listed(hashes, limit)).toEqual(firstSights(hashes));
  });
});

describe('unseenTexts', () => {
  test('counts all strings that are not known and lists the first of them', () => {
    fc.assert(
      fc.property(someHashes(200), someHashes(MAX_ENUM), fc.nat(20), (hashes, seen, limit) => {
        const strange = hashes.filter(hash => !seen.includes(hash));
        const first = firstSights(hashes).filter(entry => !seen.includes(entry.hash));
        expect(unseen(hashes, seen, limit)).toEqual({ rows: strange.length, entries: first.slice(0, limit) });
      }),
    );
  });

  test('all strings are unseen when none is known', () => {
    expect(unseen([5n, 5n, 0n], [], 1)).toEqual({
      rows: 3,
      entries: [{ hash: 5n, offset: offsetOf(0), length: lengthOf(0), count: 2 }],
    });
  });

  test('serves the largest number of known strings', () => {
    const seen = Array.from({ length: exports.MAX_TEXTS.value - 20 }, (_, i) => BigInt(i) << 20n);
    expect(unseen([...seen, 1n, 2n, 1n], seen, 20)).toEqual({
      rows: 3,
      entries: firstSights([...seen, 1n, 2n, 1n]).slice(seen.length),
    });
  });
});
