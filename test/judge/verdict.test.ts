import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { THRESHOLDS } from '../../src/terms/policy.ts';
import { decide, explain } from '../../src/judge/verdict.ts';
import '../property/seed.ts';
import { baselineOf, column, cycle, judged, mix, type Row, times } from './batch.ts';
import { fieldAddedOf, nullRateOf } from './findings.ts';

describe('verdict', () => {
  const of = (part: number, bad: unknown, whole: number, options?: unknown) =>
    judged(column('f', mix(part, bad, whole, 1)), null, options).status;

  test('is WARN when a rate crosses warn, BLOCK when it crosses block', () => {
    expect([30, 31, 70, 71].map(part => of(part, null, 100))).toEqual(['PASS', 'WARN', 'WARN', 'BLOCK']);
    expect([5, 6, 20, 21].map(part => of(part, 'x', 100))).toEqual(['PASS', 'WARN', 'WARN', 'BLOCK']);
  });

  test('is the same of ragged rows', () => {
    const ragged = (count: number) =>
      judged(column('f', times(100, 1)), null, undefined, { ragged: { count, firstLine: 2 } }).status;
    expect([5, 6, 20, 21].map(ragged)).toEqual(['PASS', 'WARN', 'WARN', 'BLOCK']);
  });

  test('follows the worst severity of a drift event', () => {
    expect(decide([fieldAddedOf('info')], 0.95, THRESHOLDS)).toBe('PASS');
    expect(decide([fieldAddedOf('info'), fieldAddedOf('warn')], 0.95, THRESHOLDS)).toBe('WARN');
    expect(decide([fieldAddedOf('block'), fieldAddedOf('warn')], 0.95, THRESHOLDS)).toBe('BLOCK');
  });

  test('is WARN below health_warn and BLOCK below health_block, not at them', () => {
    const verdicts = [0.8, 0.7999, 0.5, 0.4999].map(health => decide([], health, THRESHOLDS));
    expect(verdicts).toEqual(['PASS', 'WARN', 'WARN', 'BLOCK']);
  });

  test('uses the health lines of the request', () => {
    expect(of(3, null, 100, { thresholds: { health_warn: 0.98 } })).toBe('PASS');
    expect(of(3, null, 100, { thresholds: { health_warn: 0.981 } })).toBe('WARN');
    expect(of(3, null, 100, { thresholds: { health_block: 0.981 } })).toBe('BLOCK');
  });

  test('is not a WARN for outliers alone', () => {
    const bulk = Array.from({ length: 80 }, (_, index) => 10 + (index % 2) * 10);
    expect(judged(column('f', [...bulk, ...times(19, 1e6)]))).toMatchObject({
      status: 'PASS',
      health_score: 0.81,
    });
  });

  test('is never milder than health, and PASS only above its line', () => {
    const value = fc.constantFrom(null, 1, 2, 'a', '', true, {});
    const rows = fc.array(fc.record({ a: value, b: value, c: value }, { requiredKeys: [] }), {
      minLength: 1,
    });
    const line = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(rows, rows, line, line, (before, now, x, y) => {
        const thresholds = { health_warn: Math.max(x, y), health_block: Math.min(x, y) };
        const baseline = baselineOf(before as Row[]);
        const { status, health_score, drift } = judged(now as Row[], baseline, { thresholds });
        if (health_score < thresholds.health_block) expect(status).toBe('BLOCK');
        if (health_score < thresholds.health_warn) expect(status).not.toBe('PASS');
        if (drift.some(event => event.severity === 'block')) expect(status).toBe('BLOCK');
        if (drift.some(event => event.severity === 'warn')) expect(status).not.toBe('PASS');
      }),
    );
  });
});

