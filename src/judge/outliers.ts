/** Numbers far outside the bulk of their column. */

import { FENCE_FACTOR, QUANTILES } from '../../assembly/abi.ts';
import type { Baseline, BaselineField } from '../baseline/baseline.ts';
import type { ColumnQueries } from '../engine/queries.ts';
import type { FieldProfile, NumericMeasures } from '../profile/profile.ts';
import type { Mode } from './options.ts';
import { OUTLIER_CRITICAL, OUTLIER_MIN_NUMBERS, OUTLIER_WARNING } from './policy.ts';
import type { FieldRates } from './rates.ts';
import type { Outliers } from './report.ts';

export interface FieldOutliers {
  name: string;
  /** Of the field's finite numbers: 0..1, above 0. */
  share: number;
  issue: Outliers;
}

const Q1 = (QUANTILES - 1) / 4;
const Q3 = 3 * Q1;

/** Of every number field with enough numbers. Fields without an outlier are left out. */
export function findOutliers(
  rates: readonly FieldRates[],
  look: ColumnQueries,
  baseline: Baseline | null,
): FieldOutliers[] {
  return rates.flatMap(({ field, expected }) => {
    const { numeric } = field.measured;
    if (expected !== 'number' || numeric === null || numeric.count < OUTLIER_MIN_NUMBERS) return [];
    const { count, min, max } = hasSpread(numeric)
      ? numeric.outliers
      : outsideBaseline(field.column, look, baseline?.fields.get(field.name));
    if (count === 0) return [];
    const share = count / numeric.count;
    return [{ name: field.name, share, issue: { count, min, max, severity: severityOf(share) } }];
  });
}

const hasSpread = ({ quantiles }: NumericMeasures): boolean => quantiles[Q3]! > quantiles[Q1]!;

/** Where half of this batch is one value, only what was usual before can say what is far off. */
export function outsideBaseline(column: number, look: ColumnQueries, before: BaselineField | undefined) {
  const fences = fencesOf(before);
  return fences ? look.outside(column, fences.low, fences.high) : { count: 0, min: 0, max: 0 };
}

/** Numbers beyond them are far from the bulk. */
export interface Fences {
  low: number;
  high: number;
}

/** Of the batch itself, as the engine has them; where it has no spread, and always in adaptive mode, of the baseline. Null without a spread. */
export const outlierFences = (
  { measured: { numeric } }: FieldProfile,
  before: BaselineField | undefined,
  mode: Mode,
): Fences | null =>
  mode === 'contract' && numeric && hasSpread(numeric)
    ? fencesAround(numeric.quantiles[Q1]!, numeric.quantiles[Q3]!)
    : fencesOf(before);

const fencesOf = (before: BaselineField | undefined): Fences | null =>
  before ? fencesAround(before.quantile(0.25), before.quantile(0.75)) : null;

function fencesAround(q1: number, q3: number): Fences | null {
  const reach = FENCE_FACTOR * (q3 - q1);
  return reach > 0 ? { low: q1 - reach, high: q3 + reach } : null;
}

function severityOf(share: number): Outliers['severity'] {
  if (share >= OUTLIER_CRITICAL) return 'critical';
  return share >= OUTLIER_WARNING ? 'warning' : 'info';
}
