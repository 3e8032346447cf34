/** Pasted or dropped content → a request to screen it. */
import { asciiJson } from '../terms/wording.ts';

export type Format = 'csv' | 'json' | 'ndjson' | Columns;
type Columns = 'parquet' | 'arrow file' | 'arrow stream';
export type Coding = 'gzip' | 'zstd';

export interface Choices {
  source: string;
  /** CSV only: `,` `;` `|` or `tab`. */
  delimiter: string;
  /** CSV: the line of the header, from 1, and the character before quotes that are text; null: as the server finds. */
  headerLine?: number | null;
  escapeCharacter?: string | null;
  /** CSV and NDJSON only. */
  charset: string;
  /** As the API takes them. */
  options: Record<string, unknown>;
  /** Compression of the content; null without one. */
  coding: Coding | null;
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
  ['This file is compressed: unpack it first.', ['BZh91AY', '\ufffd7zXZ']],
  [
    'This is not a text file: save its rows as CSV or JSON first.',
    ['%PDF-', 'Obj\u0001', 'SQLite format 3\u0000', '\ufffdPNG', 'GIF89a'],
  ],
];

const CODINGS: [Coding, number[]][] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
];
const COLUMNS: [Columns, number[]][] = [
  ['parquet', [...'PAR1'].map(letter => letter.charCodeAt(0))],
  ['arrow file', [...'ARROW1'].map(letter => letter.charCodeAt(0))],
  ['arrow stream', [0xff, 0xff, 0xff, 0xff]],
];

const named = <Name>(names: [Name, number[]][], head: Uint8Array): Name | null =>
  names.find(([, begins]) => begins.every((byte, i) => head[i] === byte))?.[0] ?? null;

/** The compression of a file that begins with `head`; null without one. */
export const codingOf = (head: Uint8Array): Coding | null => named(CODINGS, head);

/** The format of a file of columns that begins with `head`; null for texts. */
export const columnsOf = (head: Uint8Array): Columns | null => named(COLUMNS, head);

/** The format that the name of a compressed file tells, where its beginning cannot be read. */
export function formatNamed(file: string): Format {
  const ending = /\.([a-z]+)\.[a-z]+$/i.exec(file)?.[1]?.toLowerCase();
  if (ending === 'csv' || ending === 'json' || ending === 'parquet') return ending;
  if (ending === 'ndjson' || ending === 'jsonl') return 'ndjson';
  throw new InvalidInput(
    'This browser cannot unpack the file to detect its format: rename it to end in .csv.zst or .ndjson.zst, or unpack it.',
  );
}

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
  parquet: 'application/vnd.apache.parquet',
  'arrow file': 'application/vnd.apache.arrow.file',
  'arrow stream': 'application/vnd.apache.arrow.stream',
};

/** Longer ones do not fit into the head of a request. */
const MAX_HEADER_CHARACTERS = 12_000;

/** Throws `InvalidInput`. */
export async function screenRequest(content: Blob, format: Format, choices: Choices): Promise<ScreenRequest> {
  if (format === 'json')
    return { headers: { 'Content-Type': TYPES.json }, body: await jsonBody(content, choices) };
  const { source, delimiter, headerLine, escapeCharacter, charset, coding, options } = choices;
  const isText = format === 'csv' || format === 'ndjson';
  const headers = {
    'Content-Type': isText ? `${TYPES[format]}; charset=${charset}` : TYPES[format],
    'X-Source': encodeURIComponent(source.toWellFormed()),
    'X-Options': headerText(options),
    ...(coding && { 'Content-Encoding': coding }),
    ...(format === 'csv' && {
      'X-CSV-Delimiter': delimiter,
      ...(headerLine && { 'X-CSV-Header-Line': String(headerLine) }),
      ...(escapeCharacter && { 'X-CSV-Escape': escapeCharacter }),
    }),
  };
  return { headers, body: content };
}

/** JSON in ASCII. Throws `InvalidInput`. */
function headerText(options: object): string {
  const text = asciiJson(options);
  if (text.length <= MAX_HEADER_CHARACTERS) return text;
  throw new InvalidInput(
    'These rules are too long to send with such a file: set them on the page of the source, or send JSON.',
  );
}

/** Sends an array of rows byte by byte: parsing it here would take longer than screening it there. */
async function jsonBody(content: Blob, choices: Choices): Promise<Blob> {
  const envelope = JSON.stringify({ source: choices.source, options: choices.options }).slice(0, -1);
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
      .replace(/\.(gz|zst|zstd)$/i, '')
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
