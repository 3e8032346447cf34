/** Reads format, charset and compression of the body from its headers. Guesses nothing from the bytes, so results are predictable. */
import { Format } from '../../assembly/abi.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import { type Coding, contentCoding } from './content-coding.ts';

const COMMA = 0x2c;
const TAB = 0x09;

export interface ContentType {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** Whether a header names the delimiter; else it follows from the type. */
  isDelimiterGiven: boolean;
  /** CSV: the line of the header, from 1; 1 by default. */
  headerLine?: number;
  /** CSV: the byte before quotes and delimiters that are text, beside the doubled quote; absent without one. */
  escapeByte?: number;
  /** Whether the sender names that line; else it is looked for signs that it is no header. */
  isHeaderGiven?: boolean;
  /** Name of the decoder for the body's charset; null for UTF-8. */
  charset: string | null;
  /** Compression of the body; null without one. The charset is that of the decompressed body. */
  coding: Coding | null;
}

/** Throws `Rejection` UNSUPPORTED_MEDIA_TYPE for a missing or unknown type, charset or coding. */
export function parseContentType(headers: Headers): ContentType {
  return { ...formatIn(headers), isDelimiterGiven: false, coding: contentCoding(headers) };
}

function formatIn(headers: Headers): Pick<ContentType, 'format' | 'delimiter' | 'charset'> {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';');
  const charset = charsetOf(parameters);
  switch (type.trim().toLowerCase()) {
    case 'application/json':
      return { format: Format.JSON, delimiter: COMMA, charset: utf8Only(charset) };
    case 'application/x-ndjson':
    case 'application/ndjson':
    case 'application/jsonl':
      return { format: Format.NDJSON, delimiter: COMMA, charset: utf8Only(charset) };
    case 'text/csv':
      return { format: Format.CSV, delimiter: COMMA, charset };
    case 'text/tab-separated-values':
      return { format: Format.CSV, delimiter: TAB, charset };
    case 'application/vnd.apache.arrow.stream':
      return columnar(Format.ARROW);
    case 'application/vnd.apache.arrow.file':
      return columnar(Format.ARROW_FILE);
    case 'application/vnd.apache.parquet':
      return columnar(Format.PARQUET);
    default:
      throw unsupported(
        'Content-Type must be application/json, application/x-ndjson, text/csv, text/tab-separated-values, application/vnd.apache.arrow.stream, application/vnd.apache.arrow.file or application/vnd.apache.parquet',
      );
  }
}

/** Its texts are always UTF-8. */
const columnar = (format: Format) => ({ format, delimiter: COMMA, charset: null });

function utf8Only(charset: string | null): null {
  if (charset !== null)
    throw unsupported(`JSON must be UTF-8; the charset ${quoted(charset)} is not supported`);
  return null;
}

/** The decoder's name for the `charset` parameter; null without one and for UTF-8, which the engine validates itself. */
function charsetOf(parameters: string[]): string | null {
  const parameter = parameters.find(each => /^\s*charset\s*=/i.test(each));
  if (parameter === undefined) return null;
  const label = parameter
    .slice(parameter.indexOf('=') + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  const name = encodingOf(label);
  return name === 'utf-8' ? null : name;
}

function encodingOf(label: string): string {
  try {
    return new TextDecoder(label as Bun.Encoding).encoding;
  } catch {
    throw unsupported(
      `The charset ${quoted(label)} is not known; use utf-8 or another name from the Encoding Standard`,
    );
  }
}

const unsupported = (message: string) => new Rejection('UNSUPPORTED_MEDIA_TYPE', message);
