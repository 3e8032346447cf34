/**
 * The rows behind an anomaly. A statistic is of many rows; single ones are named where most of those that are named would not be there in a
 * usual batch: the share of such rows is at least twice what would have passed.
 */
import { Like } from '../../../assembly/abi.ts';
import { type FieldProfile, VALUE_TYPES } from '../../profile/profile.ts';
import { VALUE_STATISTICS } from '../adaptive/measures.ts';
import type { Anomaly, RowCode } from '../report.ts';
import { expectedType } from '../schema.ts';
import type { Find, RowFinder } from './look.ts';

export interface Sign {
  code: RowCode;
  find: Find;
  /** Without these rows the batch would be a usual one. */
  isAll: boolean;
}

/** Shares of cells that are like something. */
const LIKE: ReadonlyMap<string, [RowCode, Like]> = new Map([
  ['whole_share', ['unusual_number', Like.INTEGER]],
  ['zero_share', ['unusual_number', Like.ZERO]],
  ['negative_share', ['unusual_number', Like.NEGATIVE]],
  ['padded_share', ['unusual_text', Like.PADDED]],
  ['with_digit_share', ['unusual_text', Like.WITH_DIGIT]],
  ['with_upper_share', ['unusual_text', Like.WITH_UPPER]],
  ['with_space_share', ['unusual_text', Like.WITH_SPACE]],
  ['with_wide_share', ['unusual_text', Like.WITH_NON_ASCII]],
]);

const TYPE_SHARES: ReadonlySet<string> = new Set(VALUE_TYPES.map(type => `${type}_share`));

/** No few rows move the middle of a distribution. */
const OF_THE_MIDDLE: ReadonlySet<string> = new Set([
  'median',
  'quartile_1',
  'quartile_3',
  'interquartile_range',
]);

/** Null where no rows can be named. */
export function signOf(anomaly: Anomaly, finder: RowFinder): Sign | null {
  const field = finder.field(anomaly.field);
  if (!field) return null;
  const { statistic } = anomaly;
  if (TYPE_SHARES.has(statistic)) return ofTypes(field, finder);
  if (VALUE_STATISTICS.has(statistic) || statistic === 'outlier_share')
    return ofNumbers(anomaly, field, finder);
  return ofShares(anomaly, field, finder);
}

function ofTypes(field: FieldProfile, finder: RowFinder): Sign | null {
  const expected = expectedType(field, finder.baseline);
  const isPure = VALUE_TYPES.every(type => type === expected || field.counts[type] === 0);
  return isPure ? null : all('type_mismatch', finder.mistyped(field, expected));
}

function ofNumbers({ statistic }: Anomaly, field: FieldProfile, finder: RowFinder): Sign | null {
  const find = finder.outliers(field);
  return find && find(1).length > 0 ? { code: 'outlier', find, isAll: !OF_THE_MIDDLE.has(statistic) } : null;
}

const all = (code: RowCode, find: Find | null): Sign | null => find && { code, find, isAll: true };

function ofShares(anomaly: Anomaly, field: FieldProfile, finder: RowFinder): Sign | null {
  const { statistic, observed, expected } = anomaly;
  const { look } = finder;
  const { column } = field;
  const rose = observed >= 2 * expected[1];
  const fell = 1 - observed >= 2 * (1 - expected[0]);
  if (rose && statistic === 'null_rate') return all('null', limit => look.without(column, limit));
  if (rose && statistic === 'empty_rate') return all('empty', limit => look.empty(column, limit));
  if (rose && statistic === 'new_value_share') return all('new_value', finder.newValues(field));
  if (fell && statistic === 'distinct_share')
    return all('repeated_value', limit => look.repeated(column, limit));
  if (fell && statistic === 'top_shape_share')
    return all('unusual_text', limit => look.like(column, Like.USUAL_FORMAT, false, limit));
  const like = LIKE.get(statistic);
  if (!like || !(rose || fell)) return null;
  return all(like[0], limit => look.like(column, like[1], rose, limit));
}
