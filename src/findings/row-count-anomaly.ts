/** row_count_anomaly: far more or far fewer rows than usual. */
import { driftEvent, eventBatchCode, eventPenalty } from './drift-event.ts';
import type { Kind } from './finding.ts';

export interface RowCountEvidence {
  rows: number;
  usual: number;
}

export const rowCountWords = ({ rows, usual }: RowCountEvidence): string =>
  `Row count ${rows} is far ${rows > usual ? 'above' : 'below'} the usual ${usual}`;

export const rowCountAnomaly: Kind<'row_count_anomaly', RowCountEvidence> = {
  name: 'row_count_anomaly',
  description: 'The batch has far more or far fewer rows than usual',
  comparesWithBaseline: true,
  healthGroup: 'row_count_anomaly',
  penalty: eventPenalty,
  words: ({ evidence }) => rowCountWords(evidence),
  rowCode: null,
  rows: () => null,
  batchCode: eventBatchCode,
  listsInfo: false,
  issue(_, issues) {
    issues.row_count_anomaly = true;
  },
  drift: finding =>
    driftEvent(finding, rowCountWords(finding.evidence), {
      previous: String(finding.evidence.usual),
      current: String(finding.evidence.rows),
    }),
};
