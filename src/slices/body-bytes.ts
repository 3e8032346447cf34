/** The bytes around and between the rows of a body. */
import { Format } from '../../assembly/abi.ts';
import { stringEnd } from '../client/json-bytes.ts';

const LF = 0x0a;
const CR = 0x0d;
export const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
const TAB = 0x09;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
/** The byte order mark of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
/** Before a whole array of rows. */
export const ARRAY_OPENING = bytesOf('{"rows":');
/** Around rows from the middle of an array. */
export const ROWS_OPENING = bytesOf('{"rows":[');
export const ROWS_CLOSING = bytesOf(']}');

/** Bytes that the byte order mark takes at the beginning of a file. */
export const markLength = (bytes: Uint8Array): number =>
  MARK.every((byte, i) => bytes[i] === byte) ? MARK.length : 0;

/** The first byte from `from` that is not white space of JSON. */
export const firstByteIn = (bytes: Uint8Array, from: number): number | undefined =>
  bytes.subarray(from).find(byte => byte !== SPACE && byte !== TAB && byte !== LF && byte !== CR);

/** Whether the members of a JSON object in `tail`, such as `,"a":1}`, have the name `rows`. */
export const hasRows = (tail: Uint8Array): boolean =>
  Object.hasOwn(JSON.parse(`{"":0${new TextDecoder().decode(tail)}`), 'rows');

/** LF, CRLF and CR each end a line of CSV. In JSON and NDJSON a CR is white space. */
export function lineEnds(bytes: Uint8Array, format: Format): number {
  let ends = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) ends++;
  if (format !== Format.CSV) return ends;
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) if (bytes[at + 1] !== LF) ends++;
  return ends;
}

/** The bracket that opens the array of `rows`, the member of the outermost object; -1 or the length of the bytes if it is not among them. */
export function rowsAt(body: Uint8Array): number {
  let depth = 0;
  let isName = true;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) {
      const end = stringEnd(body, at);
      const isRows = depth === 1 && isName && nameIn(body.subarray(at, end + 1)) === 'rows';
      at = end;
      if (isRows) return body.indexOf(OPEN_BRACKET, at);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (depth === 1 && byte === COLON) isName = false;
    else if (depth === 1 && byte === COMMA) isName = true;
  }
  return body.length;
}

/** The bracket that opens the array at a path of members, such as `response.items`; null if it is not among the bytes, -1 if another value is there. */
export function arrayAt(body: Uint8Array, path: readonly string[]): number | null {
  let depth = 0;
  let matched = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) {
      const end = stringEnd(body, at);
      const value = isOnPath(depth, matched) ? valueBehind(body, end) : null;
      const isNext = value !== null && nameIn(body.subarray(at, end + 1)) === path[matched];
      at = end;
      if (!isNext) continue;
      if (matched === path.length - 1) return body[value] === OPEN_BRACKET ? value : -1;
      if (body[value] === OPEN_BRACE) matched++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    // The object that the path has led to has ended without the next name.
    if (depth < matched) return -1;
  }
  return null;
}

/** The names of the object that the path has led to. */
const isOnPath = (depth: number, matched: number): boolean => depth === matched + 1;

/** Where the value after a name begins. Null if the text is not a name, or if the value has not arrived yet. */
function valueBehind(body: Uint8Array, end: number): number | null {
  let at = end + 1;
  while (isSpace(body[at])) at++;
  if (body[at] !== COLON) return null;
  do at++;
  while (isSpace(body[at]));
  return at < body.length ? at : null;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === TAB || byte === LF || byte === CR;

/** A name may be written with escapes. */
function nameIn(text: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(text));
  } catch {
    return null;
  }
}
