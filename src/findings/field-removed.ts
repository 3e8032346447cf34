/** field_removed: a field of the baseline that no row has. */
import { quoted } from '../terms/errors.ts';
import type { FieldType } from '../profile/profile.ts';
import { percent } from '../terms/wording.ts';
import { driftEvent, eventBatchCode, eventPenalty } from './drift-event.ts';
import type { Kind } from './finding.ts';

export interface FieldRemovedEvidence {
  type: FieldType;
  /** Share of the baseline's rows that had it: 0..1. */
  presence: number;
}

const words: Kind<'field_removed', FieldRemovedEvidence>['words'] = ({ field, evidence }) =>
  `Field ${quoted(field!)} is missing from every row (${percent(evidence.presence)} of rows had it)`;

export const fieldRemoved: Kind<'field_removed', FieldRemovedEvidence> = {
  name: 'field_removed',
  description: 'No row has a field of the baseline',
  comparesWithBaseline: true,
  healthGroup: 'field_removed',
  penalty: eventPenalty,
  words,
  rowCode: null,
  rows: () => null,
  batchCode: eventBatchCode,
  listsInfo: false,
  drift: finding =>
    driftEvent(finding, words(finding), { previous: finding.evidence.type, current: 'absent' }),
};
