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
import { findingText } from '../../rendering/sentences.ts';

const STYLES: Record<Verdict, Style> = { PASS: 'green', WARN: 'yellow', BLOCK: 'red' };

type Styled = Pick<Terminal, 'styled'>;

/** How all values are measured, by command. */
const MEASURE_ALL = {
  screen: '--full-scan measures all',
  check: 'full_scan: true in sluice.yaml measures all',
};
export type RunCommand = keyof typeof MEASURE_ALL;

export const textForm = (terminal: Styled, command: RunCommand): Form => ({
  file: result => resultText(result, terminal, command),
  // The error goes to standard error.
  failure: () => '',
});

function resultText({ file, report }: ShownBatch, terminal: Styled, command: RunCommand): string {
  const { status, health_score, stats } = report;
  const head = `${verdictWord(status, terminal)}  ${shownName(file)}  ${plural(stats.rows_received, 'row')}  health ${health_score}  source ${quoted(stats.source)}`;
  const lines = [
    `  ${escaped(report.decision.reason)}`,
    ...findingsIn(report).map(finding => findingLine(finding, stats.row_numbers)),
    ...sourceLines(report),
    ...sampleLine(report, command),
    ...leftOutLine(report),
  ];
  return `${[head, ...lines].join('\n')}\n`;
}

function sampleLine({ stats }: Report, command: RunCommand): string[] {
  if (stats.rows_sampled === stats.rows_received) return [];
  return [
    `  sampled: measured the values of ${grouped(stats.rows_sampled)} of ${grouped(stats.rows_received)} rows; ${MEASURE_ALL[command]}`,
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
