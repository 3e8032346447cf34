/** States from anywhere: what is damaged or makes no sense is an error that says what to do; what is read can be merged and described. */
import { describe, expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import '../../property/seed.ts';
import { describe as described } from '../../../src/profile/describe.ts';
import { readProfile } from '../../../src/profile/read.ts';
import {
  decodeStateBytes,
  encodeStateBytes,
  mergePartsStates,
  type PartsState,
  StateError,
} from '../../../src/states/bytes/state-bytes.ts';
import { RepeatedRows, withRepeats } from '../../../src/states/repeated-rows.ts';
import { valueQueriesOf } from '../../../src/states/queries.ts';
import { recordOf } from '../../../src/states/record.ts';
import { rowQueriesOf } from '../../../src/states/queries.ts';
import { mergeMoments } from '../../../src/states/moments.ts';
import type { ColumnState } from '../../../src/states/column-state.ts';
import { slotsOf } from '../../../src/states/slots.ts';
import { longLines, merged, stateOfLines, RULES, statesOf, uniform } from './tables.ts';

const LINES = [
  '1,1.5,007,2026-01-02T10:00:00Z,Berlin,a,true,x',
  '2,NA,0815,2026-01-03T11:30:00Z,Łódź,long text,false,y',
  '2,-7e9,4711,2026-01-04T12:00:00Z,,,true',
];
const SMALL = encodeStateBytes(merged(statesOf([LINES, LINES.toReversed()]), 1));
const LONG = encodeStateBytes(merged(statesOf([1, 2, 3].map(seed => longLines(8000, seed))), 1));
const HEAD_BYTES = 9;
const CHECKSUM_BYTES = 4;

const contentOf = (bytes: Uint8Array): Uint8Array => bytes.slice(HEAD_BYTES, -CHECKSUM_BYTES);

/** With a right head and a right checksum. */
function sealed(content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + content.length + CHECKSUM_BYTES);
  bytes.set(SMALL.subarray(0, HEAD_BYTES));
  bytes.set(content, HEAD_BYTES);
  const end = HEAD_BYTES + content.length;
  new DataView(bytes.buffer).setUint32(end, crc32(bytes.subarray(0, end)), true);
  return bytes;
}

/** Null for bytes that are refused, as they should be. */
function readOrRefused(bytes: Uint8Array): PartsState | null {
  try {
    return decodeStateBytes(bytes);
  } catch (error) {
    if (error instanceof StateError && /: (copy|measure|sluice|divide)/.test(error.message)) return null;
    throw error;
  }
}

/** Null: the rules are not those that were said. */
function mergedOrRefused(a: PartsState, b: PartsState): PartsState | null {
  try {
    return mergePartsStates(a, b);
  } catch (error) {
    if (error instanceof StateError && /^(The states were|Part \d+ is)/.test(error.message)) return null;
    throw error;
  }
}

function expectUsable(read: PartsState): void {
  const again = encodeStateBytes(read);
  expect(encodeStateBytes(decodeStateBytes(again))).toEqual(again);
  const other = { ...stateOfLines(LINES, 2 ** 32 - 1), measuredFor: read.measuredFor };
  const both = mergedOrRefused(read, other);
  if (both === null) return;
  for (const { state, keys } of [read, both]) {
    described(readProfile(recordOf(state, (_, line) => line)), valueQueriesOf(state));
    const { rowQueries } = rowQueriesOf(state);
    for (let column = 0; column < state.columns.size; column++) rowQueries.spanOf?.(column, 'null');
    const repeated = new RepeatedRows();
    for (const [part, slices] of keys) for (const { row, sets } of slices) repeated.add(sets, { part, row });
    const repeats = repeated.finish(state);
    if (state.rules?.length === RULES.constraints.length) withRepeats(state, RULES, repeats);
    repeated.close();
  }
  try {
    expect(encodeStateBytes(mergePartsStates(other, read))).toEqual(encodeStateBytes(both));
  } catch (error) {
    // Counts that are added up may be too large.
    if (!(error instanceof StateError)) throw error;
  }
}

