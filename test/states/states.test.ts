/** A table that is cut into parts, in any way, has the record that the engine makes of it in one piece. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Column, Format, MAX_ROWS } from '../../assembly/abi.ts';
import type { BatchRecord, ColumnRecord } from '../../src/engine/records.ts';
import { recordOf } from '../../src/states/record.ts';
import { copiesOf } from '../../src/states/part-bounds.ts';
import { mergeStates, type State, stateOfSlice } from '../../src/states/state.ts';
import { ENGINE } from '../engine/screen-bytes.ts';

type Row = Record<string, unknown>;

const SALT = new Uint8Array(32).fill(7);

function parse(rows: readonly Row[]): void {
  ENGINE.begin({ format: Format.JSON, delimiter: 44, salt: SALT });
  ENGINE.write(new TextEncoder().encode(JSON.stringify({ rows })));
  ENGINE.end();
}

function inOnePiece(rows: readonly Row[]): BatchRecord {
  parse(rows);
  return ENGINE.measure(MAX_ROWS);
}

function statesOf(rows: readonly Row[], cuts: readonly number[]): State[] {
  const ends = [...new Set(cuts.map(cut => cut % rows.length)), rows.length]
    .filter(end => end > 0)
    .sort((a, b) => a - b);
  return ends.map((end, part) => {
    parse(rows.slice(ends[part - 1] ?? 0, end));
    return stateOfSlice(ENGINE.measurePart(copiesOf), { part, row: 0, line: 0 });
  });
}

/** In an order and a grouping that follow from `seed`. */
function merged(states: readonly State[], seed: number): State {
  const left = [...states];
  let state = seed + 1;
  while (left.length > 1) {
    state = (state * 48271) % 2147483647;
    const [a] = left.splice(state % left.length, 1);
    const [b] = left.splice((state >> 8) % left.length, 1);
    left.push(mergeStates(a!, b!));
  }
  return left[0]!;
}

const inParts = (rows: readonly Row[], cuts: readonly number[], seed: number): BatchRecord =>
  recordOf(merged(statesOf(rows, cuts), seed), (_, line) => line);

const text = fc.constantFrom('a', 'b', 'Berlin', 'x y', '', 'NA', 'q-7', 'ü');
const date = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  .map(each => each.toISOString());
const number = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const kinds: fc.Arbitrary<unknown>[] = [
  number,
  text,
  date,
  fc.boolean(),
  fc.oneof(number, text, fc.constant(null), fc.boolean(), fc.constant([1]), fc.constant({ b: 1 })),
  fc.option(fc.string({ maxLength: 80 }), { freq: 3 }),
];
const value = (i: number) => kinds[i % kinds.length]!;
const row = fc.record(
  { a: value(0), b: value(1), c: value(2), d: value(3), e: value(4), f: value(5) },
  { requiredKeys: ['a', 'c'] },
);

/** What is measured of rows that follow one another: a cut divides two of them. And what leaves out the extremes of each part. */
const OF_EDGES: readonly Column[] = [
  Column.ADJACENT,
  Column.ADJACENT_EQUAL,
  Column.ADJACENT_RISING,
  Column.NEIGHBOUR,
  Column.PAIRED,
  Column.PAIRS,
  Column.COMPARED,
  Column.AGREEING,
  Column.DATE_LOW,
  Column.DATE_HIGH,
];
/** Not compared: where the name stands in the body, and CONTENT, which states compute in another way. */
const ASIDE: readonly Column[] = [
  Column.NAME_OFFSET,
  Column.NAME_LENGTH,
  Column.NAME_ESCAPED,
  Column.CONTENT,
];

function expectSame(got: BatchRecord, expected: BatchRecord, besides: readonly Column[]): void {
  expect(got.columns.map(({ name }) => name)).toEqual(expected.columns.map(({ name }) => name));
  expect([got.rows, got.analysedRows]).toEqual([expected.rows, expected.analysedRows]);
  for (const [i, column] of expected.columns.entries()) expectSameColumn(got.columns[i]!, column, besides);
}

function expectSameColumn(got: ColumnRecord, expected: ColumnRecord, besides: readonly Column[]): void {
  expect(got.registers).toEqual(expected.registers);
  const byHash = (a: { hash: bigint }, b: { hash: bigint }) => (a.hash < b.hash ? -1 : 1);
  expect(got.listed).toEqual(expected.listed?.toSorted(byHash) ?? null);
  for (let entry: Column = 0; entry < Column.LENGTH; entry++) {
    if (ASIDE.includes(entry) || besides.includes(entry)) continue;
    const [ours, theirs] = [got.numbers[entry]!, expected.numbers[entry]!];
    const error = Math.abs(ours - theirs);
    // A mean of numbers that cancel out is no more exact than they are.
    const size = entry === Column.MEAN ? sizeOf(expected) : Math.abs(theirs);
    const isClose = ours === theirs || error <= 1e-9 * size + 1e-290;
    if (!isClose) throw new Error(`${expected.name}: ${Column[entry]} is ${ours}, not ${theirs}`);
  }
}

