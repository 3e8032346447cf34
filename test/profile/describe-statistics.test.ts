import { expect, test } from 'bun:test';
import { describeStatistics } from '../../src/profile/describe-statistics.ts';
import { FIELD_STATISTICS, PROFILE_STATISTICS, statisticById } from '../../src/statistics/registry.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';

const engine = ENGINE;

const described = (values: readonly unknown[], ...ids: string[]) => {
  const body = JSON.stringify({ rows: values.map(v => ({ v })) });
  const { profile } = screenBytes(engine, new TextEncoder().encode(body));
  return describeStatistics(
    profile!.fields[0]!,
    values.length,
    ids.map(id => statisticById(id)!),
  );
};

test('a field is described by the statistics that are to be shown, on their own scales', () => {
  const ids = ['null_rate', 'padded_share', 'length_standard_deviation', 'zero_share', 'median'];
  const texts = Array.from({ length: 10 }, () => [' a', 'abcdefg', 'abc', 'abc', null]).flat();
  expect(described(texts, ...ids)).toEqual({
    null_rate: 0.2,
    padded_share: 0.25,
    length_standard_deviation: expect.closeTo(Math.sqrt(3.6875), 6),
  });
  expect(described([0, 0, 1, 2, 3, 4, 5, 6], ...ids)).toEqual({
    null_rate: 0,
    zero_share: 0.25,
    median: 2.5,
  });
});

test('without a statistic to show there is no description', () => {
  expect(described([1])).toBeNull();
  expect(described([1], 'padded_share')).toBeNull();
});

test('a distribution has no figure to show', () => {
  expect(PROFILE_STATISTICS.filter(({ kind }) => kind === 'distribution')).toEqual([]);
  expect(FIELD_STATISTICS).toEqual(expect.arrayContaining([...PROFILE_STATISTICS]));
});
