/**
 * Parses the head of a request: request line and headers (RFC 9112). What could be read in two ways is an error, so that
 * a proxy in front and this server always agree where a request ends.
 */
import { malformed, WireFault } from './fault.ts';

export const MAX_HEAD_BYTES = 16 * 1024;
const MAX_HEADERS = 100;

export interface Head {
  method: string;
  /** Normalized, as `URL` writes it. */
  url: string;
  fields: Fields;
  /** Of HTTP/1.0: no chunked responses. */
  isOld: boolean;
  /** Bytes of the body; null: it is chunked. */
  length: number | null;
  /** The connection closes after the response. */
  close: boolean;
  /** The client waits for 100 Continue before it sends the body. */
  expectsContinue: boolean;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const KNOWN = new Set(METHODS);
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([^\0-\x20\x7f]+) HTTP\/(\d)\.(\d)$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are not allowed.
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
const HOST = /^[0-9A-Za-z._~!$&'()*+,;=:[\]%-]*$/;

/** `text`: the head as Latin-1, without the empty line at its end. Throws `WireFault`. */
export function parseHead(text: string): Head {
  const lines = text.split('\r\n');
  const match = REQUEST_LINE.exec(lines[0]!);
  if (match === null) throw malformed('The first line is not that of an HTTP request');
  const [, method, target, major, minor] = match as unknown as [string, string, string, string, string];
  if (major !== '1') throw new WireFault(505, 'This server speaks HTTP/1.1');
  const isOld = minor === '0';
  const fields = new Fields(lines);
  const host = hostOf(fields, isOld);
  const length = lengthOf(fields, isOld);
  // Headers of one name are joined with a comma: the rows would be screened as another source, `a, b`.
  if (fields.count('x-source') > 1)
    throw malformed('The header X-Source is there more than once; send it once');
  if (!KNOWN.has(method)) throw unknownMethod();
  return {
    method,
    url: urlOf(target, host),
    fields,
    isOld,
    length,
    close: isOld || tokens(fields.get('connection')).includes('close'),
    expectsContinue: expectation(fields, isOld),
  };
}

/** Most requests have none of a header: a list for each of them would cost more than the search. */
export class Fields {
  readonly #pairs: [string, string][] = [];
  #headers: Headers | null = null;

  constructor(lines: readonly string[]) {
    if (lines.length > MAX_HEADERS + 1)
      throw new WireFault(431, `A request may have at most ${MAX_HEADERS} headers`);
    for (let i = 1; i < lines.length; i++) this.#pairs.push(fieldIn(lines[i]!));
  }

  /** Made when they are first read: a health check needs none. */
  get headers(): Headers {
    this.#headers ??= new Headers(this.#pairs);
    return this.#headers;
  }

  /** How often a header occurs. */
  count(name: string): number {
    let count = 0;
    for (const [each] of this.#pairs) if (each === name) count++;
    return count;
  }

  /** A header's first value; null without one. */
  first(name: string): string | null {
    for (const [each, value] of this.#pairs) if (each === name) return value;
    return null;
  }

  /** A header's values as one list; empty without one. */
  get(name: string): string {
    return this.count(name) > 1 ? this.headers.get(name)! : (this.first(name) ?? '');
  }
}

/** A header's name in lower case, and its value. */
export function fieldIn(line: string): [string, string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  // A space before the colon or at the start of a line is read differently by different programs.
  if (colon <= 0 || !TOKEN.test(name)) throw malformed('A header has no valid name');
  const value = trimmed(line, colon + 1);
  if (CONTROL.test(value)) throw malformed(`The header ${name} has a control character`);
  return [name.toLowerCase(), value];
}

/** Only spaces and tabs: `trim` would remove characters of the value. */
function trimmed(line: string, start: number): string {
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const tokens = (value: string): string[] =>
  value === ''
    ? []
    : value
        .toLowerCase()
        .split(',')
        .map(each => each.trim());

function hostOf(fields: Fields, isOld: boolean): string {
  const count = fields.count('host');
  if (count > 1 || (count === 0 && !isOld)) throw malformed('A request needs one Host header');
  const host = fields.get('host');
  if (!HOST.test(host)) throw malformed('The Host header is not a host');
  return host || 'localhost';
}

function lengthOf(fields: Fields, isOld: boolean): number | null {
  const coding = fields.first('transfer-encoding');
  const length = fields.first('content-length');
  if (coding !== null) {
    if (length !== null || isOld)
      throw malformed('Transfer-Encoding cannot be combined with Content-Length or HTTP/1.0');
    if (fields.count('transfer-encoding') > 1 || coding.toLowerCase() !== 'chunked')
      throw new WireFault(501, 'The only Transfer-Encoding is chunked');
    return null;
  }
  if (length === null) return 0;
  if (fields.count('content-length') > 1 || !/^\d{1,15}$/.test(length))
    throw malformed('Content-Length must be one whole number');
  return Number(length);
}

function expectation(fields: Fields, isOld: boolean): boolean {
  const expected = fields.get('expect').toLowerCase();
  if (expected === '' || isOld) return false;
  if (expected === '100-continue') return true;
  throw new WireFault(417, 'The only expectation that can be met is 100-continue');
}

const unknownMethod = (): WireFault =>
  new WireFault(405, `The methods are ${METHODS.join(', ')}`, 'METHOD_NOT_ALLOWED', {
    Allow: METHODS.join(', '),
  });

/** Before a question mark, also percent-encoded: `URL` resolves all of them. */
const DOTS = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;
/** Before a question mark. `URL` makes a slash of it, which would address another source. */
const BACKSLASH = /^[^?]*\\/;
/** `URL` changes nothing in these. It would in dots, which may be segments, and in some percent-encoded bytes. */
const NORMAL_PATH = /^(\/[\w~-]+)+(\?[\w=&-]*)?$/;
const MAX_ORIGINS = 100;
/** By Host header: clients use few of them. */
const origins = new Map<string, string>();

/** `http://` and the host as `URL` writes it. Throws `WireFault`. */
function originOf(host: string): string {
  const known = origins.get(host);
  if (known !== undefined) return known;
  const origin = URL.parse(`http://${host}/`)?.origin;
  if (origin === undefined) throw invalidAddress();
  if (origins.size >= MAX_ORIGINS) origins.clear();
  origins.set(host, origin);
  return origin;
}

const invalidAddress = (): WireFault => malformed('The address of the request is not valid');

function urlOf(target: string, host: string): string {
  if (NORMAL_PATH.test(target)) return originOf(host) + target;
  // The part after a # is not sent by clients. Without it, the address would be another one.
  if (target.includes('#')) throw malformed('The address has a #; write it as %23');
  if (BACKSLASH.test(target)) throw malformed('The address has a \\; write it as %5C');
  // A proxy in front may resolve such an address to another one.
  if (DOTS.test(target)) throw malformed('The address has a segment . or ..; no address needs one');
  // Raw UTF-8 becomes percent-encoded UTF-8.
  const ascii = target.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`);
  const path = /^https?:\/\/[^/?]*(.*)$/i.exec(ascii)?.[1] ?? ascii;
  const isPath = path === '' || path.startsWith('/') || path.startsWith('?') || path === '*';
  const url = isPath && URL.parse(`http://${host}${path.startsWith('/') ? '' : '/'}${path}`);
  if (!url) throw invalidAddress();
  return url.href;
}
