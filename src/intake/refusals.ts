/** Error codes and messages for the engine's faults. */
import { Fault, Format, Kind, MAX_CELLS, MAX_DEPTH, MAX_FIELDS, MAX_ROWS } from '../../assembly/abi.ts';
import { type Envelope, MAX_MEMBER_BYTES, type Refusal, TOO_LONG } from '../engine/engine.ts';
import type { NotATable } from '../table/sign.ts';
import { delimiterName, DELIMITERS, delimiterText } from './delimiters.ts';
import { BY_HEADERS, type Instructions } from './instructions.ts';
import { nameTooLong, quoted, Rejection } from '../terms/errors.ts';

/** `guess`: its charset, or the character that escapes quotes. Why a body is refused: what the engine says, or what is seen of the table as a whole, which was cut by `delimiter`. */
export type WhyRefused =
  | { format: Format; refusal: Refusal; guess?: string | undefined }
  | { table: NotATable; delimiter: number };

/** The engine has refused a body. `why` says so for who would say it in other words. */
export class RefusedBody extends Rejection {
  constructor(readonly why: WhyRefused) {
    const { code, message, headers } =
      'table' in why
        ? notATable(why.table, why.delimiter)
        : rejectionOf(why.refusal, why.format, BY_HEADERS, why.guess);
    super(code, message, headers);
  }
}

/** The engine's fault as an error for the client. */
export function rejectionOf(refusal: Refusal, format: Format, say = BY_HEADERS, guess?: string): Rejection {
  const { fault } = refusal;
  switch (fault) {
    case Fault.NONE:
      throw new Error('a refusal must have a fault');
    case Fault.SYNTAX:
      return notJson(refusal, format, 'unexpected byte at offset', say, strangerIn(refusal));
    case Fault.TRUNCATED:
      return notJson(refusal, format, 'it ends inside a value, at byte offset', say);
    case Fault.ENCODING:
      return format === Format.CSV
        ? undecodable('utf-8', refusal.line, say, guess)
        : new Rejection('INVALID_JSON', `${say.body} is not UTF-8: invalid byte at offset ${refusal.offset}`);
    case Fault.DEPTH:
      return tooLarge(
        `brackets are nested more than ${count(MAX_DEPTH)} deep at byte offset ${refusal.offset}`,
      );
    case Fault.ROWS:
      return tooLarge(`a request may have at most ${count(MAX_ROWS)} rows; send the rest in more batches`);
    case Fault.FIELDS:
      return tooLarge(
        `a request may have at most ${count(MAX_FIELDS)} fields${lineOfFields(refusal, format)}`,
      );
    case Fault.CELLS:
      return tooLarge(`a request may have at most ${count(MAX_CELLS)} cells`);
    case Fault.TEXTS:
      return tooLarge(
        `its decompressed buffers, or its values as texts, ${refusal.reason && `up to those of the column ${refusal.reason}, `}take more bytes than a body may have; send fewer rows or shorter texts`,
      );
    case Fault.WORK:
      return tooLarge(
        `its pages take more than ${refusal.reason} steps to read: each value of a page is one, 8 bytes are one, and each page or column chunk is 80; send fewer rows, or fewer pages for each column`,
      );
    case Fault.COLUMNS:
      return new Rejection('INVALID_ROWS', refusal.reason);
    case Fault.NAME:
      return nameTooLong(placeOfName(refusal, format));
    default:
      return new Rejection('INVALID_ROWS', rowsMessage(fault, refusal, format, say, guess));
  }
}

