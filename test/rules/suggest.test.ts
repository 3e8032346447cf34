import { describe, expect, test } from 'bun:test';
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
