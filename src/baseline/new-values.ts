/** How many values of a batch are unlike those that its source has had. */
import type { ColumnQueries } from '../engine/queries.ts';
import { isReadAnew } from '../profile/field-type.ts';
import type { FieldProfile, Profile } from '../profile/profile.ts';
import type { NewValues } from '../statistics/measure.ts';
import type { Baseline } from './baseline.ts';
import { BRIEF } from './detail.ts';
import { isLowCardinality } from './low-cardinality.ts';
import { reachOf } from './reach.ts';

/** By field. Fields that are new themselves, brief in the baseline, or read in another way than before are left out. */
export function countNewValues(
  profile: Profile,
  look: Pick<ColumnQueries, 'fresh' | 'unseen' | 'outside'>,
  baseline: Baseline | null,
): Map<string, NewValues> {
  const newValues = new Map<string, NewValues>();
  if (baseline === null) return newValues;
  for (const field of profile.fields) {
    const before = baseline.fields.get(field.name);
    if (!before || before.detail === BRIEF || field.measured.values === 0) continue;
    if (isReadAnew(field, before.type)) continue;
    const unseen = isLowCardinality(before) ? countUnseen(field, before.known, profile, look) : Number.NaN;
    const far = countFar(field, baseline, look);
    newValues.set(field.name, { fresh: look.fresh(field.column, before.registers), unseen, far });
  }
  return newValues;
}

/** Over all rows. The list of distinct strings has their counts, unless it is that of a sample. */
function countUnseen(
  { column, measured: { listed } }: FieldProfile,
  known: BigUint64Array,
  { rows, analysedRows }: Profile,
  look: Pick<ColumnQueries, 'unseen'>,
): number {
  if (listed === null || analysedRows < rows) return look.unseen(column, known, 0).rows;
  return listed.reduce((sum, { hash, count }) => (known.includes(hash) ? sum : sum + count), 0);
}

/** Only where the smallest or the largest number lies beyond the reach are they counted. */
function countFar(
  { name, column, measured: { numeric } }: FieldProfile,
  baseline: Baseline,
  look: Pick<ColumnQueries, 'outside'>,
): number {
  const reach = numeric && reachOf(baseline, name);
  if (!reach) return Number.NaN;
  const isWithin = numeric.quantiles[0]! >= reach.low && numeric.quantiles.at(-1)! <= reach.high;
  return isWithin ? 0 : look.outside(column, reach.low, reach.high).count;
}
