/**
 * How messages about a body tell its sender what to do: by headers of a request, or by options of the command line. Each is the
 * end of a sentence.
 */
export interface Instructions {
  /** The body, as the subject of a sentence. */
  body: string;
  /** What a sender does with rows, as in `send`. */
  give: string;
  format(name: FormatName): string;
  /** `name`: one of the Encoding Standard. */
  charset(name: string): string;
  coding(name: string): string;
  /** `name`: as in `DELIMITERS`. */
  delimiter(name: string): string;
  /** A backslash before quotes. */
  escape(): string;
  /** `line`: from 1. */
  headerLine(line: number): string;
}

const TYPES = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  arrows: 'application/vnd.apache.arrow.stream',
  arrow: 'application/vnd.apache.arrow.file',
  parquet: 'application/vnd.apache.parquet',
};

/** Also the extension of a file. */
export type FormatName = keyof typeof TYPES;

export const BY_HEADERS: Instructions = {
  body: 'The body',
  give: 'send',
  format: name => `send Content-Type: ${TYPES[name]}`,
  charset: name => `name the charset, as in Content-Type: text/csv; charset=${name}`,
  coding: name => `send Content-Encoding: ${name}`,
  delimiter: name => `send X-CSV-Delimiter: ${name}`,
  escape: () => 'send X-CSV-Escape: \\',
  headerLine: line => `send X-CSV-Header-Line: ${line}`,
};
