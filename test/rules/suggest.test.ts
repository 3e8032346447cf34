import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Format } from '../../assembly/abi.ts';
import { parseRules } from '../../src/rules/declared/parse.ts';
import { PatternCache } from '../../src/rules/declared/patterns.ts';
import { checkRules } from '../../src/rules/violations/check.ts';
import type { FieldDescription } from '../../src/profile/describe.ts';
import { MAX_SUGGESTIONS, MIN_ROWS, type SeenBatch, suggestRules } from '../../src/rules/suggest.ts';
import { describe as describeProfile } from '../../src/profile/describe.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';

/** As a job keeps it. */
function columnProfile(values: readonly unknown[]): FieldDescription {
  const bytes = new TextEncoder().encode(JSON.stringify({ rows: values.map(x => ({ x })) }));
  const described = describeProfile(screenBytes(ENGINE, bytes).profile!, ENGINE.queries);
  return JSON.parse(JSON.stringify(described)).fields.x;
}

/** Batches of one field. */
const seen = (...columns: unknown[][]): SeenBatch[] =>
  columns.map(values => ({ rows: values.length, fields: { x: columnProfile(values) } }));
const suggested = (...columns: unknown[][]) => suggestRules(seen(...columns)).rules.fields?.x;
const times = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));

// ---- no batch violates what is suggested from it ----

/** A cell as JSON text, by the number of its row and by chance. */
type Cell = (row: number, random: () => number) => string;

const pick = <T>(values: readonly T[], random: () => number): T =>
  values[Math.floor(random() * values.length)]!;
const whole = (most: number, random: () => number): number => Math.floor(random() * (most + 1));
const two = (x: number): string => String(x).padStart(2, '0');
const day = (random: () => number): string =>
  `2026-${two(1 + whole(11, random))}-${two(1 + whole(27, random))}`;
const clock = (random: () => number): string =>
  `${two(whole(23, random))}:${two(whole(59, random))}:${two(whole(59, random))}`;
const text =
  (of: (row: number, random: () => number) => string): Cell =>
  (row, random) =>
    JSON.stringify(of(row, random));
const number =
  (of: (row: number, random: () => number) => number): Cell =>
  (row, random) =>
    String(of(row, random));

const CELLS: Record<string, Cell> = {
  'numbers of rows': number(row => row + 1),
  'few whole numbers': number((_, random) => whole(9, random)),
  hours: number((_, random) => (random() < 0.9 ? 8 : 7.5)),
  amounts: number((_, random) => whole(10_000, random) / 100),
  'amounts of halves': number((_, random) => whole(10_000, random) / 2),
  temperatures: number((_, random) => whole(400, random) / 10 - 20),
  shares: number((_, random) => random()),
  zeros: () => '-0',
  'large numbers': (row, random) => `90071992547409${two(row % 100)}${whole(9, random)}`,
  'huge numbers': (_, random) => pick(['1e300', '-1e999', '1e999', '3'], random),
  'truth values': (_, random) => pick(['true', 'false'], random),
  objects: (_, random) => pick(['{"a":1}', '{}'], random),
  lists: () => '[1,2]',
  identifiers: text(row => `id ${row}`),
  codes: text(row => String(row).padStart(6, '0')),
  'numbers in texts': text(row => String(row)),
  'numbers written in several ways': text((_, random) => pick(['1', '1.0', '01', '1e0'], random)),
  states: text((_, random) => pick(['new', 'paid', 'sent', 'NULL', 'N/A', ''], random)),
  'a single text': text(() => 'a'),
  'texts that hardly differ': text((_, random) =>
    pick(['a', 'a ', ' a', 'A', 'á', 'a\u0301', 'a\0'], random),
  ),
  'half characters': (_, random) => pick(['"\\ud800"', '"\\udc00"', '"\\ufffd"', '"b"'], random),
  'long texts': text((_, random) => 'x'.repeat(60 + whole(9, random))),
  'escaped texts': (_, random) => pick(['"\\u0061"', '"a"', '"\\n"', '"\\""'], random),
  addresses: text(row => `user.${row}+x@ex-ample.co.uk`),
  'few addresses': text((_, random) => pick(['a@b.co', "o'neil@ex.com", 'A_B@EX.COM'], random)),
  'addresses beyond ASCII': text(row => `é${row}@exämple.com`),
  'few texts that are nearly addresses': text((_, random) => pick(['a@-b.co', 'a@b-.co', 'a@b.c'], random)),
  days: text((_, random) => day(random)),
  'the same day': text(() => '2026-01-02'),
  'days in another notation': text((_, random) => pick(['01/02/2026', '13/02/2026', '3/4/2026'], random)),
  months: text((_, random) => day(random).slice(0, 7)),
  moments: text((_, random) => `${day(random)}T${clock(random)}${pick(['', '.5', '.123456'], random)}`),
  'moments with a comma': text((_, random) => `${day(random)}T${clock(random)},123`),
  'moments with and without a comma': text(
    (_, random) => `${day(random)}T${clock(random)}${pick(['', ',5'], random)}`,
  ),
  'moments in UTC': text(
    (_, random) => `${day(random)}${pick(['T', 't'], random)}${clock(random)}${pick(['Z', 'z'], random)}`,
  ),
  'moments with an offset': text(
    (_, random) => `${day(random)} ${clock(random)}${pick(['+01:00', '-00:00'], random)}`,
  ),
  'moments with a short offset': text((_, random) => `${day(random)}T${clock(random)}+0100`),
  'moments after noon': text((_, random) => `${day(random)} 3:04 PM`),
  'seconds since 1970': number((_, random) => 1_700_000_000 + whole(1e7, random)),
};
const KINDS = Object.keys(CELLS);
const ODD = [
  'null',
  '-1',
  '0.5',
  '1e999',
  '"odd"',
  '""',
  'true',
  '{}',
  '"2026-01-02T03:04:05,5"',
  '"a@b"',
  '2',
];