describe('bytes that were damaged on their way', () => {
  const refusalOf = (bytes: Uint8Array): string => {
    try {
      decodeStateBytes(bytes);
    } catch (error) {
      if (error instanceof StateError) return error.message;
      throw error;
    }
    throw new Error('the bytes were read');
  };
  const NO_STATE = 'This is not a state: sluice measure makes one of a file';
  const DAMAGED = 'The state is damaged: copy it again, or measure its part again';

  test('a state that was cut off anywhere', () => {
    for (let length = 0; length < SMALL.length; length += length < 64 ? 1 : 97)
      expect([NO_STATE, DAMAGED]).toContain(refusalOf(SMALL.slice(0, length)));
  });

  test('a bit that was flipped anywhere', () => {
    for (let bit = 0; bit < 8 * SMALL.length; bit += bit < 128 ? 1 : 61) {
      const bytes = SMALL.slice();
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      expect(refusalOf(bytes)).toBe(bit < 32 ? NO_STATE : DAMAGED);
    }
  });

  test('files of another kind', () => {
    for (const text of ['', 'id,amount\n1,2\n', '{"rows":[]}', 'PAR1', '\x89SLS'])
      expect([NO_STATE, DAMAGED]).toContain(refusalOf(Buffer.from(text, 'latin1')));
  });

  test('a state of another release', () => {
    const bytes = SMALL.slice();
    bytes[4]!++;
    const end = bytes.length - CHECKSUM_BYTES;
    new DataView(bytes.buffer).setUint32(end, crc32(bytes.subarray(0, end)), true);
    expect(refusalOf(bytes)).toBe(
      'The state was written by another release of Sluice: measure all parts with the same release',
    );
  });

  test('bytes behind the end, and what makes no sense: the message names the field', () => {
    expect(refusalOf(sealed(Buffer.concat([contentOf(SMALL), Buffer.of(0)])))).toBe(
      'The state makes no sense (bytes follow the end): measure its part again',
    );
    const text = Buffer.from(contentOf(SMALL));
    const at = text.indexOf('amount') - 1;
    // The length of the name: far beyond the end.
    text[at] = 0xff;
    expect(refusalOf(sealed(text))).toMatch(/^The state makes no sense \(state\.columns\.name: /);
  });
});

describe('a state that was made by hand', () => {
  const forged = (field: string, change: (column: ColumnState) => Partial<ColumnState>): Uint8Array => {
    const whole = decodeStateBytes(SMALL);
    const column = whole.state.columns.get(field)!;
    const columns = new Map(whole.state.columns).set(field, { ...column, ...change(column) });
    return encodeStateBytes({ ...whole, state: { ...whole.state, columns } });
  };
  const negative = { count: 1, sum: 1n << 1074n, squares: 1n, deviations: 0n };

  test.each<[string, string, (column: ColumnState) => Partial<ColumnState>]>([
    ['more numbers than ranks', 'amount', ({ moments }) => ({ moments: mergeMoments(moments, moments) })],
    ['a negative variance', 'id', () => ({ moments: negative })],
    [
      'dates without a form',
      'when',
      ({ formats }) => ({ dateForms: { ...formats, hashes: new Float64Array() } }),
    ],
    ['a date that no calendar has', 'when', ({ dates }) => ({ dates: { ...dates!, latest: 1e17 } })],
    ['more values than are counted', 'id', column => ({ slots: slotsOf(column).map(count => count + 1) })],
    ['more values than rows', 'id', ({ counts }) => ({ counts: counts.map(count => 9 * count) })],
    ['a level that is none', 'id', ({ ranks }) => ({ ranks: { ...ranks, level: 65 } })],
    [
      'a number beyond its bucket',
      'id',
      ({ ranks }) => ({ ranks: { ...ranks, level: 11, greatest: ranks.least.map(x => x + 1) } }),
    ],
    [
      'numbers that are none',
      'amount',
      ({ ranks }) => ({ ranks: { ...ranks, least: ranks.least.map(() => Number.NaN) } }),
    ],
    ['a list that is not ascending', 'town', ({ listed }) => ({ listed: listed!.toReversed() })],
    ['a register beyond a hash', 'id', ({ registers }) => ({ registers: registers.map(() => 64) })],
  ])('%s', (_, field, change) => {
    expect(() => decodeStateBytes(forged(field, change))).toThrow(
      /^The state makes no sense \(.*\): measure/,
    );
  });

  test('hashes that are not ascending, and counts that are not whole, are not even written', () => {
    for (const change of [
      ({ values }: ColumnState) => ({ values: { ...values, hashes: values.hashes.toReversed() } }),
      ({ counts }: ColumnState) => ({ counts: counts.map(count => count / 3) }),
    ])
      expect(() => forged('id', change)).toThrow(/^A count of the state is/);
  });
});

describe('crafted bytes behind a right checksum', () => {
  test('random ones are refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), content => {
        const read = readOrRefused(sealed(content));
        if (read !== null) expectUsable(read);
      }),
      { numRuns: 2000 },
    );
  });

  for (const [name, base, runs] of [
    ['a small state', SMALL, 400],
    ['a state with full sketches', LONG, 30],
  ] as const)
    test(`${name} with some bytes changed: refused, or it can be merged and described`, () => {
      const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255));
      let used = 0;
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), changes => {
          const content = contentOf(base);
          for (const [where, byte] of changes) content[Math.floor(where * (content.length - 1))] = byte;
          const read = readOrRefused(sealed(content));
          if (read === null) return;
          used++;
          expectUsable(read);
        }),
        { numRuns: runs },
      );
      expect(used).toBeGreaterThan(0);
    });

  test('with bytes left out and put in', () => {
    const next = uniform(17);
    for (let run = 0; run < 500; run++) {
      const content = contentOf(SMALL);
      const at = Math.floor(next() * content.length);
      const [out, put] = [Math.floor(next() * 9), Math.floor(next() * 9)];
      const pieces = [content.subarray(0, at), Buffer.alloc(put, next() * 256), content.subarray(at + out)];
      const read = readOrRefused(sealed(Buffer.concat(pieces)));
      if (read !== null) expectUsable(read);
    }
  });

  test('lengths that promise gigabytes cost nothing', () => {
    const content = contentOf(SMALL);
    const huge = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    const before = process.memoryUsage().rss;
    const since = process.cpuUsage();
    for (let at = 8; at < content.length; at += 7)
      readOrRefused(sealed(Buffer.concat([content.subarray(0, at), huge, content.subarray(at + 1)])));
    // Garbage of the tests before may come to some hundred megabytes.
    expect(process.memoryUsage().rss - before).toBeLessThan(1e9);
    expect(process.cpuUsage(since).user / 1000).toBeLessThan(10_000);
  });

  test('small items that would be large in memory are refused before they are', () => {
    // So many columns: each takes a byte here, and 256 there.
    const columns = Buffer.from([0x80, 0x80, 0x80, 0x02]);
    const measuredForAndRows = Buffer.alloc(8 + 8 + 1 + 1 + 1);
    const bytes = sealed(Buffer.concat([measuredForAndRows, columns, Buffer.alloc(5_000_000)]));
    expect(() => decodeStateBytes(bytes)).toThrow(
      'The state makes no sense (state.columns: more than 536870912 bytes of memory): measure its part again',
    );
  });
});
