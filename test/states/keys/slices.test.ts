/** Rows that repeat over slices, as the engine finds them in the same table in one piece: it compares values, not keys. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../../property/seed.ts';
import { Format } from '../../../assembly/abi.ts';
import type { KeyField } from '../../../src/engine/row-keys.ts';
import { KeySet } from '../../../src/states/keys/key-set.ts';
import { hasNullishTexts } from '../../../src/states/settle.ts';
import { copiesOf } from '../../../src/states/part-bounds.ts';
import { mergeStates, type State, stateOfSlice } from '../../../src/states/state.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';

const SALT = new Uint8Array(32).fill(9);
const ALL = 10_000;

/** What a row repeats: of one field, of two, of all. */
const FIELDS = [['a'], ['b', 'a'], ['c', 'a', 'b']] as const;

interface Body {
  format: Format;
  text: string;
  rows: number;
}

function measured({ format, text }: Body, part: number): State {
  ENGINE.begin({ format, delimiter: 44, salt: SALT });
  ENGINE.write(new TextEncoder().encode(text));
  expect([ENGINE.end(), ENGINE.refusal().fault]).toEqual([1, 0]);
  return stateOfSlice(ENGINE.measurePart(copiesOf), { part, row: 0, line: 0 });
}

/** The fields of the slice that the engine holds, in the order of its columns. */
const columnsIn = (state: State): Map<string, number> =>
  new Map([...state.columns.keys()].map((name, column) => [name, column]));

interface Found {
  /** Rows of each group of `FIELDS` that share their values. */
  sharing: number[][];
  /** Rows that repeat an earlier one as a whole. */
  repeating: number[];
}

function inOnePiece(body: Body): Found {
  const columns = columnsIn(measured(body, 0));
  const { ruleChecks, rowQueries } = ENGINE;
  ruleChecks.chooseAll();
  const sharing = FIELDS.map(names => {
    const check = ruleChecks.repeated(names.map(name => columns.get(name) ?? null));
    ruleChecks.run([check]);
    return [...ruleChecks.failing(0, ALL).rows];
  });
  return { sharing, repeating: [...rowQueries.duplicated(ALL)] };
}

function inSlices(bodies: readonly Body[], memoryBytes: number, order: readonly number[]): Found {
  const sets = FIELDS.map(() => new KeySet({ kind: 'values', memoryBytes }));
  const rows = new KeySet({ kind: 'rows', memoryBytes });
  const starts = bodies.map((_, i) => bodies.slice(0, i).reduce((sum, body) => sum + body.rows, 0));
  const states = order.map(part => {
    const state = measured(bodies[part]!, part);
    const columns = columnsIn(state);
    const fieldsOf = (names: readonly string[]): KeyField[] =>
      names.map(name => ({ name, column: columns.get(name) ?? null }));
    ENGINE.ruleChecks.chooseAll();
    for (const [i, set] of sets.entries())
      set.add(ENGINE.keyQueries.ofValues(fieldsOf(FIELDS[i]!)), 0, starts[part]!);
    rows.add(ENGINE.keyQueries.ofRows(fieldsOf([...columns.keys()])), 0, starts[part]!);
    return state;
  });
  const whole = states.reduce(mergeStates);
  const finished = (set: KeySet) => {
    const there = new KeySet({ kind: set.kind, memoryBytes });
    try {
      for (const block of set.blocks()) there.addBlock(block);
      return there.finish(field => hasNullishTexts(whole, field));
    } finally {
      for (const each of [set, there]) each.close();
    }
  };
  const sharing = sets.map(set => {
    const repeats = finished(set);
    const places = repeats.firstSharing(ALL);
    expect(repeats.sharing).toBe(places.length);
    return places.map(({ row }) => row);
  });
  const repeats = finished(rows);
  const places = repeats.firstRepeating(ALL);
  expect([repeats.rows, repeats.repeating]).toEqual([
    bodies.reduce((sum, body) => sum + body.rows, 0),
    places.length,
  ]);
  return { sharing, repeating: places.map(({ row }) => row) };
}

/** Items in slices of these lengths, and the rest. */
function cut<Item>(items: readonly Item[], lengths: readonly number[]): Item[][] {
  const slices: Item[][] = [];
  let from = 0;
  for (const length of lengths) {
    slices.push(items.slice(from, from + length));
    from += length;
  }
  return [...slices, items.slice(from)].filter(slice => slice.length > 0);
}

const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 });
const memory = fc.constantFrom(256, 64 * 1024 * 1024);

function orderOf(count: number, seed: number): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  return order.sort((a, b) => ((a * 7 + seed) % 5) - ((b * 7 + seed) % 5));
}

