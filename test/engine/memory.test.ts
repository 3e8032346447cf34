/** Memory that grows while a body is read. Growing replaces the buffer that the host sees. */
import { expect, test } from 'bun:test';
import { newEngine, screenBytes } from './screen-bytes.ts';

/** Exactly half way between two doubles: more digits than the fast paths decide. */
const TIE = '1.00000000000000011102230246251565404236316680908203125';
const ROWS = 2000;
const FIELDS = 20;
const SPACING = 41;

const textOf = (row: number, field: number): string =>
  (row * FIELDS + field) % SPACING === 0 ? TIE : String(row + field / 4);

const rows = Array.from({ length: ROWS }, (_, row) => {
  const members = Array.from({ length: FIELDS }, (_, field) => `"f${field}":${textOf(row, field)}`);
  return `{${members.join()}}`;
});
const body = new TextEncoder().encode(`{"source":"s","rows":[${rows.join()}]}`);

test('a fresh engine reads decimals of many digits while its memory grows', () => {
  const engine = newEngine();
  const before = engine.memoryBytes;
  expect(screenBytes(engine, body).refused).toBeUndefined();
  expect(engine.memoryBytes).toBeGreaterThan(before);
  for (let field = 0; field < FIELDS; field++)
    expect(engine.cells(field).map(cell => cell.value)).toEqual(
      rows.map((_, row) => Number(textOf(row, field))),
    );
});

test('a body gives the same profile on a fresh engine and on one whose memory has grown', () => {
  const fresh = newEngine();
  const grown = newEngine();
  screenBytes(grown, body);
  expect(screenBytes(grown, body)).toEqual(screenBytes(fresh, body));
  for (const pieces of [[1 << 16], [977, 65_536]])
    expect(screenBytes(newEngine(), body, { pieces })).toEqual(screenBytes(fresh, body));
});
