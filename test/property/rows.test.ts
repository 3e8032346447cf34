/** The rows that the engine names are those that a plain look through the oracle's cells finds. */
import { expect, test } from 'bun:test';
import './seed.ts';
import fc from 'fast-check';
import { Format, Like, REGISTERS } from '../../assembly/abi.ts';
import type { RowList, RowQueries } from '../../src/engine/queries.ts';
import { VALUE_TYPES } from '../../src/profile/profile.ts';
import { ENGINE, screenBytes, type Way } from '../engine/screen-bytes.ts';
import type { Batch, Cell } from '../oracle/batch.ts';
import { readCsv, readRecords } from '../oracle/csv.ts';
import { exactNumber } from '../oracle/exact.ts';
import { readJson } from '../oracle/json.ts';
import { csvBody, csvSoup } from './csv-bodies.ts';
import { jsonBody } from './json-bodies.ts';
import { arrivals } from './pieces.ts';

const engine = ENGINE;
const ALL = 10_000;
const NO_REGISTERS = new Uint8Array(REGISTERS);

type Cells = readonly (Cell | undefined)[];
type Is = (cell: Cell) => boolean;

const columnOf = (batch: Batch, name: string): Cells => batch.rows.map(row => row.get(name));
const isThere = (cell: Cell | undefined): cell is Cell => cell !== undefined && cell.type !== 'null';
const rowsWith = (cells: Cells, is: Is): number[] =>
  cells.flatMap((cell, row) => (isThere(cell) && is(cell) ? [row] : []));
const identity = (cell: Cell): string =>
  `${cell.type} ${cell.type === 'number' ? exactNumber(cell) : cell.text}`;

const SPACE = /^[\t-\r ]|[\t-\r ]$/;
const BEGIN_BYTES = 64;
const begin = ({ text }: Cell): Buffer => Buffer.from(text).subarray(0, BEGIN_BYTES);
const hasByte =
  (is: (byte: number) => boolean): Is =>
  cell =>
    cell.type === 'string' && [...begin(cell)].some(is);

const NUMBERS: [Like, (x: number) => boolean][] = [
  [Like.INTEGER, x => Math.floor(x) === x],
  [Like.ZERO, x => x === 0],
  [Like.NEGATIVE, x => x < 0],
];
const TEXTS: [Like, Is][] = [
  [Like.PADDED, ({ text }) => SPACE.test(text)],
  [Like.WITH_DIGIT, hasByte(byte => byte >= 48 && byte <= 57)],
  [Like.WITH_UPPER, hasByte(byte => byte >= 65 && byte <= 90)],
  [Like.WITH_SPACE, hasByte(byte => byte === 32 || (byte >= 9 && byte <= 13))],
  [Like.WITH_NON_ASCII, hasByte(byte => byte >= 128)],
];

/** Every look at one column against the same question asked of the oracle's cells. */
function expectSameRows(look: RowQueries, column: number, cells: Cells): void {
  const found = (rows: RowList): number[] => [...rows];
  for (const type of VALUE_TYPES)
    expect(found(look.mistyped(column, type, ALL))).toEqual(rowsWith(cells, cell => cell.type !== type));
  const without = cells.flatMap((cell, row) => (isThere(cell) ? [] : [row]));
  expect(found(look.without(column, ALL))).toEqual(without);
  expect(found(look.without(column, 3))).toEqual(without.slice(0, 3));
  const empties = rowsWith(cells, cell => cell.type === 'string' && cell.text === '');
  expect(found(look.empty(column, ALL))).toEqual(empties);
  for (const [low, high] of [
    [0, 100],
    [-1, 1e6],
  ] as const) {
    const far = (x: number): boolean => Number.isFinite(x) && (x < low || x > high);
    const outside = rowsWith(cells, cell => cell.type === 'number' && far(cell.number));
    expect(found(look.outside(column, low, high, ALL))).toEqual(outside);
    expect(found(look.outside(column, low, high, 2))).toEqual(outside.slice(0, 2));
  }
  for (const has of [true, false]) {
    for (const [like, is] of NUMBERS)
      expect(found(look.like(column, like, has, ALL))).toEqual(
        rowsWith(cells, cell => cell.type === 'number' && is(cell.number) === has),
      );
    for (const [like, is] of TEXTS)
      expect(found(look.like(column, like, has, ALL))).toEqual(
        rowsWith(cells, cell => cell.type === 'string' && is(cell) === has),
      );
  }
  const seen = new Set<string>();
  const repeated = rowsWith(cells, cell => seen.size === seen.add(identity(cell)).size);
  expect(found(look.repeated(column, ALL))).toEqual(repeated);
  expect(found(look.fresh(column, NO_REGISTERS, ALL))).toEqual(rowsWith(cells, () => true));
  expect(found(look.unseen(column, new BigUint64Array(0), ALL))).toEqual(
    rowsWith(cells, cell => cell.type === 'string'),
  );
}

