/** type_changed. */
import type { BaselineField } from '../../baseline/baseline.ts';
import { quoted } from '../../errors.ts';
import { dominantType, isDefinite } from '../../profile/field-type.ts';
import type { FieldProfile } from '../../profile/profile.ts';
import type { DriftEvent } from '../report.ts';

/** A definite type before, another or 'mixed' now. A field without a value, before or now, has not changed its type. */
export function typeChange(field: FieldProfile, before: BaselineField): DriftEvent[] {
  const current = dominantType(field.counts);
  const previous = before.type;
  if (!isDefinite(previous) || current === 'null' || current === previous) return [];
  const detail = `Field ${quoted(field.name)} changed from ${previous} to ${current}`;
  return [{ field: field.name, kind: 'type_changed', severity: 'block', detail, previous, current }];
}
