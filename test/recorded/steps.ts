/** What a history is made of: batches that are posted one after the other, and calls between them. */

export type Format = 'json' | 'ndjson' | 'csv';
export type Row = Record<string, unknown>;
export type Options = Record<string, unknown>;

export interface Screened {
  kind: 'batch';
  name: string;
  format: Format;
  /** CSV and NDJSON: the body. JSON: the text of its `rows`. */
  text: string;
  options: Options;
  headers: Record<string, string>;
}

/** A call on the source: of `/v1/schema/{source}` + `path`. */
export interface Called {
  kind: 'call';
  name: string;
  method: 'POST' | 'PUT' | 'DELETE' | 'GET';
  path: string;
  /** `jobs`: ids of the history's batches so far, null where a batch was refused. */
  body?: (jobs: readonly (string | null)[]) => unknown;
}

export type Step = Screened | Called;

export interface History {
  source: string;
  /** Time from one step to the next. */
  everyHours: number;
  steps: Step[];
}

/** Rows are objects, or JSON text where an object cannot say it (repeated keys). */
export function screened(
  name: string,
  format: Format,
  rows: readonly (Row | string)[],
  options: Options = {},
): Screened {
  return { kind: 'batch', name, format, text: TEXT[format](rows), options, headers: {} };
}

/** CSV as it is written here. */
export const csvText = (
  name: string,
  text: string,
  options: Options = {},
  headers: Record<string, string> = {},
): Screened => ({ kind: 'batch', name, format: 'csv', text, options, headers });

export const called = (
  name: string,
  method: Called['method'],
  path: string,
  body?: Called['body'],
): Called => ({ kind: 'call', name, method, path, ...(body && { body }) });

/** About a third of all batches asks for a verdict on each row. */
export const asksForRows = (at: number): boolean => at % 3 === 1;

const rowText = (row: Row | string): string => (typeof row === 'string' ? row : JSON.stringify(row));

const TEXT: Record<Format, (rows: readonly (Row | string)[]) => string> = {
  json: rows => `[${rows.map(rowText).join(',')}]`,
  ndjson: rows => rows.map(row => `${rowText(row)}\n`).join(''),
  csv: rows => csvOf(rows.map(row => (typeof row === 'string' ? JSON.parse(row) : row) as Row)),
};

function csvOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const lines = rows.map(row => names.map(name => csvCell(row[name])).join(','));
  return `${[names.map(csvCell).join(','), ...lines].join('\n')}\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
}
