import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { quoted, shortened } from '../../src/terms/errors.ts';
import { percent } from '../../src/terms/wording.ts';
import '../property/seed.ts';
import { baselineOf, cycle, judged, type Row, times } from './batch.ts';

describe('a judgement', () => {
  test('of the two orders in the interface example blocks and names both fields', () => {
    const { schema_fingerprint, ...judgement } = judged([
      { order_id: 'ORD-001', amount: 99.5, email: 'a@corp.com' },
      { order_id: 'ORD-002', amount: 'broken', email: null },
    ]);
    expect(schema_fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(judgement).toEqual({
      status: 'BLOCK',
      // Penalty 0.6875 of the mismatch, one other kind: 0.3125 * 0.9.
      health_score: 0.2813,
      reason: "Type mismatch in 'amount' (50% not number); High null rate in 'email' (50%)",
      schema: {
        order_id: { type: 'string', confidence: 1 },
        amount: { type: 'mixed', confidence: 0.5 },
        email: { type: 'string', confidence: 1 },
      },
      issues: {
        type_mismatches: {
          amount: {
            expected: 'number',
            found: ['string'],
            sample_value: 'broken',
            rate: 0.5,
            severity: 'critical',
          },
        },
        null_rates: { email: { actual: 0.5, threshold: 0.3, severity: 'warning' } },
      },
      drift: [],
      gate: { mode: 'contract', history: 0, learning: true, false_alarm_rate: 0.01 },
    });
  });

  test('takes __proto__, constructor and the empty name for ordinary fields', () => {
    const names = ['__proto__', 'constructor', '', 'toString'];
    const members = (value: string) => names.map(name => `${JSON.stringify(name)}:${value}`).join(',');
    const rows = [...times(3, '1'), '"x"', 'null', 'null'].map(value => JSON.parse(`{${members(value)}}`));
    const text = JSON.stringify(judged(rows));
    const judgement = JSON.parse(text);
    for (const map of [judgement.schema, judgement.issues.type_mismatches, judgement.issues.null_rates]) {
      expect(Object.keys(map)).toEqual(names);
    }
    expect(Object.getOwnPropertyDescriptor(judgement.schema, '__proto__')?.value).toEqual({
      type: 'number',
      confidence: 0.75,
    });
    expect(judged(rows, baselineOf(rows)).drift).toEqual([]);
  });

  test('is the same again, and leaves the baseline as it was', () => {
    const rows = cycle(200, 4).map(state => ({ state }));
    const baseline = baselineOf(rows);
    const copy = structuredClone({ ...baseline, fields: [...baseline.fields.keys()] });
    const now = [{ state: 'new', extra: 1 }];
    expect(judged(now, baseline)).toEqual(judged(now, baseline));
    expect({ ...baseline, fields: [...baseline.fields.keys()] }).toEqual(copy);
  });

  test('holds finite numbers only, whatever was sent', () => {
    const value = fc.oneof(
      fc.double(),
      fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, Number.POSITIVE_INFINITY, 0, 5e-324),
      fc.constantFrom(null, '', 'x', true),
    );
    const name = fc.constantFrom('a', 'b', '__proto__', '');
    const row = fc.dictionary(
      name,
      value.filter(value => !Number.isNaN(value)),
      { noNullPrototype: false },
    );
    const rows = fc.array(row, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(rows, rows, (before, now) => {
        const { schema, issues, drift, health_score } = judged(now as Row[], baselineOf(before as Row[]));
        for (const mismatch of Object.values(issues?.type_mismatches ?? {})) mismatch.sample_value = 0;
        const report = { schema, issues: issues ?? {}, drift, health_score };
        expect(JSON.parse(JSON.stringify(report))).toEqual(report);
      }),
    );
  });
});

describe('words', () => {
  test('give a percentage one decimal and never round to all or nothing', () => {
    expect([0, 0.5, 1 / 3, 1].map(percent)).toEqual(['0%', '50%', '33.3%', '100%']);
    expect([0.0009, 0.001, 0.999, 0.9991].map(percent)).toEqual(['<0.1%', '0.1%', '99.9%', '>99.9%']);
  });

  test('cut a text at 64 characters, not code units, and mark what was cut in quotes', () => {
    expect(shortened('😀'.repeat(64))).toBe('😀'.repeat(64));
    expect(shortened(`a${'😀'.repeat(64)}`)).toBe(`a${'😀'.repeat(63)}`);
    expect(shortened('x'.repeat(65))).toBe('x'.repeat(64));
    expect(quoted('x'.repeat(64))).toBe(`'${'x'.repeat(64)}'`);
    expect(quoted('x'.repeat(65))).toBe(`'${'x'.repeat(64)}…'`);
  });
});
