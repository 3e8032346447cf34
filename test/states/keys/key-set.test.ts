/** Rows with the same key, over slices of any length in any order, against a Map of all rows. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import '../../property/seed.ts';
import { KeySet, type KeySetOptions } from '../../../src/states/keys/key-set.ts';
import type { Repeats } from '../../../src/states/keys/repeats.ts';
import type { SliceKeys } from '../../../src/engine/row-keys.ts';

/** A slice: the key of each of its rows; null: the row takes no part. */
interface Slice {
  part: number;
  firstRow: number;
  keys: readonly (bigint | null)[];
}

function sliceKeys(keys: Slice['keys']): SliceKeys {
  const taking = keys.flatMap((key, row) => (key === null ? [] : [{ key, row }]));
  return {
    keys: BigUint64Array.from(taking, ({ key }) => key),
    rows: Uint16Array.from(taking, ({ row }) => row),
    unsettled: null,
  };
}

/** Few bytes, so that some entries spill at once, and partitions are divided. */
const LITTLE: KeySetOptions = { kind: 'values', memoryBytes: 1024 };

const isText = (): boolean => true;

function found(slices: readonly Slice[], options: KeySetOptions): Repeats {
  const set = new KeySet(options);
  try {
    for (const { part, firstRow, keys } of slices) set.add(sliceKeys(keys), part, firstRow);
    return set.finish(isText);
  } finally {
    set.close();
  }
}

interface Expected {
  rows: number;
  repeating: { part: number; row: number }[];
  sharing: { part: number; row: number }[];
}

function expected(slices: readonly Slice[]): Expected {
  const rows = slices
    .flatMap(({ part, firstRow, keys }) => keys.map((key, i) => ({ part, row: firstRow + i, key })))
    .filter(({ key }) => key !== null)
    .sort((a, b) => a.part - b.part || a.row - b.row);
  const groups = Map.groupBy(rows, ({ key }) => key);
  const place = ({ part, row }: { part: number; row: number }) => ({ part, row });
  return {
    rows: rows.length,
    repeating: rows.filter(each => groups.get(each.key)![0] !== each).map(place),
    sharing: rows.filter(each => groups.get(each.key)!.length > 1).map(place),
  };
}

function expectFound(got: Repeats, slices: readonly Slice[]): void {
  const { rows, repeating, sharing } = expected(slices);
  expect([got.rows, got.repeating, got.sharing]).toEqual([rows, repeating.length, sharing.length]);
  expect(got.firstRepeating(Number.POSITIVE_INFINITY)).toEqual(repeating);
  expect(got.firstSharing(Number.POSITIVE_INFINITY)).toEqual(sharing);
  expect(got.firstRepeating(3)).toEqual(repeating.slice(0, 3));
  for (const { part, firstRow, keys } of slices) {
    const within = (places: Expected['sharing']) =>
      places
        .filter(each => each.part === part && each.row >= firstRow && each.row < firstRow + keys.length)
        .map(({ row }) => row - firstRow);
    expect(got.repeatingIn(part, firstRow, keys.length)).toEqual(within(repeating));
    expect(got.sharingIn(part, firstRow, keys.length)).toEqual(within(sharing));
  }
}

