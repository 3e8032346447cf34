/** Dates in texts, as the engine reads them. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import '../property/seed.ts';
import { DateClock, DateForm, DateOrder, DateStyle, DateZone } from '../../assembly/abi-dates.ts';
import { dateOf, type ReadDate } from '../oracle/date-time.ts';

interface Exports {
  memory: WebAssembly.Memory;
  prepare(maxBodyBytes: number): void;
  bodyAddress(): number;
  dateTime(at: number, length: number, order: DateOrder): number;
  dateForm: WebAssembly.Global;
}

const BUILD = process.env.ENGINE_BUILD === 'debug' ? 'engine.debug' : 'engine';
const wasm = await Bun.file(join(import.meta.dir, `../../build/${BUILD}.wasm`)).arrayBuffer();
const { instance } = await WebAssembly.instantiate(wasm);
const engine = instance.exports as unknown as Exports;
engine.prepare(4096);
const memory = new Uint8Array(engine.memory.buffer);
const at = engine.bodyAddress();

/** What stands behind a text must not matter. */
const BEHIND = ['"', ',', '0', ':', '-', 'Z', '.5', ' PM', '\0'];

function read(text: string | Uint8Array, order = DateOrder.UNKNOWN, behind = '"'): ReadDate {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  memory.set(bytes, at);
  memory.set(new TextEncoder().encode(behind), at + bytes.length);
  const time = engine.dateTime(at, bytes.length, order);
  return Number.isNaN(time) ? null : { time, form: engine.dateForm.value };
}

const timeOf = (text: string, order?: DateOrder) => {
  const found = read(text, order);
  return found && new Date(found.time).toISOString();
};

