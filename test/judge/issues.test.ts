import { describe, expect, test } from 'bun:test';
import { baselineOf, column, distinct, judged, mix, times } from './batch.ts';

const issuesOf = (values: readonly unknown[], options?: unknown) =>
  judged(column('f', values), null, options).issues;

describe('issues', () => {
  test('are absent when there is nothing to report', () => {
    expect(judged([{ a: 1, b: 'x' }]).issues).toBeUndefined();
  });

  test('have only the keys that have something to report', () => {
    expect(Object.keys(issuesOf(mix(4, null, 10, 'x'))!)).toEqual(['null_rates']);
    expect(Object.keys(issuesOf(mix(1, 1, 10, 'x'))!)).toEqual(['type_mismatches']);
  });
});

describe('null rates', () => {
  const of = (nulls: number, whole: number, options?: unknown) =>
    issuesOf(mix(nulls, null, whole, 'x'), options)?.null_rates?.f;

  test('at a threshold have not crossed it, above it they have', () => {
    expect(of(3, 10)).toBeUndefined();
    expect(of(301, 1000)).toEqual({ actual: 0.301, threshold: 0.3, severity: 'warning' });
    expect(of(7, 10)).toEqual({ actual: 0.7, threshold: 0.3, severity: 'warning' });
    expect(of(701, 1000)).toEqual({ actual: 0.701, threshold: 0.7, severity: 'critical' });
    expect(of(1, 1)).toEqual({ actual: 1, threshold: 0.7, severity: 'critical' });
  });

  test('count absent values as null', () => {
    expect(judged([{ a: 1 }, { a: 1, b: 1 }]).issues?.null_rates).toEqual({
      b: { actual: 0.5, threshold: 0.3, severity: 'warning' },
    });
  });

  test('are held to the thresholds of the request', () => {
    const options = { thresholds: { null_rate_warn: 0.1, null_rate_block: 0.2 } };
    expect(of(1, 10, options)).toBeUndefined();
    expect(of(2, 10, options)).toEqual({ actual: 0.2, threshold: 0.1, severity: 'warning' });
    expect(of(3, 10, options)).toEqual({ actual: 0.3, threshold: 0.2, severity: 'critical' });
    expect(of(1, 10, { thresholds: { null_rate_warn: 0 } })?.severity).toBe('warning');
    expect(of(1, 1, { thresholds: { null_rate_warn: 1 } })).toBeUndefined();
  });
});

describe('type mismatches', () => {
  const of = (bad: number, whole: number) => issuesOf(mix(bad, 'bad', whole, 1))?.type_mismatches?.f;
  const detail = { expected: 'number', found: ['string'], sample_value: 'bad' };

  test('at a threshold have not crossed it, above it they have', () => {
    expect(of(5, 100)).toBeUndefined();
    expect(of(6, 100)).toEqual({ ...detail, rate: 0.06, severity: 'warning' } as never);
    expect(of(20, 100)).toEqual({ ...detail, rate: 0.2, severity: 'warning' } as never);
    expect(of(21, 100)).toEqual({ ...detail, rate: 0.21, severity: 'critical' } as never);
  });

  test('are a share of the non-null values', () => {
    const values = [...times(10, null), 1, 1, 1, 'bad'];
    expect(issuesOf(values)?.type_mismatches?.f?.rate).toBe(0.25);
  });

  test('are held against the type of the baseline, even when every value has another', () => {
    const { issues } = judged(column('f', ['1', '2']), baselineOf(column('f', [1])));
    expect(issues?.type_mismatches).toEqual({
      f: { expected: 'number', found: ['string'], sample_value: '1', rate: 1, severity: 'critical' },
    });
  });

  test('name every other type found and the first bad value, whatever it is', () => {
    const found = issuesOf([null, 1, 1, { a: [1] }, 'x', true])?.type_mismatches?.f;
    expect(found).toMatchObject({ found: ['boolean', 'object', 'string'], sample_value: { a: [1] } });
  });
});

