/** type_mismatch: the share of values of another type than expected is above a threshold of the contract. */
import { type BatchStatistics, measurementOf } from '../../baseline/batch-statistics.ts';
import { share, severityAt } from '../../findings/rates.ts';
import { MIN_BATCHES } from '../../policy.ts';
import { valuesIn } from '../../profile/field-type.ts';
import { VALUE_TYPES, type ValueType } from '../../profile/profile.ts';
import { typePlace } from '../../statistics/counts.ts';
import { otherTypes } from '../expected-type.ts';
import type { Facts } from '../facts.ts';
import type { FieldRule } from '../rule.ts';
import { mismatchLimits } from './limits.ts';
import { scopeOf } from './scope.ts';

export const typeMismatchRule: FieldRule = ({ name, now, expected }, facts) => {
  if (!now || !expected) return null;
  const found = otherTypes(now, expected);
  if (found.length === 0) return null;
  const values = valuesIn(now.counts);
  const rate = share(values - now.counts[expected], values);
  const limits = mismatchLimits(facts);
  const severity = severityAt(rate, limits);
  const scope = scopeOf(severity, facts);
  if (scope === 'rows' && !isNew(name, expected, facts)) return null;
  const example = severity === 'info' ? undefined : facts.queries.example(now.column, expected);
  return {
    kind: 'type_mismatch',
    list: 'thresholds',
    field: name,
    severity,
    scope,
    evidence: { expected, found, rate, limits, ...(example !== undefined && { example }) },
  };
};

/** In adaptive mode a mixture of types that the source had before is usual. */
function isNew(name: string, expected: ValueType, { baseline }: Facts): boolean {
  const recent = baseline?.recent ?? [];
  if (recent.length < MIN_BATCHES) return true;
  const isPure = (batch: BatchStatistics): boolean =>
    VALUE_TYPES.every((type, i) => type === expected || !(measurementOf(batch, name, typePlace(i)) > 0));
  return recent.every(isPure);
}
