/** Markdown: for the summary of a CI job, a comment, a ticket. */
import { findingsIn } from '../client/findings.ts';
import { escaped, grouped, plural } from '../terms/wording.ts';
import type { ShownBatch } from './batch.ts';
import { sharedText } from './sentences.ts';
import { type FileSummary, fieldGroups } from './summary.ts';

/** A comment on GitHub has room for 65,536 characters. */
const FINDINGS_SHOWN = 50;

export const markdownForm = (mostFindings = FINDINGS_SHOWN) => ({
  batch({ batch, firstRow, lastRow, report }: ShownBatch) {
    const rows = `${grouped(firstRow)}–${grouped(lastRow)}`;
    const findings = findingsIn(report).length;
    return `| ${grouped(batch)} | ${rows} | ${report.status} | ${report.health_score} | ${findings} | ${cell(report.decision.reason)} |\n`;
  },
  file: (summary: FileSummary, batches: string) =>
    blocks([
      heading(summary),
      ...reason(summary),
      ...findingTable(summary, mostFindings),
      ...batchTable(batches),
      ...error(summary),
    ]),
});

const blocks = (texts: string[]): string => texts.map(text => `${text}\n\n`).join('');

function heading({ file, worst, verdict, size, lowestHealth }: FileSummary): string {
  const name = cell(file ?? 'sluice');
  return worst === null
    ? `### No verdict: ${name}`
    : `### ${verdict}: ${name}\n\n${size}, health ${lowestHealth}`;
}

const reason = ({ worst, verdict, note }: FileSummary): string[] => [
  ...(note === '' ? [] : [cell(note)]),
  ...(worst === null || verdict === 'PASS' ? [] : [`**${cell(worst.report.decision.reason)}**`]),
];

function findingTable(summary: FileSummary, most: number): string[] {
  const { findings } = summary;
  if (findings.length === 0) return [];
  const rows = fieldGroups(findings.slice(0, most)).flatMap(([field, alike]) =>
    alike.map(
      (shared, i) =>
        `| ${i === 0 ? cell(field) : ''} | ${shared.finding.severity} | ${cell(sharedText(shared, summary))} |`,
    ),
  );
  const hidden = findings.length - rows.length + summary.leftOut;
  const more = hidden > 0 ? [`| | | and ${plural(hidden, 'other finding')} |`] : [];
  return [['| Field | Severity | Finding |', '|---|---|---|', ...rows, ...more].join('\n')];
}

const batchTable = (batches: string): string[] =>
  batches === ''
    ? []
    : [
        `| Batch | Rows | Verdict | Health | Findings | Reason |\n|---|---|---|---|---|---|\n${batches.trimEnd()}`,
      ];

const error = ({ failure }: FileSummary): string[] =>
  failure === null ? [] : [`**Error:** ${cell(failure.shown)}`];

/** Text that is shown as it is: no mark-up, no links, nobody is mentioned. */
const cell = (text: string): string =>
  escaped(text)
    .replace(/[\\`*_{}[\]<>|~#&]/g, '\\$&')
    .replaceAll('@', '@\u200b')
    .replaceAll('://', ':\u200b//')
    .replace(/\bwww\./gi, '$&\u200b');
