import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Finding } from '../../src/findings/kinds.ts';
import { ratePenalty } from '../../src/findings/rates.ts';
import { healthScore } from '../../src/judge/health.ts';
import { SAMPLES } from '../findings/samples.ts';
import '../property/seed.ts';
import { baselineOf, column, cycle, judged, mix, times } from './batch.ts';
import {
  fieldAddedOf,
  newEnumValueOf,
  nullRateOf,
  outliersOf,
  raggedRowsOf,
  typeMismatchOf,
} from './findings.ts';

const healthOf = (values: readonly unknown[], options?: unknown) =>
  judged(column('f', values), null, options).health_score;

describe('the penalty of a rate', () => {
  const limits = { warn: 0.25, block: 0.5 };

  test('is 0 at 0, 0.2 at warn, 0.5 at block, 1 at 1, and linear in between', () => {
    const expected = [
      [0, 0],
      [0.125, 0.1],
      [0.25, 0.2],
      [0.375, 0.35],
      [0.5, 0.5],
      [0.75, 0.75],
      [1, 1],
    ] as const;
    for (const [rate, penalty] of expected) expect(ratePenalty(rate, limits)).toBeCloseTo(penalty, 12);
  });

  test('is finite where an interval has no length', () => {
    for (const warn of [0, 0.5, 1]) {
      expect(ratePenalty(0, { warn, block: warn })).toBe(0);
      for (const rate of [1e-300, 0.5, 1]) {
        expect(ratePenalty(rate, { warn, block: warn })).toBeWithin(0, 1 + Number.EPSILON);
      }
    }
    expect(ratePenalty(1, { warn: 1, block: 1 })).toBe(0.2);
    expect(ratePenalty(1, { warn: 0, block: 1 })).toBe(0.5);
    expect(ratePenalty(1, { warn: 0, block: 0 })).toBe(1);
  });

  test('never falls as the rate grows', () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fraction, fraction, fraction, fraction, (a, b, c, d) => {
        const [warn, block] = [Math.min(a, b), Math.max(a, b)];
        const [low, high] = [Math.min(c, d), Math.max(c, d)];
        const [before, after] = [ratePenalty(low, { warn, block }), ratePenalty(high, { warn, block })];
        expect(before).toBeGreaterThanOrEqual(0);
        expect(after).toBeGreaterThanOrEqual(before);
        expect(after).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('health', () => {
  test('is 1 when nothing is wrong', () => {
    expect(healthOf([1, 2, 3])).toBe(1);
    expect(healthScore([])).toBe(1);
  });

  test('falls with a rate that crosses nothing', () => {
    expect(healthOf(mix(15, null, 100, 1))).toBe(0.9);
    expect(healthOf(mix(3, null, 10, 1))).toBe(0.8);
    expect(healthOf(mix(7, null, 10, 1))).toBe(0.5);
    expect(healthOf([null])).toBe(0);
    expect(healthOf(mix(5, 'x', 100, 1))).toBe(0.8);
    expect(healthOf(mix(20, 'x', 100, 1))).toBe(0.5);
  });

  test('counts ragged rows by the thresholds of type mismatches', () => {
    const ragged = (count: number) =>
      judged(column('f', times(100, 1)), null, undefined, { ragged: { count, firstLine: 2 } }).health_score;
    expect([0, 5, 20, 100].map(ragged)).toEqual([1, 0.8, 0.5, 0]);
  });

  test('loses 0.05 for an info event, 0.2 for a warn one, 0.5 for a block one', () => {
    const enums = baselineOf(column('f', cycle(100, 4)));
    expect(judged(column('f', mix(34, 'new', 1000, 'v0')), { ...enums, rowCounts: [] }).health_score).toBe(
      0.95,
    );
    expect(judged([{ a: 1, b: 1 }], baselineOf([{ a: 1 }])).health_score).toBe(0.8);
    expect(judged([{ a: 1 }], baselineOf([{ a: 1, b: 1 }])).health_score).toBe(0.5);
  });

  test('loses four times the share of outliers, at most 0.19', () => {
    const outliers = (count: number) => {
      const bulk = Array.from({ length: 1000 - count }, (_, index) => 10 + (index % 2) * 10);
      return healthOf([...bulk, ...times(count, 1000)]);
    };
    expect([1, 10, 47, 48, 200].map(outliers)).toEqual([0.996, 0.96, 0.812, 0.81, 0.81]);
  });

  test('is not below 0.5 for a statistic that is a WARN, however unusual, and one other kind of findings', () => {
    const { evidence } = SAMPLES.unusual_statistic;
    const far = { ...evidence, unusual: 50, lines: { warn: 2, block: 7 } };
    const warn = { ...SAMPLES.unusual_statistic, severity: 'warn', evidence: far } as Finding;
    expect(healthScore([warn])).toBe(0.5556);
    expect(healthScore([warn, fieldAddedOf('warn')])).toBe(0.5);
  });

  test('is not below 0.5 for WARNs of up to three kinds', () => {
    const kinds = [
      nullRateOf('warn', 0.48),
      fieldAddedOf('warn'),
      typeMismatchOf('warn', 0.1),
      raggedRowsOf('warn', 0.1),
    ];
    expect([1, 2, 3, 4].map(count => healthScore(kinds.slice(0, count)))).toEqual([0.52, 0.5, 0.5, 0.3791]);
    expect(healthScore([nullRateOf('warn', 0.48), fieldAddedOf('block')])).toBe(0.45);
  });

  test('is the worst penalty, then 0.9 for each other kind of findings', () => {
    const [nulls, types, added] = [
      nullRateOf('warn', 0.3),
      typeMismatchOf('block', 0.6),
      fieldAddedOf('warn'),
    ];
    expect(healthScore([nulls])).toBe(0.7);
    expect(healthScore([nulls, types])).toBe(0.36);
    expect(healthScore([added, nulls, types])).toBe(0.324);
  });

  test('counts a kind once, however many fields it hits', () => {
    const added = times(9, fieldAddedOf('warn'));
    expect(healthScore(added)).toBe(0.8);
    expect(healthScore([...added, ...times(9, nullRateOf('warn', 0.21))])).toBe(0.711);
  });

  test('does not count outliers, info events or rates below warn as kinds of findings', () => {
    const quiet = [outliersOf(1), newEnumValueOf('info'), nullRateOf('info', 0.2), raggedRowsOf('info', 0.1)];
    expect(healthScore(quiet)).toBe(0.8);
    expect(healthScore([...quiet, fieldAddedOf('warn')])).toBe(0.8);
  });

  test('is rounded to 4 decimals', () => {
    expect(healthOf(mix(1, null, 3, 1))).toBe(0.775);
    expect(healthOf(mix(1, null, 7, 1))).toBe(0.9048);
  });

  test('does not move with the lines for it', () => {
    const values = mix(3, null, 10, 1);
    expect(healthOf(values, { thresholds: { health_warn: 1, health_block: 0.9 } })).toBe(healthOf(values));
  });

  test('stays in 0..1', () => {
    const severity = fc.constantFrom('info' as const, 'warn' as const, 'block' as const);
    const penalty = fc.double({ min: 0, max: 1, noNaN: true });
    const findings = fc.array(
      fc.oneof(
        fc.tuple(severity, penalty).map(([grave, rate]) => nullRateOf(grave, rate)),
        fc.tuple(severity, penalty).map(([grave, rate]) => typeMismatchOf(grave, rate)),
        fc.tuple(severity, penalty).map(([grave, rate]) => raggedRowsOf(grave, rate)),
        penalty.map(outliersOf),
        severity.map(grave => fieldAddedOf(grave)),
        severity.map(newEnumValueOf),
      ),
    );
    fc.assert(
      fc.property(findings, findings => {
        expect(healthScore(findings)).toBeWithin(0, 1 + Number.EPSILON);
      }),
    );
  });

  test('never rises when one more value is null or of another type', () => {
    const counts = fc.record({ nulls: fc.nat(20), bad: fc.nat(20), good: fc.nat(20) });
    const rows = (a: { nulls: number; bad: number; good: number }) =>
      column('f', [...times(a.nulls, null), ...times(a.bad, 'x'), ...times(a.good + 40, 1)]);
    const next = fc.constantFrom('nulls' as const, 'bad' as const);
    fc.assert(
      fc.property(counts, next, (a, grown) => {
        // A row is exchanged, so that only one of the two rates moves.
        const b = { ...a, good: a.good - 1, [grown]: a[grown] + 1 };
        if (grown === 'nulls') b.good = a.good;
        expect(judged(rows(b)).health_score).toBeLessThanOrEqual(judged(rows(a)).health_score);
      }),
    );
  });
});
