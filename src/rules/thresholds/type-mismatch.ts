/** type_mismatch: the share of values of another type than expected is above a threshold of the contract. */
import { type BatchStatistics, measurementOf } from '../../baseline/batch-statistics.ts';
import { severityAt } from '../../findings/rates.ts';
import { MIN_BATCHES } from '../../terms/policy.ts';
import { VALUE_TYPES, type ValueType } from '../../profile/profile.ts';
import { typePlace } from '../../statistics/counts.ts';
import { valuesIn } from '../../profile/field-type.ts';
import { mismatchOf } from '../expected-type.ts';
import type { Facts } from '../facts.ts';
import type { FieldRule } from '../rule.ts';
import { mismatchLimits } from './limits.ts';
import { scopeOf } from './scope.ts';

export const typeMismatchRule: FieldRule = ({ name, now, expected }, facts) => {
  if (!now || !expected) return null;
  const mismatch = mismatchOf(now, expected);
  if (!mismatch) return null;
  const values = valuesIn(now.counts);
  const limits = mismatchLimits(facts.options, (facts.comparison?.history ?? 0) < MIN_BATCHES, values);
  const severity = severityAt(mismatch.rate, limits);
  const scope = scopeOf(severity, facts, values);
  if (scope === 'rows' && !isNew(name, expected, facts)) return null;
  const example = scope === 'rows' ? undefined : facts.queries.example(now.column, expected);
  return {
    kind: 'type_mismatch',
    field: name,
    severity,
    scope,
    evidence: { ...mismatch, limits, ...(example !== undefined && { values: { example } }) },
  };
};

/** A mixture of types that the source had before is usual. */
function isNew(name: string, expected: ValueType, { baseline }: Facts): boolean {
  const recent = baseline?.recent ?? [];
  if (recent.length < MIN_BATCHES) return true;
  const isPure = (batch: BatchStatistics): boolean =>
    VALUE_TYPES.every((type, i) => type === expected || !(measurementOf(batch, name, typePlace(i)) > 0));
  return recent.every(isPure);
}
