/** Slices that are put together as they come have the state of slices that were merged: with the same bits, past all bounds too. */
import { describe, expect, test } from 'bun:test';
import { Format, MAX_ROWS } from '../../assembly/abi.ts';
import { GrowingState } from '../../src/states/growing-state.ts';
import { copiesOf } from '../../src/states/part-bounds.ts';
import { mergeStates, type State, stateOfSlice } from '../../src/states/state.ts';
import { ENGINE } from '../engine/screen-bytes.ts';

/** Repeatable: Park and Miller's generator. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const next = uniform(3);
/** Of row i, one for each column. */
const CELLS: ((i: number) => unknown)[] = [
  i => i,
  () => Math.floor(7000 * next()) / 10_000,
  () => `n${Math.floor(30_000 * next())}`,
  () => ['new', 'paid', 'sent'][Math.floor(3 * next())],
  i => (i < 25_000 ? Math.exp(20 * next() - 10).toFixed(4) : (-1e9 * next()).toFixed(3)),
  () => (next() < 0.4 ? 9.99 : (20 * next()).toFixed(5)),
  () => Math.floor(40 * next()),
  i => (i % 20_000 < 9000 ? Math.floor(3000 * next()) : `0${Math.floor(300 * next())}`),
  () => (next() < 0.2 ? 'NA' : next() < 0.5),
  i => (i < 15_000 ? '' : 1.5),
  i => new Date(1.7e12 + 977 * i).toISOString(),
  () => (next() < 0.001 ? 1e300 : next() < 0.001 ? -1e300 : next()),
];
const HEADER = CELLS.map((_, i) => `c${i}`).join(',');

const slicesOf = (rows: number, most: number): string[] =>
  Array.from({ length: Math.ceil(rows / most) }, (_, slice) => {
    const first = slice * most;
    const lines = Array.from({ length: Math.min(most, rows - first) }, (_, i) =>
      CELLS.map(cell => cell(first + i)).join(','),
    );
    return [HEADER, ...lines].join('\n');
  });

function parse(body: string): void {
  ENGINE.begin({ format: Format.CSV, delimiter: 44, salt: new Uint8Array(32).fill(9) });
  ENGINE.write(new TextEncoder().encode(body));
  ENGINE.end();
}

function merged(slices: readonly string[]): State {
  const states = slices.map((body, slice) => {
    parse(body);
    return stateOfSlice(ENGINE.measurePart(copiesOf), { part: 0, row: slice * MAX_ROWS, line: 0 });
  });
  return states.reduce(mergeStates);
}

function grown(slices: readonly string[]): State {
  const growing = new GrowingState();
  for (const [slice, body] of slices.entries()) {
    parse(body);
    growing.add(
      stateOfSlice(ENGINE.measurePart(growing.takersOf), { part: 0, row: slice * MAX_ROWS, line: 0 }),
    );
  }
  return growing.end()!;
}

describe('slices that are put together as they come', () => {
  test.each([
    [70_000, 10_000],
    [9000, 150],
  ])('%d rows in slices of %d', (rows, most) => {
    const slices = slicesOf(rows, most);
    expect(grown(slices)).toEqual(merged(slices));
  });

  test('columns that come and go', () => {
    const [first, ...rest] = slicesOf(6000, 500);
    const renamed = rest.map((body, i) => (i % 3 === 1 ? body.replace('c4', 'other') : body));
    const slices = [first!, ...renamed];
    expect(grown(slices)).toEqual(merged(slices));
  });

  test('none', () => {
    expect(new GrowingState().end()).toBeNull();
  });
});
