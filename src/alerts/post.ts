/** Posts a message to a target that may be hostile. */
import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction, connect as overTcp, type Socket } from 'node:net';
import { connect as overTls } from 'node:tls';
import { finalStatus, MAX_ANSWER_BYTES, NotDelivered, Refused } from './answer.ts';
import { isRefusedAddress, isRefusedHost } from './target.ts';

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface PostOptions {
  allowPrivate: boolean;
  /** For the whole exchange. */
  timeoutMs: number;
}

/**
 * Posts and waits for the status of the answer. Nothing after the status is read. `node:http` is not used, because it would parse all that
 * has arrived, and any number of informational answers. Redirects are not followed. The connection goes to an address that was checked
 * after the name was resolved, so that no second answer of a name server can change it.
 * Throws `NotDelivered`, `Refused`.
 */
export async function post(given: Post, { allowPrivate, timeoutMs }: PostOptions): Promise<void> {
  const url = new URL(given.url);
  // An address in the URL itself is not resolved.
  if (!allowPrivate && isRefusedHost(url.hostname)) throw new NotDelivered(PRIVATE);
  const socket = connected(url, allowPrivate ? {} : { lookup: publicOnly });
  const { promise, resolve: done, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(
    () => reject(new NotDelivered(`no answer within ${timeoutMs / 1000} seconds`)),
    timeoutMs,
  );
  socket.on(url.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
    socket.write(requestOf(url, given)),
  );
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1', 0, MAX_ANSWER_BYTES - answer.length);
    try {
      const status = finalStatus(answer);
      if (status !== null) done(status);
    } catch (error) {
      reject(error);
    }
  });
  socket.on('error', error => reject(reasonOf(error)));
  socket.on('close', () => reject(new NotDelivered('the connection was closed without an answer')));
  try {
    const status = await promise;
    if (status < 200 || status >= 300) throw outcomeOf(status);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function connected({ protocol, hostname, port }: URL, options: { lookup?: LookupFunction }): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') return overTcp({ host, port: Number(port || 80), ...options });
  // TLS names the server only by a host name, never by an address (RFC 6066).
  const name = isIP(host) === 0 && { servername: host };
  return overTls({ host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...name, ...options });
}

function requestOf({ host, pathname, search }: URL, { headers, body }: Post): string {
  const all = {
    Host: host,
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const PRIVATE = 'it leads to a private, loopback or link-local address';

/** 4xx after which a receiver may accept the same message later: timeout, too early, too many requests. */
const PASSING = [408, 425, 429];

function outcomeOf(status: number): NotDelivered {
  if (status >= 300 && status < 400)
    return new NotDelivered(
      `it answered ${status}, a redirect, which is not followed: set the final address`,
    );
  if (status >= 400 && status < 500 && !PASSING.includes(status))
    return new Refused(`it answered ${status}, which refuses the message: it is not tried again`);
  return new NotDelivered(`it answered ${status}`);
}

const reasonOf = (error: Error & { code?: string }): NotDelivered =>
  error instanceof NotDelivered
    ? error
    : new NotDelivered(`it cannot be reached: ${error.code ?? error.message}`);

/** Resolves a name, and fails if any of its addresses is not public: such a name is not meant for us. */
export const publicOnly: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const refused = addresses.some(({ address }) => isRefusedAddress(address));
    const first = addresses[0];
    if (refused || !first) return callback(new NotDelivered(PRIVATE), '', 0);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
