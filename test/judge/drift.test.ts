import { describe, expect, test } from 'bun:test';
import type { Baseline } from '../../src/baseline/baseline.ts';
import type { DriftKind } from '../../src/report-schema/report.ts';
import { baselineOf, column, cycle, distinct, judged, mix, type Row, times, withField } from './batch.ts';

/** The events of one kind. Row counts are alike unless a test is about them. */
const events = (kind: DriftKind, rows: readonly Row[], baseline: Baseline | null, options?: unknown) =>
  judged(rows, baseline, options).drift.filter(event => event.kind === kind);

const severities = (kind: DriftKind, now: readonly unknown[], before: readonly unknown[]) =>
  events(kind, column('f', now), baselineOf(column('f', before))).map(event => event.severity);

describe('drift', () => {
  test('is empty without a baseline and against itself', () => {
    const rows = column('f', cycle(200, 5));
    expect(judged(rows).drift).toEqual([]);
    expect(judged(rows, baselineOf(rows)).drift).toEqual([]);
  });

  test('gives previous and current as strings, and a detail that names the field', () => {
    const before = baselineOf([{ gone: 1, kept: 1 }]);
    const { drift } = judged([{ fresh: 1, kept: 'x' }], before);
    expect(drift.map(event => event.kind)).toEqual(['field_added', 'type_changed', 'field_removed']);
    for (const event of drift) {
      expect(event.previous).toBeString();
      expect(event.current).toBeString();
      expect(event.detail).toContain(`'${event.field}'`);
    }
  });

  test('against a provisional baseline is at most warn', () => {
    const rows = [{ a: 'x', c: 1 }];
    const before = baselineOf([{ a: 1, b: 1 }], { provisional: true });
    expect(judged(rows, before).drift.map(event => event.severity)).toEqual(['warn', 'warn', 'warn']);
    expect(judged(rows, before).status).toBe('WARN');
    expect(judged(rows, { ...before, provisional: false }).status).toBe('BLOCK');
  });
});

describe('field_added', () => {
  test('is a field the baseline lacks, null ones included: warn', () => {
    const [event, second] = events('field_added', [{ a: 1, b: null, c: 'x' }], baselineOf([{ a: 1 }]));
    expect(event).toMatchObject({ field: 'b', severity: 'warn', previous: 'absent', current: 'null' });
    expect(second).toMatchObject({ field: 'c', severity: 'warn', current: 'string' });
  });
});

describe('field_removed', () => {
  const removed = (rows: number, before: Partial<{ presence: number; nullRate: number }>) =>
    events(
      'field_removed',
      column('f', times(rows, 1)),
      withField(baselineOf([{ f: 1, gone: 'x' }]), 'gone', before),
    ).map(event => event.severity);

  test('blocks if the field was non-null in at least 99% of baseline rows, else warns', () => {
    expect(removed(1, { presence: 1, nullRate: 0 })).toEqual(['block']);
    expect(removed(1, { presence: 1, nullRate: 0.01 })).toEqual(['block']);
    expect(removed(1, { presence: 1, nullRate: 0.1 + 0.2 - 0.29 })).toEqual(['block']);
    expect(removed(1, { presence: 1, nullRate: 0.0101 })).toEqual(['warn']);
  });

  test('needs a chance below 0.001 of being absent by accident', () => {
    expect(removed(9, { presence: 0.5 })).toEqual([]);
    expect(removed(10, { presence: 0.5 })).toEqual(['block']);
    expect(removed(1, { presence: 0.999 })).toEqual([]);
    expect(removed(1, { presence: 1 + 1e-12 })).toEqual(['block']);
  });

  test('does not fire when one row has the field, be it null', () => {
    const rows = [{ f: 1, gone: null }, { f: 1 }];
    expect(events('field_removed', rows, baselineOf([{ f: 1, gone: 'x' }]))).toEqual([]);
  });

  test('is the only event of that field, which is unknown to the schema now', () => {
    const judgement = judged(column('f', times(50, 1)), baselineOf(times(50, { f: 1, gone: 'x' })));
    expect(judgement.drift.map(event => event.kind)).toEqual(['field_removed']);
    expect(judgement.drift[0]).toMatchObject({ field: 'gone', previous: 'string', current: 'absent' });
    expect(judgement.schema).not.toHaveProperty('gone');
  });
});

