/** Findings as sentences that are safe to print. */
import type { Report } from '../client/contract.ts';
import { type Finding, rowsText } from '../client/findings.ts';
import { escaped, quoted } from '../terms/wording.ts';

/** What a finding says, with its subject and its rows, in one sentence. */
export function findingText(
  { part, field, text, rows, span }: Finding,
  numbering?: Report['stats']['row_numbers'],
): string {
  const where = rows.length === 0 ? '' : `; ${rowsText(rows, numbering, span)}`;
  const subject = part === 'issues' && field !== null ? `${quoted(field)}: ` : '';
  return escaped(`${subject}${part === 'drift' ? 'drift: ' : ''}${text}${where}`);
}