describe('ragged rows', () => {
  const of = (count: number, options?: unknown) => {
    const rows = column('f', times(100, 1));
    return judged(rows, null, options, { ragged: { count, firstLine: 17 } }).issues?.ragged_rows;
  };

  test('are always reported, by the thresholds of type mismatches', () => {
    expect(of(0)).toBeUndefined();
    expect(of(1)).toEqual({ count: 1, rate: 0.01, first_line: 17, severity: 'info' });
    expect(of(5)?.severity).toBe('info');
    expect(of(6)?.severity).toBe('warning');
    expect(of(20)?.severity).toBe('warning');
    expect(of(21)?.severity).toBe('critical');
    expect(of(6, { thresholds: { type_mismatch_warn: 0.1 } })?.severity).toBe('info');
  });

  test('with a last row that ends early, an upload may have been cut: the issue and the reason say so, the verdict is the same', () => {
    const cut = (count: number) =>
      judged(column('f', times(100, 1)), null, undefined, {
        ragged: { count, firstLine: 17 },
        endsEarly: true,
      });
    expect(cut(1).issues?.ragged_rows).toMatchObject({ count: 1, ends_early: true, severity: 'info' });
    expect([1, 6, 21].map(count => [cut(count).status, cut(count).reason])).toEqual([
      ['PASS', 'Nothing crossed a threshold, but the last row ends early, so the upload may have been cut'],
      [
        'WARN',
        'Ragged rows (6%: 6, the first at line 17): the last row ends early, so the upload may have been cut',
      ],
      [
        'BLOCK',
        'Ragged rows (21%: 21, the first at line 17): the last row ends early, so the upload may have been cut',
      ],
    ]);
  });
});

describe('duplicate fields', () => {
  const of = (names: string[], repeatedNames: string[] = []) =>
    judged([Object.fromEntries(names.map(name => [name, 1]))], null, undefined, { repeatedNames }).issues
      ?.duplicate_fields;

  test('are names repeated within a row or header', () => {
    expect(of(['a', 'b'], ['b'])).toEqual(['b']);
  });

  test('are all spellings that differ only in case, spaces, _ or -', () => {
    expect(of(['user_id', 'x', 'UserId', 'user-id', 'User ID'])).toEqual([
      'user_id',
      'UserId',
      'user-id',
      'User ID',
    ]);
    expect(of(['Straße', 'STRASSE'])).toEqual(['Straße', 'STRASSE']);
    expect(of(['', '_'])).toEqual(['', '_']);
  });

  test('are not names that differ in anything else', () => {
    expect(of(['user_id', 'user.id', 'userid2', 'usérid'])).toBeUndefined();
  });

  test('name each field once', () => {
    expect(of(['a', 'A'], ['A'])).toEqual(['A', 'a']);
  });

  test('are no finding', () => {
    const repeatedNames = ['f'];
    expect(judged(column('f', [1]), null, undefined, { repeatedNames })).toMatchObject({
      status: 'PASS',
      health_score: 1,
    });
  });
});

describe('outliers', () => {
  /** Quartiles 10 and 20: the fences are -20 and 50. */
  const bulk = (count: number) => Array.from({ length: count }, (_, index) => 10 + (index % 2) * 10);
  const of = (values: readonly unknown[], before?: readonly unknown[]) =>
    judged(column('f', values), before === undefined ? null : baselineOf(column('f', before))).issues
      ?.outliers?.f;

  test('lie outside the outer fences, not on them', () => {
    expect(of([...bulk(40), -20, 50])).toBeUndefined();
    expect(of([...bulk(40), -21, 51, 52])).toMatchObject({ count: 3, min: -21, max: 52 });
  });

  test('need at least 8 finite numbers', () => {
    expect(of([...bulk(6), 1000])).toBeUndefined();
    expect(of([...bulk(6), 1000, Number.POSITIVE_INFINITY])).toBeUndefined();
    expect(of([...bulk(7), 1000])).toMatchObject({ count: 1, min: 1000, max: 1000 });
  });

  test('are info below 1% of the numeric values, warning from 1%, critical from 5%', () => {
    const severity = (count: number, whole: number) =>
      of([...bulk(whole - count), ...times(count, 1000), null, 'x'])?.severity;
    expect(severity(1, 101)).toBe('info');
    expect(severity(10, 1000)).toBe('warning');
    expect(severity(49, 1000)).toBe('warning');
    expect(severity(50, 1000)).toBe('critical');
  });

  test('are only those of number fields', () => {
    expect(of([...bulk(9), 1000, ...distinct(50)])).toBeUndefined();
  });

  test('with an IQR of 0 are measured by the fences of the baseline', () => {
    const flat = [...times(20, 15), -21, -20, 50, 51];
    expect(of(flat, bulk(40))).toEqual({ count: 2, min: -21, max: 51, severity: 'critical' });
  });

  test('with an IQR of 0 do not exist without a baseline that has one', () => {
    const flat = [...times(20, 15), 1000];
    expect(of(flat)).toBeUndefined();
    expect(of(flat, times(20, 15))).toBeUndefined();
    expect(of(flat, ['text'])).toBeUndefined();
    expect(of(flat, [null])).toBeUndefined();
  });
});
