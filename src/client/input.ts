/** What is to be screened, as a caller gives it → requests, and the batches of what is too large for one. */
import type { Options } from './contract.ts';
import { type Group, grouped, type Room } from './batches.ts';
import {
  type Bytes,
  type Compression,
  compressed,
  type Content,
  decompressed,
  encoded,
  gathered,
  joined,
  piecesOf,
  tooManyBytes,
  transcoded,
  withoutMark,
} from './content.ts';
import { CsvScanner, headed, LineScanner, recordsOf } from './records.ts';
import { type Rows, textsOf } from './rows.ts';
import type { Body } from './send.ts';
import { tooLarge } from './sluice-error.ts';

/** The service's limit. */
export const MAX_ROWS = 10_000;

export type Delimiter = ',' | ';' | '|' | 'tab';

interface Named {
  /** Name of the pipeline or table: the key of its baseline. */
  source: string;
  options?: Options | undefined;
}

interface Encoded {
  /** How the content is compressed already; it is not where this is absent. `screenAll` reads gzip and deflate. */
  contentEncoding?: Compression | 'br' | 'zstd' | undefined;
}

export interface RowsInput {
  /** Objects of fields and values, as `JSON.stringify` writes them. */
  rows: Rows;
}

export interface CsvInput extends Encoded {
  /** A header line, then a record a row. */
  csv: Content;
  /** By default a comma. */
  delimiter?: Delimiter | undefined;
  /** By default UTF-8; else a name of the Encoding Standard, such as windows-1252. */
  charset?: string | undefined;
}

export interface TsvInput extends Encoded {
  /** The same with tabs between the cells. */
  tsv: Content;
  charset?: string | undefined;
}

export interface NdjsonInput extends Encoded {
  /** A JSON object a line. */
  ndjson: Content;
}

export interface JsonInput {
  /** An array of rows, or an object with `rows` as POST /v1/screen takes it. */
  json: Content;
}

/** What can be cut into batches. */
export type Dividable = Named & (RowsInput | CsvInput | TsvInput | NdjsonInput);
export type Input = Dividable | (Named & JsonInput);

/** A request to screen, but for who sends it. */
export interface Screen {
  headers: Record<string, string>;
  body: Body;
}

/** How what is sent is made. */
export interface Making {
  /** The service's limit. */
  maxBodyBytes: number;
  /** How to compress what is not compressed yet. */
  compress: Compression | undefined;
  /** Ends the reading of the input with its reason. */
  signal: AbortSignal | undefined;
}

/** All of the input as one request. Throws `SluiceError` PAYLOAD_TOO_LARGE. */
export async function wholeRequest(input: Input, making: Making): Promise<Screen> {
  const request = await asGiven(input, making);
  const { headers, body } = request;
  const length = body instanceof Blob ? body.size : body.length;
  if (length > making.maxBodyBytes) throw tooManyBytes(making.maxBodyBytes);
  return 'Content-Encoding' in headers ? request : compressedBy(making.compress, request);
}

/** Throws `TypeError` for a name that is none, which would be sent, and learnt, as "undefined". */
function checkName({ source }: Named): void {
  if (typeof source !== 'string') throw new TypeError('source must be the name of the pipeline or table');
}

async function asGiven(input: Input, { maxBodyBytes, signal }: Making): Promise<Screen> {
  checkName(input);
  if ('rows' in input) return jsonOf(input, await allTexts(input.rows, signal));
  if ('json' in input) {
    const bytes = await gathered(withoutMark(piecesOf(input.json, signal)), maxBodyBytes);
    return { headers: JSON_TYPE, body: enveloped(bytes, input) };
  }
  const { content, headers } = textual(input, charsetOf(input));
  const { contentEncoding } = input;
  return {
    headers: contentEncoding === undefined ? headers : { ...headers, 'Content-Encoding': contentEncoding },
    // What can be sent again: a file is read anew each time.
    body: content instanceof Blob ? content : await gathered(piecesOf(content, signal), maxBodyBytes),
  };
}

async function allTexts(rows: Rows, signal: AbortSignal | undefined): Promise<Bytes[]> {
  const all: Bytes[] = [];
  for await (const texts of textsOf(rows, signal)) {
    all.push(...texts);
    if (all.length > MAX_ROWS)
      throw tooLarge(
        `One request may have at most ${MAX_ROWS.toLocaleString('en-US')} rows: send them with screenAll`,
      );
  }
  return all;
}

const charsetOf = (input: Dividable): string | undefined => ('charset' in input ? input.charset : undefined);

/** A batch that is all there is says nothing of chunks. How many there will be is not known before the last. */
export const chunkOptions = (
  options: Options | undefined,
  batch: number,
  last: boolean,
): Options | undefined =>
  batch === 1 && last ? options : { ...options, batch_index: batch, total_batches: last ? batch : batch + 1 };

/** A request with these rows; `named` says which chunk they are. */
export type Wrap = (rows: Group, named: Named) => Promise<Screen>;

