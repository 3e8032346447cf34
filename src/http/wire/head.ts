/**
 * Parses the head of a request: request line and headers (RFC 9112). What could be read in two ways is an error, so that
 * a proxy in front and this server always agree where a request ends.
 */
import { malformed, WireFault } from './fault.ts';

export const MAX_HEAD_BYTES = 16 * 1024;
const MAX_HEADERS = 100;

export interface Head {
  method: string;
  url: string;
  headers: Headers;
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
  if (!KNOWN.has(method)) throw unknownMethod();
  const connection = tokens(fields.get('connection'));
  return {
    method,
    url: urlOf(target, host),
    headers: fields.headers,
    isOld,
    length,
    close: isOld || connection.includes('close'),
    expectsContinue: expectation(fields, isOld),
  };
}

class Fields {
  readonly headers: Headers;
  readonly #pairs: [string, string][] = [];

  constructor(lines: readonly string[]) {
    if (lines.length > MAX_HEADERS + 1)
      throw new WireFault(431, `A request may have at most ${MAX_HEADERS} headers`);
    for (let i = 1; i < lines.length; i++) this.#pairs.push(fieldIn(lines[i]!));
    this.headers = new Headers(this.#pairs);
  }

  /** All values of a header. */
  all(name: string): string[] {
    return this.#pairs.filter(([each]) => each === name).map(([, value]) => value);
  }

  get(name: string): string {
    return this.headers.get(name) ?? '';
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
  value
    .toLowerCase()
    .split(',')
    .map(each => each.trim());

function hostOf(fields: Fields, isOld: boolean): string {
  const hosts = fields.all('host');
  if (hosts.length > 1 || (hosts.length === 0 && !isOld)) throw malformed('A request needs one Host header');
  const [host = ''] = hosts;
  if (!HOST.test(host)) throw malformed('The Host header is not a host');
  return host || 'localhost';
}

function lengthOf(fields: Fields, isOld: boolean): number | null {
  const codings = fields.all('transfer-encoding');
  const lengths = fields.all('content-length');
  if (codings.length > 0) {
    if (lengths.length > 0 || isOld)
      throw malformed('Transfer-Encoding cannot be combined with Content-Length or HTTP/1.0');
    if (codings.length > 1 || codings[0]!.toLowerCase() !== 'chunked')
      throw new WireFault(501, 'The only Transfer-Encoding is chunked');
    return null;
  }
  if (lengths.length > 1 || (lengths.length === 1 && !/^\d{1,15}$/.test(lengths[0]!)))
    throw malformed('Content-Length must be one whole number');
  return Number(lengths[0] ?? 0);
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

function urlOf(target: string, host: string): string {
  // The part after a # is not sent by clients. Without it, the address would be another one.
  if (target.includes('#')) throw malformed('The address has a #; write it as %23');
  // Raw UTF-8 becomes percent-encoded UTF-8.
  const ascii = target.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`);
  const path = /^https?:\/\/[^/?]*(.*)$/i.exec(ascii)?.[1] ?? ascii;
  const isPath = path === '' || path.startsWith('/') || path.startsWith('?') || path === '*';
  const url = `http://${host}${path.startsWith('/') ? '' : '/'}${path}`;
  if (!isPath || !URL.canParse(url)) throw malformed('The address of the request is not valid');
  return url;
}
