/** What the engine counts of damaged cells does not depend on how a body comes, nor on how it is cut into slices. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Format, MAX_ROWS } from '../../assembly/abi.ts';
import { addCounts, NO_COUNTS } from '../../src/signs/sign.ts';
import { marksOf } from '../../src/signs/texts.ts';
import { copiesOf } from '../../src/states/part-bounds.ts';
import { ENGINE } from './screen-bytes.ts';

const SALT = new Uint8Array(32).fill(7);

function countsOf(body: string, format: Format, pieces: readonly number[] = [], isPart = false) {
  const bytes = new TextEncoder().encode(body);
  ENGINE.begin({ format, delimiter: 44, salt: SALT });
  let at = 0;
  for (const piece of pieces) {
    if (at >= bytes.length) break;
    ENGINE.write(bytes.slice(at, at + piece));
    at += piece;
  }
  if (at < bytes.length) ENGINE.write(bytes.slice(at));
  ENGINE.end();
  const { columns } = isPart ? ENGINE.measurePart(copiesOf) : ENGINE.measure(MAX_ROWS);
  return columns.map(({ signs }) => signs);
}

const text = fc.oneof(
  fc.constantFrom(
    'plain',
    'Köln',
    'KÃ¶ln',
    'K\ufffdln',
    'a\u200bb',
    'a\u200cb',
    'می‌خواهم',
    'â€™',
    'é’',
    '日本語',
    '\ufeffx',
    '#REF!',
  ),
  fc.string({
    unit: fc.constantFrom('a', 'Ã', '¶', 'é', '’', '\u200b', '\u200c', '\ufffd', '😀', '"', '\\', '\n'),
    maxLength: 30,
  }),
);
const texts = fc.array(text, { minLength: 1, maxLength: 40 });
const pieces = fc.array(fc.integer({ min: 1, max: 70 }), { maxLength: 60 });

const csvOf = (cells: readonly string[]) =>
  `n,x\n${cells.map((cell, i) => `${i},"${cell.replaceAll('"', '""')}"\n`).join('')}`;
const jsonOf = (cells: readonly string[], isEscaped: boolean) => {
  const json = JSON.stringify({ source: 's', rows: cells.map(x => ({ x })) });
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return isEscaped ? json.replace(/[^\0-\x7e]/g, escaped) : json;
};

describe('odd texts', () => {
  test('are those that their characters say, in CSV and JSON, in whatever pieces they come', () => {
    fc.assert(
      fc.property(texts, pieces, fc.boolean(), (cells, cut, isEscaped) => {
        const expected: Record<string, number> = {};
        for (const cell of cells)
          for (const mark of marksOf(cell)) expected[mark] = (expected[mark] ?? 0) + 1;
        const marksIn = (counts: object) =>
          Object.fromEntries(Object.entries(counts).filter(([name]) => /character|mojibake/.test(name)));
        const [, csv] = countsOf(csvOf(cells), Format.CSV, cut);
        const [json] = countsOf(jsonOf(cells, isEscaped), Format.JSON, cut);
        expect(marksIn(csv!)).toEqual(expected);
        expect(marksIn(json!)).toEqual(expected);
      }),
    );
  });
});

test('one bad day in a column of any length is found, if the others repeat', () => {
  const dates = (count: number, odd: string, at: number) =>
    Array.from({ length: count }, (_, i) =>
      i === at ? odd : new Date(Date.UTC(2026, 0, 1 + (i % 900))).toISOString().slice(0, 10),
    );
  fc.assert(
    fc.property(fc.integer({ min: 2049, max: MAX_ROWS }), fc.nat(), (count, place) => {
      const cells = dates(count, '2026-02-30', place % count);
      for (const [, counts] of [
        countsOf(csvOf(cells), Format.CSV),
        countsOf(csvOf(cells), Format.CSV, [], true),
      ])
        expect(counts!.impossible_date).toBe(1);
    }),
    { numRuns: 20 },
  );
});

test('digits of a day that does not exist are counted in slices, and add up', () => {
  const days = (slice: number) =>
    Array.from({ length: 40 }, (_, i) =>
      i === slice ? '20260230' : `202603${String(1 + (i % 28)).padStart(2, '0')}`,
    );
  const [a, b] = [0, 1].map(slice => countsOf(csvOf(days(slice)), Format.CSV, [], true)[1]!);
  expect(addCounts(a!, b!)).toEqual({ compact_dates: 78, impossible_compact: 2 });
});

test('counts of slices add up to those of the whole', () => {
  const cell = fc.oneof(
    text,
    fc.constantFrom('2026-01-02', '2026-02-30', '31/01/2026', '01/31/2026', '0000-00-00'),
  );
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 60 }), fc.nat(), (cells, at) => {
      const cut = 1 + (at % (cells.length - 1));
      const odd = /character|mojibake/;
      const only = (counts: object) =>
        Object.fromEntries(Object.entries(counts).filter(([name]) => odd.test(name)));
      const [first, second] = [cells.slice(0, cut), cells.slice(cut)].map(
        slice => countsOf(csvOf(slice), Format.CSV, [], true)[1]!,
      );
      expect(only(addCounts(first!, second!))).toEqual(only(countsOf(csvOf(cells), Format.CSV)[1]!));
      expect(addCounts(first!, NO_COUNTS)).toEqual(first!);
    }),
  );
});
