/** A report as text for a terminal. */
import { escaped, quoted } from '../errors.ts';
import { type Finding, findingsIn, rowsText } from '../client/findings.ts';
import { leftOutText } from '../client/left-out.ts';
import type { Report, RowNumbering } from '../contract/report.ts';
import { type Verdict, VERDICTS } from '../verdict.ts';
import { shownName } from './failure.ts';
import { grouped, plural } from '../wording.ts';
import type { FileResult } from './screening.ts';
import type { Style, Terminal } from './terminal.ts';

const STYLES: Record<Verdict, Style> = { PASS: 'green', WARN: 'yellow', BLOCK: 'red' };

type Styled = Pick<Terminal, 'styled'>;

/** A summary of all batches of a file. */
export class FileSummary {
  batches = 0;
  rows = 0;
  lowestHealth = 1;
  readonly counts: Record<Verdict, number> = { PASS: 0, WARN: 0, BLOCK: 0 };

  add({ report, firstRow, lastRow }: FileResult): void {
    this.batches++;
    this.rows += lastRow - firstRow + 1;
    this.counts[report.status]++;
    this.lowestHealth = Math.min(this.lowestHealth, report.health_score);
  }

  get verdict(): Verdict {
    return VERDICTS.findLast(verdict => this.counts[verdict] > 0) ?? 'PASS';
  }

  text(file: string, terminal: Styled): string {
    const counts = VERDICTS.filter(verdict => this.counts[verdict] > 0).map(
      verdict => `${grouped(this.counts[verdict])} ${verdict}`,
    );
    const facts = [
      `${grouped(this.rows)} rows in ${grouped(this.batches)} batches`,
      counts.join(', '),
      `lowest health ${this.lowestHealth}`,
    ];
    return `${verdictWord(this.verdict, terminal)}  ${shownName(file)}  ${facts.join('; ')}\n`;
  }
}

/** The report of one batch. `isChunk`: its file has several. */
export function resultText(result: FileResult, isChunk: boolean, terminal: Styled): string {
  const { file, report, batch, firstRow, lastRow } = result;
  const part = isChunk
    ? `  batch ${grouped(batch)}, rows ${grouped(firstRow)}–${grouped(lastRow)}`
    : `  ${rowsOf(result)}`;
  const head = `${verdictWord(report.status, terminal)}  ${shownName(file)}${part}  health ${report.health_score}  source ${quoted(report.stats.source)}`;
  const lines = [
    `  ${escaped(report.decision.reason)}`,
    ...findingsIn(report).map(finding => findingLine(finding, report.stats.row_numbers)),
    ...sourceLines(report),
    ...sampleLine(result),
    ...leftOutLine(report),
  ];
  return `${[head, ...lines].join('\n')}\n`;
}

const rowsOf = ({ report: { stats } }: FileResult): string => plural(stats.rows_received, 'row');

function sampleLine({ report: { stats } }: FileResult): string[] {
  if (stats.rows_sampled === stats.rows_received) return [];
  return [
    `  sampled: measured the values of ${grouped(stats.rows_sampled)} of ${grouped(stats.rows_received)} rows; --full-scan measures all`,
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

function findingLine({ part, field, severity, text, rows }: Finding, numbering?: RowNumbering): string {
  const where = rows.length === 0 ? '' : `; ${rowsText(rows, numbering)}`;
  if (part === 'issues' && field !== null) return line(severity, quoted(field), text + where);
  return part === 'drift' ? line(severity, 'drift', text + where) : severityLine(severity, text + where);
}

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
