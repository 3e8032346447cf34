import { describe, expect, test } from 'bun:test';
import { Column, Like } from '../../assembly/abi.ts';
import { VALUE_TYPES } from '../../src/profile/profile.ts';
import { typePlace } from '../../src/statistics/counts.ts';
import type { Measurement } from '../../src/statistics/measurement.ts';
import {
  BATCH_STATISTICS,
  FIELD_STATISTICS,
  MEASUREMENTS,
  NEIGHBOUR_STATISTICS,
  PLACE,
  statisticById,
  WIDTH,
} from '../../src/statistics/registry.ts';

const range = (first: number, end: number): number[] =>
  Array.from({ length: end - first }, (_, i) => first + i);

function columnsOf({ source, width }: Measurement): number[] {
  if (source.from === 'baseline') return [];
  if (source.from === 'summary') return [...source.columns];
  return source.column === null ? [] : range(source.column, source.column + width);
}

/** Parts of the engine's record that are no measurement of their own. */
const OTHER_COLUMNS = [
  ...range(Column.NAME_OFFSET, Column.REPEATED + 1),
  Column.LISTED,
  ...range(Column.DATE_FORMS, Column.DATE_HIGH + 1),
  Column.OUTLIER_MIN,
  Column.OUTLIER_MAX,
  ...range(Column.FIRST_QUANTILE, Column.LAST_QUANTILE + 1),
];

describe('measurements', () => {
  test("each column of the engine's record belongs to exactly one", () => {
    const owned = MEASUREMENTS.flatMap(columnsOf);
    expect(new Set(owned).size).toBe(owned.length);
    const measured = range(0, Column.LENGTH).filter(column => !OTHER_COLUMNS.includes(column));
    expect(owned.filter(column => !OTHER_COLUMNS.includes(column)).sort((a, b) => a - b)).toEqual(measured);
  });

  test('ids are unique, and places follow one another without a gap', () => {
    expect(new Set(MEASUREMENTS.map(({ id }) => id)).size).toBe(MEASUREMENTS.length);
    expect(MEASUREMENTS.flatMap(({ place, width }) => range(place, place + width))).toEqual(range(0, WIDTH));
    expect(Object.entries(PLACE)).toEqual(MEASUREMENTS.map(({ id, place }) => [id, place]));
  });

  test('counts by type have the order of the types', () => {
    expect(VALUE_TYPES.map((_, i) => typePlace(i))).toEqual(
      VALUE_TYPES.map(type => PLACE[`${type}s` as 'numbers']),
    );
  });
});

describe('statistics', () => {
  const all = [...FIELD_STATISTICS, ...NEIGHBOUR_STATISTICS, ...BATCH_STATISTICS];

  test('ids are unique; two forecasts of one statistic differ in nothing that people see', () => {
    for (const [id, same] of Map.groupBy(all, statistic => statistic.id)) {
      expect([id, same.length]).toEqual([id, id === 'new_value_share' ? 2 : 1]);
      const seen = same.map(({ label, family, unit, isPrivate, kind, needsManyRows, rows }) => {
        return { label, family, unit, isPrivate, kind, needsManyRows, rows: [rows('up'), rows('down')] };
      });
      expect(seen.every(each => Bun.deepEquals(each, seen[0]))).toBe(true);
      expect(statisticById(id)!.label).toBe(same[0]!.label);
    }
    expect(statisticById('none')).toBeUndefined();
  });

  test('no label is the name that programs have for it, and no two are equal', () => {
    const labels = new Map(all.map(({ id, label }) => [id, label]));
    expect([...labels.values()].filter(each => /_|\b(share|mix|rate)$/.test(each))).toEqual([]);
    expect(new Set(labels.values()).size).toBe(labels.size);
  });

  test('the figures of a level are private, except for counts and lengths, and so are shares of one value', () => {
    const figures = new Set(all.filter(({ isPrivate }) => isPrivate).map(({ id }) => id));
    const levels = all.filter(
      ({ kind, unit }) => kind === 'level' && unit !== 'characters' && unit !== 'rows',
    );
    expect(figures).toEqual(new Set([...levels.map(({ id }) => id), 'true_share', 'zero_share']));
  });

  test('rows are found for a rise, a fall or both', () => {
    const rowsOf = (id: string) => [statisticById(id)!.rows('up'), statisticById(id)!.rows('down')];
    expect(rowsOf('null_rate')).toEqual([{ query: 'nulls' }, null]);
    expect(rowsOf('distinct_share')).toEqual([null, { query: 'repeated' }]);
    expect(rowsOf('mean')).toEqual([{ query: 'outliers' }, { query: 'outliers' }]);
    expect(rowsOf('zero_share')).toEqual([
      { query: 'like', like: Like.ZERO, has: true },
      { query: 'like', like: Like.ZERO, has: false },
    ]);
    expect(rowsOf('mean_length')).toEqual([null, null]);
  });
});
