/** One request, sent until it has an answer that counts. */
import { errorIn, SluiceError, unexpected, unreachable } from './sluice-error.ts';
import { pauseAfter, type RetryPolicy } from './retry.ts';

export type Body = string | Uint8Array<ArrayBuffer> | Blob;

/** What timers count to; beyond it they fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Sent again as it is: no stream. */
  body?: Body;
  /** Whether to do it twice is to do it once. */
  repeatable: boolean;
  signal: AbortSignal | undefined;
}

export interface Way extends RetryPolicy {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** For one send with its answer. */
  timeoutMs: number;
  /** Resolves after so long; rejects with the signal's reason when it aborts. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export interface Incoming {
  status: number;
  headers: Headers;
  text: string;
}

/** The answer, which is a success. Throws `SluiceError`, the signal's reason, and `TypeError` for what no header can hold. */
export async function send(request: Outgoing, way: Way): Promise<Incoming> {
  checkHeaders(request.headers);
  for (let attempt = 1; ; attempt++) {
    const { answer, error } = await tried(request, way);
    if (answer !== undefined) return answer;
    const pauseMs = pauseAfter(error, attempt, request.repeatable, way);
    if (pauseMs === null) throw error;
    await way.wait(pauseMs, request.signal);
  }
}

/** Throws `TypeError` without the value, which may be the key; fetch names it, and what it throws looks like a broken connection. */
export function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers))
    try {
      new Headers([[name, value]]);
    } catch {
      throw new TypeError(`${name} has a character that a header cannot hold`);
    }
}

type Outcome = { answer: Incoming; error?: undefined } | { answer?: undefined; error: SluiceError };

async function tried(request: Outgoing, way: Way): Promise<Outcome> {
  try {
    const answer = await sentOnce(request, way);
    const isSuccess = answer.status >= 200 && answer.status < 300;
    return isSuccess ? { answer } : { error: errorIn(answer, Date.now()) };
  } catch (cause) {
    request.signal?.throwIfAborted();
    if (cause instanceof SluiceError) return { error: cause };
    return { error: unreachable(`${new URL(request.url).origin} does not answer: ${wordsOf(cause)}`, cause) };
  }
}

async function sentOnce(request: Outgoing, { fetch, timeoutMs }: Way): Promise<Incoming> {
  const { method, url, headers, body, signal } = request;
  signal?.throwIfAborted();
  const given = new AbortController();
  const stop = () => given.abort(signal?.reason);
  const late = () => given.abort(new Error(`no answer within ${timeoutMs / 1000} s`));
  const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_MS));
  signal?.addEventListener('abort', stop);
  try {
    // What redirects would be sent the key: fetch only keeps back headers that it knows.
    const init: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      cache: 'no-store',
      signal: given.signal,
    };
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    return { status: response.status, headers: response.headers, text: await textOf(response) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    // What is left of an answer that is too long is not waited for.
    given.abort();
  }
}

/** An answer names each field of its batch a few times: a longer one is of somebody who wants to fill the memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let piece = await reader?.read(); piece?.value; piece = await reader!.read()) {
    bytes += piece.value.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw unexpected(
        response,
        `The answer is longer than ${MAX_ANSWER_BYTES} bytes; is this a Sluice server?`,
      );
    text += decoder.decode(piece.value, { stream: true });
  }
  return text + decoder.decode();
}

/** Node says only "fetch failed", and why in the cause; of several addresses that failed only a code. */
function wordsOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message;
}

/** `Way.wait` by the platform's timers. */
export function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, LONGEST_MS),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
