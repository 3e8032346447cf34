/** Statistics over the batches, as charts show them. */
import { describe, expect, test } from 'bun:test';
import {
  alarmsIn,
  byAlarm,
  endsOf,
  fieldsIn,
  isConstant,
  type Trend,
  usualText,
  valueText,
} from '../../src/dashboard/trend.ts';

const trend = (values: (number | null)[], more: Partial<Trend> = {}): Trend => ({
  statistic: 'median',
  label: 'median',
  unit: 'value',
  values,
  usual: values,
  low: values.map(() => null),
  high: values.map(() => null),
  alarms: values.map(() => null),
  ...more,
});

describe('a trend', () => {
  test('that never changed and raised no alarm is constant', () => {
    expect(isConstant(trend([0, null, 0]))).toBe(true);
    expect(isConstant(trend([0, 1]))).toBe(false);
    expect(isConstant(trend([0, 0], { alarms: [null, 'warn'] }))).toBe(false);
  });

  test('with the newest and gravest alarm comes first, then the others in their order', () => {
    const [calm, old, warned, blocked] = [
      trend([1, 2]),
      trend([1, 2], { alarms: ['block', null] }),
      trend([1, 2], { alarms: [null, 'warn'] }),
      trend([1, 2], { alarms: [null, 'block'] }),
    ] as const;
    expect(byAlarm([calm, old, warned, blocked, trend([3])])).toEqual([
      blocked,
      warned,
      old,
      calm,
      trend([3]),
    ]);
    expect(alarmsIn(old)).toEqual([{ at: 0, severity: 'block' }]);
  });

  test('shows what is usual where an alarm lies far away, and the whole alarm where it lies near', () => {
    const usual = { low: [8, 8, 8], high: [12, 12, 12] };
    expect(endsOf(trend([10, 11, 1000], { ...usual, alarms: [null, null, 'block'] }))).toEqual([8, 20]);
    expect(endsOf(trend([10, 11, -50], { ...usual, alarms: [null, null, 'block'] }))).toEqual([0, 12]);
    expect(endsOf(trend([10, 11, 15], { ...usual, alarms: [null, null, 'warn'] }))).toEqual([8, 15]);
    expect(endsOf(trend([7], { alarms: ['block'] }))).toEqual([7, 7]);
  });

  test.each<[Trend, string | null]>([
    [trend([1], { low: [28.2261], high: [32.0182] }), 'usually 28.23 to 32.02'],
    [trend([1], { high: [0.5], unit: 'share' }), 'usually up to 50%'],
    [trend([1], { low: [3], unit: 'hours' }), 'usually from 3 h'],
    [trend([1], { low: [7], high: [7], unit: 'rows' }), 'usually 7'],
    [trend([1]), null],
  ])('says what is usual, %#', (given, words) => {
    expect(usualText(given, 0)).toBe(words);
  });
});

test.each([
  ['share', 0.4341, '43.4%'],
  ['share', 1e-17, '0%'],
  ['rows', 1234.4, '1,234'],
  ['hours', 26.04, '26.04 h'],
  ['widths', 3.2, '3.2 ×'],
  ['value', 2923, '2,923'],
])('a %s of %p is %s', (unit, value, text) => {
  expect(valueText(unit, value)).toBe(text);
});

test('fields with drift in the newest batches come first', () => {
  const batch = (names: string[], drifted: string[]) =>
    ({
      drift: drifted.map(field => ({ field })),
      null_rates: Object.fromEntries(names.map(name => [name, 0])),
    }) as never;
  const batches = [batch(['a', 'b', 'gone'], ['a']), batch(['a', 'b', 'c'], ['c', 'never'])];
  expect(fieldsIn(batches)).toEqual(['c', 'a', 'b', 'gone']);
});
