/** Rules that a batch violates as a whole: no single row fails them. */
import type { FieldProfile } from '../../profile/profile.ts';
import { describeStatistics } from '../../profile/describe-statistics.ts';
import { statisticById } from '../../statistics/registry.ts';
import type { Bounds, Constraint } from '../declared/constraint.ts';
import type { CheckedBatch, Columns } from './checked-batch.ts';
import { holding, type Tally } from './tally.ts';
import type { Violation } from './violation.ts';

/** What the rows say; nothing where the profile says all. `chosen`: how many rows the rule is about. */
export function batchTally(
  { checks }: CheckedBatch,
  columns: Columns,
  { kind, field }: Constraint,
  chosen: number,
): Tally {
  const column = field === null ? null : columns.column(field);
  if (kind === 'required') return { ...holding(chosen), count: checks.count(checks.present(column)) };
  if (kind !== 'max_null_rate' && kind !== 'max_age') return holding(chosen);
  const count = checks.count(checks.nulls(column));
  const newest = kind === 'max_age' && count < chosen ? checks.newest(column!) : null;
  return { ...holding(chosen), count, newest };
}

/** Null where the rule holds. */
export function violationOfBatch(
  { profile, now }: Pick<CheckedBatch, 'profile' | 'now'>,
  columns: Columns,
  constraint: Constraint,
  { chosen, count, newest }: Tally,
): Violation | null {
  const asAWhole = (sample?: unknown): Violation => ({
    constraint,
    count: 1,
    rate: 1,
    rows: null,
    ...(sample !== undefined && { sample }),
  });
  switch (constraint.kind) {
    case 'required':
      return count > 0 ? null : { ...asAWhole(), count: chosen };
    case 'max_null_rate': {
      const rate = count / chosen;
      return rate <= constraint.expected ? null : { ...asAWhole(), count, rate };
    }
    case 'max_age': {
      if (count === chosen) return null;
      if (newest === null) return asAWhole();
      return now - newest <= constraint.ageMs ? null : asAWhole(new Date(newest).toISOString());
    }
    case 'min_rows':
      return profile.rows >= constraint.expected ? null : asAWhole(profile.rows);
    case 'max_rows':
      return profile.rows <= constraint.expected ? null : asAWhole(profile.rows);
    case 'closed': {
      const allowed = new Set(constraint.names);
      const others = profile.fields.filter(({ name }) => !allowed.has(name));
      return others.length === 0 ? null : { ...asAWhole(others[0]!.name), count: others.length };
    }
    case 'statistic': {
      const { statistic } = constraint;
      const field = constraint.field === null ? undefined : columns.field(constraint.field);
      const value = field ? statisticOf(field, profile.rows, statistic) : OF_NULLS[statistic];
      return value === undefined || isWithin(value, constraint.expected) ? null : asAWhole(value);
    }
    default:
      return null;
  }
}

/** Statistics as doubles: what is kept of them for the baseline has 24 bits. */
const EXACT: Readonly<Record<string, (field: FieldProfile, rows: number) => number | null | undefined>> = {
  null_rate: ({ nulls }, rows) => nulls / rows,
  distinct_count: ({ measured }) => measured.distinct,
  sum: ({ measured: { numeric } }) => numeric && numeric.mean * numeric.count,
  distinct_share: ({ measured: { distinct, values } }) => (values === 0 ? null : distinct / values),
  min: ({ measured }) => measured.numeric?.quantiles[0],
  max: ({ measured }) => measured.numeric?.quantiles.at(-1),
  mean: ({ measured }) => measured.numeric?.mean,
  median: ({ measured }) => measured.numeric?.quantiles[16],
  quartile_1: ({ measured }) => measured.numeric?.quantiles[8],
  quartile_3: ({ measured }) => measured.numeric?.quantiles[24],
  quantile_1_16: ({ measured }) => measured.numeric?.quantiles[2],
  quantile_15_16: ({ measured }) => measured.numeric?.quantiles[30],
  interquartile_range: ({ measured: { numeric } }) =>
    numeric && numeric.quantiles[24]! - numeric.quantiles[8]!,
  standard_deviation: ({ measured: { numeric } }) => numeric && Math.sqrt(numeric.m2 / numeric.count),
};

/** Statistics of a field that no row has, as if it was null in all rows. */
const OF_NULLS: Readonly<Record<string, number>> = { null_rate: 1, distinct_count: 0 };

/** Undefined where the field has nothing to read. */
function statisticOf(field: FieldProfile, rows: number, id: string): number | undefined {
  const exact = EXACT[id];
  if (exact) {
    return exact(field, rows) ?? undefined;
  }
  return describeStatistics(field, rows, [statisticById(id)!])?.[id];
}

/** Relative error of what is not exact: 24 bits. */
const ERROR = 1e-6;

function isWithin(value: number, { minimum = -Infinity, maximum = Infinity }: Bounds): boolean {
  const error = (bound: number) => (Number.isFinite(bound) ? ERROR * Math.abs(bound) : 0);
  return value >= minimum - error(minimum) && value <= maximum + error(maximum);
}
