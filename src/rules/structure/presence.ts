/** field_added and field_removed. */
import { isMissed } from '../../baseline/baseline.ts';
import { REQUIRED_SHARE, ROUNDING } from '../../terms/policy.ts';
import { dominantType } from '../../profile/field-type.ts';
import type { FieldRule } from '../rule.ts';

/** A field without room in the baseline would be new in every batch: it is not reported here. */
export const fieldAddedRule: FieldRule = ({ name, now, before, isAbsent, isTracked }, { baseline }) => {
  if (!baseline || !now || isAbsent || before || !isTracked) return null;
  return {
    kind: 'field_added',
    field: name,
    severity: 'warn',
    scope: 'field',
    evidence: { type: dominantType(now.counts) },
  };
};

/** No row has it, and that is not by chance. BLOCK where consumers can rely on it. */
export const fieldRemovedRule: FieldRule = ({ name, before, isAbsent }, { profile }) => {
  if (!before || !isAbsent || !isMissed(before.presence, profile.rows)) return null;
  const isRequired = 1 - before.nullRate >= REQUIRED_SHARE - ROUNDING;
  return {
    kind: 'field_removed',
    field: name,
    severity: isRequired ? 'block' : 'warn',
    scope: 'field',
    evidence: { type: before.type, presence: before.presence },
  };
};
