/**
 * The rows behind an anomaly. A statistic is of many rows; single ones are named where most of those that are named would not be there in a
 * usual batch: the share of such rows is at least twice what would have passed.
 */
import { type FieldProfile, VALUE_TYPES } from '../../profile/profile.ts';
import { statisticById } from '../../statistics/registry.ts';
import type { RowQuery, Statistic } from '../../statistics/statistic.ts';
import type { Anomaly, RowCode } from '../report.ts';
import { expectedType } from '../schema.ts';
import type { Find, RowFinder } from './look.ts';

export interface Sign {
  code: RowCode;
  find: Find;
  /** Without these rows the batch would be a usual one. */
  isAll: boolean;
}

/** Null where no rows can be named. */
export function signOf(anomaly: Anomaly, finder: RowFinder): Sign | null {
  const field = finder.field(anomaly.field);
  const statistic = statisticById(anomaly.statistic);
  if (!field || !statistic) return null;
  const onRise = statistic.rows('up');
  if (onRise?.query === 'types') return ofTypes(field, finder);
  if (onRise?.query === 'outliers') return ofNumbers(statistic, field, finder);
  const { observed, expected } = anomaly;
  const rose = observed >= 2 * expected[1];
  const fell = 1 - observed >= 2 * (1 - expected[0]);
  const asked = (rose && onRise) || (fell && statistic.rows('down'));
  return asked ? ofCells(asked, statistic, field, finder) : null;
}

function ofTypes(field: FieldProfile, finder: RowFinder): Sign | null {
  const expected = expectedType(field, finder.baseline);
  const isPure = VALUE_TYPES.every(type => type === expected || field.counts[type] === 0);
  return isPure ? null : all('type_mismatch', finder.mistyped(field, expected));
}

function ofNumbers({ needsManyRows }: Statistic, field: FieldProfile, finder: RowFinder): Sign | null {
  const find = finder.outliers(field);
  return find && find(1).length > 0 ? { code: 'outlier', find, isAll: !needsManyRows } : null;
}

const all = (code: RowCode, find: Find | null): Sign | null => find && { code, find, isAll: true };

function ofCells(
  asked: RowQuery,
  { family }: Statistic,
  field: FieldProfile,
  finder: RowFinder,
): Sign | null {
  const { look } = finder;
  const { column } = field;
  switch (asked.query) {
    case 'nulls':
      return all('null', limit => look.without(column, limit));
    case 'empty':
      return all('empty', limit => look.empty(column, limit));
    case 'new':
      return all('new_value', finder.newValues(field));
    case 'repeated':
      return all('repeated_value', limit => look.repeated(column, limit));
    case 'like': {
      const { like, has } = asked;
      const code = family === 'numbers' ? 'unusual_number' : 'unusual_text';
      return all(code, limit => look.like(column, like, has, limit));
    }
    default:
      return null;
  }
}
