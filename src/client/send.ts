/** Sends a request, with retries. */
import { errorIn, objectIn, SluiceError, unexpected, unreachable } from './sluice-error.ts';
import { pauseAfter, type RetryPolicy } from './retry.ts';

export type Body = string | Uint8Array<ArrayBuffer> | Blob;

/** The longest delay of a timer. Longer ones fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Not a stream: a retry sends the same body. */
  body?: Body;
  /** Whether carrying it out twice has the same effect as once. */
  repeatable: boolean;
  signal: AbortSignal | undefined;
}

export interface Transport extends RetryPolicy {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** For each try. */
  timeoutMs: number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export interface Incoming {
  status: number;
  headers: Headers;
  text: string;
}

/** A successful answer. Throws `SluiceError`, the signal's reason, and `TypeError` for a header with forbidden characters. */
export async function send(request: Outgoing, transport: Transport): Promise<Incoming> {
  checkHeaders(request.headers);
  for (let attempt = 1; ; attempt++) {
    const { answer, error } = await tried(request, transport);
    if (answer !== undefined) return answer;
    const pauseMs = pauseAfter(error, attempt, request.repeatable, transport);
    if (pauseMs === null) throw error;
    await transport.wait(pauseMs, request.signal);
  }
}

/** Throws `SluiceError` if the answer is no JSON object, for example the error page of a proxy. */
export function bodyIn<Body>(answer: Incoming): Body {
  const body = objectIn(answer.text);
  if (body === null)
    throw unexpected(answer, 'The answer is no JSON object; is this the address of a Sluice server?');
  return body as Body;
}

/** Throws `TypeError` without the value, which may be the key. The error of fetch has the value, and looks like a broken connection. */
export function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers))
    try {
      new Headers([[name, value]]);
    } catch {
      throw new TypeError(`${name} has a character that a header cannot hold`);
    }
}

type Outcome = { answer: Incoming; error?: undefined } | { answer?: undefined; error: SluiceError };

async function tried(request: Outgoing, transport: Transport): Promise<Outcome> {
  try {
    const answer = await sentOnce(request, transport);
    const isSuccess = answer.status >= 200 && answer.status < 300;
    return isSuccess ? { answer } : { error: errorIn(answer, Date.now()) };
  } catch (cause) {
    request.signal?.throwIfAborted();
    if (cause instanceof SluiceError) return { error: cause };
    return {
      error: unreachable(`${new URL(request.url).origin} does not answer: ${reasonOf(cause)}`, cause),
    };
  }
}

async function sentOnce(request: Outgoing, { fetch, timeoutMs }: Transport): Promise<Incoming> {
  const { method, url, headers, body, signal } = request;
  signal?.throwIfAborted();
  const given = new AbortController();
  const stop = () => given.abort(signal?.reason);
  const expire = () => given.abort(new Error(`no answer within ${timeoutMs / 1000} s`));
  const timer = setTimeout(expire, Math.min(timeoutMs, LONGEST_MS));
  signal?.addEventListener('abort', stop);
  try {
    // Following a redirect would send the key there: fetch removes only headers that it knows.
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
    // Drops the rest of an answer that is too long.
    given.abort();
  }
}

/** An answer names each field of a batch a few times. A longer one is an attempt to fill the memory. */
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

/** Node's message is only "fetch failed", the reason is in the cause; if several addresses failed, the cause has only a code. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message;
}

/** `Transport.wait` with the platform's timers. */
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
