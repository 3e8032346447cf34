/** Pasted or dropped content → a request to screen it. */

export type Format = 'csv' | 'json' | 'ndjson';

export interface Choices {
  source: string;
  /** CSV only: `,` `;` `|` or `tab`. */
  delimiter: string;
  /** CSV and NDJSON only. */
  charset: string;
  fullScan: boolean;
  dryRun: boolean;
}

export interface ScreenRequest {
  headers: Record<string, string>;
  body: Blob;
}

/** Content that cannot be rows, with a message for people. */
export class InvalidInput extends Error {}

/** How much of a file is read to detect its format. */
export const HEAD_BYTES = 65_536;

const BOM = '\ufeff';

/** How binary files begin, decoded as UTF-8: U+FFFD stands for an invalid byte. */
const BINARY: [message: string, beginnings: string[]][] = [
  [
    'This is a workbook or an archive: save the sheet as CSV first.',
    ['PK\u0003\u0004', '\ufffd\ufffd\u0011\u0871'],
  ],
  [
    'This file is compressed: unpack it first.',
    ['\u001f\ufffd\u0008', 'BZh91AY', '\ufffd7zXZ', '(\ufffd/\ufffd'],
  ],
  [
    'This is not a text file: save its rows as CSV or JSON first.',
    ['%PDF-', 'PAR1', 'Obj\u0001', 'ARROW1', 'SQLite format 3\u0000', '\ufffdPNG', 'GIF89a'],
  ],
];

/** The format of a text that begins with `head`. Throws `InvalidInput` if it cannot be rows. */
export function formatOf(head: string): Format {
  const binary = BINARY.find(([, beginnings]) => beginnings.some(each => head.startsWith(each)));
  if (binary) throw new InvalidInput(binary[0]);
  const text = head.replace(BOM, '').trimStart();
  if (text === '')
    throw new InvalidInput('There are no rows: paste some, with a header line if they are CSV.');
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  return /^\{[^\n]*\}[ \t\r]*\n\s*\{/.test(text) ? 'ndjson' : 'json';
}

/** UTF-16 by its byte order mark, UTF-8 if it is valid; null for any other encoding. */
export function charsetOf(head: Uint8Array): string | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  try {
    // The head may end within a character.
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

/** The most frequent delimiter of the header line, outside quotes; a comma if there is none. */
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

/** Throws `InvalidInput`. */
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

/** Sends an array of rows byte by byte: parsing it here would take longer than screening it there. */
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

/** The `rows` of a request object; any other object is one row. */
function rowsIn(text: string): unknown {
  const value = parsed(text);
  if (Object.hasOwn(value, 'rows')) return (value as { rows: unknown }).rows;
  return [value];
}

function parsed(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new InvalidInput(`This is not valid JSON: ${(error as Error).message}.`);
  }
}

const MAX_NAME = 60;

/** The source that a file name suggests: `orders.2026-11` of `orders.2026-11.csv`. */
export const sourceFrom = (file: string): string =>
  [
    ...file
      .replace(/\.[^.]*$/, '')
      .replace(/\p{C}/gu, '')
      .trim(),
  ]
    .slice(0, MAX_NAME)
    .join('');

/** Example rows; one is broken. */
export const EXAMPLE = `order_id,amount,currency,email,status
ORD-001,99.50,EUR,ann@example.com,paid
ORD-002,12.00,EUR,ben@example.com,paid
ORD-003,broken,EUR,,shipped
ORD-004,47.20,USD,,paid
ORD-005,8.75,EUR,eve@example.com,returned
`;
