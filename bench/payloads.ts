/** Tables as the bytes of a request, and as the text that a peer reads. There are several of each, so that no run repeats the same bytes. */
import { Random } from './random.ts';
import type { Row } from './tables.ts';

export interface Payload {
  rows: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** The same, decoded: the input of `JSON.parse` or a CSV parser. */
  text: string;
}

export type Table = (random: Random, rows: number) => Row[];
export type Write = (rows: Row[]) => string;
/** Throws if a reader gets other values from the payload than were written. */
export type Check = (payload: Payload, rows: Row[]) => void;

/**
 * `count` payloads of `rows` rows each, from different seeds, all checked. The rows themselves are not kept: they
 * would slow down the garbage collections of the peers.
 */
export function payloadsOf(
  seed: number,
  { payloads, rows }: { payloads: number; rows: number },
  table: Table,
  write: Write,
  check: Check = () => {},
): Payload[] {
  return Array.from({ length: payloads }, (_, i) => {
    const made = table(new Random(seed + i * 1_000_003), rows);
    const bytes = new TextEncoder().encode(write(made));
    const payload = { rows, bytes, text: new TextDecoder().decode(bytes) };
    check(payload, made);
    return payload;
  });
}

/** The body of POST /v1/screen that measures every row. */
export const fullScan =
  (indent = 0): Write =>
  rows =>
    JSON.stringify({ source: 'bench', rows, options: { full_scan: true } }, null, indent);

/** The body for a separate source, since the batches of a source should be alike. */
export const named =
  (source: string, options?: object): Write =>
  rows =>
    JSON.stringify({ source, rows, options });

/** Quotes only cells that need it. A null is an empty cell, an empty text is `""`. */
export const plainCsv: Write = rows =>
  csvLines(rows, cell => (/[",\r\n]|^$/.test(cell) ? quoted(cell) : cell));

/** Quotes around every text. */
export const quotedCsv: Write = rows => csvLines(rows, quoted);

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

function csvLines(rows: Row[], text: (cell: string) => string): string {
  const cell = (value: unknown): string => (typeof value === 'string' ? text(value) : csvText(value));
  const lines = rows.map(row => Object.values(row).map(cell).join(','));
  return `${[Object.keys(rows[0]!).join(','), ...lines].join('\n')}\n`;
}

/** What a CSV parser returns for a value: it cannot tell nulls from empty texts. */
export const csvText = (value: unknown): string => (value === null ? '' : String(value));
