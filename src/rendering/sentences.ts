/** Findings as sentences that are safe to print. */
import type { Report } from '../client/contract.ts';
import { type Finding, rowsText } from '../client/findings.ts';
import { escaped, quoted } from '../terms/wording.ts';
import { type FileSummary, type SharedFinding, sharedBy } from './summary.ts';

/** What a finding of a file says, with the batches that have it. */
export function sharedText(shared: SharedFinding, summary: FileSummary): string {
  const where = sharedBy(shared, summary);
  return findingText(shared.finding, shared.numbering) + (where === '' ? '' : `; ${where}`);
}

/** What a finding says, with its subject and its rows, in one sentence. */
export function findingText(
  { part, field, text, rows, span }: Finding,
  numbering?: Report['stats']['row_numbers'],
): string {
  const where = rows.length === 0 ? '' : `; ${rowsText(rows, numbering, span)}`;
  const subject = part === 'issues' && field !== null ? `${quoted(field)}: ` : '';
  return escaped(`${subject}${part === 'drift' ? 'drift: ' : ''}${text}${where}`);
}