/** What other languages have and JSON has not, and what to write. */
const STRANGERS: [form: RegExp, advice: string][] = [
  [/^-?nan\b/i, 'JSON has no NaN: write null'],
  [/^[-+]?inf(inity)?\b/i, 'JSON has no Infinity: write null'],
  [/^(None|undefined|NULL|Null|nil)\b/, 'write null, in small letters'],
  [/^(True|TRUE|False|FALSE)\b/, 'write true and false in small letters'],
  [/^'/, 'names and texts are in double quotes'],
  [/^(\/[/*]|#)/, 'JSON has no comments'],
];

/** The end of a sentence about JSON of other languages; empty for other faults. */
function strangerIn({ found }: Refusal): string {
  if (found === undefined) return '';
  const { text, after } = found;
  // Of `-Infinity` the second character is unexpected, and of `nan`.
  const advice = STRANGERS.find(([form]) => form.test(text) || form.test(after + text))?.[1];
  if (advice !== undefined) return `: ${advice}`;
  return after === ',' && /^[\]}]/.test(text) ? ': no comma follows the last value' : '';
}

function notJson(
  { offset, line }: Refusal,
  format: Format,
  what: string,
  say: Instructions,
  stranger = '',
): Rejection {
  const message =
    format === Format.NDJSON
      ? `Line ${line} is not JSON: ${what} ${offset}${stranger || '; each line must be one complete object'}`
      : `${say.body} is not JSON: ${what} ${offset}${stranger}`;
  return new Rejection('INVALID_JSON', message);
}

type RowsFault =
  | Fault.ROWS_NOT_ARRAY
  | Fault.ROWS_EMPTY
  | Fault.ROW_NOT_OBJECT
  | Fault.TEXT_AFTER_QUOTE
  | Fault.QUOTE_OPEN
  | Fault.HEADER_MISSING;

/** Does not compile while a fault lacks its sentence. */
function rowsMessage(
  fault: RowsFault,
  { row, line, afterQuote }: Refusal,
  format: Format,
  say: Instructions,
  guess: string | undefined,
): string {
  switch (fault) {
    case Fault.ROWS_NOT_ARRAY:
      return 'rows must be an array of objects';
    case Fault.ROWS_EMPTY:
      return NO_ROWS[format];
    case Fault.ROW_NOT_OBJECT:
      if (format === Format.NDJSON) return `Every line must be a JSON object; line ${line} is not`;
      return `Every item of rows must be an object; the one at index ${row} is not`;
    case Fault.TEXT_AFTER_QUOTE:
      return `Text follows the closing quote of the cell that begins on line ${line}; ${guess === undefined ? aboutQuote(afterQuote, say) : `if ${guess} stands before quotes that are text, ${say.escape()}`}`;
    case Fault.QUOTE_OPEN:
      return `The quote that opens on line ${line} is never closed`;
    case Fault.HEADER_MISSING:
      return line > 1
        ? 'The CSV has nothing where its header should be: send a header line and at least one row of data'
        : 'The CSV is empty: send a header line and at least one row of data';
  }
}

function aboutQuote(afterQuote: number, say: Instructions): string {
  return [...DELIMITERS.values()].includes(afterQuote)
    ? `if ${delimiterText(afterQuote)} is the delimiter, ${say.delimiter(delimiterName(afterQuote))}`
    : 'write a quote inside quotes as ""';
}

/** What was read is no table, though it was cut into one by `delimiter`. */
export function notATable(table: NotATable, delimiter: number, say = BY_HEADERS): Rejection {
  return new Rejection('INVALID_ROWS', whyNoTable(table, delimiter, say));
}

function whyNoTable(table: NotATable, delimiter: number, say: Instructions): string {
  switch (table.why) {
    case 'preamble':
      return preamble(table, say);
    case 'sep_line':
      return sepLine(table.delimiter, say);
    case 'other_delimiter': {
      const [other, used] = [delimiterName(table.delimiter), delimiterName(delimiter)];
      const advice = `${say.delimiter(other)} if that is the delimiter, or ${say.delimiter(used)} if it is text`;
      return `The CSV has one column, and its header and every row hold ${delimiterText(table.delimiter)}: ${advice}`;
    }
    case 'only_spaces':
      return 'The CSV has only white space: send a header line and at least one row of data';
    case 'no_fields':
      return table.rows === 1
        ? 'The only row has no field: look at what writes it'
        : `None of the ${count(table.rows)} rows has a field: look at what writes them`;
  }
}

function preamble(
  { headerLine, delimiter, isOther }: Extract<NotATable, { why: 'preamble' }>,
  say: Instructions,
): string {
  const before =
    headerLine === 2 ? 'line 1 is a title or a note' : `lines 1 to ${headerLine - 1} are a title or notes`;
  const divided = isOther ? `, and ${delimiterText(delimiter)} divides its rows` : '';
  const advice = [say.headerLine(headerLine), ...(isOther ? [say.delimiter(delimiterName(delimiter))] : [])];
  return `The table seems to begin on line ${headerLine}: ${before}${divided}. If so, ${advice.join(' and ')}; if line 1 is the header, ${say.headerLine(1)}`;
}

function sepLine(delimiter: number | null, say: Instructions): string {
  const advice = [
    say.headerLine(2),
    ...(delimiter === null ? [] : [say.delimiter(delimiterName(delimiter))]),
  ];
  return `Line 1 is the sep= line of Excel, which is no header: remove it, or ${advice.join(' and ')}`;
}

const NO_ROWS: Record<Format, string> = {
  [Format.JSON]: 'rows must have at least one row',
  [Format.CSV]: 'The CSV has a header line but no rows of data: send at least one',
  [Format.NDJSON]: 'The body has no line with a row; at least one is needed',
  [Format.ARROW]: 'The Arrow data has no rows: at least one is needed',
  [Format.ARROW_FILE]: 'The Arrow file has no rows: at least one is needed',
  [Format.PARQUET]: 'The Parquet file has no rows: at least one is needed',
};

/** A record of CSV may have more cells than its header. */
const lineOfFields = ({ line }: Refusal, format: Format): string =>
  format === Format.CSV && line > 1 ? `; the record on line ${line} has more cells` : '';

/** A CSV body has bytes that are invalid in its charset; `line` counts from 1. `guess`: the charset that it may have. */
export function undecodable(
  charset: string,
  line: number,
  say = BY_HEADERS,
  guess = 'windows-1252',
): Rejection {
  const what = `Line ${line} holds bytes that are not ${charset}`;
  if (!isDecoded(guess))
    return new Rejection('INVALID_ROWS', `${what}, but perhaps ${guess}; convert it to UTF-8, as iconv does`);
  const perhaps = guess === 'windows-1252' ? '' : `, but perhaps ${guess}`;
  return new Rejection('INVALID_ROWS', `${what}${perhaps}; ${say.charset(guess)}`);
}

/** Whether the platform knows it. */
function isDecoded(charset: string): boolean {
  try {
    return new TextDecoder(charset as Bun.Encoding).encoding !== '';
  } catch {
    return false;
  }
}

function placeOfName({ offset, row, line, column }: Refusal, format: Format): string {
  if (format === Format.CSV) return `the one in column ${column} of the header (byte offset ${offset})`;
  if (format >= Format.ARROW) return `that of column ${column}`;
  return `the one at byte offset ${offset} (${format === Format.NDJSON ? `line ${line}` : `row ${row}`})`;
}

/** The body has more than `maxBytes` bytes. */
export function bodyTooLarge(maxBytes: number): Rejection {
  return tooLarge(`a body may have at most ${count(maxBytes)} bytes`);
}

/** Checks the object around the rows of a JSON body, at its end. Check the source between `checkTop` and `checkRows`. */
export function checkTop(envelope: Envelope): void {
  if (envelope.top !== Kind.OBJECT)
    throw new Rejection('MISSING_SOURCE', 'The body must be a JSON object with source and rows');
}

/** `arrays`: asked for paths of members that hold arrays of objects. */
export function checkRows(envelope: Envelope, arrays: () => string[] = () => []): void {
  if (!envelope.hasRows) throw rowsMissing(arrays());
}

/** `arrays`: paths of members that hold arrays of objects. */
export function rowsMissing([found]: readonly string[]): Rejection {
  const hint =
    found === undefined ? '' : `; ${quoted(found)} holds objects: if those are the rows, send them as rows`;
  return new Rejection(
    'INVALID_ROWS',
    `rows is missing; it must be an array with at least one object${hint}`,
  );
}

export function checkOptionsSize(envelope: Envelope): void {
  if (envelope.options === TOO_LONG)
    throw new Rejection('INVALID_OPTIONS', `options may have at most ${count(MAX_MEMBER_BYTES)} bytes`);
}

const tooLarge = (reason: string) => new Rejection('PAYLOAD_TOO_LARGE', `Too large: ${reason}`);

const count = (value: number): string => value.toLocaleString('en-US');
