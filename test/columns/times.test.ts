/** Days and times of columns as texts, beside those of the runtime. */
import { expect, test } from 'bun:test';
import '../property/seed.ts';
import {
  type DataType,
  DateDay,
  makeData,
  RecordBatchStreamWriter,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Time,
  TimeMicrosecond,
  TimeUnit,
  Vector,
} from 'apache-arrow';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { newEngine, screenBytes } from '../engine/screen-bytes.ts';

const ENGINE = newEngine();
const DAY_MS = 86_400_000;
/** What the runtime can write: 275,000 years to both sides. */
const MOST_MS = 8.64e15;
const YEAR_10000_MS = Date.UTC(9999, 11, 31) + DAY_MS;
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00Z');

function textsOf(type: DataType, data: BigInt64Array | Int32Array): unknown[] {
  const vector = makeData({ type, length: data.length, data } as Parameters<typeof makeData>[0]);
  const table = new Table({ time: new Vector([vector]) });
  const body = new RecordBatchStreamWriter().writeAll(table).toUint8Array(true).slice();
  expect(screenBytes(ENGINE, body, { format: Format.ARROW }).refused).toBeUndefined();
  return ENGINE.cells(0).map(cell => cell.value);
}

/** Around the ends of years, the days of the table that it shares with others, and anywhere. */
const milliseconds = fc.oneof(
  fc.integer({ min: -MOST_MS, max: MOST_MS }),
  fc.integer({ min: YEAR_0_MS, max: YEAR_10000_MS - 1 }),
  fc.constantFrom(YEAR_0_MS, YEAR_0_MS - 1, YEAR_10000_MS, YEAR_10000_MS - 1, 0, -1, 951_782_400_000),
  fc.tuple(fc.integer({ min: -9, max: 9 }), fc.nat(2)).map(([turns, day]) => (512 * turns + day) * DAY_MS),
);

const isoOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

test('a day has the text that the runtime writes', () => {
  fc.assert(
    fc.property(fc.array(milliseconds, { minLength: 1, maxLength: 40 }), times => {
      const days = times.map(ms => Math.floor(ms / DAY_MS));
      expect(textsOf(new DateDay(), Int32Array.from(days))).toEqual(
        days.map(day => isoOf(day * DAY_MS).split('T')[0]!),
      );
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['seconds', 0, new TimestampSecond()],
  ['milliseconds', 3, new TimestampMillisecond()],
  ['microseconds', 6, new TimestampMicrosecond()],
  ['nanoseconds', 9, new TimestampNanosecond()],
])('a time in %s has the text that the runtime writes', (_, digits, type) => {
  // 64 bits of nanoseconds are 292 years.
  const most = digits === 9 ? 9e15 / 1000 : MOST_MS;
  const fraction = fc.oneof(fc.constant(0), fc.nat(10 ** Math.max(0, digits - 3) - 1));
  const time = fc.tuple(
    milliseconds.map(ms => ms % most),
    fraction,
  );
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 40 }), times => {
      const units = times.map(([ms, finer]) =>
        digits === 0 ? BigInt(Math.floor(ms / 1000)) : BigInt(ms) * 10n ** BigInt(digits - 3) + BigInt(finer),
      );
      const expected = times.map(([ms, finer]) => {
        if (digits === 0) return isoOf(1000 * Math.floor(ms / 1000));
        const rest = digits === 3 ? '' : String(finer).padStart(digits - 3, '0');
        const written = `${new Date(ms).toISOString().slice(0, -1)}${rest}`;
        // Nine digits only where they are needed, and none of a whole second.
        return `${written.replace(/\.0+$/, '').replace(/(\.\d{6})000$/, '$1')}Z`;
      });
      expect(textsOf(type, BigInt64Array.from(units))).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

test('a time outside of a day has a sign, or 16 digits of hours', () => {
  const texts = textsOf(new TimeMicrosecond(), BigInt64Array.of(LEAST, 0n, MOST, -1n, 3_600_000_000n));
  expect(texts).toEqual([
    '-0000002562047788:00:54.775808',
    '00:00:00',
    '0000002562047788:00:54.775807',
    '-00:00:00.000001',
    '01:00:00',
  ]);
});

test('seconds in 64 bits, which no writer should write, harm no other cell', () => {
  const texts = textsOf(new Time(TimeUnit.SECOND, 64), BigInt64Array.of(1n, LEAST, 2n));
  expect(texts).toEqual(['00:00:01', '-2562047788015215:30:08', '00:00:02']);
});