function expectSameBatch(batch: Batch): void {
  for (const [column, name] of batch.names.entries())
    expectSameRows(engine.rowQueries, column, columnOf(batch, name));
}

test('of JSON, by their indexes, however the body arrives', () => {
  fc.assert(
    fc.property(jsonBody, arrivals, (bytes, way) => {
      screenBytes(engine, bytes, way);
      expect(engine.rowQueries.lines(ALL)).toBeNull();
      expectSameBatch(readJson(bytes).batch!);
    }),
    { numRuns: 120 },
  );
});

test('of NDJSON, by their indexes among the rows and not by lines', () => {
  const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', '');
  const values = fc.oneof(fc.integer(), fc.constantFrom(null, '', 'x', 'X 1', true, [1], -0.5));
  const row = fc.array(fc.tuple(names, values), { maxLength: 4 }).map(pairs => {
    const text = [...new Map(pairs)].map(
      ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
    );
    return `{${text.join(',')}}`;
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(row, fc.constantFrom('\n', '\r\n', '\n \n')), { minLength: 1 }), lines => {
      const bytes = new TextEncoder().encode(lines.flat().join(''));
      expect(screenBytes(engine, bytes, { format: Format.NDJSON }).refused).toBeUndefined();
      expect(engine.rowQueries.lines(ALL)).toBeNull();
      expectSameBatch(readJson(Buffer.from(`{"rows":[${lines.map(([text]) => text).join(',')}]}`)).batch!);
    }),
    { numRuns: 200 },
  );
});

/** Screens a table and checks its rows, their lines and the ragged ones. */
function expectSameTable(bytes: Uint8Array, delimiter: string, way: Way): void {
  if (screenBytes(engine, bytes, { ...way, format: Format.CSV, delimiter }).refused) return;
  const [header, ...records] = readRecords(bytes, delimiter);
  const lines = records.map(record => record.line);
  expect(Array.from(engine.rowQueries.lines(ALL)!)).toEqual(lines);
  expect(Array.from(engine.rowQueries.lines(2)!)).toEqual(lines.slice(0, 2));
  const width = header!.cells.length;
  const ragged = records.flatMap(({ cells }, row) => (cells.length === width ? [] : [row]));
  expect([...engine.rowQueries.ragged(ALL)]).toEqual(ragged);
  expect([...engine.rowQueries.ragged(1)]).toEqual(ragged.slice(0, 1));
  expectSameBatch(readCsv(bytes, delimiter));
}

test('of CSV, with the line on which each begins and the ragged ones, however it arrives', () => {
  fc.assert(
    fc.property(csvBody(40), arrivals, ({ bytes, delimiter }, way) => expectSameTable(bytes, delimiter, way)),
    { numRuns: 200 },
  );
});

test('of any soup of quotes, delimiters and line ends that is a table', () => {
  fc.assert(
    fc.property(csvSoup, ({ bytes, delimiter }) => expectSameTable(bytes, delimiter, {})),
    { numRuns: 1500 },
  );
});

