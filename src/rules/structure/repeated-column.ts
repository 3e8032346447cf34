/** repeated_column: one column is that of an earlier batch, while others are new. Not where that is usual. */
import { type BatchStatistics, measurementOf } from '../../baseline/batch-statistics.ts';
import type { BatchState, FieldState } from '../../baseline/state.ts';
import { MIN_REPEATED, SETTLED_BATCHES, USUAL_OCCASIONS } from '../../terms/policy.ts';
import { PLACE } from '../../statistics/registry.ts';
import type { FieldRule } from '../rule.ts';

export const repeatedColumnRule: FieldRule = ({ name }, { baseline, state }) => {
  const content = tellingContent(state.fields.get(name));
  if (content === null || !baseline || baseline.provisional) return null;
  const contentIn = (batch: BatchStatistics): number => measurementOf(batch, name, PLACE.content);
  // The repeat of a killed request may find its own batch, learned before the kill.
  const repeated = baseline.recent.findLast(batch => contentIn(batch) === content && batch.id !== state.id);
  if (!repeated) return null;
  // First what costs least where the whole batch is repeated.
  if (!isAnyNew(state, repeated)) return null;
  const known = baseline.recent.filter(batch => !Number.isNaN(contentIn(batch)));
  const calm = known.filter(({ verdict, accepted }) => verdict !== 'WARN' || accepted);
  if (calm.length < SETTLED_BATCHES || repeatsIn(calm, contentIn) > 0) return null;
  // What was alarmed so often is usual.
  if (repeatsIn(known, contentIn) >= USUAL_OCCASIONS) return null;
  return {
    kind: 'repeated_column',
    field: name,
    severity: 'warn',
    scope: 'field',
    evidence: { id: repeated.id },
  };
};

/** Whether another column differs from that of the earlier batch. */
function isAnyNew({ fields }: BatchState, earlier: BatchStatistics): boolean {
  for (const [name, field] of fields) {
    const now = tellingContent(field);
    if (now !== null && measurementOf(earlier, name, PLACE.content) !== now) return true;
  }
  return false;
}

const repeatsIn = (
  batches: readonly BatchStatistics[],
  contentIn: (batch: BatchStatistics) => number,
): number => batches.length - new Set(batches.map(contentIn)).size;

/** Null for a column of so few different values that two batches may have the same by chance. */
function tellingContent(field: FieldState | undefined): number | null {
  if (!field || !(field.numbers[PLACE.distinct]! >= MIN_REPEATED)) return null;
  const content = field.numbers[PLACE.content]!;
  return Number.isNaN(content) ? null : content;
}
