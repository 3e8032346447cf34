/** One page without scripts and without anything from elsewhere: to keep beside the data, or to send. */
import { escaped, grouped, plural } from '../terms/wording.ts';
import type { ShownBatch } from './batch.ts';
import { sharedText } from './sentences.ts';
import { type FileSummary, fieldGroups } from './summary.ts';

const FINDINGS_SHOWN = 200;

const HEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Sluice</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff; }
h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; overflow-wrap: anywhere; }
.verdict { display: inline-block; min-width: 4rem; padding: 0 .5rem; border-radius: .25rem; color: #fff; text-align: center; }
.PASS { background: #1a6f37; } .WARN { background: #8a5a00; } .BLOCK, .ERROR { background: #b3261e; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #d5dae0; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { color: #e4e7eb; background: #14171a; } th, td { border-color: #3a4048; } }
</style>
<h1>Sluice</h1>
`;

export const htmlForm = (mostFindings = FINDINGS_SHOWN) => ({
  head: () => HEAD,
  batch: batchRow,
  file: (summary: FileSummary, batches: string) =>
    lines([
      heading(summary),
      ...reason(summary),
      ...findingTable(summary, mostFindings),
      ...batchTable(batches),
      ...error(summary),
    ]),
});

const badge = (word: string): string => `<span class="verdict ${word}">${word}</span>`;

const lines = (texts: string[]): string => texts.map(text => `${text}\n`).join('');

function heading({ file, worst, verdict, size, lowestHealth }: FileSummary): string {
  const title = `<h2>${badge(worst === null ? 'ERROR' : verdict)} ${text(file ?? 'sluice')}</h2>`;
  return worst === null ? title : `${title}\n<p>${size}, health ${lowestHealth}</p>`;
}

const reason = ({ worst, verdict, note }: FileSummary): string[] => [
  ...(note === '' ? [] : [`<p>${text(note)}</p>`]),
  ...(worst === null || verdict === 'PASS'
    ? []
    : [`<p><strong>${text(worst.report.decision.reason)}</strong></p>`]),
];

function findingTable(summary: FileSummary, most: number): string[] {
  const { findings } = summary;
  if (findings.length === 0) return [];
  const groups = fieldGroups(findings.slice(0, most)).map(([field, alike]) => {
    const rows = alike.map(shared => row([shared.finding.severity, sharedText(shared, summary)]));
    return `<tbody><tr><th scope="rowgroup" colspan="2">${text(field)}</th></tr>\n${rows.join('')}</tbody>\n`;
  });
  const hidden = Math.max(0, findings.length - most) + summary.leftOut;
  const more = hidden > 0 ? [`<tbody>${row(['', `and ${plural(hidden, 'other finding')}`])}</tbody>`] : [];
  return [table(['Severity', 'Finding'], [...groups, ...more].join(''))];
}

const batchRow = ({ batch, firstRow, lastRow, report }: ShownBatch): string =>
  row([
    grouped(batch),
    `${grouped(firstRow)}–${grouped(lastRow)}`,
    report.status,
    String(report.health_score),
    report.decision.reason,
  ]);

const batchTable = (batches: string): string[] =>
  batches === '' ? [] : [table(['Batch', 'Rows', 'Verdict', 'Health', 'Reason'], batches)];

const error = ({ failure }: FileSummary): string[] =>
  failure === null ? [] : [`<p><strong>Error:</strong> ${text(failure.shown)}</p>`];

const row = (cells: string[]): string => `<tr>${cells.map(cell => `<td>${text(cell)}</td>`).join('')}</tr>\n`;

const table = (names: string[], rows: string): string =>
  `<table>\n<tr>${names.map(name => `<th scope="col">${name}</th>`).join('')}</tr>\n${rows}</table>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const text = (shown: string): string => escaped(shown).replace(/[&<>"]/g, character => ENTITIES[character]!);
