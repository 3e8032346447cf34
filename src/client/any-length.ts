/** Input of any length → one request where it fits, and a body that is read while it is sent. */
import {
  type Bytes,
  begun,
  type Compression,
  compressed,
  encoded,
  isReadAgain,
  joined,
  piecesOf,
  withoutMark,
} from './content.ts';
import {
  type About,
  charsetOf,
  checkGiven,
  checkInput,
  compressedBy,
  contentOf,
  type Input,
  JSON_TYPE,
  jsonOf,
  LINE_END,
  MAX_ROWS,
  NDJSON_TYPE,
  namesOf,
  type PartInput,
  type RequestSettings,
  type RowsInput,
  type ScreenRequest,
  type SourceAndOptions,
  type ContentInput,
} from './input.ts';
import { arrayEnd } from './json-bytes.ts';
import { begunRows, type Rows, textsOf } from './rows.ts';
import type { Body } from './send.ts';

/** A body of any length, which is read while it is sent. */
export interface LongBody {
  headers: Record<string, string>;
  /** Its pieces, from the beginning each time. */
  open(): AsyncGenerator<Bytes>;
  /** Whether `open` can be called again. */
  isReadAgain: boolean;
  /** How many rows were read since the last `open`; null if only the service counts them. */
  rows(): number | null;
}

/** What an input can be sent as. */
export interface Requests {
  /** Null for more than one request may have. */
  one: ScreenRequest | null;
  long: LongBody;
}

/** Reads no more of the input than one request may have. `options` are those of one request. */
export async function requestsOf(
  input: Input,
  settings: RequestSettings,
  options = input.options,
): Promise<Requests> {
  checkInput(input);
  const named = { source: input.source, options };
  const { one, long } =
    'rows' in input ? await ofRows(input, named, settings) : await ofContent(input, named, settings);
  const isFull = one === null || sizeOf(one.body) > settings.maxBodyBytes;
  return { one: isFull ? null : await compressedBy(settings.compress, one), long };
}

const sizeOf = (body: Body): number => (body instanceof Blob ? body.size : body.length);

async function ofRows(
  input: RowsInput,
  named: SourceAndOptions,
  settings: RequestSettings,
): Promise<Requests> {
  const begin = await begunRows(textsOf(input.rows, settings.signal), MAX_ROWS, settings.maxBodyBytes);
  const { texts } = begin;
  const isAgain = areReadAgain(input.rows);
  const rest = await restOf(begin, isAgain);
  const long = isAgain
    ? longBody(input, settings)
    : longRows(() => resumed([texts], rest), rest === null, settings);
  return { one: begin.rest === null ? jsonOf(named, texts) : null, long };
}

async function ofContent(
  input: ContentInput,
  named: SourceAndOptions,
  settings: RequestSettings,
): Promise<Requests> {
  const { content, headers } = contentOf(input, charsetOf(input));
  const request = (body: Body): ScreenRequest => ({
    headers: { ...headers, ...namesOf(named) },
    body,
    about: uncounted(named),
  });
  // A retry sends the body again. A file is read again each time; all else is kept in memory.
  if (content instanceof Blob && !('json' in input))
    return { one: request(content), long: longBody(input, settings) };
  const begin = await begun(textPieces(input, settings.signal), settings.maxBodyBytes);
  const { bytes } = begin;
  const isAgain = isReadAgain(content);
  const rest = await restOf(begin, isAgain);
  const long = isAgain
    ? longBody(input, settings)
    : longText(headers, () => resumed([bytes], rest), rest === null, settings);
  if (begin.rest !== null) return { one: null, long };
  const one =
    'json' in input
      ? { headers: JSON_TYPE, body: enveloped(bytes, named), about: uncounted(named) }
      : request(bytes);
  return { one, long };
}

/** The rest of an input that cannot be read again. Else the rest is ended. */
async function restOf<Part>(
  { rest }: { rest: AsyncGenerator<Part> | null },
  isAgain: boolean,
): Promise<AsyncGenerator<Part> | null> {
  if (!isAgain) return rest;
  await rest?.return(undefined);
  return null;
}

async function* resumed<Part>(read: Part[], rest: AsyncGenerator<Part> | null): AsyncGenerator<Part> {
  yield* read;
  if (rest !== null) yield* rest;
}

const uncounted = ({ source }: SourceAndOptions): About => ({ source, rows: null });

// ---- bodies of any length ----

/** The input as a body of any length, without source and options. */
export function longBody(input: PartInput, settings: RequestSettings): LongBody {
  checkGiven(input);
  const { signal } = settings;
  if ('rows' in input) return longRows(() => textsOf(input.rows, signal), areReadAgain(input.rows), settings);
  const { content, headers } = contentOf(input, charsetOf(input));
  return longText(headers, () => textPieces(input, signal), isReadAgain(content), settings);
}

function longText(
  headers: Record<string, string>,
  open: () => AsyncGenerator<Bytes>,
  isAgain: boolean,
  { compress }: RequestSettings,
): LongBody {
  const long = { headers, open, isReadAgain: isAgain, rows: () => null };
  return compress === undefined || 'Content-Encoding' in headers ? long : compressedLong(long, compress);
}

function longRows(
  open: () => AsyncGenerator<Bytes[]>,
  isAgain: boolean,
  settings: RequestSettings,
): LongBody {
  let rows = 0;
  async function* text(): AsyncGenerator<Bytes> {
    rows = 0;
    for await (const texts of open()) {
      rows += texts.length;
      yield joined(texts.flatMap(text => [text, LINE_END]));
    }
  }
  return { ...longText(NDJSON_TYPE, text, isAgain, settings), rows: () => rows };
}

const compressedLong = (long: LongBody, by: Compression): LongBody => ({
  ...long,
  headers: { ...long.headers, 'Content-Encoding': by },
  async *open() {
    yield* compressed(long.open(), by);
  },
});

/** A generator gives its rows once. */
const areReadAgain = (rows: Rows): boolean => Array.isArray(rows) || typeof rows === 'function';

const textPieces = (input: ContentInput, signal: AbortSignal | undefined): AsyncGenerator<Bytes> => {
  const pieces = piecesOf(contentOf(input, undefined).content, signal);
  return 'json' in input ? withoutMark(pieces) : pieces;
};

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/**
 * Adds source and options. An array becomes the `rows` of an object. In an object they are added at the end: of two members with
 * one name the last counts.
 */
function enveloped(json: Bytes, { source, options }: SourceAndOptions): Bytes {
  const named = JSON.stringify({ source, options });
  const first = json.find(byte => !isBlank(byte));
  const isArray = first === OPEN_BRACKET;
  const end = isArray ? arrayEnd(json) : json.lastIndexOf(CLOSE_BRACE);
  const isAlone = json.subarray(end + 1).every(isBlank);
  // The service rejects anything else. Text after an array must not become members of the object around it.
  if (end < 0 || !isAlone || !(isArray || first === OPEN_BRACE)) return json;
  if (isArray) return joined([encoded(`${named.slice(0, -1)},"rows":`), json, encoded('}')]);
  const isEmpty = json.subarray(0, end).findLast(byte => !isBlank(byte)) === OPEN_BRACE;
  return joined([json.subarray(0, end), encoded(isEmpty ? named.slice(1) : `,${named.slice(1)}`)]);
}
