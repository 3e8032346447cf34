/** Markdown: for the summary of a CI job, a comment, a ticket. */
import { findingsIn } from '../client/findings.ts';
import { escaped, plural } from '../terms/wording.ts';
import type { ShownBatch, ShownFailure } from './batch.ts';
import { fieldGroups } from './field-groups.ts';
import { findingText } from './sentences.ts';

/** A comment on GitHub has room for 65,536 characters. */
const FINDINGS_SHOWN = 50;

export const markdownForm = (mostFindings = FINDINGS_SHOWN) => ({
  file: (batch: ShownBatch) =>
    blocks([heading(batch), ...reason(batch), ...findingTable(batch, mostFindings)]),
  failure: ({ file, shown }: ShownFailure) =>
    blocks([`### No verdict: ${cell(file ?? 'sluice')}`, `**Error:** ${cell(shown)}`]),
});

const blocks = (texts: string[]): string => texts.map(text => `${text}\n\n`).join('');

const heading = ({ file, report: { status, health_score, stats } }: ShownBatch): string =>
  `### ${status}: ${cell(file)}\n\n${plural(stats.rows_received, 'row')}, health ${health_score}`;

const reason = ({ report: { status, decision }, note = '' }: ShownBatch): string[] => [
  ...(note === '' ? [] : [cell(note)]),
  ...(status === 'PASS' ? [] : [`**${cell(decision.reason)}**`]),
];

function findingTable({ report }: ShownBatch, most: number): string[] {
  const findings = findingsIn(report);
  if (findings.length === 0) return [];
  const rows = fieldGroups(findings.slice(0, most)).flatMap(([field, alike]) =>
    alike.map(
      (each, i) =>
        `| ${i === 0 ? cell(field) : ''} | ${each.severity} | ${cell(findingText(each, report.stats.row_numbers))} |`,
    ),
  );
  const hidden = findings.length - rows.length;
  const more = hidden > 0 ? [`| | | and ${plural(hidden, 'other finding')} |`] : [];
  return [['| Field | Severity | Finding |', '|---|---|---|', ...rows, ...more].join('\n')];
}

/** Text that is shown as it is: no mark-up, no links, nobody is mentioned. */
const cell = (text: string): string =>
  escaped(text)
    .replace(/[\\`*_{}[\]<>|~#&]/g, '\\$&')
    .replaceAll('@', '@\u200b')
    .replaceAll('://', ':\u200b//')
    .replace(/\bwww\./gi, '$&\u200b');