describe('a text is a date', () => {
  test.each([
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-1-2', '2026-01-02T00:00:00.000Z'],
    ['2026/01/02', '2026-01-02T00:00:00.000Z'],
    ['2026.1.02', '2026-01-02T00:00:00.000Z'],
    ['20260102', '2026-01-02T00:00:00.000Z'],
    ['20260102030405', '2026-01-02T03:04:05.000Z'],
    ['20260102T0304Z', '2026-01-02T03:04:00.000Z'],
    ['2026-01', '2026-01-01T00:00:00.000Z'],
    ['02.01.2026', '2026-01-02T00:00:00.000Z'],
    ['2.1.2026 3:04', '2026-01-02T03:04:00.000Z'],
    ['31/01/2026', '2026-01-31T00:00:00.000Z'],
    ['1/31/2026, 3:04:05 PM', '2026-01-31T15:04:05.000Z'],
    ['12/31/2026 12:00 am', '2026-12-31T00:00:00.000Z'],
    ['05/05/2026', '2026-05-05T00:00:00.000Z'],
    ['1/31/26', '2026-01-31T00:00:00.000Z'],
    ['12/31/68 3:04', '2068-12-31T03:04:00.000Z'],
    ['31/12/69', '1969-12-31T00:00:00.000Z'],
    ['5/5/00, 3:04:05 PM', '2000-05-05T15:04:05.000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02t03:04:05.678z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05,678', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04+05:30', '2026-01-01T21:34:00.000Z'],
    ['2026-01-02 03:04:05 -0800', '2026-01-02T11:04:05.000Z'],
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05 UTC', '2026-01-02T03:04:05.000Z'],
    ['Fri, 02 Jan 2026 03:04:05 GMT', '2026-01-02T03:04:05.000Z'],
    ['Fri, 2 Jan 2026 03:04:05 EST', '2026-01-02T08:04:05.000Z'],
    ['02-JAN-2026', '2026-01-02T00:00:00.000Z'],
    ['Wednesday 30 September 2026', '2026-09-30T00:00:00.000Z'],
    ['Jan 2, 2026', '2026-01-02T00:00:00.000Z'],
    ['0000-02-29', '0000-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['1998-12-31T15:59:60-08:00', '1999-01-01T00:00:00.000Z'],
  ])('%s', (text, time) => expect(timeOf(text)).toBe(time));
});

test.each<string[]>([
  [
    'a day that the month lacks',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-00-01',
    '2026-01-00',
    '31.04.2026',
  ],
  [
    'an invalid month',
    '2026-13-01',
    '2026-13',
    '13/13/2026',
    '2 Jam 2026',
    '2 Janu 2026',
    '2 Septembes 2026',
  ],
  [
    'an invalid time',
    '2026-01-02T24:00:00',
    '2026-01-02T23:60',
    '2026-01-02T3:04',
    '2026-01-02T03',
    '2026-01-02T03:04:',
  ],
  ['a leap second inside a day', '2026-01-02T03:04:60Z', '1998-12-31T23:59:60+01:00', '1998-12-31T23:59:61Z'],
  [
    'an invalid zone',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:05+1',
    '2026-01-02T03:04:05 Z',
    '2026-01-02 03:04 XST',
  ],
  ['the wrong day of the week', 'Thu, 02 Jan 2026 03:04:05 GMT', 'Fri, 2026-01-02'],
  [
    'something around it',
    ' 2026-01-02',
    '2026-01-02 ',
    '2026-01-02x',
    'x2026-01-02',
    '2026-01-02T',
    '2026-01-02 03:04 ',
  ],
  ['a year of two digits', '02.01.26', '26-01-02', '1-2-26', '2 Jan 26', '26/1/2', '1/2/026'],
  [
    'a number or a code',
    '2026',
    '1767312000',
    '12345678',
    '20261301',
    '1.2.3',
    '192.168.1.1',
    '2026-W01',
    '2026-001',
    '12:30:00',
  ],
  ['empty or a word', '', '-', 'today', 'March', 'null', 'Friday'],
  ['too long', `2026-01-02T03:04:05.${'1'.repeat(45)}`],
])('a text is no date with %s', (...[, ...texts]: string[]) => {
  for (const text of texts) expect([text, read(text)]).toEqual([text, null]);
});

describe('a date whose day and month may be exchanged', () => {
  test('is read by the order that is known', () => {
    expect(timeOf('01/02/2026')).toBe(null);
    expect(timeOf('01/02/2026', DateOrder.DAY_FIRST)).toBe('2026-02-01T00:00:00.000Z');
    expect(timeOf('01/02/2026', DateOrder.MONTH_FIRST)).toBe('2026-01-02T00:00:00.000Z');
    expect(timeOf('1/2/26')).toBe(null);
    expect(timeOf('1/2/26', DateOrder.MONTH_FIRST)).toBe('2026-01-02T00:00:00.000Z');
    expect(timeOf('1-2-2026', DateOrder.MONTH_FIRST)).toBe('2026-01-02T00:00:00.000Z');
  });

  test('is read by its numbers where they leave no choice', () => {
    expect(timeOf('31/01/2026', DateOrder.MONTH_FIRST)).toBe('2026-01-31T00:00:00.000Z');
  });
});

test('the form says how a date is written', () => {
  const formOf = (text: string) => read(text)!.form;
  expect(formOf('2026-01-02')).toBe(DateStyle.ISO);
  expect(formOf('2026-01-02T03:04:05.6Z')).toBe(DateStyle.ISO | DateClock.FRACTION | DateZone.Z);
  expect(formOf('2026-01-02 03:04')).toBe(DateStyle.ISO | DateClock.MINUTE | DateForm.SPACED);
  expect(formOf('1/31/2026 3:04:05 PM')).toBe(
    DateStyle.MONTH_SLASHED | DateClock.SECOND | DateForm.SPACED | DateForm.TWELVE_HOURS,
  );
  expect(formOf('1/31/26 3:04')).toBe(
    DateStyle.MONTH_SLASHED | DateClock.MINUTE | DateForm.SPACED | DateForm.SHORT_YEAR,
  );
  expect(formOf('2026-01-02T03:04:05,6+01:00')).toBe(
    DateStyle.ISO | DateClock.FRACTION | DateZone.OFFSET | DateForm.COMMA,
  );
});

// ---- against the oracle ----

const two = fc.integer({ min: 0, max: 65 }).map(n => String(n).padStart(2, '0'));
const short = fc.oneof(fc.integer({ min: 0, max: 33 }).map(String), two);
const year = fc.oneof(
  fc.integer({ min: 1890, max: 2110 }).map(String),
  fc.integer({ min: 0, max: 9999 }).map(n => String(n).padStart(4, '0')),
);
const anyYear = fc.oneof(year, two);
const mark = fc.constantFrom('-', '/', '.', ' ', '', ':');
const month = fc.constantFrom('Jan', 'FEB', 'march', 'Sept', 'September', 'Wednesday', 'May', 'decembers');
const weekday = fc.constantFrom('', '', 'Fri, ', 'fri ', 'Wednesday, ', 'Sun', 'sat, ');
const time = fc
  .tuple(
    fc.constantFrom('T', ' ', ', ', 't', ''),
    fc.array(two, { minLength: 2, maxLength: 3 }),
    fc.constantFrom(':', ':', ':', ''),
    fc.constantFrom('', '', '.5', ',123456', '.', '.12345678901234'),
    fc.constantFrom('', '', ' PM', 'am', ' xm'),
    fc.constantFrom('', 'Z', ' UTC', '+01:00', '-0830', '+05', ' EST', ' pdt', '+25:00', '-00:00', '+1', ' '),
  )
  .map(([join, parts, by, fraction, half, zone]) => join + parts.join(by) + fraction + half + zone);
const maybeTime = fc.oneof(fc.constant(''), time);
const numeric = fc
  .tuple(fc.oneof(fc.tuple(anyYear, short, short), fc.tuple(short, short, anyYear)), mark, maybeTime)
  .map(([parts, by, time]) => parts.join(by) + time);
const named = fc
  .tuple(weekday, short, mark, month, year, fc.boolean(), maybeTime)
  .map(
    ([weekday, day, by, month, year, isMonthFirst, time]) =>
      weekday + (isMonthFirst ? `${month} ${day}, ${year}` : [day, month, year].join(by)) + time,
  );
const valid = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });
const written = valid.chain(date =>
  fc.constantFrom(
    date.toISOString(),
    date.toISOString().slice(0, 10),
    date.toISOString().slice(0, 19).replace('T', ' '),
    date.toUTCString(),
    date.toLocaleString('en-US', { timeZone: 'UTC' }).replaceAll('\u202f', ' '),
    date.toLocaleDateString('de-DE', { timeZone: 'UTC' }),
    date.toLocaleString('en-US', { timeZone: 'UTC', dateStyle: 'short' }),
    date.toISOString().replaceAll(/[-:]|\.\d+/g, ''),
  ),
);
const hostile = fc.string({ unit: fc.constantFrom(...'0129-/.: TZtzJanFri,+PpMm\u202fé'), maxLength: 30 });
const text = fc.oneof(numeric, named, written, hostile);
const order = fc.constantFrom(DateOrder.UNKNOWN, DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST);