interface Plan {
  kinds: string[];
  isCsv: boolean;
  /** `odd`: the row whose value in the first field is an odd one; each next field has it one row earlier. Past the last row: none. */
  batches: { rows: number; odd: number; seed: number }[];
  /** Rows that are measured of a batch. */
  sampleRows: number;
}

/** Of longer texts and numbers some are inspected, so odd ones among them may be missed. */
const plan: fc.Arbitrary<Plan> = fc.record({
  kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 6 }),
  isCsv: fc.boolean(),
  batches: fc.array(
    fc.record({ rows: fc.integer({ min: 50, max: 190 }), odd: fc.nat(400), seed: fc.nat() }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  sampleRows: fc.constantFrom(10_000, 10_000, 60),
});

/** Mulberry32. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The body of a batch. In CSV a text is quoted, and what is no text is written as in JSON. */
function bodyOf({ kinds, isCsv }: Plan, { rows, odd, seed }: Plan['batches'][number]): Uint8Array {
  const random = chance(seed);
  const lines = times(rows, row =>
    kinds.map((kind, i) => (row + i === odd ? pick(ODD, random) : CELLS[kind]!(row, random))),
  );
  const csvCell = (json: string) => {
    if (json === 'null') return '';
    const value = json.startsWith('"') ? (JSON.parse(json) as string) : json;
    return `"${value.replaceAll('"', '""')}"`;
  };
  const body = isCsv
    ? [kinds.map((_, i) => `f${i}`), ...lines.map(cells => cells.map(csvCell))]
        .map(cells => cells.join())
        .join('\n')
    : `{"source":"s","rows":[${lines.map(cells => `{${cells.map((cell, i) => `"f${i}":${cell}`).join()}}`).join()}]}`;
  return new TextEncoder().encode(body);
}

const PATTERNS = new PatternCache();

/** The rules that are suggested from the batches, and how often each batch violates one. */
function violated(given: Plan): { rules: object; violations: string[] } {
  const format = given.isCsv ? Format.CSV : Format.JSON;
  const bodies = given.batches.map(each => bodyOf(given, each));
  const batches = bodies.map((body, at): SeenBatch => {
    const profile = screenBytes(ENGINE, body, { format, sampleRows: given.sampleRows }).profile!;
    const { fields } = JSON.parse(JSON.stringify(describeProfile(profile, ENGINE.queries)));
    return { rows: profile.rows, at: Date.UTC(2027, 0, 1 + at), fields };
  });
  const { rules } = suggestRules(batches);
  const violations = bodies.flatMap((body, at) => {
    const profile = screenBytes(ENGINE, body, { format }).profile!;
    const checks = {
      profile,
      checks: ENGINE.ruleChecks,
      patterns: PATTERNS,
      now: batches[at]!.at!,
      rowsListed: 5,
    };
    return checkRules(checks, parseRules(rules)).violations.map(
      ({ constraint, count }) => `batch ${at}: ${constraint.rule} ${count}`,
    );
  });
  return { rules, violations };
}

