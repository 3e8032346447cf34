/** Numbers far outside the bulk of their column. */

import { FENCE_FACTOR, QUANTILES } from '../../assembly/abi.ts';
import type { Baseline, BaselineField } from '../baseline/baseline.ts';
import type { NumericMeasures, SecondLook } from '../profile/profile.ts';
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
  look: SecondLook,
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
function outsideBaseline(column: number, look: SecondLook, before: BaselineField | undefined) {
  const q1 = before?.quantile(0.25) ?? Number.NaN;
  const q3 = before?.quantile(0.75) ?? Number.NaN;
  const reach = FENCE_FACTOR * (q3 - q1);
  return reach > 0 ? look.outside(column, q1 - reach, q3 + reach) : { count: 0, min: 0, max: 0 };
}

function severityOf(share: number): Outliers['severity'] {
  if (share >= OUTLIER_CRITICAL) return 'critical';
  return share >= OUTLIER_WARNING ? 'warning' : 'info';
}