describe('type_changed', () => {
  const change = (now: readonly unknown[], before: readonly unknown[]) =>
    severities('type_changed', now, before);

  test('is a definite type before and another or mixed now: block', () => {
    expect(change(['a'], [1])).toEqual(['block']);
    expect(change(['a', 1], [1])).toEqual(['block']);
    const [event] = events('type_changed', column('f', ['a', 1]), baselineOf(column('f', [1])));
    expect(event).toMatchObject({ previous: 'number', current: 'mixed' });
  });

  test('is not null or mixed before, null now, or the same type among others', () => {
    expect(change(['a'], [null])).toEqual([]);
    expect(change(['a'], ['a', 1])).toEqual([]);
    expect(change([null], [1])).toEqual([]);
    expect(change([1, 2, 'a'], [1])).toEqual([]);
  });

  test('is not a bare majority that the other type now has, but a clear one', () => {
    const values = (numbers: number, texts: number) => [...Array(numbers).fill(1), ...Array(texts).fill('a')];
    expect(change(values(49, 51), values(51, 49))).toEqual([]);
    expect(change(values(34, 66), values(59, 41))).toEqual([]);
    expect(change(values(1, 2), values(59, 41))).toEqual(['block']);
    expect(change(values(34, 66), values(2, 1))).toEqual(['block']);
  });
});

describe('new_enum_value', () => {
  const fresh = (now: readonly unknown[], before: readonly unknown[]) =>
    severities('new_enum_value', now, before);

  test('is warn from a tenth of the rows and five of them on, until a history says more', () => {
    expect(fresh(mix(100, 'new', 1000, 'v0'), cycle(1000, 4))).toEqual(['warn']);
    expect(fresh(mix(5, 'new', 10, 'v0'), cycle(1000, 4))).toEqual(['warn']);
  });

  test('is info below that', () => {
    const before = cycle(1000, 4);
    expect(fresh(mix(1, 'new', 100, 'v0'), before)).toEqual(['info']);
    expect(fresh(mix(99, 'new', 1000, 'v0'), before)).toEqual(['info']);
    expect(fresh(mix(4, 'new', 10, 'v0'), before)).toEqual(['info']);
  });

  test('needs at most 50 distinct, at least 100 values, at most 1 distinct per 10 in the baseline', () => {
    expect(fresh(['new'], cycle(1000, 50))).toEqual(['info']);
    expect(fresh(['new'], cycle(1000, 51))).toEqual([]);
    expect(fresh(['new'], cycle(100, 2))).toEqual(['info']);
    expect(fresh(['new'], cycle(99, 2))).toEqual([]);
    expect(fresh(['new'], cycle(200, 20))).toEqual(['info']);
    expect(fresh(['new'], cycle(200, 21))).toEqual([]);
  });

  test('is of string fields only', () => {
    expect(fresh(['new', 1, 1], [...times(100, 'v'), ...times(200, 1)])).toEqual([]);
  });

  test('lists at most 20 values in issues.new_enum_values, each cut at 64 characters', () => {
    const long = distinct(30, '😀'.repeat(64));
    const { issues, drift } = judged(column('f', ['v1', ...long]), baselineOf(column('f', cycle(100, 4))));
    expect(issues?.new_enum_values?.f).toEqual(times(20, '😀'.repeat(64)));
    expect(drift[0]).toMatchObject({ kind: 'new_enum_value', previous: '4 known values' });
    expect(drift[0]?.current).toEndWith('and others');
  });

  test('quotes three of the values', () => {
    const current = (values: string[]) =>
      events('new_enum_value', column('f', values), baselineOf(column('f', cycle(100, 4))))[0]?.current;
    expect(current(['a', 'b', 'c'])).toBe("'a', 'b', 'c'");
    expect(current(['a', 'b', 'c', 'd'])).toBe("'a', 'b', 'c' and others");
  });

  test('is the issue of that name, which is absent without the event', () => {
    const before = baselineOf(column('f', cycle(100, 4)));
    expect(judged(column('f', mix(40, 'b', 100, 'v0')), before).issues?.new_enum_values).toEqual({
      f: ['b'],
    });
    expect(judged(column('f', cycle(100, 4)), before).issues).toBeUndefined();
  });
});