const sizeOf = ({ numbers }: ColumnRecord): number =>
  Math.max(Math.abs(numbers[Column.FIRST_QUANTILE]!), Math.abs(numbers[Column.LAST_QUANTILE]!));

const cuts = fc.array(fc.nat(), { maxLength: 5 });

/** Cells whose type depends on what else the column holds. */
const cell = fc.constantFrom(
  ...['007', '12', '-3', '1.5', 'NA', '--', '""', 'true', 'x', '', 'n/a', '0', '1000', '-1000', '999.5'],
  ...['"1,200"', '"-1,234.5"', '12a', '?'],
);
const COUNTS: readonly Column[] = [
  ...[Column.NULLS, Column.FALSES, Column.TRUES, Column.NUMBERS, Column.STRINGS, Column.EMPTIES],
  ...[Column.VALUES, Column.TEXTS],
];

function parseCsv(lines: readonly string[]): void {
  ENGINE.begin({ format: Format.CSV, delimiter: 44, salt: SALT });
  ENGINE.write(new TextEncoder().encode(['key,a', ...lines].join('\n')));
  ENGINE.end();
}

describe('states of CSV', () => {
  test('the type of a cell is decided by the whole column, wherever the file is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 5 }),
        fc.array(cell, { maxLength: 3 }),
        fc.nat(),
        (groups, mixedIn, seed) => {
          // Each part has mostly one sort of cells, as in a sorted file.
          const parts = groups.map(group =>
            [...group.map(() => group[0]!), ...mixedIn].map(each => `k,${each}`),
          );
          const states = parts.map((lines, part) => {
            parseCsv(lines);
            return stateOfSlice(ENGINE.measurePart(copiesOf), { part, row: 0, line: 0 });
          });
          const got = recordOf(merged(states, seed), (_, line) => line);
          parseCsv(parts.flat());
          const expected = ENGINE.measure(MAX_ROWS);
          const countsOf = ({ columns }: BatchRecord) =>
            COUNTS.map(entry => [Column[entry], columns[1]!.numbers[entry]!]);
          expect(countsOf(got)).toEqual(countsOf(expected));
        },
      ),
    );
  });

  test('a file of ZIP codes in order: digits behind the last leading zero are texts too', () => {
    const states = [
      ['00501', '01001'],
      ['10001', '99950'],
    ].map((zips, part) => {
      parseCsv(zips.map(zip => `k,${zip}`));
      return stateOfSlice(ENGINE.measurePart(copiesOf), { part, row: 0, line: 0 });
    });
    const [, zips] = recordOf(merged(states, 0), (_, line) => line).columns;
    expect([
      zips!.numbers[Column.STRINGS],
      zips!.numbers[Column.NUMBERS],
      zips!.numbers[Column.FINITE],
    ]).toEqual([4, 0, 0]);
  });
});

describe('states', () => {
  test('a small table in parts has the record of the whole, but at the edges of its parts', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 100 }), cuts, fc.nat(), (rows, places, seed) => {
        const one = inOnePiece(rows);
        // Sums of squares beyond the range of a double differ in what is rounded first.
        fc.pre(
          one.columns.every(
            ({ numbers }) => Number.isFinite(numbers[Column.M2]!) && numbers[Column.M2]! < 1e200,
          ),
        );
        expectSame(inParts(rows, places, seed), one, OF_EDGES);
      }),
    );
  });

  test('one part is the whole, edges and all', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 100 }), rows => {
        const one = inOnePiece(rows);
        fc.pre(
          one.columns.every(
            ({ numbers }) => Number.isFinite(numbers[Column.M2]!) && numbers[Column.M2]! < 1e200,
          ),
        );
        expectSame(inParts(rows, [], 0), one, []);
      }),
    );
  });

  test('order and grouping change no bit', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 4, maxLength: 100 }),
        fc.array(fc.nat(), { minLength: 3, maxLength: 6 }),
        fc.nat(),
        fc.nat(),
        (rows, places, one, other) => {
          const states = statesOf(rows, places);
          const [first, second] = [one, other].map(seed => recordOf(merged(states, seed), (_, line) => line));
          expect(first).toEqual(second);
        },
      ),
    );
  });
});
