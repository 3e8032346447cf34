/** Columns whose values are entries of a dictionary, as hostile bodies have them. */
import { describe, expect, test } from 'bun:test';
import {
  Dictionary,
  Int32,
  makeData,
  RecordBatchStreamWriter,
  Table,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { Fault, Format, MAX_ROWS } from '../../assembly/abi.ts';
import { newEngine, screenBytes } from '../engine/screen-bytes.ts';

/** Dictionaries have ids of their own in a table. */
let id = 0;

function columnOf(entries: Vector<Utf8>, indexes: number[]) {
  const type = new Dictionary(new Utf8(), new Int32(), id++);
  return new Vector([
    makeData({ type, length: indexes.length, data: Int32Array.from(indexes), dictionary: entries }),
  ]);
}

function screened(columns: Record<string, ReturnType<typeof columnOf>>, maxBodyBytes = 1 << 22) {
  const body = new RecordBatchStreamWriter().writeAll(new Table(columns)).toUint8Array(true).slice();
  const engine = newEngine(maxBodyBytes);
  return { engine, ...screenBytes(engine, body, { format: Format.ARROW }) };
}

const words = (count: number): Vector<Utf8> =>
  vectorFromArray(
    Array.from({ length: count }, (_, i) => (i % 5 === 4 ? null : i % 5 === 3 ? '' : `word ${i}`)),
    new Utf8(),
  );

describe('a column of a dictionary', () => {
  test.each([1, 30, MAX_ROWS, MAX_ROWS + 1, MAX_ROWS + 40])('of %p entries has their values', count => {
    const entries = words(count);
    const indexes = Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? count - 1 : (i * i) % count));
    const { engine } = screened({
      a: columnOf(entries, indexes),
      b: columnOf(entries, [...indexes].reverse()),
    });
    const expected = indexes.map(index => entries.get(index));
    expect(engine.cells(0).map(cell => cell.value)).toEqual(expected);
    expect(engine.cells(1).map(cell => cell.value)).toEqual(expected.toReversed());
  });

  test('has the values of its own dictionary, not of the one before', () => {
    const { engine } = screened({
      a: columnOf(vectorFromArray(['x', 'y'], new Utf8()), [0, 1, 0]),
      b: columnOf(vectorFromArray(['y', null], new Utf8()), [0, 1, 0]),
    });
    expect(engine.cells(1).map(cell => cell.value)).toEqual(['y', null, 'y']);
  });

  test('whose index no entry has is refused', () => {
    for (const index of [-1, 30, 2 ** 31 - 1]) {
      const { refused } = screened({ a: columnOf(words(30), [0, 1, index]) });
      expect(refused?.reason).toContain('names an entry that the dictionary does not have');
    }
  });

  test('may not repeat a long text without end', () => {
    const entries = vectorFromArray(['x'.repeat(1 << 20)], new Utf8());
    expect(screened({ a: columnOf(entries, Array(16).fill(0)) }).refused).toBeUndefined();
    expect(screened({ a: columnOf(entries, Array(17).fill(0)) }).refused?.fault).toBe(Fault.TEXTS);
  });
});
