/** Request headers that carry source and options when the body is CSV or NDJSON. */
import { Format } from '../../assembly/abi.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import { parseOptions, type ScreenOptions } from '../options/options.ts';
import type { ContentType } from './content-type.ts';
import { DELIMITERS, DELIMITERS_KNOWN } from './delimiters.ts';
import { checkSource } from '../names/source.ts';

const PERCENT = 0x25;
const MAX_KEY_CHARACTERS = 255;

/** The content type with what `X-CSV-Delimiter`, `X-CSV-Header-Line` and `X-CSV-Escape` say. Throws `Rejection` INVALID_PARAMETER. */
export function withDialect(headers: Headers, contentType: ContentType): ContentType {
  if (contentType.format !== Format.CSV) return contentType;
  const delimiter = delimiterIn(headers);
  const headerLine = headerLineIn(headers);
  const escapeByte = escapeIn(headers);
  return {
    ...contentType,
    ...(delimiter !== null && { delimiter, isDelimiterGiven: true }),
    ...(headerLine !== null && { headerLine, isHeaderGiven: true }),
    ...(escapeByte !== null && { escapeByte }),
  };
}

function delimiterIn(headers: Headers): number | null {
  const given = headers.get('x-csv-delimiter');
  if (given === null) return null;
  const byte = DELIMITERS.get(given.trim().toLowerCase());
  if (byte !== undefined) return byte;
  throw new Rejection(
    'INVALID_PARAMETER',
    `X-CSV-Delimiter must be ${DELIMITERS_KNOWN}, not ${quoted(given)}`,
  );
}

/** The only escape character that programs write. */
export const BACKSLASH = 0x5c;

function escapeIn(headers: Headers): number | null {
  const given = headers.get('x-csv-escape');
  if (given === null) return null;
  if (given === '\\') return BACKSLASH;
  throw new Rejection('INVALID_PARAMETER', `X-CSV-Escape must be \\, not ${quoted(given)}`);
}

/** Titles and notes are a few lines. */
export const MAX_HEADER_LINE = 10_000;

function headerLineIn(headers: Headers): number | null {
  const given = headers.get('x-csv-header-line');
  if (given === null) return null;
  const line = Number(given);
  if (/^\d+$/.test(given) && line >= 1 && line <= MAX_HEADER_LINE) return line;
  throw new Rejection(
    'INVALID_PARAMETER',
    `X-CSV-Header-Line must be the line of the header, from 1 to ${MAX_HEADER_LINE.toLocaleString('en-US')}, not ${quoted(given)}`,
  );
}

/** The source from `X-Source`, percent-decoded UTF-8. Throws `Rejection` MISSING_SOURCE. */
export function headerSource(headers: Headers): string {
  const given = headers.get('x-source');
  if (given === null)
    throw new Rejection(
      'MISSING_SOURCE',
      'A body that is not JSON needs the header X-Source with the name of its source',
    );
  return checkSource(percentDecoded(given), 'X-Source');
}

/** `X-Options`, checked as `parseOptions` does. Throws `Rejection` INVALID_OPTIONS, INVALID_RULES. */
export function headerOptions(headers: Headers): ScreenOptions {
  const given = headers.get('x-options');
  if (given === null) return parseOptions(undefined);
  const { value, json } = jsonIn(given);
  return parseOptions(value, json);
}

function jsonIn(header: string): { value: unknown; json: string } {
  try {
    const json = utf8(headerBytes(header));
    return { value: JSON.parse(json), json };
  } catch {
    throw new Rejection('INVALID_OPTIONS', 'X-Options must be one JSON object in UTF-8');
  }
}

/** The value of `Idempotency-Key`; null without the header. Throws `Rejection` INVALID_PARAMETER. */
export function idempotencyKey(headers: Headers): string | null {
  const given = headers.get('idempotency-key');
  if (given === null) return null;
  if (/^[\x21-\x7e]+$/.test(given) && given.length <= MAX_KEY_CHARACTERS) return given;
  throw new Rejection(
    'INVALID_PARAMETER',
    `Idempotency-Key must be 1 to ${MAX_KEY_CHARACTERS} visible ASCII characters without spaces, not ${quoted(given)}`,
  );
}

function percentDecoded(value: string): string {
  try {
    return utf8(unescaped(headerBytes(value)));
  } catch {
    throw new Rejection(
      'MISSING_SOURCE',
      'X-Source must be percent-encoded UTF-8; write a percent sign as %25',
    );
  }
}

/** Each character of a header is one byte, so raw UTF-8 works too. */
const headerBytes = (value: string): Uint8Array =>
  Uint8Array.from(value, character => character.charCodeAt(0));

function unescaped(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === PERCENT) {
      const digits = String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0);
      if (!/^[0-9a-f]{2}$/i.test(digits)) throw new RangeError('percent sign without two hex digits');
      out[length++] = Number.parseInt(digits, 16);
      i += 2;
    } else out[length++] = bytes[i]!;
  }
  return out.subarray(0, length);
}

const utf8 = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
