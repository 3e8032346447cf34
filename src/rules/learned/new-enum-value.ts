/** new_enum_value: a category that a low-cardinality string field never had. More of them than the past explains are an unusual statistic. */
import { measurementOf } from '../../baseline/batch-statistics.ts';
import { isLowCardinality } from '../../baseline/low-cardinality.ts';
import type { NewValues } from '../../findings/new-enum-value.ts';
import { share } from '../../findings/rates.ts';
import { FEW_NEW_VALUES, MIN_BATCHES, NEW_VALUES_LISTED, ROUNDING } from '../../terms/policy.ts';
import { PLACE } from '../../statistics/registry.ts';
import type { Facts, FieldFacts } from '../facts.ts';
import type { FieldRule } from '../rule.ts';

export const newEnumValueRule: FieldRule = (field, facts) => {
  const found = newValuesOf(field, facts);
  if (!found) return null;
  const learned = facts.comparison?.newValues.get(field.name);
  if (learned && learned.severity !== 'info') return null;
  const { rate, known, listed } = found;
  return {
    kind: 'new_enum_value',
    field: field.name,
    severity:
      isShown(field, facts) || isOwn(field, facts, rate) || !isRise(rate, found.rows) ? 'info' : 'warn',
    scope: 'field',
    evidence: { rate, known, values: { listed } },
  };
};

/** Whether enough batches have shown how many values are new, since the field is known as one of few. */
const isShown = ({ name }: FieldFacts, { baseline }: Facts): boolean =>
  baseline!.recent.filter(batch => measurementOf(batch, name, PLACE.unseen) >= 0).length >= MIN_BATCHES;

/**
 * Whether each file seems to have values of its own, such as its dates: as few values as batches, as many new ones before, or, where no batch has
 * shown yet how many are new, none that is known, written alike.
 */
function isOwn({ name, now, before }: FieldFacts, { baseline, comparison }: Facts, rate: number): boolean {
  if (now!.measured.distinct === 1 && before!.known!.length <= baseline!.batches) return true;
  const shares = baseline!.recent
    .map(batch => measurementOf(batch, name, PLACE.new_values) / measurementOf(batch, name, PLACE.inspected))
    .filter(each => !Number.isNaN(each));
  const hasOtherForm = comparison?.deviations.some(
    ({ field, statistic, severity }) => field === name && statistic.family === 'texts' && severity !== 'info',
  );
  return shares.length === 0 ? rate === 1 && !hasOtherForm : 2 * Math.max(...shares) >= rate;
}

/** Before a batch has shown how many values are new: a rate by 0.1, and not of a single customer. */
const isRise = (rate: number, rows: number): boolean =>
  rate >= FEW_NEW_VALUES.rate - ROUNDING && rows >= FEW_NEW_VALUES.rows;

/** Null if the field has too many distinct values, or no new one. */
export function newValuesOf(
  { name, now, before, isAbsent }: FieldFacts,
  { queries, profile, state }: Facts,
): (NewValues & { rows: number; listed: string[] }) | null {
  if (!now || !before || isAbsent || !isLowCardinality(before)) return null;
  // They were counted for the state; the engine looks for them again only where there are some.
  if (state.fields.get(name)?.numbers[PLACE.unseen] === 0) return null;
  const { rows, values } = queries.unseen(now.column, before.known, NEW_VALUES_LISTED);
  if (rows === 0) return null;
  return { rows, rate: share(rows, profile.rows), known: before.known.length, listed: values };
}
