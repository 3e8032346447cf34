/** How many values of a batch its source has never had. */
import type { Pieces } from '../cooperative-yield.ts';
import type { ColumnQueries } from '../engine/queries.ts';
import type { FieldProfile, Profile } from '../profile/profile.ts';
import type { NewValues } from '../statistics/measure.ts';
import type { Baseline } from './baseline.ts';
import { BRIEF } from './detail.ts';
import { isLowCardinality } from './low-cardinality.ts';

/** By field. Fields that are new themselves, or brief in the baseline, are left out. */
export function* countingNewValues(
  profile: Profile,
  look: Pick<ColumnQueries, 'fresh' | 'unseen'>,
  baseline: Baseline | null,
): Pieces<Map<string, NewValues>> {
  const newValues = new Map<string, NewValues>();
  for (const field of profile.fields) {
    yield;
    const before = baseline?.fields.get(field.name);
    if (!before || before.detail === BRIEF || field.measured.values === 0) continue;
    const unseen = isLowCardinality(before) ? countUnseen(field, before.known, profile, look) : Number.NaN;
    newValues.set(field.name, { fresh: look.fresh(field.column, before.registers), unseen });
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
  const before = new Set(known);
  return listed.reduce((sum, { hash, count }) => (before.has(hash) ? sum : sum + count), 0);
}
