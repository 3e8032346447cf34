/** Posts a message to a target that may be hostile. */
import { lookup as resolve } from 'node:dns';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isRefusedAddress, isRefusedHost } from './target.ts';

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The message may be shown to the account: it says what its receiver did. */
export class NotDelivered extends Error {}

export interface PostOptions {
  allowPrivate: boolean;
  /** For the whole exchange. */
  timeoutMs: number;
}

/**
 * Posts and waits for the status of the answer, whose body is not read. Redirects are not followed. The connection goes to an
 * address that was checked after the name was resolved, so that no second answer of a name server can change it.
 * Throws `NotDelivered`.
 */
export function post({ url, headers, body }: Post, { allowPrivate, timeoutMs }: PostOptions): Promise<void> {
  const { promise, resolve: done, reject } = Promise.withResolvers<void>();
  // An address in the URL itself is not resolved.
  if (!allowPrivate && isRefusedHost(new URL(url).hostname)) {
    reject(new NotDelivered(PRIVATE));
    return promise;
  }
  const send = url.startsWith('https:') ? overHttps : overHttp;
  const options = {
    method: 'POST',
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' },
    agent: false as const,
    ...(!allowPrivate && { lookup: publicOnly }),
  };
  const fail = (reason: string) => {
    reject(new NotDelivered(reason));
    request.destroy();
  };
  const request = send(url, options, response => {
    const { statusCode = 0 } = response;
    response.destroy();
    if (statusCode >= 200 && statusCode < 300) done();
    else fail(refusalOf(statusCode));
  });
  const timer = setTimeout(() => fail(`no answer within ${timeoutMs / 1000} seconds`), timeoutMs);
  request.on('error', error => fail(reasonOf(error)));
  request.on('close', () => fail('the connection was closed without an answer'));
  request.end(body);
  return promise.finally(() => clearTimeout(timer));
}

const PRIVATE = 'it leads to a private, loopback or link-local address';

const refusalOf = (status: number): string =>
  status >= 300 && status < 400
    ? `it answered ${status}, a redirect, which is not followed: set the final address`
    : `it answered ${status}`;

const reasonOf = (error: Error & { code?: string }): string =>
  error instanceof NotDelivered ? error.message : `it cannot be reached: ${error.code ?? error.message}`;

/** Resolves a name, and fails if any of its addresses is not public: such a name is not meant for us. */
const publicOnly: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const refused = addresses.some(({ address }) => isRefusedAddress(address));
    const first = addresses[0];
    if (refused || !first) return callback(new NotDelivered(PRIVATE), '', 0);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
