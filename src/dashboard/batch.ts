/** What somebody pasted or dropped, as a request to screen it. */

export type Format = 'csv' | 'json' | 'ndjson';

export interface Choices {
  source: string;
  /** `,` `;` `|` or `tab`; of CSV only. */
  delimiter: string;
  /** Of CSV and NDJSON only. */
  charset: string;
  fullScan: boolean;
  dryRun: boolean;
}

export interface ScreenRequest {
  headers: Record<string, string>;
  body: Blob;
}

/** Something that cannot be sent, in words. */
export class Unfit extends Error {}

/** How much of a file is looked at to tell what it is. */
export const HEAD_BYTES = 65_536;

const BOM = '\ufeff';

/** How files begin that are no text, read as UTF-8: a byte that is none stands as U+FFFD. */
const NO_TEXT: [words: string, beginnings: string[]][] = [
  [
    'This is a workbook or an archive: save the sheet as CSV first.',
    ['PK\u0003\u0004', '\ufffd\ufffd\u0011\u0871'],
  ],
  [
    'This file is compressed: unpack it first.',
    ['\u001f\ufffd\u0008', 'BZh91AY', '\ufffd7zXZ', '(\ufffd/\ufffd'],
  ],
  [
    'This file is no text: save its rows as CSV or JSON first.',
    ['%PDF-', 'PAR1', 'Obj\u0001', 'ARROW1', 'SQLite format 3\u0000', '\ufffdPNG', 'GIF89a'],
  ],
];

/** What a text that begins like this is. Throws `Unfit` for what cannot be rows. */
export function formatOf(head: string): Format {
  const noText = NO_TEXT.find(([, beginnings]) => beginnings.some(each => head.startsWith(each)));
  if (noText) throw new Unfit(noText[0]);
  const text = head.replace(BOM, '').trimStart();
  if (text === '') throw new Unfit('There is nothing in it: paste rows, with a header line if they are CSV.');
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  return /^\{[^\n]*\}[ \t\r]*\n\s*\{/.test(text) ? 'ndjson' : 'json';
}

/** UTF-16 by its byte order mark, else UTF-8 if it can be; null for what is in another encoding. */
export function charsetOf(head: Uint8Array): string | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  try {
    // The last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return 'utf-8';
  } catch {
    return null;
  }
}

const DELIMITERS: [mark: string, name: string][] = [
  [',', ','],
  [';', ';'],
  ['\t', 'tab'],
  ['|', '|'],
];

/** The delimiter that the header line has most of; a comma where it has none. What is in quotes does not count. */
export function delimiterOf(head: string): string {
  const [header = ''] = head
    .replace(BOM, '')
    .trimStart()
    .replace(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1);
  const counted = DELIMITERS.map(([mark, name]) => ({ name, count: header.split(mark).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).name;
}

const TYPES: Record<Format, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

/** Throws `Unfit`. */
export async function screenRequest(content: Blob, format: Format, choices: Choices): Promise<ScreenRequest> {
  if (format === 'json')
    return { headers: { 'Content-Type': TYPES.json }, body: await jsonBody(content, choices) };
  const { source, delimiter, charset } = choices;
  const headers = {
    'Content-Type': `${TYPES[format]}; charset=${charset}`,
    'X-Source': encodeURIComponent(source.toWellFormed()),
    'X-Options': JSON.stringify(optionsOf(choices)),
    ...(format === 'csv' && { 'X-CSV-Delimiter': delimiter }),
  };
  return { headers, body: content };
}

const optionsOf = ({ fullScan, dryRun }: Choices) => ({ full_scan: fullScan, dry_run: dryRun });

/** An array of rows is sent as it is, to the byte: reading it here would take longer than screening it there. */
async function jsonBody(content: Blob, choices: Choices): Promise<Blob> {
  const envelope = JSON.stringify({ source: choices.source, options: optionsOf(choices) }).slice(0, -1);
  const rows = await withoutBom(content);
  if ((await rows.slice(0, HEAD_BYTES).text()).trimStart().startsWith('['))
    return new Blob([envelope, ',"rows":', rows, '}']);
  return new Blob([envelope, ',"rows":', JSON.stringify(rowsIn(await rows.text())), '}']);
}

const BOM_BYTES = 3;

const withoutBom = async (content: Blob): Promise<Blob> =>
  (await content.slice(0, BOM_BYTES).text()) === '' && content.size >= BOM_BYTES
    ? content.slice(BOM_BYTES)
    : content;

/** Of an object: the rows that it has, as the API has them, or else it is a row itself. */
function rowsIn(text: string): unknown {
  const value = parsed(text);
  if (Object.hasOwn(value, 'rows')) return (value as { rows: unknown }).rows;
  return [value];
}

function parsed(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new Unfit(`This is not JSON yet: ${(error as Error).message}.`);
  }
}

const MAX_NAME = 60;

/** A source's name from a file's: `orders.2026-11.csv` is a batch of `orders.2026-11`. */
export const sourceFrom = (file: string): string =>
  [
    ...file
      .replace(/\.[^.]*$/, '')
      .replace(/\p{C}/gu, '')
      .trim(),
  ]
    .slice(0, MAX_NAME)
    .join('');

/** Rows to try it with, one of them broken. */
export const EXAMPLE = `order_id,amount,currency,email,status
ORD-001,99.50,EUR,ann@example.com,paid
ORD-002,12.00,EUR,ben@example.com,paid
ORD-003,broken,EUR,,shipped
ORD-004,47.20,USD,,paid
ORD-005,8.75,EUR,eve@example.com,returned
`;