describe('reason', () => {
  test('names a high null rate in words', () => {
    expect(judged(column('email', ['a@corp.com', null])).reason).toBe("High null rate in 'email' (50%)");
  });

  test('says for PASS that nothing crossed', () => {
    expect(judged([{ a: 1 }]).reason).toBe('Nothing crossed a threshold');
  });

  test('says why the health of a PASS is below 1', () => {
    expect(judged(column('f', mix(3, null, 10, 1))).reason).toBe(
      "Nothing crossed a threshold; health 0.8: Null rate in 'f' (30%)",
    );
  });

  test('names the causes worst first', () => {
    const rows = [...times(40, { a: null, b: 1, c: 'x' }), ...times(60, { a: 1, b: 1, c: 1 })];
    const before = baselineOf(times(100, { a: null, c: 1 }));
    expect(judged(rows, before).reason).toBe(
      "Type mismatch in 'c' (40% not number); High null rate in 'a' (40%); New field 'b' (number)",
    );
  });

  test('puts what blocks before what warns, whatever its penalty', () => {
    const findings = [
      nullRateOf('info', 0.6, 'quiet'),
      nullRateOf('warn', 0.5, 'loud'),
      nullRateOf('block', 0.5, 'grave'),
    ];
    expect(explain('BLOCK', findings, 0.4, THRESHOLDS)).toBe(
      "High null rate in 'grave' (50%); High null rate in 'loud' (50%); Null rate in 'quiet' (60%)",
    );
  });

  test('puts the larger penalty first among causes of one level', () => {
    const findings = [0.2, 0.4, 0.3].map(penalty => nullRateOf('warn', penalty));
    expect(explain('WARN', findings, 0.6, THRESHOLDS)).toBe(
      [40, 30, 20].map(rate => `High null rate in 'f' (${rate}%)`).join('; '),
    );
  });

  test('leaves out what neither is a finding nor takes health below its line by itself', () => {
    const findings = [nullRateOf('info', 0.2, 'quiet'), fieldAddedOf('warn')];
    expect(explain('WARN', findings, 0.8, THRESHOLDS)).toBe("New field 'f' (string)");
  });

  test('names at most five causes and counts the others', () => {
    const reason = (fields: number) => {
      const names = Array.from({ length: fields }, (_, index) => `f${index}`);
      return judged([Object.fromEntries(names.map(name => [name, null]))]).reason;
    };
    expect(reason(5)).toEndWith("; High null rate in 'f4' (100%)");
    expect(reason(6)).toBe(`${reason(5)} and 1 more`);
    expect(reason(2000)).toBe(`${reason(5)} and 1995 more`);
  });

  test('quotes names from the payload, cut at 64 characters and on one line', () => {
    expect(judged(column(`${'😀'.repeat(65)}`, [null])).reason).toContain(`'${'😀'.repeat(64)}…'`);
    expect(judged(column('a\nb', [null])).reason).toContain("'a\\u000ab'");
  });

  test('names the causes when only health decided', () => {
    const { status, reason } = judged(column('f', mix(1, null, 10, 1)), null, {
      thresholds: { health_warn: 0.95 },
    });
    expect(status).toBe('WARN');
    expect(reason).toBe("Health 0.9333 is below 0.95: Null rate in 'f' (10%)");
  });

  test('names outliers and info events among the causes of low health', () => {
    const numbers = [...Array.from({ length: 98 }, (_, index) => 10 + (index % 2) * 10), 1e6, 1e6];
    const strict = { thresholds: { health_warn: 0.99 } };
    expect(judged(column('f', numbers), null, strict).reason).toBe(
      "Health 0.92 is below 0.99: Outliers in 'f' (2% of its numbers)",
    );
    const enums = baselineOf(column('f', cycle(100, 4)));
    expect(judged(column('f', mix(1, 'new', 100, 'v0')), enums, strict).reason).toContain(
      "New values in 'f': 'new' (1% of rows)",
    );
  });

  test('says that many warnings together blocked', () => {
    const before = baselineOf([
      ...cycle(900, 9).map((state, index) => ({ id: `id${index}`, state, note: 'x', sparse: null })),
    ]);
    const now = cycle(90, 3).map((state, index) => ({
      id: 'same',
      state,
      note: index % 12 === 0 ? 7 : 'x',
      sparse: index % 2 === 0 ? 1 : null,
      fresh: index % 3 === 0 ? null : 1,
    }));
    const ragged = { ragged: { count: 8, firstLine: 2 } };
    const { status, health_score, reason } = judged(now, before, undefined, ragged);
    // 0.65 for a null rate of 50%; an added field, values of another type and ragged rows: 0.9^3.
    expect({ status, health_score }).toEqual({ status: 'BLOCK', health_score: 0.4739 });
    expect(reason).toStartWith('Health 0.4739 is below 0.5: High null rate');
  });
});