/** Of few values, so that they repeat, or of any. */
const key = fc.oneof(fc.bigInt({ min: 0n, max: 9n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
const table = fc.array(fc.option(key, { freq: 9 }), { maxLength: 400, size: 'max' });
const cuts = fc.array(fc.tuple(fc.nat(400), fc.boolean()), { maxLength: 12 });

/** `cuts`: where a slice ends, and whether a part does too. */
function cut(keys: Slice['keys'], ends: readonly (readonly [number, boolean])[]): Slice[] {
  const slices: Slice[] = [];
  let [part, from, begin] = [0, 0, 0];
  for (const [at, endsPart] of [...ends].sort(([a], [b]) => a - b)) {
    const end = Math.min(at, keys.length);
    slices.push({ part, firstRow: from - begin, keys: keys.slice(from, end) });
    from = end;
    if (endsPart) {
      part++;
      begin = end;
    }
  }
  return [...slices, { part, firstRow: from - begin, keys: keys.slice(from) }];
}

/** In an order that follows from `seed`. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const left = [...items];
  return items.map((_, i) => left.splice((seed >> (i % 8)) % left.length, 1)[0]!);
}

describe('repeated keys', () => {
  for (const [where, options] of [
    ['in memory', { kind: 'values' }],
    ['in files', LITTLE],
  ] as const) {
    test(`${where}: counts and rows are those of a Map, however the table is cut and in whatever order slices come`, () => {
      fc.assert(
        fc.property(table, cuts, fc.nat(), (keys, ends, seed) => {
          const slices = cut(keys, ends);
          expectFound(found(shuffled(slices, seed), options), slices);
        }),
      );
    });

    test(`${where}: sets that are merged in any grouping are one set`, () => {
      fc.assert(
        fc.property(table, cuts, fc.nat(), (keys, ends, seed) => {
          const slices = cut(keys, ends);
          const sets = slices.map(slice => {
            const set = new KeySet(options);
            set.add(sliceKeys(slice.keys), slice.part, slice.firstRow);
            return set;
          });
          const left = shuffled(sets, seed);
          while (left.length > 1) {
            const [a, b] = left.splice(seed % (left.length - 1), 2);
            a!.merge(b!);
            left.splice(seed % (left.length + 1), 0, a!);
          }
          try {
            expectFound(left[0]!.finish(isText), slices);
          } finally {
            left[0]!.close();
          }
        }),
        { numRuns: 50 },
      );
    });
  }

  test('blocks bring a set elsewhere, in any order, and it stays what it is', () => {
    fc.assert(
      fc.property(table, cuts, fc.nat(), fc.boolean(), (keys, ends, seed, isSpilled) => {
        const slices = cut(keys, ends);
        const options: KeySetOptions = isSpilled ? LITTLE : { kind: 'values' };
        const sets = [new KeySet(options), new KeySet(options)];
        const there = new KeySet({ kind: 'values' });
        try {
          for (const [i, { keys: own, part, firstRow }] of slices.entries())
            sets[i % 2]!.add(sliceKeys(own), part, firstRow);
          for (const block of shuffled(
            sets.flatMap(set => [...set.blocks()]),
            seed,
          ))
            there.addBlock(block);
          sets[0]!.merge(sets[1]!);
          expectFound(there.finish(isText), slices);
          expectFound(sets[0]!.finish(isText), slices);
        } finally {
          for (const set of [...sets, there]) set.close();
        }
      }),
      { numRuns: 50 },
    );
  });

  test('sets of other threads are handed over, in memory and in files', () => {
    fc.assert(
      fc.property(table, cuts, fc.boolean(), (keys, ends, isSpilled) => {
        const slices = cut(keys, ends);
        const options: KeySetOptions = isSpilled ? LITTLE : { kind: 'values' };
        const sets = [new KeySet(options), new KeySet(options)];
        const here = new KeySet(options);
        try {
          for (const [i, { keys: own, part, firstRow }] of slices.entries())
            [...sets, here][i % 3]!.add(sliceKeys(own), part, firstRow);
          for (const set of sets) here.adopt(structuredClone(set.handOver()));
          expectFound(here.finish(isText), slices);
        } finally {
          here.close();
        }
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['all equal', () => 7n],
    ['all different', (i: number) => BigInt(i) * 0x9e3779b97f4a7c15n],
    ['different only in the lowest bits', (i: number) => BigInt(i)],
    ['different only in the highest bits', (i: number) => BigInt(i) << 48n],
  ])('keys that are %s', (_, keyOf) => {
    const keys = Array.from({ length: 20_000 }, (_, i) => BigInt.asUintN(64, keyOf(i)));
    const slices = cut(
      keys,
      Array.from({ length: 10 }, (_, i) => [2000 * i, false]),
    );
    expectFound(found(slices.toReversed(), { kind: 'values', memoryBytes: 64 * 1024 }), slices);
  });

  test('no slices, and slices without rows', () => {
    expectFound(found([], LITTLE), []);
    const slices = [0, 1, 2].map(part => ({ part, firstRow: 0, keys: [] }));
    expectFound(found(slices, LITTLE), slices);
  });

  test('rows and parts up to 2^32', () => {
    const slices = [
      { part: 2 ** 32 - 1, firstRow: 2 ** 32 - 2, keys: [1n, 1n] },
      { part: 0, firstRow: 2 ** 31, keys: [1n] },
    ];
    expectFound(found(slices, LITTLE), slices);
  });
});

describe('the file for keys that do not fit in memory', () => {
  test('leaves nothing in its folder, also while it is open', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
    try {
      const set = new KeySet({ ...LITTLE, folder });
      set.add(sliceKeys(Array.from({ length: 5000 }, (_, i) => BigInt(i % 4999))), 0, 0);
      expect(readdirSync(folder)).toEqual([]);
      expect(set.finish(isText).repeating).toBe(1);
      set.close();
      set.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a folder that takes no files is named, with what to do', () => {
    const set = new KeySet({ ...LITTLE, folder: '/not/there' });
    const keys = sliceKeys(Array.from({ length: 5000 }, (_, i) => BigInt(i)));
    expect(() => set.add(keys, 0, 0)).toThrow(
      /^The keys of the rows, which find repeated values, cannot be written in \/not\/there: ENOENT.*Set TMPDIR to another folder$/,
    );
  });
});

describe('a block that is damaged', () => {
  const block = (header: string, words: readonly number[]): Uint8Array => {
    const text = header.padEnd((header.length + 3) & ~3, '\0');
    const length = Uint32Array.of(header.length);
    return Buffer.concat([
      new Uint8Array(length.buffer),
      Buffer.from(text),
      new Uint8Array(Uint32Array.from(words).buffer),
    ]);
  };
  const added = '[{"field":"a","low":1,"high":2}]';

  test.each([
    ['empty', Uint8Array.of()],
    ['cut off in its header', block(added, []).subarray(0, 8)],
    ['not of whole words', new Uint8Array(11)],
    ['with half an entry', block('null', [1, 2])],
    ['with a header that is no list', block('{}', [])],
    ['with a header that is no JSON', block('[', [])],
    ['with a cell of no field', block('[{"low":1,"high":2}]', [])],
    ['with a cell that is no number', block('[{"field":"a","low":1,"high":-2}]', [])],
    ['with a cell that is not listed', block(added, [1, 2, 3, 4, 1, 1])],
    ['with half a row', block(added, [1, 2, 3, 4, 2, 0])],
  ])('%s', (_, bytes) => {
    expect(() => new KeySet({ kind: 'rows' }).addBlock(bytes)).toThrow('a block of keys is damaged');
  });

  test('a whole one is taken, wherever it lies in memory', () => {
    const set = new KeySet({ kind: 'rows' });
    const bytes = block(added, [1, 2, 3, 4, 1, 0, 2, 4, 5, 4, 0]);
    set.addBlock(bytes);
    set.addBlock(Buffer.concat([Buffer.of(0), block('null', [2, 4, 6, 0])]).subarray(1));
    expect(set.finish(() => true).firstRepeating(9)).toEqual([
      { part: 4, row: 3 },
      { part: 4, row: 5 },
    ]);
  });
});
