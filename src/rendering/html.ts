/** One page without scripts and without anything from elsewhere: to keep beside the data, or to send. */
import { findingsIn } from '../client/findings.ts';
import { escaped, plural } from '../terms/wording.ts';
import type { ShownBatch, ShownFailure } from './batch.ts';
import { fieldGroups } from './field-groups.ts';
import { findingText } from './sentences.ts';

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
  file: (batch: ShownBatch) =>
    lines([heading(batch), ...reason(batch), ...findingTable(batch, mostFindings)]),
  failure: ({ file, shown }: ShownFailure) =>
    lines([title('ERROR', file ?? 'sluice'), `<p><strong>Error:</strong> ${text(shown)}</p>`]),
});

const badge = (word: string): string => `<span class="verdict ${word}">${word}</span>`;

const lines = (texts: string[]): string => texts.map(text => `${text}\n`).join('');

const title = (word: string, name: string): string => `<h2>${badge(word)} ${text(name)}</h2>`;

const heading = ({ file, report: { status, health_score, stats } }: ShownBatch): string =>
  `${title(status, file)}\n<p>${plural(stats.rows_received, 'row')}, health ${health_score}</p>`;

const reason = ({ report: { status, decision }, note = '' }: ShownBatch): string[] => [
  ...(note === '' ? [] : [`<p>${text(note)}</p>`]),
  ...(status === 'PASS' ? [] : [`<p><strong>${text(decision.reason)}</strong></p>`]),
];

function findingTable({ report }: ShownBatch, most: number): string[] {
  const findings = findingsIn(report);
  if (findings.length === 0) return [];
  const groups = fieldGroups(findings.slice(0, most)).map(([field, alike]) => {
    const rows = alike.map(each => row([each.severity, findingText(each, report.stats.row_numbers)]));
    return `<tbody><tr><th scope="rowgroup" colspan="2">${text(field)}</th></tr>\n${rows.join('')}</tbody>\n`;
  });
  const hidden = findings.length - most;
  const more = hidden > 0 ? [`<tbody>${row(['', `and ${plural(hidden, 'other finding')}`])}</tbody>`] : [];
  return [table(['Severity', 'Finding'], [...groups, ...more].join(''))];
}

const row = (cells: string[]): string => `<tr>${cells.map(cell => `<td>${text(cell)}</td>`).join('')}</tr>\n`;

const table = (names: string[], rows: string): string =>
  `<table>\n<tr>${names.map(name => `<th scope="col">${name}</th>`).join('')}</tr>\n${rows}</table>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const text = (shown: string): string => escaped(shown).replace(/[&<>"]/g, character => ENTITIES[character]!);
