/** States as bytes: what is read is what was written, equal states have equal bytes, and states that do not belong together are refused. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../../property/seed.ts';
import {
  checkKeys,
  decodeStateBytes,
  encodeStateBytes,
  MAX_KEYS,
  mergePartsStates,
  type PartsState,
  printOf,
} from '../../../src/states/bytes/state-bytes.ts';
import type { Stretch } from '../../../src/states/stretches.ts';
import { anyParts, longLines, MEASURED_FOR, merged, stateOfLines, statesOf } from './tables.ts';

const sent = (state: PartsState): PartsState => decodeStateBytes(encodeStateBytes(state));

/** Maps keep the order of the parts that came first; it means nothing. */
const inOrder = (value: unknown): unknown => {
  if (value instanceof Map) return [...value].map(inOrder).sort(byKey);
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inOrder(each)]));
};
const byKey = (a: unknown, b: unknown): number => ((a as [string])[0] < (b as [string])[0] ? -1 : 1);

const LONG = [1, 2, 3, 4].map(seed => longLines(9000, seed));

describe('the bytes of a state', () => {
  test('are read as the state that was written', () => {
    fc.assert(
      fc.property(anyParts, fc.nat(), (parts, seed) => {
        const state = merged(statesOf(parts), seed);
        expect(inOrder(sent(state))).toEqual(inOrder(state));
      }),
    );
  });

  test('are the same for every order and grouping of the parts, whether states are sent in between or not', () => {
    fc.assert(
      fc.property(anyParts, fc.nat(), fc.nat(), (parts, one, other) => {
        const states = statesOf(parts);
        const first = encodeStateBytes(merged(states, one));
        expect(encodeStateBytes(merged(states, other))).toEqual(first);
        expect(encodeStateBytes(merged(states.map(sent), other))).toEqual(first);
      }),
    );
  });

  test('are the same where values, numbers and texts are more than a state keeps each', () => {
    const states = statesOf(LONG);
    const first = encodeStateBytes(merged(states, 1));
    expect(encodeStateBytes(merged(states.map(sent), 2))).toEqual(first);
    expect(encodeStateBytes(decodeStateBytes(first))).toEqual(first);
    const [id, amount] = [...merged(states, 3).state.columns.values()];
    expect([id!.values.hashes.length, id!.values.end < 2 ** 53, amount!.ranks.level > 11]).toEqual([
      16_384,
      true,
      true,
    ]);
  });

  test('are at most 12 for each value and each bucket of numbers that is kept', () => {
    const state = merged(statesOf(LONG), 0);
    const kept = [...state.state.columns.values()].reduce(
      (sum, { values, ranks }) => sum + values.hashes.length + ranks.keys.length,
      0,
    );
    const rows = encodeStateBytes({
      ...state,
      keys: new Map([...state.keys.keys()].map(part => [part, []])),
    });
    expect(rows.length / kept).toBeLessThan(12);
  });

  test('hold counts of 10^12 and more', () => {
    const one = stateOfLines(['1,1,1,2026-01-01,a,b,true,x'], 0);
    const rows = 2 ** 32 - 1;
    const [[place, stretch]] = [...one.state.stretches.byPlace] as [[string, Stretch]];
    const stretches = { level: 20, byPlace: new Map([[place, { ...stretch, rows: 1000 * rows }]]) };
    const parts = new Map(Array.from({ length: 1000 }, (_, part) => [part, rows]));
    const keys = new Map(Array.from(parts.keys(), part => [part, []]));
    const many = {
      ...one,
      keys,
      state: { ...one.state, rows: 1000 * rows, duplicateRows: 3e12, parts, stretches },
    };
    expect(sent(many).state).toMatchObject({ rows: 4_294_967_295_000, duplicateRows: 3e12 });
    const beyond = { ...one, state: { ...one.state, rows: 2 ** 54 } };
    expect(() => encodeStateBytes(beyond)).toThrow(
      'A count of the state is too large (not a count: 18014398509481984): divide the batch',
    );
  });
});

describe('states that do not belong together', () => {
  const [a, b] = statesOf([['1,1,1,2026-01-01,a,b,true,x'], ['2,1,1,2026-01-01,a,b,true,x']]);

  test('those that were measured for something else are refused', () => {
    const apart = {
      salt: [printOf(new Uint8Array(32)), 'have different salts, so their values cannot be compared'],
      rules: [2n, 'were checked by different rules'],
      source: [null, 'are of different sources'],
      generation: ['', 'were measured for different baselines'],
    } as const;
    for (const [name, [value, words]] of Object.entries(apart))
      expect(() => mergePartsStates(a!, { ...b!, measuredFor: { ...MEASURED_FOR, [name]: value } })).toThrow(
        `The states ${words}: measure all parts of a batch in the same way`,
      );
  });

  test('a part that is in both is refused', () => {
    expect(() => mergePartsStates(mergePartsStates(a!, b!), b!)).toThrow(
      'Part 1 is in both states: merge each part once, and measure each with a number of its own',
    );
  });
});

test('a state has keys of 10,000,000 rows at most', () => {
  expect(() => checkKeys(MAX_KEYS)).not.toThrow();
  expect(() => checkKeys(MAX_KEYS + 1)).toThrow(
    /^A state holds 10,000,000 keys of rows, .*: divide the file into more parts, or leave states apart/,
  );
});
