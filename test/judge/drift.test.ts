import { describe, expect, test } from 'bun:test';
import type { Baseline } from '../../src/baseline/baseline.ts';
import type { DriftKind } from '../../src/contract/report.ts';
import { unusualCount } from '../../src/rules/drift/row-count-anomaly.ts';
import { riseInErrors } from '../../src/rules/drift/spikes.ts';
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
    const before = baselineOf([{ gone: 1, kept: 1 }], { rowCounts: [1000] });
    const { drift } = judged([{ fresh: 1, kept: 'x' }], before);
    expect(drift.map(event => event.kind)).toEqual([
      'field_added',
      'type_changed',
      'field_removed',
      'row_count_anomaly',
    ]);
    for (const event of drift) {
      expect(event.previous).toBeString();
      expect(event.current).toBeString();
      expect(event.detail).toContain(event.field === '*' ? 'Row count' : `'${event.field}'`);
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
});

describe('null_spike', () => {
  const spike = (now: [number, number], before: [number, number]) =>
    severities('null_spike', mix(now[0], null, now[1], 'x'), mix(before[0], null, before[1], 'x'));

  test('is a null rate up by 0.1 or more, and blocks from 0.4', () => {
    expect(spike([2999, 10000], [2000, 10000])).toEqual([]);
    expect(spike([3000, 10000], [2000, 10000])).toEqual(['warn']);
    expect(spike([5999, 10000], [2000, 10000])).toEqual(['warn']);
    expect(spike([6000, 10000], [2000, 10000])).toEqual(['block']);
  });

  test('does not fire on a fall', () => {
    expect(spike([0, 1000], [900, 1000])).toEqual([]);
  });

  test('needs a z of at least 3', () => {
    // Of 20 rows, 5 with a null where there were none: z is 2.86; 6: 3.19.
    expect(spike([5, 20], [0, 1000])).toEqual([]);
    expect(spike([6, 20], [0, 1000])).toEqual(['warn']);
  });

  test('says both rates', () => {
    const [event] = events(
      'null_spike',
      column('f', mix(50, null, 100, 1)),
      baselineOf(column('f', mix(2, null, 100, 1))),
    );
    expect(event).toMatchObject({ previous: '2%', current: '50%' });
    expect(event?.detail).toBe("Null rate in 'f' rose from 2% to 50%");
  });

  test('is measured over all rows, absent ones included', () => {
    const rows = [...times(50, { f: 1, g: 1 }), ...times(50, { g: 1 })];
    expect(events('null_spike', rows, baselineOf(times(100, { f: 1, g: 1 })))).toMatchObject([
      { field: 'f', severity: 'block' },
    ]);
  });
});

test('a field that many rows lack and now all do is a null_spike when chance does not explain it', () => {
  const before = baselineOf([...times(1000, { f: 1, g: 1 }), ...times(1000, { g: 1 })], { rowCounts: [9] });
  expect(judged(times(9, { g: 1 }), before).drift).toMatchObject([
    { field: 'f', kind: 'null_spike', severity: 'block', previous: '50%', current: '100%' },
  ]);
  expect(judged(times(3, { g: 1 }), before).drift.map(event => event.kind)).not.toContain('null_spike');
});

describe('the z of two rates', () => {
  test('is unpooled, with one success and one failure added to each side', () => {
    // (8/22 - 1/1002) / sqrt(8/22 * 14/22 / 22 + 1/1002 * 1001/1002 / 1002)
    const by = riseInErrors({ rate: 7 / 20, size: 20 }, { rate: 0, size: 1000 });
    expect(by).toBeCloseTo(3.5357, 4);
  });

  test('is 0 for equal rates of equal size and defined for a single row', () => {
    expect(riseInErrors({ rate: 0.3, size: 10 }, { rate: 0.3, size: 10 })).toBe(0);
    expect(riseInErrors({ rate: 1, size: 1 }, { rate: 0, size: 1 })).toBeLessThan(3);
  });
});