describe('CSV', () => {
  /** Cells that are read in one way or another, by what else their column holds. */
  const cell = fc.constantFrom(
    ...['007', '12', '-3', '1.5', '0', 'true', 'false', 'x', 'Berlin', '"a ""b"""'],
    ...['', 'NA', 'na', '-', '""', 'none', 'NULL', '9007199254740993', '9007199254740992'],
  );
  /** Mostly one kind, as in a sorted file. */
  const column = fc.array(fc.tuple(cell, fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 8 });
  const cellsOf = (runs: readonly (readonly [string, number])[], rows: number): string[] => {
    const all = runs.flatMap(([text, count]) => Array<string>(count).fill(text));
    return Array.from({ length: rows }, (_, i) => all[i % all.length]!);
  };
  const ROWS = 40;
  type Line = Record<'a' | 'b' | 'c', string>;

  const bodyOf = (lines: readonly Line[], turn: number): Body => {
    const names = (['a', 'b', 'c'] as const).map((_, i) => (['a', 'b', 'c'] as const)[(i + turn) % 3]!);
    const text = [names, ...lines.map(line => names.map(name => line[name]))].map(each => each.join(','));
    return { format: Format.CSV, text: `${text.join('\n')}\n`, rows: lines.length };
  };

  test('wherever it is cut, with the columns of each slice in another order', () => {
    fc.assert(
      fc.property(column, column, column, lengths, memory, fc.nat(), (a, b, c, cuts, memoryBytes, seed) => {
        const [as, bs, cs] = [a, b, c].map(runs => cellsOf(runs, ROWS));
        const lines = as!.map((_, i) => ({ a: as![i]!, b: bs![i]!, c: cs![i]! }));
        const slices = cut(lines, cuts).map((slice, i) => bodyOf(slice, seed + i));
        const got = inSlices(slices, memoryBytes, orderOf(slices.length, seed));
        expect(got).toEqual(inOnePiece(bodyOf(lines, 0)));
      }),
      { numRuns: 400 },
    );
  });

  test('numbers have their values in a column of codes too, so it does not matter where it is cut', () => {
    const numbers = ['12', '-0.5', '+7', ' 7', '7.0', '12345678901234567', 'TRUE', '0'];
    const codes = ['007', ...numbers, '7', '12345678901234568', 'true', '-0', 'x'];
    const bodies = [numbers, codes].map(cells =>
      bodyOf(
        cells.map(a => ({ a, b: '1', c: '1' })),
        0,
      ),
    );
    const found = inSlices(bodies, 1e6, [0, 1]);
    expect(found.repeating).toEqual([3, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20]);
    const lines = [...numbers, ...codes].map(a => ({ a, b: '1', c: '1' }));
    for (const size of [1, 3, 10, 22]) {
      const slices = cut(lines, Array<number>(22).fill(size));
      const again = inSlices(
        slices.map((slice, turn) => bodyOf(slice, turn)),
        1e6,
        orderOf(slices.length, 0),
      );
      expect(again).toEqual(found);
    }
  });

  test('slices of nothing but NA, and a column of numbers: they are null', () => {
    const parts = [Array<string>(5).fill('NA'), ['1', '2', '3', 'NA'], ['4', '1', '5', '6']];
    const bodies = parts.map(cells =>
      bodyOf(
        cells.map((a, i) => ({ a, b: `b${i}`, c: '1' })),
        0,
      ),
    );
    expect(inSlices(bodies, 1e6, [1, 0, 2]).sharing[0]).toEqual([5, 10]);
    const texts = [parts[0]!, Array.from({ length: 9 }, (_, i) => `t${i}`)];
    const inTexts = texts.map(cells =>
      bodyOf(
        cells.map(a => ({ a, b: a, c: a })),
        0,
      ),
    );
    expect(inSlices(inTexts, 1e6, [1, 0]).sharing[0]).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('JSON', () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(1, 1.5, -0, 0, '1', 'x', '', true, false, null, 'é"', 1e300),
    fc.constantFrom<unknown>([1], { b: 1 }, '[1]', '{"b":1}', '#9007199254740992', '#9007199254740993'),
  );
  const row = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });
  /** `isEscaped`: texts with escapes. `#`: an integer that no double is. */
  const written = (row: unknown, isEscaped: boolean): string => {
    const json = JSON.stringify(row).replaceAll(/"#(\d+)"/g, '$1');
    return isEscaped ? json.replaceAll('é', '\\u00e9').replaceAll('x', '\\u0078') : json;
  };

  test('whatever the order of the fields, fields that are absent, and the way a value is written', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 60, size: 'max' }),
        ...([lengths, memory, fc.nat()] as const),
        (rows, cuts, memoryBytes, seed) => {
          const bodyOf = (slice: readonly (typeof rows)[number][], turn: number): Body => {
            const lines = slice.map((each, i) => {
              const pairs = Object.entries(each);
              return written(Object.fromEntries(turn % 2 ? pairs.reverse() : pairs), i % 2 < turn);
            });
            return { format: Format.NDJSON, text: `${lines.join('\n')}\n`, rows: slice.length };
          };
          const slices = cut(rows, cuts).map((slice, i) => bodyOf(slice, i % 3));
          const got = inSlices(slices, memoryBytes, orderOf(slices.length, seed));
          expect(got).toEqual(inOnePiece(bodyOf(rows, 0)));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('rules are about some rows: only these count', () => {
    const body: Body = { format: Format.NDJSON, text: '{"a":1,"b":1}\n{"a":1}\n{"a":1,"b":null}\n', rows: 3 };
    measured(body, 0);
    const { ruleChecks, keyQueries } = ENGINE;
    ruleChecks.chooseAll();
    ruleChecks.choose(ruleChecks.nulls(1), true);
    expect([...keyQueries.ofValues([{ name: 'a', column: 0 }]).rows]).toEqual([1, 2]);
    expect([...keyQueries.ofValues([{ name: 'z', column: null }]).rows]).toEqual([]);
    expect([...keyQueries.ofRows([{ name: 'a', column: 0 }]).rows]).toEqual([0, 1, 2]);
  });
});

test('a number in one format is that number in another', () => {
  const csv: Body = { format: Format.CSV, text: 'a,b,c\n1.50,x,true\n2,y,\n', rows: 2 };
  const json: Body = { format: Format.NDJSON, text: '{"c":true,"b":"x","a":1.5}\n', rows: 1 };
  expect(inSlices([csv, json], 1e6, [0, 1]).repeating).toEqual([2]);
});
