/** Sends a request, with retries. */
import { type Bytes, streamed } from './content.ts';
import { errorIn, objectIn, SluiceError, unexpected, unreachable } from './sluice-error.ts';
import { pauseAfter, type RetryPolicy } from './retry.ts';

export type Body = string | Uint8Array<ArrayBuffer> | Blob;
/** Makes the pieces of a body for each try. */
export type OpenBody = () => AsyncGenerator<Bytes>;

/** The longest delay of a timer. Longer ones fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Not a stream: a retry sends the same body. */
  body?: Body | OpenBody;
  /** Whether carrying it out twice has the same effect as once. */
  repeatable: boolean;
  signal: AbortSignal | undefined;
}

export interface Transport extends RetryPolicy {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** For each try; of a body that is read while it is sent, since the last piece was sent. */
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
    if (cause instanceof InputFailure) throw cause.cause;
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
  const waiting = () => setTimeout(expire, Math.min(timeoutMs, LONGEST_MS));
  let timer = waiting();
  let failure: InputFailure | null = null;
  let isAnswered = false;
  async function* watched(pieces: AsyncGenerator<Bytes>): AsyncGenerator<Bytes> {
    let sent = 0;
    try {
      for await (const piece of pieces) {
        clearTimeout(timer);
        timer = waiting();
        // The giver may reuse the memory for the next piece.
        yield new Uint8Array(piece);
        sent += piece.length;
        if (sent < SENT_AT_ONCE) continue;
        sent = 0;
        await waitFor(0, undefined);
      }
    } catch (cause) {
      failure = new InputFailure('', { cause });
      given.abort(cause);
      throw cause;
    }
  }
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
    const content =
      typeof body === 'function' ? await streamedBody(watched(body()), () => !isAnswered) : { body };
    // Browsers do not say how much of a Blob they have sent.
    if (typeof body === 'function' && isBrowser()) clearTimeout(timer);
    const response = await fetch(url, body === undefined ? init : { ...init, ...content });
    // A server that refuses a body reads some more of it. If it then closed the connection, the answer would be lost.
    isAnswered = true;
    return { status: response.status, headers: response.headers, text: await textOf(response) };
  } catch (error) {
    throw failure ?? error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    // Drops the rest of an answer that is too long.
    given.abort();
  }
}

/** Node sees a refusal that comes before the end of the body only if sending pauses. Bytes; a pause takes a millisecond. */
const SENT_AT_ONCE = 1024 * 1024;

/** The input could not be read while it was sent. */
class InputFailure extends Error {}

/** Pages and workers. They do not send a stream, or not to every server. */
const isBrowser = (): boolean => 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

/** Node, Bun and Deno send pieces while they are read. Browsers send a Blob, which they may keep on disk. */
async function streamedBody(pieces: AsyncGenerator<Bytes>, isWanted: () => boolean): Promise<object> {
  const stream = streamed(pieces, isWanted);
  return isBrowser() ? { body: await new Response(stream).blob() } : { body: stream, duplex: 'half' };
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
