/** field_added: a field that the baseline lacks. */
import { quoted } from '../terms/errors.ts';
import type { FieldType } from '../profile/profile.ts';
import { driftEvent, eventBatchCode, eventPenalty } from './drift-event.ts';
import type { Kind } from './finding.ts';

export interface FieldAddedEvidence {
  type: FieldType;
}

const words: Kind<'field_added', FieldAddedEvidence>['words'] = ({ field, evidence }) =>
  `New field ${quoted(field!)} (${evidence.type})`;

export const fieldAdded: Kind<'field_added', FieldAddedEvidence> = {
  name: 'field_added',
  description: 'The batch has a field that the baseline lacks',
  comparesWithBaseline: true,
  healthGroup: 'field_added',
  penalty: eventPenalty,
  words,
  rowCode: null,
  rows: () => null,
  batchCode: eventBatchCode,
  listsInfo: false,
  drift: finding =>
    driftEvent(finding, words(finding), { previous: 'absent', current: finding.evidence.type }),
};