describe('empty_string_spike', () => {
  const spike = (now: [number, number], before: [number, number]) =>
    severities('empty_string_spike', mix(now[0], '', now[1], 'x'), mix(before[0], '', before[1], 'x'));

  test('is the share of empty ones up by 0.1 or more, and blocks from 0.4', () => {
    expect(spike([2999, 10000], [2000, 10000])).toEqual([]);
    expect(spike([3000, 10000], [2000, 10000])).toEqual(['warn']);
    expect(spike([5999, 10000], [2000, 10000])).toEqual(['warn']);
    expect(spike([6000, 10000], [2000, 10000])).toEqual(['block']);
  });

  test('is among non-null strings only', () => {
    const now = [...mix(50, '', 100, 'x'), ...times(900, null)];
    const [event] = events('empty_string_spike', column('f', now), baselineOf(column('f', times(1000, 'x'))));
    expect(event).toMatchObject({ severity: 'block', current: '50%' });
  });

  test('needs strings on both sides and a z of at least 3', () => {
    expect(severities('empty_string_spike', times(100, 1), times(100, 'x'))).toEqual([]);
    expect(severities('empty_string_spike', times(100, ''), times(100, 1))).toEqual([]);
    expect(spike([2, 10], [0, 1000])).toEqual([]);
  });
});

describe('cardinality_change', () => {
  const change = (now: readonly unknown[], before: readonly unknown[]) =>
    severities('cardinality_change', now, before);

  test('of a unique-like field is fewer distinct values than its ratio less 0.2 lets expect: warn', () => {
    const before = distinct(1000);
    expect(change(cycle(1000, 800), before)).toEqual([]);
    expect(change(cycle(1000, 799), before)).toEqual(['warn']);
  });

  test('is unique-like from a ratio of 0.9', () => {
    expect(change(cycle(1000, 700), cycle(1000, 900))).toEqual([]);
    expect(change(cycle(1000, 699), cycle(1000, 900))).toEqual(['warn']);
    expect(change(cycle(1000, 100), cycle(1000, 899))).toEqual([]);
  });

  test('holds a batch to the smaller of its values and those of a usual batch', () => {
    expect(change(cycle(5000, 800), distinct(1000))).toEqual([]);
    expect(change(cycle(5000, 799), distinct(1000))).toEqual(['warn']);
    expect(change(cycle(100, 80), distinct(1000))).toEqual([]);
    expect(change(cycle(100, 79), distinct(1000))).toEqual(['warn']);
  });

  test('counts numbers too', () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    expect(change(times(100, 1), numbers)).toEqual(['warn']);
  });

  test('of a low-cardinality field is a factor of 3 or more, up or down', () => {
    const before = cycle(900, 9);
    expect(change(cycle(900, 4), before)).toEqual([]);
    expect(change(cycle(900, 3), before)).toEqual(['warn']);
    expect(change(cycle(900, 26), before)).toEqual([]);
    expect(change(cycle(900, 27), before)).toEqual(['warn']);
  });

  test('needs 10 values on the smaller side for each distinct value of the larger', () => {
    expect(change(cycle(89, 3), cycle(900, 9))).toEqual([]);
    expect(change(cycle(90, 3), cycle(900, 9))).toEqual(['warn']);
    expect(change(cycle(900, 91), cycle(900, 30))).toEqual([]);
    expect(change(cycle(900, 90), cycle(900, 30))).toEqual(['warn']);
  });

  test('is none where the field has no value any more', () => {
    expect(change(times(100, null), distinct(1000))).toEqual([]);
    expect(change(times(100, null), cycle(900, 9))).toEqual([]);
  });

  test('is none of a field with too many values to be of low cardinality', () => {
    expect(change(cycle(10000, 10), cycle(10000, 51))).toEqual([]);
    expect(change(cycle(10000, 10), cycle(10000, 50))).toEqual(['warn']);
  });
});

