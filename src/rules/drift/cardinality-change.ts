/** cardinality_change: identifiers that repeat, categories that multiply or vanish. */
import type { BaselineField } from '../../baseline/baseline.ts';
import { isLowCardinality } from '../../baseline/low-cardinality.ts';
import type { CardinalityChangeEvidence } from '../../findings/cardinality-change.ts';
import {
  CARDINALITY_FACTOR,
  ROUNDING,
  UNIQUE_FALL,
  UNIQUE_RATIO,
  VALUES_PER_DISTINCT,
} from '../../policy.ts';
import type { FieldProfile } from '../../profile/profile.ts';
import type { FieldRule } from '../rule.ts';

export const cardinalityChangeRule: FieldRule = ({ name, now, before, isAbsent }) => {
  if (!now || !before || isAbsent) return null;
  const evidence = lessUnique(now, before) ?? otherCount(now, before);
  if (!evidence) return null;
  return {
    kind: 'cardinality_change',
    field: name,
    severity: 'warn',
    scope: 'field',
    evidence,
  };
};

/**
 * Fewer distinct values than a unique-like field ought to have. A batch much larger than usual is held to the
 * usual size: values of a finite set repeat more, the more of them are drawn.
 */
function lessUnique({ measured }: FieldProfile, before: BaselineField): CardinalityChangeEvidence | null {
  const { values, distinct } = measured;
  const usual = before.distinctRatio;
  // NaN before the first value.
  if (!(usual >= UNIQUE_RATIO - ROUNDING)) return null;
  const least = usual - UNIQUE_FALL - ROUNDING;
  // Only here is the usual number of values worked out.
  const fell = distinct < least * values && distinct < least * before.usualValues;
  return fell ? { of: 'uniqueness', usual, distinct, cells: values } : null;
}

/** By the factor or more, where the side with fewer had values enough to show all of the other's. */
function otherCount({ measured }: FieldProfile, before: BaselineField): CardinalityChangeEvidence | null {
  if (!isLowCardinality(before)) return null;
  const [now, then] = [measured.distinctTexts, before.usualDistinctTexts];
  const [fewer, more] = now < then ? [now, then] : [then, now];
  if (more < CARDINALITY_FACTOR * fewer) return null;
  const values = now < then ? measured.texts : before.usualTexts;
  return values >= VALUES_PER_DISTINCT * more ? { of: 'count', usual: then, distinct: now } : null;
}
