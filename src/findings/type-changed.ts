/** type_changed: the field had one type, and has another now or no majority for one. */
import { quoted } from '../terms/errors.ts';
import type { FieldType, ValueType } from '../profile/profile.ts';
import { driftEvent, eventBatchCode, eventPenalty } from './drift-event.ts';
import type { Kind } from './finding.ts';

export interface TypeChangedEvidence {
  previous: ValueType;
  current: FieldType;
}

const words: Kind<'type_changed', TypeChangedEvidence>['words'] = ({ field, evidence }) =>
  `Field ${quoted(field!)} changed from ${evidence.previous} to ${evidence.current}`;

export const typeChanged: Kind<'type_changed', TypeChangedEvidence> = {
  name: 'type_changed',
  description: 'The field has another type than in the baseline',
  comparesWithBaseline: true,
  healthGroup: 'type_changed',
  penalty: eventPenalty,
  words,
  rowCode: 'type_mismatch',
  // The type_mismatch finding of the same field names them.
  rows: () => null,
  batchCode: eventBatchCode,
  listsInfo: false,
  drift: finding => driftEvent(finding, words(finding), finding.evidence),
};
