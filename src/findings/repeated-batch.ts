/** repeated_batch: the rows are those of an earlier batch. */
import { MAX_UNUSUAL, PENALTY } from '../terms/policy.ts';
import { type FindingOf, type Kind, WHOLE_BATCH } from './finding.ts';

export interface RepeatedBatchEvidence {
  /** Id of the newest batch with the same content. */
  id: string;
  rows: number;
}

export type RepeatedBatch = FindingOf<'repeated_batch', RepeatedBatchEvidence>;

const words = ({ evidence }: RepeatedBatch): string => `The batch repeats an earlier one (${evidence.id})`;

export const repeatedBatch: Kind<'repeated_batch', RepeatedBatchEvidence> = {
  name: 'repeated_batch',
  description: 'The rows are those of an earlier batch',
  comparesWithBaseline: true,
  healthGroup: 'anomalies',
  // The contract does not know it: in contract mode it is reported and changes no verdict.
  penalty: ({ severity }) => (severity === 'info' ? 0 : PENALTY[severity]),
  words,
  rowCode: null,
  rows: () => null,
  batchCode: ({ kind, severity }) => (severity === 'info' ? null : kind),
  listsInfo: false,
  anomaly: finding => ({
    field: WHOLE_BATCH,
    statistic: 'repeated_batch',
    observed: finding.evidence.rows,
    expected: [finding.evidence.rows, finding.evidence.rows],
    unusual: MAX_UNUSUAL,
    severity: finding.severity,
    detail: words(finding),
  }),
};
