/** Names about as long as the longest that is allowed, in every spelling. */
import { expect, test } from 'bun:test';
import './seed.ts';
import fc from 'fast-check';
import { Format, MAX_NAME_BYTES } from '../../assembly/abi.ts';
import { ENGINE, ENGINE_STATES, ENGINES, FRESH_RUNS, placeOf, screenBytes } from '../engine/screen-bytes.ts';
import { expectSameCsv, expectSameJson } from './agreement.ts';
import { arrivals, damaged } from './pieces.ts';

const engine = ENGINE;
const NEAR = { min: MAX_NAME_BYTES - 12, max: MAX_NAME_BYTES + 6 };

/** Characters as JSON and as CSV write them inside quotes. */
const JSON_UNITS = [
  'é',
  '€',
  '😀',
  '\\n',
  '\\"',
  '\\u0041',
  '\\u00e9',
  '\\ud83d\\ude00',
  '\\ud83d',
  '\\ude00',
];
const CSV_UNITS = ['é', '€', '😀', '""', ',', '\n', '\r\n', ' '];

const longName = (units: readonly string[]) =>
  fc
    .tuple(fc.integer(NEAR), fc.array(fc.constantFrom(...units, 'a'), { maxLength: 8 }), fc.nat(1))
    .map(([plain, some, less]) => 'a'.repeat(plain - less * 40) + some.join(''));

const shortName = fc.constantFrom('id', 'at', '');

const jsonNames = fc
  .array(fc.oneof(longName(JSON_UNITS), shortName), { minLength: 1, maxLength: 4 })
  .map(names => {
    const row = names.map(name => `"${name}":{"${'n'.repeat(2000)}":1}`).join(',');
    return Buffer.from(`{"source":"s","${'m'.repeat(2000)}":1,"rows":[{"id":1},{${row}}]}`);
  });

const csvNames = fc
  .array(
    fc.oneof(
      longName(CSV_UNITS).map(name => `"${name}"`),
      longName(['é', ' ']),
      fc.constantFrom('', 'b'),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  // Equal names get numbers, which is another test.
  .map(names => Buffer.from(`${names.map((name, i) => name.replace(/^("?)/, `$1${i}`)).join(',')}\n1\n`));

test.each(ENGINE_STATES)('a %s engine bounds names of JSON as the oracle does, in any pieces', state => {
  const nextEngine = ENGINES[state]();
  fc.assert(
    fc.property(jsonNames, arrivals, (bytes, way) => expectSameJson(nextEngine(), bytes, way)),
    { numRuns: state === 'fresh' ? FRESH_RUNS : 150 },
  );
});

test('names of CSV are bounded as the oracle does, in any pieces', () => {
  fc.assert(
    fc.property(csvNames, arrivals, (bytes, way) => expectSameCsv(engine, bytes, ',', way)),
    { numRuns: 300 },
  );
});

test.each([
  ['JSON', Format.JSON, jsonNames],
  ['CSV', Format.CSV, csvNames],
] as const)('damaged long names of %s are refused in the same way for any pieces', (_, format, bodies) => {
  fc.assert(
    fc.property(damaged(bodies), arrivals, (bytes, way) => {
      const whole = screenBytes(engine, bytes, { format });
      const pieces = screenBytes(engine, bytes, { ...way, format });
      if (!whole.refused || !pieces.refused) expect(pieces).toEqual(whole);
      else expect(placeOf(pieces.refused, format)).toEqual(placeOf(whole.refused, format));
    }),
    { numRuns: 600 },
  );
});