describe('new_enum_value', () => {
  const fresh = (now: readonly unknown[], before: readonly unknown[]) =>
    severities('new_enum_value', now, before);

  test('is info, and warn in 5% of the rows or more and in at least 5 rows', () => {
    const before = cycle(1000, 4);
    expect(fresh(mix(1, 'new', 100, 'v0'), before)).toEqual(['info']);
    expect(fresh(mix(49, 'new', 1000, 'v0'), before)).toEqual(['info']);
    expect(fresh(mix(50, 'new', 1000, 'v0'), before)).toEqual(['warn']);
    expect(fresh(mix(4, 'new', 10, 'v0'), before)).toEqual(['info']);
    expect(fresh(mix(5, 'new', 10, 'v0'), before)).toEqual(['warn']);
  });

  test('counts all new values together, in analysed rows that may lack the field', () => {
    const rows = [...column('f', [...distinct(5, 'new'), ...times(45, 'v0')]), ...times(51, { g: 1 })];
    const before = baselineOf([...column('f', cycle(100, 4)), { g: 1 }]);
    expect(events('new_enum_value', rows, before)).toMatchObject([{ severity: 'info' }]);
    expect(events('new_enum_value', rows.slice(0, 100), before)).toMatchObject([{ severity: 'warn' }]);
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

describe('row_count_anomaly', () => {
  const fires = (rows: number, rowCounts: number[]) => unusualCount(rows, rowCounts) !== null;

  test('is over 3 times or under a third of the median', () => {
    expect(fires(3000, [1000])).toBe(false);
    expect(fires(3001, [1000])).toBe(true);
    expect(fires(300, [900])).toBe(false);
    expect(fires(299, [900])).toBe(true);
    expect(fires(3001, [1, 1000, 9000])).toBe(true);
    expect(fires(3001, [1, 500, 1500, 9000])).toBe(true);
  });

  test('is not explained by counting noise of 3 square roots of the median', () => {
    expect(fires(13, [4])).toBe(true);
    expect(fires(7, [2])).toBe(true);
    expect(fires(4, [1])).toBe(false);
    expect(fires(5, [1])).toBe(true);
    expect(fires(5, [1, 2])).toBe(false);
    expect(fires(6, [1, 2])).toBe(true);
    expect(fires(1, [9])).toBe(false);
    expect(fires(1, [11])).toBe(true);
  });

  test('is outside 3.5 robust deviations of the logarithms where 8 or more are known', () => {
    const wild = [100, 200, 400, 800, 1600, 3200, 6400];
    expect(fires(10000, wild)).toBe(true);
    expect(fires(10000, [...wild, 12800])).toBe(false);
    expect(fires(4000, times(8, 1000))).toBe(true);
  });

  test('has its line at 3.5 times 1.4826 MAD', () => {
    // Logarithms 0.5 around that of 1000: the MAD is 0.5, the line exp(3.5 * 1.4826 * 0.5) = 13.39 times the median.
    const low = Math.exp(-0.5) * 1000;
    const high = Math.exp(0.5) * 1000;
    const counts = [...times(4, low), 1000, ...times(4, high)];
    expect(fires(13380, counts)).toBe(false);
    expect(fires(13400, counts)).toBe(true);
  });

  test('needs a row count to compare with', () => {
    expect(fires(10000, [])).toBe(false);
  });

  test('is a warn of the whole batch, and an issue', () => {
    const before = baselineOf(column('f', times(1000, 1)));
    const { drift, issues, status } = judged(column('f', times(10, 1)), before);
    expect(drift).toMatchObject([
      { field: '*', kind: 'row_count_anomaly', severity: 'warn', previous: '1000', current: '10' },
    ]);
    expect(issues?.row_count_anomaly).toBe(true);
    expect(status).toBe('WARN');
    expect(judged(column('f', times(1000, 1)), before).issues).toBeUndefined();
  });

  test('is no matter of a chunk of a larger batch', () => {
    const before = baselineOf(column('f', times(1000, 1)));
    const chunk = { batch_index: 1, total_batches: 2 };
    expect(events('row_count_anomaly', column('f', times(10, 1)), before, chunk)).toEqual([]);
    expect(
      events('row_count_anomaly', column('f', times(10, 1)), before, { batch_index: 1, total_batches: 1 }),
    ).toHaveLength(1);
  });
});
