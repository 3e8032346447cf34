/** field_added and field_removed, and what else an absent field may mean. */
import { type Baseline, type BaselineField, isMissed } from '../../baseline/baseline.ts';
import { quoted } from '../../errors.ts';
import { dominantType } from '../../profile/field-type.ts';
import type { FieldProfile, Profile } from '../../profile/profile.ts';
import { REQUIRED_SHARE, ROUNDING } from '../policy.ts';
import type { DriftEvent } from '../report.ts';
import { percent } from '../../wording.ts';
import { nullSpike } from './spikes.ts';

export function fieldAdded(field: FieldProfile): DriftEvent {
  const type = dominantType(field.counts);
  return {
    field: field.name,
    kind: 'field_added',
    severity: 'warn',
    detail: `New field ${quoted(field.name)} (${type})`,
    previous: 'absent',
    current: type,
  };
}

/** Of baseline fields that no row has: removed, or, where many rows lack the field anyway, null more often than by chance. */
export function absentFields(profile: Profile, baseline: Baseline): DriftEvent[] {
  const here = new Set(profile.fields.filter(field => field.present > 0).map(field => field.name));
  return [...baseline.fields]
    .filter(([name]) => !here.has(name))
    .flatMap(([name, before]) =>
      isMissed(before.presence, profile.rows)
        ? [fieldRemoved(name, before)]
        : nullSpike(name, profile.rows, profile.rows, before),
    );
}

function fieldRemoved(name: string, before: BaselineField): DriftEvent {
  const filled = 1 - before.nullRate;
  return {
    field: name,
    kind: 'field_removed',
    severity: filled >= REQUIRED_SHARE - ROUNDING ? 'block' : 'warn',
    detail: `Field ${quoted(name)} is missing from every row (${percent(before.presence)} of rows had it)`,
    previous: before.type,
    current: 'absent',
  };
}
