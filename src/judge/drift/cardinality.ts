/** cardinality_change: identifiers that repeat, categories that multiply or vanish. */
import type { BaselineField } from '../../baseline/baseline.ts';
import { quoted } from '../../errors.ts';
import type { FieldProfile } from '../../profile/profile.ts';
import {
  CARDINALITY_FACTOR,
  LOW_CARDINALITY_DISTINCT,
  LOW_CARDINALITY_VALUES,
  ROUNDING,
  UNIQUE_FALL,
  UNIQUE_RATIO,
  VALUES_PER_DISTINCT,
} from '../policy.ts';
import type { DriftEvent } from '../report.ts';
import { percent } from '../../wording.ts';

export function cardinalityChange(field: FieldProfile, before: BaselineField): DriftEvent[] {
  if (uniquenessFell(field, before)) return [uniquenessEvent(field, before)];
  return distinctCountChanged(field, before) ? [distinctCountEvent(field, before)] : [];
}

/**
 * Fewer distinct values than a unique-like field ought to have. A batch much larger than usual is held to the
 * usual size: values of a finite set repeat more, the more of them are drawn.
 */
function uniquenessFell(field: FieldProfile, before: BaselineField): boolean {
  const { values, distinct } = field.measured;
  if (before.distinctRatio < UNIQUE_RATIO - ROUNDING) return false;
  const least = before.distinctRatio - UNIQUE_FALL - ROUNDING;
  // What is usual is worked out only where it can matter.
  return distinct < least * values && distinct < least * before.usualValues;
}

/** A string field with so few distinct values among so many that an unseen one is news. */
export function isLowCardinality(
  before: BaselineField,
): before is BaselineField & { known: BigUint64Array<ArrayBuffer> } {
  const { known, texts, type } = before;
  if (type !== 'string' || known === null || texts < LOW_CARDINALITY_VALUES) return false;
  return known.length <= LOW_CARDINALITY_DISTINCT && known.length * VALUES_PER_DISTINCT <= texts;
}

/** By the factor or more, where the side with fewer had values enough to show all of the other's. */
function distinctCountChanged(field: FieldProfile, before: BaselineField): boolean {
  if (!isLowCardinality(before)) return false;
  const [now, then] = [field.measured.distinctTexts, before.usualDistinctTexts];
  const [fewer, more] = now < then ? [now, then] : [then, now];
  if (more < CARDINALITY_FACTOR * fewer) return false;
  // Here too what is usual is worked out only where it can matter.
  const values = now < then ? field.measured.texts : before.usualTexts;
  return values >= VALUES_PER_DISTINCT * more;
}

function uniquenessEvent(field: FieldProfile, before: BaselineField): DriftEvent {
  const { values, distinct } = field.measured;
  const usual = percent(before.distinctRatio);
  const detail = `Distinct values in ${quoted(field.name)} fell to ${distinct} of ${values} (usually ${usual})`;
  return cardinalityEvent(field, detail, `${usual} distinct`, `${percent(distinct / values)} distinct`);
}

function distinctCountEvent(field: FieldProfile, before: BaselineField): DriftEvent {
  const [then, now] = [before.usualDistinctTexts, field.measured.distinctTexts];
  const moved = now < then ? 'fell' : 'rose';
  const detail = `Distinct values in ${quoted(field.name)} ${moved} from ${then} to ${now}`;
  return cardinalityEvent(field, detail, `${then} distinct`, `${now} distinct`);
}

const cardinalityEvent = (
  field: FieldProfile,
  detail: string,
  previous: string,
  current: string,
): DriftEvent => ({
  field: field.name,
  kind: 'cardinality_change',
  severity: 'warn',
  detail,
  previous,
  current,
});
