/**
 * type_changed: a definite type before, another or 'mixed' now. A field without a value, before or now, has not changed its type. Nor has a field of two
 * types, when a bare majority moves from one to the other.
 */
import { CLEAR_MAJORITY } from '../../terms/policy.ts';
import { dominantType, isDefinite, isReadAnew, shareOfType } from '../../profile/field-type.ts';
import type { FieldRule } from '../rule.ts';

export const typeChangedRule: FieldRule = ({ name, now, before, isAbsent }) => {
  if (!now || !before || isAbsent || isReadAnew(now, before.type)) return null;
  const current = dominantType(now.counts);
  const previous = before.type;
  if (!isDefinite(previous) || current === 'null' || current === previous) return null;
  const isBare = before.typeShare < CLEAR_MAJORITY;
  if (isBare && shareOfType(previous, now.counts) > 1 - CLEAR_MAJORITY) return null;
  return {
    kind: 'type_changed',
    field: name,
    severity: 'block',
    scope: 'field',
    evidence: { previous, current },
  };
};
