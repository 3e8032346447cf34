/** The caller's input → one request for each batch of a large input, and what all requests are made of. */
import { asciiJson } from '../terms/wording.ts';
import { type Group, groupsOf, type Room } from './batches.ts';
import {
  type Bytes,
  type Compression,
  type Content,
  compressed,
  decompressed,
  encoded,
  fromLine,
  joined,
  NOTHING_GIVEN,
  piecesOf,
  transcoded,
  withoutMark,
} from './content.ts';
import type { Options } from './contract.ts';
import { CsvScanner, headed, LineScanner, recordsOf } from './records.ts';
import { type Rows, textsOf } from './rows.ts';
import type { Body } from './send.ts';

/** The service's limit. */
export const MAX_ROWS = 10_000;

export type Delimiter = ',' | ';' | '|' | 'tab' | '^' | '~' | '0x01';

export interface SourceAndOptions {
  /** Name of the pipeline or table. Each source has its own baseline. */
  source: string;
  options?: Options | undefined;
}

interface Encoded {
  /** How the content is compressed; absent if it is not. `screenAll` reads gzip and deflate. */
  contentEncoding?: Compression | 'br' | 'zstd' | undefined;
}

export interface RowsInput {
  /** Objects of fields and values; `JSON.stringify` writes them. */
  rows: Rows;
}

/** How CSV and TSV are read. */
interface Dialect extends Encoded {
  /** The line of the header, from 1: what stands before it is not read. Default: the first line, which the service checks. */
  headerLine?: number | undefined;
  /** Before quotes, delimiters and line ends that are text, as Spark and MySQL write it. Default: quotes in quotes are doubled. */
  escape?: '\\' | undefined;
  /** A name of the Encoding Standard, such as windows-1252. Default: UTF-8. */
  charset?: string | undefined;
}

export interface CsvInput extends Dialect {
  /** A header line, then one record for each row. */
  csv: Content;
  /** Default: a comma. */
  delimiter?: Delimiter | undefined;
}

export interface TsvInput extends Dialect {
  /** A header line, then one record for each row, with tabs between the cells. */
  tsv: Content;
}

export interface NdjsonInput extends Encoded {
  /** One JSON object on each line. */
  ndjson: Content;
}

export interface JsonInput {
  /** An array of rows, or a request object of POST /v1/screen. */
  json: Content;
}

export interface ArrowInput extends Encoded {
  /** An Arrow IPC stream, or a file (Feather version 2). */
  arrow: Content;
}

export interface ParquetInput extends Encoded {
  parquet: Content;
}

export type TextInput = CsvInput | TsvInput | NdjsonInput;
/** Input that is sent as it is. */
export type ContentInput = TextInput | JsonInput | ArrowInput | ParquetInput;

/** Rows of a batch that is already open. */
export type PartInput = RowsInput | ContentInput;
/** Input that can be divided into batches. */
export type Dividable = SourceAndOptions & (RowsInput | TextInput);
export type Input = SourceAndOptions & PartInput;

/** What was sent: the answer must be about the same. */
export interface About {
  /** Null where only the service knows it. */
  source: string | null;
  /** Null for text and columns that are sent as they are: only the service counts their rows. */
  rows: number | null;
}

/** A screening request without credentials. */
export interface ScreenRequest {
  headers: Record<string, string>;
  body: Body;
  about: About;
}

export interface RequestSettings {
  /** The service's limit. */
  maxBodyBytes: number;
  /** How to compress a body that is not compressed yet. */
  compress: Compression | undefined;
  /** When it aborts, reading the input ends with its reason. */
  signal: AbortSignal | undefined;
}

/** Mode `auto`, unless the caller chose one. */
export const withMode = <Given extends SourceAndOptions>(given: Given): Given => ({
  ...given,
  options: { mode: 'auto', ...given.options },
});

/** Throws `TypeError` for a missing name: it would be sent, and learned, as "undefined". */
function checkName({ source }: SourceAndOptions): void {
  if (typeof source !== 'string') throw new TypeError('source must be the name of the pipeline or table');
}

/** Throws `TypeError` for input that only plain JavaScript can give. */
export function checkInput(input: Input): void {
  checkName(input);
  checkGiven(input);
}

export function checkGiven(input: PartInput): void {
  const given = input as unknown as Record<string, unknown>;
  if (!GIVEN.some(name => given[name] != null)) throw new TypeError(NOTHING_GIVEN);
}

const GIVEN = ['rows', 'csv', 'tsv', 'ndjson', 'json', 'arrow', 'parquet'];

