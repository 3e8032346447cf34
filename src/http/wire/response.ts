/** Writes a response to a connection (RFC 9112). */
import { STATUS_CODES } from 'node:http';
import type { Writer } from './writer.ts';

export interface Output {
  /** The request was HEAD: no body. */
  isHead: boolean;
  /** HTTP/1.0 has no chunks: a stream ends with the connection. */
  isOld: boolean;
  /** Send the body in pieces as it comes. */
  isStreamed: boolean;
  /** Whether the connection closes after the response. */
  close(): boolean;
}

/** A larger body is not copied to send it together with the head. */
const MAX_COPIED_BYTES = 64 * 1024;
/** These statuses have no body. */
const EMPTY = new Set([204, 304]);

/** Returns whether the connection has to close now. Calls `pends` if the client has not read everything yet. */
export async function sendResponse(
  response: Response,
  output: Output,
  writer: Writer,
  pends: () => void,
): Promise<boolean> {
  if (output.isStreamed && !output.isHead && response.body !== null) return stream(response, output, writer);
  const body = await response.bytes().catch(() => null);
  // The body could not be made. Its head was not sent yet, but it promises what is not there.
  if (body === null) return true;
  const closes = mustClose(response, output);
  // The answer to HEAD has the length of the answer to GET, or none if that is not known (RFC 9110, section 8.6).
  const hasLength = !EMPTY.has(response.status) && !(output.isHead && body.length === 0);
  const length = hasLength ? `Content-Length: ${body.length}\r\n` : '';
  const head = headOf(response, closes) + length + END;
  const sent = output.isHead ? NOTHING : body;
  if (head.length + sent.length <= joined.length) writer.write(join(head, sent), true);
  else {
    writer.write(Buffer.from(head, 'latin1'));
    writer.write(sent);
  }
  if (writer.pending) {
    pends();
    await writer.flushed();
  }
  return closes || writer.closed;
}

const NOTHING = new Uint8Array(0);
/** Reused for every response. */
const joined = Buffer.alloc(MAX_COPIED_BYTES);

function join(head: string, body: Uint8Array): Uint8Array {
  joined.write(head, 'latin1');
  joined.set(body, head.length);
  return joined.subarray(0, head.length + body.length);
}

const END = '\r\n';

async function stream(response: Response, { isOld }: Output, writer: Writer): Promise<true> {
  const framing = isOld ? '' : 'Transfer-Encoding: chunked\r\n';
  writer.write(Buffer.from(headOf(response, true) + framing + END, 'latin1'));
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || writer.closed) break;
    const piece = Buffer.from(value as Uint8Array);
    if (piece.length === 0) continue;
    writer.write(
      isOld ? piece : Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, CRLF]),
    );
    await writer.flushed();
  }
  if (!isOld) writer.write(LAST_CHUNK);
  await writer.flushed();
  return true;
}

const CRLF = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const mustClose = ({ headers }: Response, output: Output): boolean =>
  output.close() || /(^|,)\s*close\s*(,|$)/i.test(headers.get('connection') ?? '');

/** The answer after which the connection speaks WebSocket. */
export const switchingHead = (response: Response): Buffer =>
  Buffer.from(`${headOf(response, false)}Connection: Upgrade\r\n${END}`, 'latin1');

/** Framing and connection are decided here. */
const OWN = new Set(['connection', 'content-length', 'transfer-encoding', 'date', 'keep-alive']);

function headOf({ status, headers }: Response, closes: boolean): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  headers.forEach((value, name) => {
    if (!OWN.has(name)) head += `${name}: ${value}\r\n`;
  });
  if (closes) head += 'Connection: close\r\n';
  return `${head}Date: ${dateNow()}\r\n`;
}

let date = '';
let dateUntil = 0;

/** The `Date` header changes once a second. */
function dateNow(): string {
  const now = Date.now();
  if (now >= dateUntil || now < dateUntil - 1000) {
    date = new Date(now).toUTCString();
    dateUntil = now - (now % 1000) + 1000;
  }
  return date;
}
