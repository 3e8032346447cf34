/** layout: what was read may not be the table that was sent. */
import type { LayoutIssue } from '../report-schema/report.ts';
import type { Sign, SignName } from '../table/sign.ts';
import { PENALTY } from '../terms/policy.ts';
import { grouped, plural } from '../terms/wording.ts';
import { type FindingOf, type Kind, rowsIn } from './finding.ts';
import { inIssuesFromWarn } from './severity.ts';

export type LayoutEvidence = Pick<Sign, 'sign' | 'count' | 'lines'> & {
  /** Indexes of records that are not rows of the table, such as a total, ascending. */
  rowIndexes: readonly number[];
};

export type Layout = FindingOf<'layout', LayoutEvidence>;

/** Lines that a sentence names. */
const LINES_NAMED = 5;

type Shown = Pick<LayoutIssue, 'sign' | 'count'> & { lines?: readonly number[] };

/** `on line 52`, `on lines 52, 103 and 3 more`; empty without lines. */
function onLines({ count, lines = [] }: Shown): string {
  if (lines.length === 0) return '';
  const named = lines.slice(0, LINES_NAMED).map(grouped).join(', ');
  const more = Math.max(count, lines.length) - Math.min(LINES_NAMED, lines.length);
  return ` on line${lines.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${grouped(more)} more` : ''}`;
}

const WORDS: Record<SignName, (shown: Shown) => string> = {
  no_header: shown =>
    `No header: the names${onLines(shown)} look like values, so the first row is not checked; add a header line`,
  two_headers: ({ lines: [first, second] = [] }) =>
    `Two header lines: names are taken from line ${first}, but line ${second} looks like a header too; name the right one, or remove the other`,
  units_row: shown => `The row${onLines(shown)} seems to hold units or types, not values; remove it`,
  blank_header: shown =>
    `The header${onLines(shown)} has no names, so columns are called column_1, column_2, …`,
  blank_names: shown =>
    `Many names of the header${onLines(shown)} are blank, so columns are called column_2, …; is it the header?`,
  comment_lines: shown => `Comments stand${onLines(shown)}, and are read as names and rows; remove them`,
  one_column: () => 'One column, though another delimiter divides most lines evenly; name the delimiter',
  header_repeated: shown =>
    `The header is repeated${onLines(shown)}, as in files that were joined; remove the repeated lines`,
  quote_spans_lines: shown =>
    `A quote that opens${onLines(shown)} takes in whole rows up to the next quote; it may be a stray one`,
  mark_inside: shown => `A byte order mark stands${onLines(shown)}, as in files that were joined`,
  space_before_quote: shown =>
    `A space stands before a quote${onLines(shown)}, so the quote is text and divides no cells; write quotes next to the delimiter`,
  backslash_escapes: shown =>
    `Quotes have a backslash before them${onLines(shown)}, which CSV does not know; name the escape character`,
  total_row: shown => `The row${onLines(shown)} seems to be a total, not a row of its own; remove it`,
  trailing_notes: shown => `A note seems to follow the table${onLines(shown)}; remove it`,
  blank_rows: shown =>
    `${plural(shown.count, 'row')} at the end of the table ${shown.count === 1 ? 'has' : 'have'} no value,${onLines(shown)}`,
  wrapped_rows: () => 'The only row holds an array of objects: those seem to be the rows',
  error_message: () => 'The only row seems to be an error message, not data; look where it comes from',
};

/** One sentence. The command line looks for it in a reason, and says lines of the file instead. */
export const layoutWords = (shown: Shown): string => WORDS[shown.sign](shown);

export const layout: Kind<'layout', LayoutEvidence> = {
  name: 'layout',
  description: 'What was read may not be the table that was sent',
  comparesWithBaseline: false,
  healthGroup: 'layout',
  penalty: ({ severity }) => PENALTY[severity],
  words: ({ evidence }) => layoutWords(evidence),
  rowCode: 'layout',
  rows: ({ evidence: { rowIndexes } }) =>
    rowIndexes.length === 0 ? null : { find: limit => Uint16Array.from(rowIndexes.slice(0, limit)) },
  batchCode: ({ kind, evidence }) => (evidence.rowIndexes.length === 0 ? kind : null),
  listsInfo: true,
  issue(finding, issues) {
    const { sign, count, lines } = finding.evidence;
    issues.layout ??= [];
    issues.layout.push({
      sign,
      count,
      ...(lines.length > 0 && { lines: [...lines] }),
      ...rowsIn(finding),
      detail: layoutWords(finding.evidence),
      severity: inIssuesFromWarn(finding.severity),
    });
  },
};
