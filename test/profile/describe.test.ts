import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Format } from '../../assembly/abi.ts';
import { describe as describeProfile, type FieldDescription } from '../../src/profile/describe.ts';
import { ENGINE, screenBytes, type Way } from '../engine/screen-bytes.ts';
import type { Cell } from '../oracle/batch.ts';
import { readJson } from '../oracle/json.ts';
import { jsonBody } from '../property/json-bodies.ts';

const engine = ENGINE;

/** As it is stored and read again. */
function described(bytes: Uint8Array, way?: Way): Record<string, FieldDescription> {
  const text = JSON.stringify(describeProfile(screenBytes(engine, bytes, way).profile!, engine.queries));
  return JSON.parse(text).fields;
}

const ofBody = (text: string, way?: Way) => described(new TextEncoder().encode(text), way);
const ofRows = (rows: unknown[], way?: Way) => ofBody(JSON.stringify({ rows }), way);
const ofValues = (values: unknown[], way?: Way): FieldDescription =>
  ofRows(
    values.map(v => ({ v })),
    way,
  ).v!;

describe('a field', () => {
  test('has counts by type, nulls, empties, presence and distinct values', () => {
    const rows = [
      { v: 1 },
      { v: '' },
      { v: null },
      {},
      { v: 'a' },
      { v: 'a' },
      { v: [1] },
      { v: {} },
      { v: true },
    ];
    expect(ofRows([...rows, { v: false }, { v: true }]).v).toEqual({
      present: 10,
      nulls: 2,
      null_rate: 2 / 11,
      empties: 1,
      types: { number: 1, boolean: 3, object: 1, array: 1, string: 3 },
      booleans: { true: 2, false: 1 },
      values: 9,
      distinct: 7,
      numbers: expect.anything(),
      statistics: { integer_share: 1, non_ascii_share: 0, email_share: 0 },
      top_values: [
        { value: 'a', count: 2 },
        { value: '', count: 1 },
      ],
    });
  });

  test('with only nulls has neither numbers nor values', () => {
    expect(ofValues([null, null])).toEqual({
      present: 2,
      nulls: 2,
      null_rate: 1,
      empties: 0,
      types: { number: 0, boolean: 0, object: 0, array: 0, string: 0 },
      values: 0,
      distinct: 0,
    });
  });

  test('may have any name', () => {
    const rows = '[{"__proto__":1,"constructor":2,"":3,"toString":"x"}]';
    expect(Object.keys(ofBody(`{"rows":${rows}}`))).toEqual(['__proto__', 'constructor', '', 'toString']);
  });
});

