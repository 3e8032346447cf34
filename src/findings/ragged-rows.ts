/** ragged_rows: CSV records with more or fewer cells than the header. */
import { percent } from '../wording.ts';
import { type FindingOf, type Kind, rowsIn } from './finding.ts';
import { type Limits, ratePenalty } from './rates.ts';
import { inIssues } from './severity.ts';

export interface RaggedRowsEvidence {
  count: number;
  /** Share of the rows: 0..1. */
  rate: number;
  /** From 1. */
  firstLine: number;
  limits: Limits;
}

export type RaggedRows = FindingOf<'ragged_rows', RaggedRowsEvidence>;

/** The command line looks for this sentence in a reason, and says the line of the file instead. */
export const raggedWords = ({
  rate,
  count,
  firstLine,
}: Pick<RaggedRowsEvidence, 'rate' | 'count' | 'firstLine'>): string =>
  `Ragged rows (${percent(rate)}: ${count}, the first at line ${firstLine})`;

export const raggedRows: Kind<'ragged_rows', RaggedRowsEvidence> = {
  name: 'ragged_rows',
  description: 'CSV records have more or fewer cells than the header',
  comparesWithBaseline: false,
  healthGroup: 'ragged_rows',
  penalty: ({ scope, evidence }) => (scope === 'rows' ? 0 : ratePenalty(evidence.rate, evidence.limits)),
  words: ({ evidence }) => raggedWords(evidence),
  rowCode: 'ragged',
  rows: (_, finder) => ({ find: finder.ragged() }),
  // Its rows are always known.
  batchCode: () => null,
  listsInfo: true,
  issue(finding, issues) {
    const { count, rate, firstLine } = finding.evidence;
    const severity = inIssues(finding.severity);
    issues.ragged_rows = { count, rate, first_line: firstLine, severity, ...rowsIn(finding) };
  },
};
