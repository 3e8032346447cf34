/** Queries for single values agree with the oracle's cells. */
import { expect, test } from 'bun:test';
import './seed.ts';
import fc from 'fast-check';
import { VALUE_TYPES } from '../../src/profile/profile.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import type { Cell } from '../oracle/batch.ts';
import { readJson } from '../oracle/json.ts';
import { jsonBody } from './json-bodies.ts';

const engine = ENGINE;

/** The cells of each column of a batch that hold a value, in row order. */
function columnsOf(bytes: Uint8Array): Cell[][] {
  const { batch } = readJson(bytes);
  return batch!.names.map(name =>
    batch!.rows
      .map(row => row.get(name))
      .filter((cell): cell is Cell => cell !== undefined && cell.type !== 'null'),
  );
}

test('numbers outside given fences are counted, with their minimum and maximum', () => {
  const fences = fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true, min: 0 }), fc.boolean());
  fc.assert(
    fc.property(jsonBody, fences, (bytes, [low, width, near]) => {
      screenBytes(engine, bytes);
      const [from, to] = near ? [0, 100] : [low, low + width];
      for (const [column, cells] of columnsOf(bytes).entries()) {
        const numbers = cells.map(cell => cell.number).filter(Number.isFinite);
        const out = numbers.filter(x => x < from || x > to).sort((a, b) => a - b);
        const got = engine.queries.outside(column, from, to);
        expect(got.count).toBe(out.length);
        if (out.length > 0) expect([got.min + 0, got.max + 0]).toEqual([out[0]! + 0, out.at(-1)! + 0]);
      }
    }),
    { numRuns: 200 },
  );
});

test('the sample of a mismatch is the first value with another type', () => {
  fc.assert(
    fc.property(jsonBody, bytes => {
      screenBytes(engine, bytes);
      for (const [column, cells] of columnsOf(bytes).entries())
        for (const expected of VALUE_TYPES) {
          const first = cells.find(cell => cell.type !== expected);
          const got = engine.queries.example(column, expected);
          if (first?.type === 'number' && !Number.isFinite(first.number)) expect(got).toBe(first.text);
          else expect(got).toEqual(first?.type === 'string' ? first.text : first && JSON.parse(first.text));
        }
    }),
    { numRuns: 200 },
  );
});

test('unknown texts are counted by row and named in order of first occurrence', () => {
  fc.assert(
    fc.property(jsonBody, fc.integer({ min: 0, max: 25 }), fc.func(fc.boolean()), (bytes, limit, isKnown) => {
      const fields = screenBytes(engine, bytes).profile!.fields;
      const columns = columnsOf(bytes);
      for (const { column, measured } of fields) {
        const texts = columns[column]!.filter(cell => cell.type === 'string').map(cell => cell.text);
        const counts = countsOf(texts);
        if (!measured.listed || !distinctCounts(counts)) continue;
        // Hashes say nothing about texts, but if all counts differ they identify them.
        const known = measured.listed.filter(entry => isKnown(entry.count));
        const unseen = texts.filter(text => !known.some(entry => entry.count === counts.get(text)));
        expect(
          engine.queries.unseen(column, new BigUint64Array(known.map(entry => entry.hash)), limit),
        ).toEqual({
          rows: unseen.length,
          values: [...new Set(unseen)].slice(0, limit),
        });
      }
    }),
    { numRuns: 300 },
  );
});

function countsOf(texts: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

const distinctCounts = (counts: Map<string, number>): boolean =>
  new Set(counts.values()).size === counts.size;