describe('no batch violates what is suggested from it', () => {
  for (const isCsv of [false, true])
    test.each(KINDS)(`of %s, in ${isCsv ? 'CSV' : 'JSON'}`, kind => {
      const batches = [60, 1000, 190].map((rows, seed) => ({ rows, odd: -1, seed }));
      for (const sampleRows of [10_000, 60])
        expect(violated({ kinds: [kind], isCsv, batches, sampleRows })).toMatchObject({ violations: [] });
    });

  test('of several kinds, with odd values in single rows', () => {
    fc.assert(
      fc.property(plan, given => {
        expect(violated(given)).toMatchObject({ violations: [] });
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is suggested', () => {
  test.each([
    ['identifiers', times(60, i => `id ${i}`), { nullable: false, type: 'string', unique: true }],
    [
      'whole numbers that do not repeat',
      times(60, i => i + 1),
      { nullable: false, type: 'integer', unique: true, minimum: 0 },
    ],
    ['amounts', times(60, i => (i % 20) + 0.5), { nullable: false, type: 'number', minimum: 0 }],
    ['numbers below zero', times(60, i => (i % 20) - 5.5), { nullable: false, type: 'number' }],
    ['shares', times(60, i => (i % 20) / 20), { nullable: false, type: 'number', minimum: 0, maximum: 1 }],
    [
      'few texts',
      times(60, i => ['new', 'paid'][i % 2]),
      { nullable: false, type: 'string', enum: { value: ['new', 'paid'], severity: 'warn' } },
    ],
    ['eleven texts', times(220, i => `t${i % 11}`), { nullable: false, type: 'string' }],
    ['texts that hardly repeat', times(60, i => `t${i % 7}`), { nullable: false, type: 'string' }],
    [
      'addresses',
      times(60, i => `a${i % 30}@example.com`),
      { nullable: false, type: 'string', format: 'email' },
    ],
    ['days', times(60, i => `2026-01-${10 + (i % 15)}`), { nullable: false, type: 'string', format: 'date' }],
    [
      'moments that do not repeat',
      times(60, i => `2026-01-02T03:${String(i).padStart(2, '0')}:05Z`),
      { nullable: false, type: 'string', format: 'date-time' },
    ],
    ['few days', times(60, i => `2026-01-1${i % 2}`), { nullable: false, type: 'string', format: 'date' }],
    [
      'moments',
      times(60, i => `2026-01-02T03:${10 + (i % 15)}:05${i % 2 ? '.5' : ''}Z`),
      { nullable: false, type: 'string', format: 'date-time' },
    ],
    [
      'moments in two notations',
      times(60, i => `2026-01-02T03:${10 + (i % 15)}:05${i % 2 ? '' : 'Z'}`),
      { nullable: false, type: 'string' },
    ],
    [
      'moments with a comma',
      times(60, i => `2026-01-02T03:${10 + (i % 15)}:05,123`),
      { nullable: false, type: 'string' },
    ],
    ['addresses beyond ASCII', times(60, i => `é${i % 30}@exämple.com`), { nullable: false, type: 'string' }],
    [
      'days in a notation that is no format',
      times(60, i => `${10 + (i % 15)}.01.2026`),
      { nullable: false, type: 'string' },
    ],
    ['mixed types', times(60, i => (i % 2 ? i : `t${i}`)), { nullable: false }],
    ['truth values', times(60, i => i % 2 === 0), { nullable: false, type: 'boolean' }],
    [
      'a fifth of nulls',
      times(100, i => (i % 5 ? i : null)),
      { max_null_rate: 0.28, type: 'integer', unique: true, minimum: 0 },
    ],
    [
      'nulls in more than half of the rows',
      times(200, i => (i % 3 ? null : `t${i}`)),
      { type: 'string', unique: true },
    ],
    ['too few rows', times(MIN_ROWS - 1, i => i), undefined],
  ])('%s', (_, values, expected) => {
    expect(suggested(values)).toEqual(expected as never);
  });

  test.each([
    ['whole numbers', times(200, i => i)],
    ['texts', times(200, i => `id ${i}`)],
    ['few texts', times(200, i => `t${i % 2}`)],
    ['shares', times(200, i => (i % 100) / 100)],
    ['addresses', times(200, i => `a${i}@example.com`)],
    ['days', times(200, i => `2026-01-${10 + (i % 15)}`)],
  ])('of a sample of %s is what counts say of all rows', (_, values) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ rows: values.map(x => ({ x })) }));
    const { profile } = screenBytes(ENGINE, bytes, { sampleRows: 100 });
    const { fields } = describeProfile(profile!, ENGINE.queries);
    const { x } = suggestRules([{ rows: 200, fields }]).rules.fields!;
    expect(x).toEqual({ nullable: false, type: typeof values[0] as 'string' });
  });

  test.each([2, 4, 30])('of hours with %d halves is no integer', halves => {
    const hours = times(400, i => (i < halves ? 7.5 : 8 + (i % 3)));
    expect(suggested([6, 6, ...hours])).toEqual({ nullable: false, type: 'number', minimum: 0 });
  });

  test('held in every batch', () => {
    const first = times(60, i => `id ${i}`);
    expect(
      suggested(
        first,
        times(60, i => `id ${i % 30}`),
      ),
    ).toEqual({ nullable: false, type: 'string' });
    expect(
      suggested(
        first,
        times(60, i => (i === 7 ? null : `id ${i}`)),
      ),
    ).toMatchObject({ max_null_rate: 0.05 });
    expect(suggestRules([...seen(first), { rows: 60, fields: {} }]).rules).toEqual({});
  });

  test('rests on evidence that says how much was looked at', () => {
    const { evidence } = suggestRules(
      seen(
        times(60, i => `${i}`),
        times(70, i => `${i}`),
      ),
    );
    expect(evidence).toContainEqual({
      rule: 'fields.x.nullable',
      field: 'x',
      constraint: 'nullable',
      reason: 'None of 130 rows is without a value',
      batches: 2,
      rows: 130,
    });
  });

  describe('an age of the newest date', () => {
    const HOUR = 3_600_000;
    /** Each batch arrives a day after the one before; its newest date is as many hours older. */
    const arriving = (...hours: number[]): SeenBatch[] =>
      hours
        .map((age, day) => {
          const at = Date.UTC(2026, 0, 10 + day);
          const moment = (i: number) => new Date(at - (age + (i % 20)) * HOUR).toISOString();
          return { rows: 60, at, fields: { x: columnProfile(times(60, moment)) } };
        })
        // Newest first, as jobs are listed.
        .reverse();
    const maxAge = (batches: SeenBatch[]) => suggestRules(batches).rules.fields?.x?.max_age;

    test.each([
      ['minutes', [0.1, 0.5, 0.2], 'PT1H'],
      ['hours', [2, 3, 1], 'PT6H'],
      ['half a day', [12, 3, 5], 'P1D'],
      ['days', [84, 70, 60], 'P7D'],
    ] as const)('of %s is suggested as a warning', (_, hours, value) => {
      expect(maxAge(arriving(...hours))).toEqual({ value, severity: 'warn' });
      const [first] = suggestRules(arriving(...hours)).evidence.filter(
        ({ constraint }) => constraint === 'max_age',
      );
      expect(first).toMatchObject({ rule: 'fields.x.max_age', batches: 3, rows: 180 });
      expect(first!.reason).toStartWith('The newest date was at most ');
    });

    test.each([
      ['of two batches', arriving(1, 1)],
      ['of dates that are too old', arriving(85, 80, 90)],
      ['of dates that do not move on', arriving(1, 25, 49)],
      ['of files', arriving(1, 1, 1).map(({ at: _, ...file }) => file)],
      ['of dates that are not kept', arriving(1, 1, 1).map(withoutTimes)],
    ])('%s is not suggested', (_, batches) => {
      expect(maxAge(batches)).toBeUndefined();
    });

    function withoutTimes(batch: SeenBatch): SeenBatch {
      const { earliest: _, latest: __, ...dates } = batch.fields.x!.dates!;
      return { ...batch, fields: { x: { ...batch.fields.x!, dates } } };
    }
  });

  test('leaves out what there is already, and names that no rule may have', () => {
    const known = new Set(['fields.x.nullable', 'fields.x.unique']);
    expect(suggestRules(seen(times(60, i => `${i}`)), known).rules.fields!.x).toEqual({ type: 'string' });
    const field: FieldDescription = columnProfile(times(60, i => `${i}`));
    const { rules } = suggestRules([
      { rows: 60, fields: { ['n'.repeat(1025)]: field, ['__proto__']: field } },
    ]);
    expect(Object.keys(rules.fields!)).toEqual(['__proto__']);
  });

  test(`is at most ${MAX_SUGGESTIONS} rules, and says how many are left out`, () => {
    const field = columnProfile(times(60, () => true));
    const batch = (count: number) => ({
      rows: 60,
      fields: Object.fromEntries(times(count, i => [`f${i}`, field])),
    });
    const all = suggestRules([batch(MAX_SUGGESTIONS / 2)]);
    expect([all.evidence.length, all.left_out]).toEqual([MAX_SUGGESTIONS, undefined]);
    expect(suggestRules([batch(MAX_SUGGESTIONS / 2 + 1)])).toMatchObject({ left_out: 2 });
  });

  test('keeps nothing of values that are not stored', () => {
    const field = columnProfile(times(60, i => i + 0.5));
    const { min: _, max: __, quantiles: ___, ...numbers } = field.numbers!;
    const redacted = { ...field, numbers: numbers as never };
    expect(suggestRules([{ rows: 60, fields: { x: redacted } }]).rules.fields!.x).toEqual({
      nullable: false,
      type: 'number',
    });
  });
});
