/** repeated_column: one column is that of an earlier batch, while others are new. */
import { quoted } from '../terms/errors.ts';
import { MAX_UNUSUAL, PENALTY } from '../terms/policy.ts';
import { fieldOf, type FindingOf, type Kind } from './finding.ts';

export interface RepeatedColumnEvidence {
  /** Id of the newest batch with the same content. */
  id: string;
}

export type RepeatedColumn = FindingOf<'repeated_column', RepeatedColumnEvidence>;

const words = ({ field, evidence }: RepeatedColumn): string =>
  `All values of ${quoted(field!)} are those of an earlier batch (${evidence.id})`;

export const repeatedColumn: Kind<'repeated_column', RepeatedColumnEvidence> = {
  name: 'repeated_column',
  description: 'A column is that of an earlier batch, while others are new',
  comparesWithBaseline: true,
  healthGroup: 'anomalies',
  penalty: ({ severity }) => PENALTY[severity],
  words,
  rowCode: null,
  rows: () => null,
  batchCode: ({ kind }) => kind,
  listsInfo: false,
  anomaly: finding => ({
    field: fieldOf(finding),
    statistic: 'repeated_column',
    unusual: MAX_UNUSUAL,
    severity: finding.severity,
    detail: words(finding),
  }),
};
