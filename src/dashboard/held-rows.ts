/** The rows of a report to hold back, and the others. Pure. */
import { findingsIn } from '../client/findings.ts';
import { escaped } from '../terms/wording.ts';
import type { Report } from './contract.ts';

export interface HeldRow {
  row: number;
  /** For people; at least one where they are known. */
  reasons: string[];
}

export interface HeldRows {
  rows: HeldRow[];
  /** False: only the first rows of each finding, because the request did not ask for row verdicts. */
  isComplete: boolean;
}

export function heldRows(report: Report): HeldRows {
  const { quarantine } = report;
  if (!quarantine) return { rows: rowsOfFindings(report), isComplete: false };
  const reasons = quarantine.reasons.map(reasonText);
  const rows = (quarantine.rows as [number, number[]?][]).map(([row, places]) => ({
    row,
    reasons: (places ?? []).flatMap(place => reasons[place] ?? []),
  }));
  return { rows, isComplete: true };
}

const WORDS: Readonly<Record<string, string>> = {
  anomaly: 'unusual',
  new_enum_value: 'new value',
  signs: 'damaged value',
};

/** `null: amount`, `rule violation: fields.amount.minimum` */
function reasonText({ code, field, rule }: NonNullable<Report['quarantine']>['reasons'][number]): string {
  const subject = rule ?? (field === '*' ? null : field);
  const words = WORDS[code] ?? code.replaceAll('_', ' ');
  return subject === null ? words : `${words}: ${escaped(subject)}`;
}

function rowsOfFindings(report: Report): HeldRow[] {
  const named = findingsIn(report)
    .filter(({ severity }) => severity !== 'info')
    .flatMap(({ rows, kind, field }) =>
      rows.map(row => ({ row, reason: reasonText({ code: kind, field: field ?? '*' } as never) })),
    );
  const byRow = Map.groupBy(named, ({ row }) => row);
  return [...byRow]
    .map(([row, reasons]) => ({ row, reasons: [...new Set(reasons.map(({ reason }) => reason))] }))
    .sort((a, b) => a.row - b.row);
}

/** Whether something is wrong that no row shows, so the other rows may be bad too. */
export const isWholeBatchHeld = ({ quarantine }: Report): boolean =>
  (quarantine?.whole_batch.length ?? 0) > 0;

/**
 * The rows that may be written. Null where the report does not say: something is wrong with the whole batch, some rows are not named,
 * or rows are named by their lines, and which other lines begin a row is known only from the file.
 */
export function goodRows(report: Report, { rows, isComplete }: HeldRows): number[] | null {
  const { stats } = report;
  if (isWholeBatchHeld(report) || !isComplete || (rows.length > 0 && stats.row_numbers !== 'index'))
    return null;
  const held = new Set(rows.map(({ row }) => row));
  return Array.from({ length: stats.rows_received }, (_, row) => row).filter(row => !held.has(row));
}

/** Each reason begins with a word of ours: no cell is a formula. */
export const csvOf = (rows: readonly HeldRow[]): string =>
  `row,reasons\r\n${rows.map(({ row, reasons }) => `${row},${csvText(reasons.join('; '))}\r\n`).join('')}`;

const csvText = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** What the numbers of rows count. */
export const NUMBERING = {
  index: 'Rows are counted from 0.',
  line: 'Rows are named by the line of the file on which they begin, from 1.',
} as const;

export const jsonOf = (report: Report, held: HeldRows): string =>
  JSON.stringify({
    request_id: report.request_id,
    source: report.stats.source,
    row_numbers: report.stats.row_numbers ?? 'index',
    complete: held.isComplete,
    held: held.rows,
    good: goodRows(report, held),
  });
