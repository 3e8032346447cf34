/** Results as text for a terminal. */
import { escaped, quoted } from '../../terms/errors.ts';
import { type Finding, findingsIn } from '../../client/findings.ts';
import { leftOutText } from '../../client/left-out.ts';
import type { Report } from '../../client/contract.ts';
import type { Verdict } from '../../terms/verdict.ts';
import { shownName } from '../failure.ts';
import { grouped, plural } from '../../terms/wording.ts';
import type { Style, Terminal } from '../terminal.ts';
import type { Form } from './output.ts';
import type { ShownBatch } from '../../rendering/batch.ts';
import { findingText, sharedText } from '../../rendering/sentences.ts';
import type { FileSummary, SharedFinding } from '../../rendering/summary.ts';

const STYLES: Record<Verdict, Style> = { PASS: 'green', WARN: 'yellow', BLOCK: 'red' };

type Styled = Pick<Terminal, 'styled'>;

/** How to see more, by command. */
const MORE = {
  screen: { values: '--full-scan measures all', batches: '--each shows every batch' },
  check: {
    values: 'full_scan: true in sluice.yaml measures all',
    batches: 'sluice screen --each FILE shows every batch',
  },
};
export type RunCommand = keyof typeof MORE;

export const textForm = (terminal: Styled, command: RunCommand): Form => ({
  streams: true,
  batch: result => resultText(result, true, terminal, command),
  file(summary) {
    // The error itself goes to standard error.
    if (summary.worst === null) return '';
    const isWhole = summary.batches === 1 && summary.failure === null;
    return isWhole
      ? resultText(summary.worst, false, terminal, command)
      : summaryText(summary, terminal, command);
  },
});

/** Findings of a file of several batches that are shown. */
const FINDINGS_SHOWN = 20;

function summaryText(summary: FileSummary, terminal: Styled, command: RunCommand): string {
  const facts = [
    `${summary.size}${summary.failure === null ? '' : ' before an error'}`,
    summary.verdicts,
    `lowest health ${summary.lowestHealth}`,
  ];
  const { findings } = summary;
  const hidden = Math.max(0, findings.length - FINDINGS_SHOWN) + summary.leftOut;
  const lines = [
    `${verdictWord(summary.verdict, terminal)}  ${shownName(summary.file!)}  ${facts.join('; ')}`,
    ...reasonLines(summary),
    ...findings.slice(0, FINDINGS_SHOWN).map(each => sharedLine(each, summary)),
    ...(hidden > 0 ? [`  and ${plural(hidden, 'other finding')}`] : []),
    ...(summary.verdict === 'PASS' ? [] : [`  ${MORE[command].batches}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function reasonLines({ worst, verdict }: FileSummary): string[] {
  if (worst === null || verdict === 'PASS') return [];
  const { batch, firstRow, lastRow, report } = worst;
  const place = `batch ${grouped(batch)}, rows ${grouped(firstRow)}–${grouped(lastRow)}`;
  return [`  ${place}: ${escaped(report.decision.reason)}`];
}

const sharedLine = (shared: SharedFinding, summary: FileSummary): string =>
  severityLine(shared.finding.severity, sharedText(shared, summary));

/** The report of one batch. `isChunk`: its file has several. */
function resultText(result: ShownBatch, isChunk: boolean, terminal: Styled, command: RunCommand): string {
  const { file, report, batch, firstRow, lastRow } = result;
  const part = isChunk
    ? `  batch ${grouped(batch)}, rows ${grouped(firstRow)}–${grouped(lastRow)}`
    : `  ${plural(report.stats.rows_received, 'row')}`;
  const head = `${verdictWord(report.status, terminal)}  ${shownName(file)}${part}  health ${report.health_score}  source ${quoted(report.stats.source)}`;
  const lines = [
    `  ${escaped(report.decision.reason)}`,
    ...findingsIn(report).map(finding => findingLine(finding, report.stats.row_numbers)),
    ...sourceLines(report),
    ...sampleLine(result, command),
    ...leftOutLine(report),
  ];
  return `${[head, ...lines].join('\n')}\n`;
}

function sampleLine({ report: { stats } }: ShownBatch, command: RunCommand): string[] {
  if (stats.rows_sampled === stats.rows_received) return [];
  return [
    `  sampled: measured the values of ${grouped(stats.rows_sampled)} of ${grouped(stats.rows_received)} rows; ${MORE[command].values}`,
  ];
}

function leftOutLine(report: Report): string[] {
  const text = leftOutText(report);
  return text === null ? [] : [`  ${text}`];
}

const verdictWord = (verdict: Verdict, terminal: Styled): string =>
  terminal.styled('bold', terminal.styled(STYLES[verdict], verdict.padEnd(5)));

const line = (severity: string, subject: string, text: string): string =>
  severityLine(severity, `${subject}: ${text}`);

const severityLine = (severity: string, text: string): string =>
  `  ${escaped(`${severity.padEnd(8)}  ${text}`)}`;

const findingLine = (finding: Finding, numbering?: Report['stats']['row_numbers']): string =>
  severityLine(finding.severity, findingText(finding, numbering));

/** Notes about the source: learning, a run of BLOCKs, advice. */
function sourceLines({ gate, blocked_since: since, advice = [] }: Report): string[] {
  const notes: string[] = [];
  if (gate?.learning)
    notes.push(
      line(
        'notice',
        'learning',
        `${plural(gate.history, 'batch is', 'batches are')} known: until there are 3, a batch may differ as any source may`,
      ),
    );
  if (since)
    notes.push(
      line(
        'notice',
        'blocked',
        `${plural(since.batches, 'batch', 'batches')} since ${since.timestamp}, for the same field`,
      ),
    );
  return [...notes, ...advice.map(({ detail }) => line('notice', 'advice', detail))];
}