describe('numbers', () => {
  test('have extremes, moments, quantiles and a histogram', () => {
    const { numbers } = ofValues(Array.from({ length: 41 }, (_, i) => i / 2));
    expect(numbers).toMatchObject({ count: 41, min: 0, max: 20, mean: 10 });
    expect(numbers!.standard_deviation).toBeCloseTo(Math.sqrt(35), 12);
    expect(numbers!.quantiles).toEqual({
      '0.03125': 0.625,
      '0.125': 2.5,
      '0.25': 5,
      '0.375': 7.5,
      '0.5': 10,
      '0.625': 12.5,
      '0.75': 15,
      '0.875': 17.5,
      '0.96875': 19.375,
    });
    expect(numbers!.histogram).toEqual({ low: 0, high: 20, counts: [...Array(19).fill(2), 3] });
  });

  test('that are all one value have a histogram of one interval', () => {
    for (const [values, value] of [
      [[7], 7],
      [[-0, 0, -0], 0],
      [[1e308, 1e308], 1e308],
    ] as const) {
      const { numbers } = ofValues([...values]);
      expect(numbers).toMatchObject({ min: value, max: value, mean: value, standard_deviation: 0 });
      expect(numbers!.histogram).toEqual({
        low: value,
        high: value,
        counts: [values.length, ...Array(19).fill(0)],
      });
    }
  });

  test('mostly of one value are described like any others', () => {
    const { numbers } = ofValues([...Array(98).fill(5), 0, 20]);
    expect(numbers).toMatchObject({ min: 0, max: 20, quantiles: { '0.25': 5, '0.75': 5 } });
    expect(numbers!.histogram.counts).toEqual([1, 0, 0, 0, 0, 98, ...Array(13).fill(0), 1]);
  });

  test("at the ends of a double's range leave out only what it cannot hold", () => {
    const { numbers } = ofValues([-1e308, 0, 1e308]);
    expect(numbers).toMatchObject({ count: 3, min: -1e308, max: 1e308, mean: 0, standard_deviation: null });
    expect(numbers!.histogram.counts).toEqual([1, ...Array(9).fill(0), 1, ...Array(8).fill(0), 1]);
    const withInfinite = ofBody('{"rows":[{"v":1e999},{"v":-1e999},{"v":2}]}').v!;
    expect(withInfinite.types.number).toBe(3);
    expect(withInfinite.numbers).toMatchObject({ count: 1, min: 2, max: 2 });
    expect(ofBody('{"rows":[{"v":1e999}]}').v!.numbers).toBeUndefined();
  });

  test('of a sample are the sample’s', () => {
    const { numbers, types } = ofValues(
      Array.from({ length: 1000 }, (_, i) => (i % 5 ? i : null)),
      { sampleRows: 100 },
    );
    expect(types.number).toBe(800);
    expect(numbers!.count).toBeLessThan(100);
    expect(numbers!.histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(numbers!.count);
  });
});

describe('top values', () => {
  test('are the ten most frequent strings, those that came first before others', () => {
    const values = Array.from({ length: 12 }, (_, i) =>
      Array<string>(i === 3 ? 9 : 1 + (i % 3)).fill(`v${i}`),
    ).flat();
    expect(ofValues(values).top_values!.map(each => `${each.value} ${each.count}`)).toEqual([
      'v3 9',
      ...['v2 3', 'v5 3', 'v8 3', 'v11 3'],
      ...['v1 2', 'v4 2', 'v7 2', 'v10 2'],
      'v0 1',
    ]);
  });

  test('are absent where no string repeats, and where more than 50 differ', () => {
    expect(ofValues(['a', 'b', 'c']).top_values).toBeUndefined();
    const many = Array.from({ length: 51 }, (_, i) => `v${i}`);
    expect(ofValues([...many, ...many]).top_values).toBeUndefined();
    expect(ofValues([...many.slice(1), ...many.slice(1)]).top_values).toHaveLength(10);
    expect(ofValues([1, 1, 2]).top_values).toBeUndefined();
  });

  const long = {
    ascii: 'x'.repeat(100_000),
    emoji: '🐙'.repeat(5000),
    mixed: `a${'🐙é'.repeat(5000)}`,
    escapes: '\n"\\\u0001'.repeat(5000),
    'escapes behind a letter': `a${'\n"\\\u0001'.repeat(5000)}`,
  };

  test.each(Object.entries(long))('of long text (%s) are its first 64 characters', (_, text) => {
    const start = [...text].slice(0, 64).join('');
    for (const way of [{}, { format: Format.NDJSON }, { format: Format.CSV }] satisfies Way[]) {
      const body = {
        [Format.JSON]: JSON.stringify({ rows: [{ v: text }, { v: text }] }),
        [Format.NDJSON]: `${JSON.stringify({ v: text })}\n${JSON.stringify({ v: text })}`,
        [Format.CSV]: `v\n"${text.replaceAll('"', '""')}"\n"${text.replaceAll('"', '""')}"`,
      }[way.format ?? Format.JSON];
      expect(ofBody(body, way).v!.top_values).toEqual([{ value: start, count: 2 }]);
    }
  });

  test('may be written with an escape for every character', () => {
    const pair = String.raw`\ud83d\udc19`;
    for (const shift of ['', 'a', 'ab', 'abc', 'abcd', 'abcde']) {
      const raw = shift + pair.repeat(100);
      const { top_values } = ofBody(`{"rows":[{"v":"${raw}"},{"v":"${raw}"}]}`).v!;
      expect(top_values![0]!.value).toBe(shift + '🐙'.repeat(64 - shift.length));
    }
  });
});

test('every column of any batch is described as its cells are', () => {
  fc.assert(
    fc.property(jsonBody, bytes => {
      const { batch } = readJson(bytes);
      const fields = described(bytes);
      expect(new Set(Object.keys(fields))).toEqual(new Set(batch!.names));
      for (const name of batch!.names) {
        const cells = batch!.rows
          .map(row => row.get(name))
          .filter((cell): cell is Cell => cell !== undefined);
        check(fields[name]!, cells, batch!.rows.length);
      }
    }),
    { numRuns: 200 },
  );
});

function check(field: FieldDescription, cells: Cell[], rows: number): void {
  const values = cells.filter(cell => cell.type !== 'null');
  const numbers = values.map(cell => cell.number).filter(Number.isFinite);
  const texts = values.filter(cell => cell.type === 'string').map(cell => cell.text);
  const booleans = values.filter(cell => cell.type === 'boolean').map(cell => cell.text);
  expect(field).toMatchObject({ present: cells.length, nulls: rows - values.length, values: values.length });
  expect(field.booleans ?? { true: 0, false: 0 }).toEqual({
    true: booleans.filter(text => text === 'true').length,
    false: booleans.filter(text => text === 'false').length,
  });
  expect(field.numbers?.count ?? 0).toBe(numbers.length);
  if (field.numbers) {
    const { min, max, histogram } = field.numbers;
    expect([min, max]).toEqual([Math.min(...numbers) + 0, Math.max(...numbers) + 0]);
    expect([histogram.low, histogram.high]).toEqual([min, max]);
    expect(histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(numbers.length);
  }
  // Different lone surrogates are shown as the same replacement character.
  for (const { value, count } of field.top_values ?? [])
    if (value.length < 64 && !value.toWellFormed().includes('\ufffd'))
      expect(texts.filter(text => text.toWellFormed() === value.toWellFormed())).toHaveLength(count);
}
