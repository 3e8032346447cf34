import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import { hardestNumber, hardNumber } from './hard-numbers.ts';
import { seed } from './seed.ts';

const engine = ENGINE;

const bytesOf = (texts: string[]): Uint8Array =>
  new TextEncoder().encode(`{"rows":[${texts.map(text => `{"x":${text}}`).join(',')}]}`);

function numbersIn(texts: string[]): unknown[] {
  const { refused } = screenBytes(engine, bytesOf(texts));
  if (refused) throw new Error(`refused at ${refused.offset} of ${texts}`);
  return engine.cells(0).map(cell => cell.value);
}

const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most, size: 'max' });
const whole = digits(1, 22).map(text => text.replace(/^0+(?=.)/, ''));
const fraction = fc.oneof(
  fc.constant(''),
  digits(1, 22).map(text => `.${text}`),
);
const exponent = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(330)).map(([e, n]) => `${e}${n}`),
);
const written = fc.tuple(fc.constantFrom('', '-'), whole, fraction, exponent).map(parts => parts.join(''));
const fractions = fc.tuple(fc.maxSafeNat(), fc.integer({ min: -2, max: 3 }));
const shortest = fc.oneof(
  fractions.map(([value, scale]) => JSON.stringify((value / 2 ** 53) * 10 ** scale)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => JSON.stringify(value)),
  fc.double({ min: -1000, max: 1000, noNaN: true }).map(value => JSON.stringify(value)),
);
/** Half way between two doubles, or next to that, with at most two decimals. */
const tie = fc
  .tuple(fc.bigInt(2n ** 52n, 2n ** 54n), fc.constantFrom('', '.5', '.25', '.75', '.49', '.51'))
  .map(([value, places]) => `${value}${places}`);
const text = fc.oneof(written, shortest, tie);

test('a number is the nearest double of its text, bit for bit', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 300, size: 'max' }), texts => {
      expect(numbersIn(texts)).toEqual(texts.map(Number));
    }),
    { seed, numRuns: 200 },
  );
});

/** 16 to 19 digits around a point: what `JSON.stringify` writes of most doubles, and more. */
const around = fc
  .tuple(digits(1, 15), digits(18, 18), fc.integer({ min: 16, max: 19 }))
  .map(([before, behind, total]) => [before.replace(/^0+(?=.)/, ''), behind, total] as const)
  .map(([before, behind, total]) => `${before}.${behind.slice(0, total - before.length)}`);
/** The longest that lie half way between two doubles have 15 digits before the point and four behind it. */
const half = fc
  .tuple(fc.bigInt(2n ** 52n, 8n * 10n ** 15n - 1n), fc.constantFrom(0n, 0n, 1n, -1n))
  .map(([mantissa, step]) => String((2n * mantissa + 1n) * 625n + step))
  .map(all => `${all.slice(0, -4)}.${all.slice(-4)}`);
const sixteen = fc.tuple(fc.constantFrom('', '-'), fc.oneof(around, half)).map(parts => parts.join(''));

test('a number of 16 to 19 digits is the nearest double, also half way between two', () => {
  fc.assert(
    fc.property(fc.array(sixteen, { minLength: 3, maxLength: 300, size: 'max' }), texts => {
      expect(numbersIn(texts)).toEqual(texts.map(Number));
    }),
    { seed, numRuns: 200 },
  );
});

const padded = fc.tuple(written, fc.constantFrom('', ' ', '\n')).map(parts => parts.join(''));

test('whatever stands behind a number, in or at the end of a row, its value is the same', () => {
  fc.assert(
    fc.property(fc.array(padded, { minLength: 3, maxLength: 100, size: 'max' }), texts => {
      const rows = texts.map(text => `{"x":${text},"y":${text}}`).join(',');
      const { refused } = screenBytes(engine, new TextEncoder().encode(`{"rows":[${rows}]}`));
      expect(refused).toBeUndefined();
      for (const column of [0, 1])
        expect(engine.cells(column).map(cell => cell.value)).toEqual(texts.map(Number));
    }),
    { seed, numRuns: 200 },
  );
});

test('a number half way between two doubles, or next to that, is the double that JavaScript reads', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hardestNumber, hardNumber), { minLength: 1, maxLength: 40 }), texts => {
      expect(numbersIn(texts)).toEqual(texts.map(Number));
    }),
    { seed, numRuns: 400 },
  );
});

test('a number of 100,000 digits is read to its last digit', () => {
  const tie = '1.00000000000000011102230246251565404236316680908203125';
  const zeros = '0'.repeat(100_000);
  const texts = [tie + zeros, `${tie}${zeros}1`, `-0.${zeros}${tie.replace('.', '')}`, `1${zeros}.5`];
  expect(numbersIn(texts)).toEqual([1, 1 + Number.EPSILON, -0, Number.POSITIVE_INFINITY]);
});

test('what JSON does not take for a number is refused', () => {
  const made = fc.string({ unit: fc.constantFrom(...'0012345-./+eE'), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(made, made, (first, second) => {
      const bytes = bytesOf(['1', first, '1.5', second]);
      const { refused } = screenBytes(engine, bytes);
      expect(refused === undefined).toBe(isJson(first) && isJson(second));
    }),
    { seed, numRuns: 3000 },
  );
});

test('in a nested value too, at the same byte', () => {
  const made = fc.string({ unit: fc.constantFrom(...'0012345-./+eE'), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(made, text => {
      const { refused } = screenBytes(engine, bytesOf(['1', text]));
      const inside = screenBytes(engine, bytesOf(['1', `[${text}]`])).refused;
      expect(inside?.offset).toBe(refused && refused.offset + 1);
    }),
    { seed, numRuns: 3000 },
  );
});

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
