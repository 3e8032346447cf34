/** ragged_rows: CSV records with more or fewer cells than the header. */
import { percent, plural } from '../terms/wording.ts';
import { type FindingOf, type Kind, rowsIn } from './finding.ts';
import { type Limits, ratePenalty } from './rates.ts';
import { inIssues } from './severity.ts';

export interface RaggedRowsEvidence {
  count: number;
  /** Share of the rows: 0..1. */
  rate: number;
  /** From 1; 0 in a batch of several texts. */
  firstLine: number;
  /** Whether the last row has too few cells and no end of line. */
  endsEarly: boolean;
  /** Of the first row and of the header. */
  cells?: { first: number; header: number };
  limits: Limits;
}

export type RaggedRows = FindingOf<'ragged_rows', RaggedRowsEvidence>;

/** The command line looks for this sentence in a reason, and says the line of the file instead. */
export const raggedWords = ({
  rate,
  count,
  firstLine,
  cells,
}: Pick<RaggedRowsEvidence, 'rate' | 'count' | 'firstLine' | 'cells'>): string => {
  const first = [
    ...(firstLine > 0 ? [`at line ${firstLine}`] : []),
    ...(cells ? [`with ${plural(cells.first, 'cell')} for ${cells.header} names`] : []),
  ];
  return `Ragged rows (${[`${percent(rate)}: ${count}`, ...(first.length > 0 ? [`the first ${first.join(' ')}`] : [])].join(', ')})`;
};

/** What a file looks like whose upload was cut. */
export const ENDS_EARLY = 'the last row ends early, so the upload may have been cut';

export const raggedRows: Kind<'ragged_rows', RaggedRowsEvidence> = {
  name: 'ragged_rows',
  description: 'CSV records have more or fewer cells than the header',
  comparesWithBaseline: false,
  healthGroup: 'ragged_rows',
  penalty: ({ scope, evidence }) => (scope === 'rows' ? 0 : ratePenalty(evidence.rate, evidence.limits)),
  words: ({ evidence }) => raggedWords(evidence) + (evidence.endsEarly ? `: ${ENDS_EARLY}` : ''),
  rowCode: 'ragged',
  rows: (_, finder) => ({ find: finder.ragged() }),
  // Its rows are always known.
  batchCode: () => null,
  listsInfo: true,
  issue(finding, issues) {
    const { count, rate, firstLine, endsEarly, cells } = finding.evidence;
    const severity = inIssues(finding.severity);
    issues.ragged_rows = {
      count,
      rate,
      first_line: firstLine,
      ...(cells && { cells }),
      ...(endsEarly && { ends_early: true }),
      severity,
      ...rowsIn(finding),
    };
  },
};