test('with a string that is not among the known ones', () => {
  fc.assert(
    fc.property(jsonBody, fc.func(fc.boolean()), (bytes, isKnown) => {
      const { fields } = screenBytes(engine, bytes).profile!;
      const { batch } = readJson(bytes);
      for (const { column, name, measured } of fields) {
        const cells = columnOf(batch!, name);
        const counts = new Map<string, number>();
        for (const cell of cells)
          if (cell?.type === 'string') counts.set(cell.text, (counts.get(cell.text) ?? 0) + 1);
        // Hashes cannot be told from texts, but where all counts differ they tell which is which.
        if (!measured.listed || new Set(counts.values()).size < counts.size) continue;
        const known = measured.listed.filter(entry => isKnown(entry.count));
        const isNew: Is = ({ type, text }) =>
          type === 'string' && !known.some(entry => entry.count === counts.get(text));
        const hashes = new BigUint64Array(known.map(entry => entry.hash));
        expect([...engine.rowQueries.unseen(column, hashes, ALL)]).toEqual(rowsWith(cells, isNew));
      }
    }),
    { numRuns: 100 },
  );
});

test('with a value that registers have surely not seen, and never with one that they have', () => {
  const texts = fc.array(fc.constantFrom(...'abcdefghij'), { minLength: 1, maxLength: 30 });
  const bodyOf = (values: readonly string[]): Uint8Array =>
    Buffer.from(JSON.stringify({ rows: values.map(a => ({ a })) }));
  fc.assert(
    fc.property(texts, texts, (before, now) => {
      const registers = screenBytes(engine, bodyOf(before)).profile!.fields[0]!.measured.registers;
      screenBytes(engine, bodyOf(now));
      const rows = [...engine.rowQueries.fresh(0, registers, ALL)];
      for (const row of rows) expect(before).not.toContain(now[row]!);
      screenBytes(engine, bodyOf(before));
      expect([...engine.rowQueries.fresh(0, registers, ALL)]).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('whose text is of another shape than most', () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({
    d: i % 50 === 7 ? '21.11.2026' : `2026-11-${10 + (i % 20)}`,
  }));
  screenBytes(engine, Buffer.from(JSON.stringify({ rows })));
  const odd = rows.flatMap(({ d }, row) => (d.includes('.') ? [row] : []));
  expect([...engine.rowQueries.like(0, Like.USUAL_FORMAT, false, ALL)]).toEqual(odd);
  expect(engine.rowQueries.like(0, Like.USUAL_FORMAT, true, ALL).length).toBe(rows.length - odd.length);
  const halves = rows.map((_, i) => ({ d: i % 2 ? 'abc' : '123' }));
  screenBytes(engine, Buffer.from(JSON.stringify({ rows: halves })));
  for (const has of [true, false])
    expect([...engine.rowQueries.like(0, Like.USUAL_FORMAT, has, ALL)]).toEqual([]);
});

test('of a sample, one in each stratum: values are looked for nowhere else', () => {
  const SAMPLE = 90;
  const rows = fc.array(fc.record({ a: fc.nat(99), b: fc.constantFrom('x', null) }), {
    minLength: 100,
    maxLength: 400,
    size: 'max',
  });
  fc.assert(
    fc.property(rows, fc.boolean(), (given, isSparse) => {
      const sent = isSparse ? given.map(({ a, b }, i) => (i % 3 ? { a, b } : { b })) : given;
      const bytes = Buffer.from(JSON.stringify({ rows: sent.map(row => ({ z: 1, ...row })) }));
      const { fields } = screenBytes(engine, bytes, { sampleRows: SAMPLE }).profile!;
      const sampled = [...engine.rowQueries.fresh(0, NO_REGISTERS, ALL)];
      expect(sampled.map(row => Math.ceil(((row + 1) * SAMPLE) / given.length) - 1)).toEqual(
        Array.from({ length: SAMPLE }, (_, stratum) => stratum),
      );
      const column = fields.find(field => field.name === 'a')!.column;
      const outside = sent.flatMap((row, i) => ('a' in row && (row.a ?? 50) > 60 ? [i] : []));
      expect([...engine.rowQueries.outside(column, 0, 60, ALL)]).toEqual(
        outside.filter(row => sampled.includes(row)),
      );
    }),
    { numRuns: 60 },
  );
});