/** Groups of rows, at least one, and what makes requests of them. Throws `SluiceError`. */
export async function divided(
  input: Dividable,
  { maxBodyBytes, compress, signal }: Making,
): Promise<{ groups: AsyncGenerator<Group>; wrap: Wrap }> {
  checkName(input);
  if ('rows' in input) {
    // A comma a row, and what stands around them.
    const room = roomBeside(jsonOf(input, []).body.length + MAX_ROWS + CHUNK_BYTES, maxBodyBytes);
    const wrap: Wrap = async (rows, named) => compressedBy(compress, jsonOf(named, rows));
    return { groups: grouped(textsOf(input.rows, signal), room), wrap };
  }
  const records = recordsIn(input, maxBodyBytes, signal);
  const { header, rows } = 'ndjson' in input ? { header: NOTHING, rows: records } : await headed(records);
  const wrap: Wrap = async (group, named) => {
    const { headers } = textual({ ...input, ...named }, undefined);
    return compressedBy(compress, { headers, body: joined([header, ...group]) });
  };
  return { groups: grouped(rows, roomBeside(header.length, maxBodyBytes)), wrap };
}

const NOTHING: Bytes = new Uint8Array();
/** More than `batch_index` and `total_batches` take. */
const CHUNK_BYTES = 100;

const roomBeside = (bytes: number, maxBodyBytes: number): Room => ({
  rows: MAX_ROWS,
  bytes: Math.max(0, maxBodyBytes - bytes),
});

/** In UTF-8, for records are looked for in bytes. */
function recordsIn(
  input: Exclude<Dividable, RowsInput>,
  most: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Bytes[]> {
  const { content } = textual(input, undefined);
  const { contentEncoding } = input;
  const given = piecesOf(content, signal);
  let pieces: AsyncIterable<Bytes> =
    contentEncoding === undefined ? given : decompressed(given, contentEncoding as Compression);
  const charset = charsetOf(input);
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) pieces = transcoded(pieces, charset);
  const scanner = 'ndjson' in input ? new LineScanner() : new CsvScanner(delimiterByte(input));
  return recordsOf(withoutMark(pieces), scanner, most);
}

const delimiterByte = (input: CsvInput | TsvInput): number =>
  'tsv' in input || input.delimiter === 'tab' ? 0x09 : (input.delimiter ?? ',').charCodeAt(0);

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The text of an input with its headers. */
function textual(
  input: Exclude<Dividable, RowsInput>,
  charset: string | undefined,
): { content: Content; headers: Record<string, string> } {
  const names = {
    'X-Source': encodeURIComponent(input.source),
    ...(input.options && { 'X-Options': asciiJson(input.options) }),
  };
  const typed = (type: string) => ({
    'Content-Type': charset === undefined ? type : `${type}; charset=${charset}`,
    ...names,
  });
  if ('ndjson' in input)
    return { content: input.ndjson, headers: { 'Content-Type': 'application/x-ndjson', ...names } };
  if ('tsv' in input) return { content: input.tsv, headers: typed('text/tab-separated-values') };
  const delimiter = input.delimiter && { 'X-CSV-Delimiter': input.delimiter };
  return { content: input.csv, headers: { ...typed('text/csv'), ...delimiter } };
}

/** Headers hold ASCII. */
const asciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const COMMA = encoded(',');

function jsonOf({ source, options }: Named, texts: Group): { headers: Record<string, string>; body: Bytes } {
  const begin = encoded(`${JSON.stringify({ source, options }).slice(0, -1)},"rows":[`);
  const between = texts.flatMap((text, i) => (i === 0 ? [text] : [COMMA, text]));
  return { headers: JSON_TYPE, body: joined([begin, ...between, encoded(']}')]) };
}

const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Around an array an object; in an object behind its members, for of a name that is there twice the last counts. */
function enveloped(json: Bytes, { source, options }: Named): Bytes {
  const named = JSON.stringify({ source, options });
  const first = json.find(byte => !isBlank(byte));
  const isArray = first === OPEN_BRACKET;
  const end = isArray ? arrayEnd(json) : json.lastIndexOf(CLOSE_BRACE);
  const isAlone = json.subarray(end + 1).every(isBlank);
  // What is neither is refused by the service; what follows an array must not become members of the object around it.
  if (end < 0 || !isAlone || !(isArray || first === OPEN_BRACE)) return json;
  if (isArray) return joined([encoded(`${named.slice(0, -1)},"rows":`), json, encoded('}')]);
  const isEmpty = json.subarray(0, end).findLast(byte => !isBlank(byte)) === OPEN_BRACE;
  return joined([json.subarray(0, end), encoded(isEmpty ? named.slice(1) : `,${named.slice(1)}`)]);
}

/** The bracket that closes the array which the text begins with; -1 where none does. */
function arrayEnd(json: Bytes): number {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at);
    else if (byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACKET && --depth === 0) return at;
  }
  return -1;
}

/** The quote that closes the string which opens at `at`, or the text's end. */
function stringEnd(json: Bytes, at: number): number {
  let end = at + 1;
  while (end < json.length && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return end;
}

async function compressedBy(by: Compression | undefined, { headers, body }: Screen): Promise<Screen> {
  if (by === undefined) return { headers, body };
  const bytes = await gathered(piecesOf(body), Number.POSITIVE_INFINITY);
  return { headers: { ...headers, 'Content-Encoding': by }, body: await compressed(bytes, by) };
}
