/** What was found, in words for a person at a terminal. */
import { escaped, quoted } from '../errors.ts';
import type { DriftEvent, Issues, RowNumbering, RowNumbers, Verdict } from '../judge/report.ts';
import type { Report } from '../response/report.ts';
import { shownName } from './failure.ts';
import { grouped, percent } from '../wording.ts';
import type { FileResult } from './screening.ts';
import type { Style, Terminal } from './terminal.ts';

export const RANK: Record<Verdict, number> = { PASS: 0, WARN: 1, BLOCK: 2 };
const STYLES: Record<Verdict, Style> = { PASS: 'green', WARN: 'yellow', BLOCK: 'red' };

type Styled = Pick<Terminal, 'styled'>;

/** What is worth saying of one file's batches together. */
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
    if (this.counts.BLOCK > 0) return 'BLOCK';
    return this.counts.WARN > 0 ? 'WARN' : 'PASS';
  }

  text(file: string, terminal: Styled): string {
    const counts = (['PASS', 'WARN', 'BLOCK'] as const)
      .filter(verdict => this.counts[verdict] > 0)
      .map(verdict => `${grouped(this.counts[verdict])} ${verdict}`);
    const facts = [
      `${grouped(this.rows)} rows in ${grouped(this.batches)} batches`,
      counts.join(', '),
      `lowest health ${this.lowestHealth}`,
    ];
    return `${verdictWord(this.verdict, terminal)}  ${shownName(file)}  ${facts.join('; ')}\n`;
  }
}

/** One batch with its reasons. `isChunk`: one of several of its file. */
export function resultText(result: FileResult, isChunk: boolean, terminal: Styled): string {
  const { file, report, batch, firstRow, lastRow } = result;
  const part = isChunk
    ? `  batch ${grouped(batch)}, rows ${grouped(firstRow)}–${grouped(lastRow)}`
    : `  ${rowsOf(result)}`;
  const head = `${verdictWord(report.status, terminal)}  ${shownName(file)}${part}  health ${report.health_score}  source ${quoted(report.stats.source)}`;
  const lines = [
    `  ${escaped(report.decision.reason)}`,
    ...(report.issues ? issueLines(report.issues, report.stats.row_numbers) : []),
    ...(report.drift ?? []).map(driftLine),
    ...anomalyLines(report),
    ...standingLines(report),
    ...sampleLine(result),
  ];
  return `${[head, ...lines].join('\n')}\n`;
}

const rowsOf = ({ report: { stats } }: FileResult): string =>
  `${grouped(stats.rows_received)} row${stats.rows_received === 1 ? '' : 's'}`;

function sampleLine({ report: { stats } }: FileResult): string[] {
  if (stats.rows_sampled === stats.rows_received) return [];
  return [
    `  values measured in ${grouped(stats.rows_sampled)} of ${grouped(stats.rows_received)} rows; --full-scan measures all`,
  ];
}

const verdictWord = (verdict: Verdict, terminal: Styled): string =>
  terminal.styled('bold', terminal.styled(STYLES[verdict], verdict.padEnd(5)));

/** The severity, what it is about, and what was found. */
const line = (severity: string, field: string, found: string): string => told(severity, `${field}: ${found}`);

const told = (severity: string, words: string): string => `  ${escaped(`${severity.padEnd(8)}  ${words}`)}`;

function issueLines(issues: Issues, numbering: RowNumbering | undefined): string[] {
  const at = (rows: RowNumbers | undefined) => placesOf(rows ?? [], numbering);
  return [
    ...each(issues.type_mismatches, (field, { severity, rate, expected, found, sample_value, rows }) =>
      line(
        severity,
        field,
        `${percent(rate)} not ${expected} but ${found.join(', ')}, such as ${example(sample_value)}${at(rows)}`,
      ),
    ),
    ...each(issues.null_rates, (field, { severity, actual, threshold, rows }) =>
      line(severity, field, `null in ${percent(actual)} of rows, over ${percent(threshold)}${at(rows)}`),
    ),
    ...each(issues.outliers, (field, { severity, count: outliers, min, max, rows }) =>
      line(
        severity,
        field,
        `${grouped(outliers)} outlier${outliers === 1 ? '' : 's'}, ${min} to ${max}${at(rows)}`,
      ),
    ),
    ...each(issues.new_enum_value_rows, (field, rows) => line('notice', field, `new values${at(rows)}`)),
    ...raggedLines(issues.ragged_rows),
    ...duplicateLines(issues.duplicate_fields),
  ];
}

/** Rows that are worth a person's look. */
const ROWS_SHOWN = 5;

/** Rows of JSON are numbered as their API numbers them, from 0. */
function placesOf(rows: RowNumbers, numbering: RowNumbering | undefined): string {
  if (rows.length === 0) return '';
  const what = `${numbering === 'line' ? 'line' : 'row'}${rows.length === 1 ? '' : 's'}`;
  const more = rows.length > ROWS_SHOWN ? ', …' : '';
  const from = numbering === 'line' ? '' : ' (from 0)';
  return `; ${what} ${rows.slice(0, ROWS_SHOWN).map(grouped).join(', ')}${more}${from}`;
}

const raggedLines = (ragged: Issues['ragged_rows']): string[] =>
  ragged === undefined
    ? []
    : [
        line(
          ragged.severity,
          'rows',
          `${grouped(ragged.count)} (${percent(ragged.rate)}) with more or fewer cells than the header, the first on line ${grouped(ragged.first_line)}`,
        ),
      ];

const duplicateLines = (names: string[] | undefined): string[] =>
  names === undefined ? [] : [line('notice', 'fields', `more than once: ${names.map(quoted).join(', ')}`)];

/** New enum values and row counts are told as drift. */
const driftLine = ({ severity, detail }: DriftEvent): string => line(severity, 'drift', detail);

/** Those that no drift event tells already. */
const anomalyLines = ({ anomalies = [], drift = [], stats: { row_numbers } }: Report): string[] =>
  anomalies
    .filter(({ detail }) => !drift.some(event => event.detail === detail))
    .map(({ severity, detail, rows }) => told(severity, detail + placesOf(rows ?? [], row_numbers)));

/** How much the verdict rests on, and what is said of the source besides. */
function standingLines({ gate, blocked_since: since, advice = [] }: Report): string[] {
  const standing: string[] = [];
  if (gate?.learning)
    standing.push(
      line('notice', 'learning', `types and presence alone are judged after ${gate.history} batches`),
    );
  if (since)
    standing.push(
      line(
        'notice',
        'blocked',
        `${grouped(since.batches)} batches since ${since.timestamp}, for the same field`,
      ),
    );
  return [...standing, ...advice.map(({ detail }) => line('notice', 'advice', detail))];
}

const each = <T>(map: Record<string, T> | undefined, text: (field: string, issue: T) => string): string[] =>
  Object.entries(map ?? {}).map(([name, issue]) => text(quoted(name), issue));

const example = (value: unknown): string =>
  quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)));