/** Throws `TypeError` for input that only plain JavaScript can give. */
function checkDividable(input: Dividable): void {
  checkName(input);
  const given = (name: string) => (input as unknown as Record<string, unknown>)[name] != null;
  if (['rows', 'csv', 'tsv', 'ndjson'].some(given)) return;
  const whole = ['json', 'arrow', 'parquet'].find(given);
  throw new TypeError(
    whole === undefined
      ? 'There is nothing to screen: give rows, csv, tsv or ndjson'
      : `screenAll, gateAll and stream take rows, csv, tsv or ndjson: send ${whole} with screen or gate`,
  );
}

export const namesOf = ({ source, options }: SourceAndOptions): Record<string, string> => ({
  'X-Source': encodeURIComponent(source),
  ...(options && { 'X-Options': asciiJson(options) }),
});

export const charsetOf = (input: PartInput): string | undefined =>
  'charset' in input ? input.charset : undefined;

const encodingOf = ({ contentEncoding }: Encoded): Record<string, string> =>
  contentEncoding === undefined ? {} : { 'Content-Encoding': contentEncoding };

/** The options of one batch of many. The total is known only with the last batch: until then it is one more than so far. */
export const chunkOptions = (
  options: Options | undefined,
  batch: number,
  last: boolean,
): Options | undefined =>
  batch === 1 && last ? options : { ...options, batch_index: batch, total_batches: last ? batch : batch + 1 };

/** Makes a request of rows; `named` has the options of this batch. */
export type Wrap = (rows: Group, named: SourceAndOptions) => Promise<ScreenRequest>;

/** Groups of rows, at least one, and the function that makes requests of them. Throws `SluiceError`. */
export async function divided(
  input: Dividable,
  { maxBodyBytes, compress, signal }: RequestSettings,
): Promise<{ groups: AsyncGenerator<Group>; wrap: Wrap }> {
  checkDividable(input);
  if ('rows' in input) {
    // Besides the rows: a comma for each, and the object around them.
    const room = roomAfter(jsonOf(input, []).body.length + MAX_ROWS + CHUNK_BYTES, maxBodyBytes);
    const wrap: Wrap = async (rows, named) => compressedBy(compress, jsonOf(named, rows));
    return { groups: groupsOf(textsOf(input.rows, signal), room), wrap };
  }
  const records = recordsIn(input, maxBodyBytes, signal);
  const { header, rows } = 'ndjson' in input ? { header: NOTHING, rows: records } : await headed(records);
  const wrap: Wrap = async (group, named) => {
    // What stands before the header is left out, and the records are decompressed.
    const { headers } = contentOf(
      { ...input, contentEncoding: undefined, ...(hasHeaderLine(input) && { headerLine: 1 }) },
      undefined,
    );
    const about = { source: named.source, rows: group.length };
    const body = joined([header, ...group]);
    return compressedBy(compress, { headers: { ...headers, ...namesOf(named) }, body, about });
  };
  return { groups: groupsOf(rows, roomAfter(header.length, maxBodyBytes)), wrap };
}

/** The rows for a stream: each that has to be waited for as it comes. Of CSV and TSV the header is apart. */
export async function streamable(
  input: Dividable,
  { maxBodyBytes, signal }: Pick<RequestSettings, 'maxBodyBytes' | 'signal'>,
): Promise<{ header: Bytes; rows: AsyncGenerator<Bytes[]>; format: object; close(): void }> {
  checkDividable(input);
  const records =
    'rows' in input
      ? textsOf(input.rows, signal, Symbol.asyncIterator in input.rows ? 1 : undefined)
      : recordsIn(input, maxBodyBytes, signal);
  // Not awaited: a generator can only end after the value that it waits for.
  const close = () => void records.return(undefined).catch(() => {});
  if ('rows' in input) return { header: NOTHING, rows: lines(records), format: {}, close };
  if ('ndjson' in input) return { header: NOTHING, rows: records, format: {}, close };
  if (input.escape !== undefined)
    throw new TypeError('A stream takes no escape: double the quotes that are text, or send a batch');
  const delimiter = 'tsv' in input ? 'tab' : input.delimiter;
  return { ...(await headed(records)), format: { format: 'csv', delimiter }, close };
}

async function* lines(groups: AsyncGenerator<Bytes[]>): AsyncGenerator<Bytes[]> {
  for await (const texts of groups) yield texts.map(text => joined([text, LINE_END]));
}

export const LINE_END = encoded('\n');

const NOTHING: Bytes = new Uint8Array();
/** Enough for `batch_index` and `total_batches`. */
const CHUNK_BYTES = 100;