test('the engine reads what regular expressions and the Date of the platform read', () => {
  fc.assert(
    fc.property(text, order, fc.constantFrom(...BEHIND), (text, order, behind) => {
      expect([text, read(text, order, behind)]).toEqual([text, dateOf(text, order)]);
    }),
    { numRuns: 3_000 },
  );
});

test('a changed, added or lost byte of a date is read as the oracle reads it', () => {
  const change = fc.tuple(fc.nat(40), fc.nat(2), fc.constantFrom(...'0 159-:TZ+.,/xPé\0'));
  fc.assert(
    fc.property(text, change, order, (text, [place, removed, added], order) => {
      const changed = text.slice(0, place) + added + text.slice(place + removed);
      expect([changed, read(changed, order)]).toEqual([changed, dateOf(changed, order)]);
    }),
    { numRuns: 3_000 },
  );
});

test('a date that follows an equal one is read as before', () => {
  const same = fc.tuple(
    written,
    fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...'0 19T:Z')), { maxLength: 2 }),
  );
  fc.assert(
    fc.property(same, ([text, changes]) => {
      let after = text;
      for (const [place, added] of changes) after = after.slice(0, place) + added + after.slice(place + 1);
      read(text);
      expect([after, read(after)]).toEqual([after, dateOf(after, DateOrder.UNKNOWN)]);
    }),
  );
});

test('every day of 400 years is the day of the platform', () => {
  for (let time = Date.UTC(1800, 0, 1); time < Date.UTC(2201, 0, 1); time += 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10);
    if (read(day)?.time !== time) throw new Error(`${day} is read as ${read(day)?.time}`);
  }
});

test('any bytes are read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
      expect(read(bytes)).toBeNull();
    }),
  );
});
