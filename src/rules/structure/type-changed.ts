/** type_changed: a definite type before, another or 'mixed' now. A field without a value, before or now, has not changed its type. */
import { dominantType, isDefinite } from '../../profile/field-type.ts';
import type { FieldRule } from '../rule.ts';

export const typeChangedRule: FieldRule = ({ name, now, before, isAbsent }) => {
  if (!now || !before || isAbsent) return null;
  const current = dominantType(now.counts);
  const previous = before.type;
  if (!isDefinite(previous) || current === 'null' || current === previous) return null;
  return {
    kind: 'type_changed',
    field: name,
    severity: 'block',
    scope: 'field',
    evidence: { previous, current },
  };
};