const roomAfter = (bytes: number, maxBodyBytes: number): Room => ({
  rows: MAX_ROWS,
  bytes: Math.max(0, maxBodyBytes - bytes),
});

/** The records in UTF-8: the scanners search bytes. */
function recordsIn(input: TextInput, most: number, signal: AbortSignal | undefined): AsyncGenerator<Bytes[]> {
  const { content } = contentOf(input, undefined);
  const { contentEncoding } = input;
  const given = piecesOf(content, signal);
  let pieces: AsyncIterable<Bytes> =
    contentEncoding === undefined ? given : decompressed(given, readable(contentEncoding));
  const charset = charsetOf(input);
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) pieces = transcoded(pieces, charset);
  const text = withoutMark(pieces);
  if ('ndjson' in input) return recordsOf(text, new LineScanner(), most);
  return recordsOf(fromLine(text, input.headerLine ?? 1), scannerOf(input), most);
}

const scannerOf = (input: CsvInput | TsvInput): CsvScanner =>
  new CsvScanner(delimiterByte(input), input.escape?.charCodeAt(0) ?? null);

/** Platforms differ in what else they decompress. Throws `TypeError`. */
function readable(coding: string): Compression {
  if (coding === 'gzip' || coding === 'deflate') return coding;
  throw new TypeError(
    `screenAll, gateAll and stream read gzip and deflate, not ${coding}: decompress it first, or send it with screen or gate`,
  );
}

const delimiterByte = (input: CsvInput | TsvInput): number =>
  'tsv' in input || input.delimiter === 'tab'
    ? 0x09
    : input.delimiter === '0x01'
      ? 1
      : (input.delimiter ?? ',').charCodeAt(0);

export const JSON_TYPE = { 'Content-Type': 'application/json' };
export const NDJSON_TYPE = { 'Content-Type': 'application/x-ndjson' };
const PARQUET_TYPE = { 'Content-Type': 'application/vnd.apache.parquet' };
const ARROW_TYPE = { 'Content-Type': 'application/vnd.apache.arrow.stream' };

/** What is sent of an input, and the headers that say how to read it. */
export function contentOf(
  input: ContentInput,
  charset: string | undefined,
): { content: Content; headers: Record<string, string> } {
  if ('json' in input) return { content: input.json, headers: JSON_TYPE };
  const encoding = encodingOf(input);
  if ('ndjson' in input) return { content: input.ndjson, headers: { ...NDJSON_TYPE, ...encoding } };
  if ('parquet' in input) return { content: input.parquet, headers: { ...PARQUET_TYPE, ...encoding } };
  // The service sees whether it is a file.
  if ('arrow' in input) return { content: input.arrow, headers: { ...ARROW_TYPE, ...encoding } };
  const typed = (type: string) => ({
    'Content-Type': charset === undefined ? type : `${type}; charset=${charset}`,
    ...encoding,
  });
  const { headerLine, escape: escapeMark } = input;
  const line = {
    ...(headerLine !== undefined && { 'X-CSV-Header-Line': String(headerLine) }),
    ...(escapeMark !== undefined && { 'X-CSV-Escape': escapeMark }),
  };
  if ('tsv' in input)
    return { content: input.tsv, headers: { ...typed('text/tab-separated-values'), ...line } };
  const delimiter = input.delimiter && { 'X-CSV-Delimiter': input.delimiter };
  return { content: input.csv, headers: { ...typed('text/csv'), ...delimiter, ...line } };
}

const hasHeaderLine = (input: Dividable): boolean => 'headerLine' in input && input.headerLine !== undefined;

const COMMA = encoded(',');

export function jsonOf(
  { source, options }: SourceAndOptions,
  texts: Group,
): { headers: Record<string, string>; body: Bytes; about: About } {
  const begin = encoded(`${JSON.stringify({ source, options }).slice(0, -1)},"rows":[`);
  const between = texts.flatMap((text, i) => (i === 0 ? [text] : [COMMA, text]));
  const about = { source, rows: texts.length };
  return { headers: JSON_TYPE, body: joined([begin, ...between, encoded(']}')]), about };
}

export async function compressedBy(
  by: Compression | undefined,
  request: ScreenRequest,
): Promise<ScreenRequest> {
  if (by === undefined || 'Content-Encoding' in request.headers) return request;
  const all: Bytes[] = [];
  for await (const piece of compressed(piecesOf(request.body), by)) all.push(piece);
  return { ...request, headers: { ...request.headers, 'Content-Encoding': by }, body: joined(all) };
}
