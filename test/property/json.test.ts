import { expect, test } from 'bun:test';
import './seed.ts';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { ENGINE, ENGINE_STATES, ENGINES, FRESH_RUNS, placeOf, screenBytes } from '../engine/screen-bytes.ts';
import { Refused } from '../oracle/batch.ts';
import { readJson } from '../oracle/json.ts';
import { expectSameBatch, expectSameJson } from './agreement.ts';
import { jsonBody, longJsonBody } from './json-bodies.ts';
import { arrivals, damaged } from './pieces.ts';

const engine = ENGINE;

test('the engine reads a JSON batch as the oracle does', () => {
  fc.assert(
    fc.property(jsonBody, bytes => expectSameJson(engine, bytes)),
    { numRuns: 400 },
  );
});

test.each(ENGINE_STATES)('a %s engine reads a JSON batch as the oracle does', state => {
  const nextEngine = ENGINES[state]();
  fc.assert(
    fc.property(jsonBody, arrivals, (bytes, way) => expectSameJson(nextEngine(), bytes, way)),
    { numRuns: state === 'fresh' ? FRESH_RUNS : 60 },
  );
});

test.each(['{}', '[1]', '[{"b": "a text of more than sixteen bytes"}]'])(
  'the nested value %s and the text that spells it are two values',
  nested => {
    const rows = `[{"a":${nested}},{"a":${JSON.stringify(nested)}},{"a":true}]`;
    expectSameJson(engine, Buffer.from(`{"source":"s","rows":${rows}}`));
  },
);

test('the engine reads thousands of rows as the oracle does', () => {
  fc.assert(
    fc.property(longJsonBody, bytes => expectSameJson(engine, bytes)),
    { numRuns: 12 },
  );
});

/** Rows with those of eight fields whose bit is set: each mask for a few rows or for many. */
const leavingOut = fc
  .array(fc.tuple(fc.nat(255), fc.constantFrom(1, 1, 1, 2, 7, 8, 9, 20)), { minLength: 5, maxLength: 60 })
  .map(runs => runs.flatMap(([mask, length]) => Array<number>(length).fill(mask)))
  .map(masks =>
    masks.map((mask, row) => [...'abcdefgh'].filter((_, bit) => mask & (1 << bit)).map(key => [key, row])),
  );

test('rows may leave out any of their fields, now and then or from a row on, as the oracle reads', () => {
  fc.assert(
    fc.property(leavingOut, arrivals, fc.boolean(), (fields, way, isRepeated) => {
      const rows = fields.map(each => Object.fromEntries(each));
      const body = JSON.stringify({ source: 's', rows });
      const repeated = isRepeated ? body.replaceAll('"c":', '"b":') : body;
      expectSameJson(engine, Buffer.from(repeated), way);
      expectSameJson(engine, Buffer.from(repeated.replace('[{"', '[,"')), way);
    }),
    { numRuns: 200 },
  );
});

test('a JSON body gives the same profile for any chunks', () => {
  fc.assert(
    fc.property(jsonBody, arrivals, (bytes, way) => {
      expect(screenBytes(engine, bytes, way)).toEqual(screenBytes(engine, bytes));
    }),
    { numRuns: 300 },
  );
});

test('thousands of rows give the same profile for any chunks', () => {
  fc.assert(
    fc.property(longJsonBody, arrivals, (bytes, way) => {
      expect(screenBytes(engine, bytes, { ...way, sampleRows: 100 })).toEqual(
        screenBytes(engine, bytes, { sampleRows: 100 }),
      );
    }),
    { numRuns: 8 },
  );
});

test('a damaged JSON body is refused if the oracle refuses it, with the same fault at the same place', () => {
  fc.assert(
    fc.property(damaged(jsonBody), bytes => expectSameJson(engine, bytes)),
    { numRuns: 1500 },
  );
});

test('a damaged JSON body is refused in the same way for any chunks', () => {
  fc.assert(
    fc.property(damaged(jsonBody), arrivals, (bytes, way) => {
      const whole = screenBytes(engine, bytes);
      const pieces = screenBytes(engine, bytes, way);
      if (!whole.refused || !pieces.refused) expect(pieces).toEqual(whole);
      else expect(placeOf(pieces.refused, Format.JSON)).toEqual(placeOf(whole.refused, Format.JSON));
    }),
    { numRuns: 800 },
  );
});

/** Type 7 quantiles at i/32 of 33 numbers are the numbers themselves: with a row's index as its value, they show which rows were sampled. */
const SHOWN = 33;

test('a sample has one row from each stratum, and the statistics are those of these rows', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: SHOWN, max: 2000 }),
      fc.constantFrom('null', '"x"', '[1]'),
      (count, odd) => {
        const rows = Array.from(
          { length: count },
          (_, i) => `{"i":${i},"v":${i % 3 ? i % 7 : odd},"s":"${i % 90}"}`,
        );
        const bytes = new TextEncoder().encode(`{"source":"s","rows":[${rows.join()}]}`);
        const { profile } = screenBytes(engine, bytes, { sampleRows: SHOWN });
        const drawn = [...profile!.fields[0]!.measured.numeric!.quantiles];
        expect(drawn.map(row => Math.floor(((row + 1) * SHOWN - 1) / count))).toEqual(drawn.map((_, i) => i));
        expectSameBatch(engine, profile!, readJson(bytes).batch!, drawn);
      },
    ),
    { numRuns: 30 },
  );
});

test('the oracle accepts as JSON what the platform accepts', () => {
  const accepts = (read: () => unknown, refusal: new (...args: never[]) => Error): boolean => {
    try {
      read();
      return true;
    } catch (error) {
      if (error instanceof refusal) return false;
      throw error;
    }
  };
  const text = damaged(jsonBody).map(bytes => new Uint8Array([0x5b, ...bytes, 0x5d]));
  fc.assert(
    fc.property(text, bytes => {
      const decode = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      const platform = accepts(decode, TypeError) && accepts(() => JSON.parse(decode()), SyntaxError);
      expect(accepts(() => readJson(bytes), Refused)).toBe(platform);
    }),
    { numRuns: 500 },
  );
});
