/** The bytes around and between the rows of a body. */
import { Format } from '../../assembly/abi.ts';

export const LF = 0x0a;
export const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
/** The byte order mark of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Around a whole array of rows. */
export const ARRAY_OPENING = bytesOf('{"rows":');
export const ARRAY_CLOSING = bytesOf('}');
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
