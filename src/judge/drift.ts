/**
 * How the batch differs from what the source's baseline holds: eight kinds of event, one rule each in `drift/`.
 * Without a baseline nothing can drift.
 */
import type { Baseline, BaselineField } from '../baseline/baseline.ts';
import { untracked } from '../baseline/limits.ts';
import type { ColumnQueries } from '../engine/queries.ts';
import type { FieldProfile, Profile } from '../profile/profile.ts';
import { cardinalityChange } from './drift/cardinality.ts';
import { newEnumValues } from './drift/enums.ts';
import { absentFields, fieldAdded } from './drift/presence.ts';
import { rowCountAnomaly } from './drift/rows.ts';
import { emptyStringSpike, nullSpike } from './drift/spikes.ts';
import { typeChange } from './drift/type.ts';
import type { DriftEvent } from './report.ts';

export interface Drift {
  /** Field by field in the batch's order, then removed fields, then the batch as a whole. */
  events: DriftEvent[];
  /** By field: the values behind its new_enum_value event. */
  newValues: Map<string, string[]>;
}

/** `chunk`: the batch is a part of a larger one, so its row count says nothing. */
export function findDrift(
  profile: Profile,
  look: ColumnQueries,
  baseline: Baseline | null,
  chunk: boolean,
): Drift {
  const drift: Drift = { events: [], newValues: new Map() };
  if (baseline === null) return drift;
  // Fields that the baseline has no room for would be new in every batch: the answer names them once, elsewhere.
  const noRoom = new Set(
    untracked(
      baseline,
      profile.fields.map(field => field.name),
    ),
  );
  for (const field of profile.fields) {
    if (field.present === 0) continue;
    const before = baseline.fields.get(field.name);
    if (before) compareField(drift, profile, look, field, before);
    else if (!noRoom.has(field.name)) drift.events.push(fieldAdded(field));
  }
  drift.events.push(...absentFields(profile, baseline));
  if (!chunk) drift.events.push(...rowCountAnomaly(profile.rows, baseline.rowCounts));
  if (baseline.provisional) drift.events = drift.events.map(atMostWarn);
  return drift;
}

function compareField(
  drift: Drift,
  profile: Profile,
  look: ColumnQueries,
  field: FieldProfile,
  before: BaselineField,
): void {
  drift.events.push(
    ...typeChange(field, before),
    ...nullSpike(field.name, field.nulls, profile.rows, before),
    ...emptyStringSpike(field, before),
    ...cardinalityChange(field, before),
  );
  const fresh = newEnumValues(field, before, look, profile.analysedRows);
  if (fresh === null) return;
  drift.events.push(fresh.event);
  drift.newValues.set(field.name, fresh.values);
}

/** A provisional baseline was itself made by a batch that was BLOCK. */
const atMostWarn = (event: DriftEvent): DriftEvent =>
  event.severity === 'block' ? { ...event, severity: 'warn' } : event;
