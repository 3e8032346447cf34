import { expect, test } from 'bun:test';
import './seed.ts';
import fc from 'fast-check';
import Papa from 'papaparse';
import { Format } from '../../assembly/abi.ts';
import { cellsOf, textOf } from '../engine/cells.ts';
import {
  ENGINE,
  ENGINE_STATES,
  ENGINES,
  FRESH_RUNS,
  placeOf,
  screenBytes,
  type Way,
} from '../engine/screen-bytes.ts';
import { expectSameCsv } from './agreement.ts';
import { type CsvBody, csvBody, csvSoup, rareCodes, tidyTable } from './csv-bodies.ts';
import { arrivals, damaged } from './pieces.ts';

const engine = ENGINE;
const screen = ({ bytes, delimiter }: CsvBody, way: Way = {}) =>
  screenBytes(engine, bytes, { ...way, format: Format.CSV, delimiter });

function expectSameScreening(body: CsvBody, way: Way): void {
  const whole = screen(body);
  const pieces = screen(body, way);
  if (!whole.refused || !pieces.refused) expect(pieces).toEqual(whole);
  else expect(placeOf(pieces.refused, Format.CSV)).toEqual(placeOf(whole.refused, Format.CSV));
}

test('the engine reads a CSV table as the oracle does', () => {
  fc.assert(
    fc.property(csvBody(30), ({ bytes, delimiter }) => expectSameCsv(engine, bytes, delimiter)),
    { numRuns: 600 },
  );
});

test.each(ENGINE_STATES)('a %s engine reads a CSV table as the oracle does', state => {
  const nextEngine = ENGINES[state]();
  fc.assert(
    fc.property(csvBody(30), arrivals, ({ bytes, delimiter }, way) =>
      expectSameCsv(nextEngine(), bytes, delimiter, way),
    ),
    { numRuns: state === 'fresh' ? FRESH_RUNS : 60 },
  );
});

test('the engine reads thousands of CSV records as the oracle does', () => {
  fc.assert(
    fc.property(csvBody(2500), ({ bytes, delimiter }) => expectSameCsv(engine, bytes, delimiter)),
    { numRuns: 8 },
  );
});

test('a column holds codes if the oracle says so', () => {
  fc.assert(
    fc.property(rareCodes, ({ bytes, delimiter }) => expectSameCsv(engine, bytes, delimiter)),
    { numRuns: 150 },
  );
});

test('decimals of any length, with the point anywhere, have the right value', () => {
  const digits = (minLength: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength: 12 });
  const whole = digits(1).filter(text => text === '0' || text[0] !== '0');
  const decimal = fc
    .tuple(fc.constantFrom('', '-'), whole, digits(0))
    .map(([sign, before, behind]) => `${sign}${before}${behind && `.${behind}`}`);
  fc.assert(
    fc.property(fc.array(decimal, { minLength: 8, maxLength: 40 }), texts => {
      const bytes = new TextEncoder().encode(`a,b\n${texts.map(text => `${text},${text}\n`).join('')}`);
      screen({ bytes, delimiter: ',' });
      for (const column of [0, 1])
        expect(cellsOf(engine, column).map(cell => cell?.value)).toEqual(texts.map(Number));
    }),
    { numRuns: 400 },
  );
});

test('any mixture of quotes, delimiters and line ends is read or refused as by the oracle', () => {
  fc.assert(
    fc.property(csvSoup, ({ bytes, delimiter }) => expectSameCsv(engine, bytes, delimiter)),
    { numRuns: 3000 },
  );
});

test('a damaged CSV body is read or refused as by the oracle', () => {
  const bodies = fc.tuple(damaged(csvBody(12).map(({ bytes }) => bytes)), fc.constantFrom(',', ';'));
  fc.assert(
    fc.property(bodies, ([bytes, delimiter]) => expectSameCsv(engine, bytes, delimiter)),
    { numRuns: 800 },
  );
});

test('a CSV table gives the same profile for any chunks', () => {
  fc.assert(fc.property(csvBody(30), arrivals, expectSameScreening), { numRuns: 400 });
});

test('a mixture of CSV characters is read or refused in the same way for any chunks', () => {
  fc.assert(fc.property(csvSoup, arrivals, expectSameScreening), { numRuns: 1500 });
});

test('a tidy table has the same cells as papaparse finds', () => {
  fc.assert(
    fc.property(tidyTable, ({ bytes, delimiter, table }) => {
      const parsed = Papa.parse<string[]>(new TextDecoder().decode(bytes), {
        delimiter,
        skipEmptyLines: false,
      });
      expect(parsed.data).toEqual(table);
      const { profile } = screen({ bytes, delimiter });
      expect(profile!.rows).toBe(table.length - 1);
      for (const [column, field] of profile!.fields.entries())
        expect(
          cellsOf(engine, field.column).map((cell, row) => textOf(cell, table[row + 1]![column])),
        ).toEqual(table.slice(1).map(cells => cells[column]));
    }),
    { numRuns: 300 },
  );
});
