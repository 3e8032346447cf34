/** The earliest and the latest date of a column, most of whose texts need not be read, against reading each. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { describe as described } from '../../src/profile/describe.ts';
import { ENGINE, screenBytes } from './screen-bytes.ts';

const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 0, 1);

/** Times close together, so that their notations decide, and far apart. */
const time = fc.oneof(
  fc.integer({ min: 0, max: 200_000 }),
  fc.integer({ min: -400_000_000, max: 400_000_000_000 }),
);

const iso = (ms: number): string => new Date(BEGIN + ms).toISOString();
const wholeSeconds = (ms: number): number => ms - (((ms % 1000) + 1000) % 1000);
const wholeMinutes = (ms: number): number => ms - (((ms % MINUTE) + MINUTE) % MINUTE);

/** How a time is written, and the time that the text then has. */
type Writing = (ms: number) => [text: string, ms: number];
const WRITINGS: Record<string, Writing> = {
  milliseconds: ms => [iso(ms), ms],
  spaced: ms => [iso(ms).replace('T', ' '), ms],
  seconds: ms => [iso(ms).replace(/\.\d+/, ''), wholeSeconds(ms)],
  'without a zone': ms => [iso(ms).slice(0, 19), wholeSeconds(ms)],
  minutes: ms => [`${iso(ms).slice(0, 16)}Z`, wholeMinutes(ms)],
  tenths: ms => [`${iso(ms).slice(0, 21)}Z`, ms - (((ms % 100) + 100) % 100)],
  'an hour east': ms => [iso(ms + 60 * MINUTE).replace('Z', '+01:00'), ms],
  'twelve hours west': ms => [iso(ms - 720 * MINUTE).replace('Z', '-12:00'), ms],
  'escaped in JSON': ms => [`${iso(ms).slice(0, 19)}Z`, wholeSeconds(ms)],
  'no date': ms => [iso(ms).replace(/-\d\d-/, '-13-'), Number.NaN],
  'nearly a date': ms => [iso(ms).replace(/:\d\d:/, ':6x:'), Number.NaN],
};

const names = Object.keys(WRITINGS);
const cell = fc.record({ ms: time, writing: fc.constantFrom(...names) });
/** All but a few texts are written alike. */
const column = fc.record({
  usual: fc.constantFrom(...names.slice(0, -2)),
  times: fc.array(time, { minLength: 20, maxLength: 120 }),
  others: fc.array(fc.record({ at: fc.nat(), cell }), { maxLength: 6 }),
});

/** Earliest and latest date of the column `a`. */
function rangeOf(rows: readonly string[]) {
  const screened = screenBytes(ENGINE, new TextEncoder().encode(`{"source":"s","rows":[${rows}]}`));
  if (screened.refused) throw new Error(JSON.stringify(screened.refused));
  const { dates } = described(screened.profile, ENGINE.queries).fields.a!;
  return [dates!.earliest, dates!.latest];
}

test('is that of all texts, however they are written', () => {
  fc.assert(
    fc.property(column, ({ usual, times, others }) => {
      const cells = times.map(ms => ({ ms, writing: usual }));
      for (const { at, cell: other } of others) cells.splice(at % (cells.length + 1), 0, other);
      const written = cells.map(({ ms, writing }) => [...WRITINGS[writing]!(ms), writing] as const);
      const rows = written.map(([text, , writing]) => {
        const json = JSON.stringify(text);
        return `{"a":${writing === 'escaped in JSON' ? json.replace('2', String.raw`\u0032`) : json}}`;
      });
      const read = written.map(([, ms]) => ms).filter(ms => !Number.isNaN(ms));
      expect(rangeOf(rows)).toEqual([iso(Math.min(...read)), iso(Math.max(...read))]);
    }),
  );
});

test('a leap second counts, though its text sorts before that of midnight', () => {
  const texts = ['2016-12-31T23:59:58.0Z', '2017-01-01T00:00:00.0Z', '2016-12-31T23:59:60.9Z'];
  const rows = texts.flatMap(text => Array(9).fill(`{"a":"${text}"}`));
  expect(rangeOf(rows)).toEqual(['2016-12-31T23:59:58.000Z', '2017-01-01T00:00:00.900Z']);
});
