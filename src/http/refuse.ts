/**
 * Answers rejected requests, whose body may still be arriving.
 *
 * If we closed the connection at once, unread bytes of the client would make the kernel send a reset: a client that sends
 * its whole body first would fail while sending and never see the response. So we read on for a moment. If the body ends,
 * we send a normal response. Otherwise we stream: the whole text at once, and the end of the stream when the body ends or
 * the client pauses. A client that pauses sees the text, and a client that sends everything first can finish. A client
 * that waits for 100 Continue gets the response at once: its body need not be sent.
 */
import type { Logger } from 'pino';
import { Rejection } from '../terms/errors.ts';
import type { Drain, Upload } from '../intake/upload.ts';
import type { RequestFacts } from './request-facts.ts';
import { nothingHere } from './methods.ts';

/** Nearly all bodies have already arrived. */
const AT_ONCE = { quietMs: 25, totalMs: 250 };
/** With the 200 ms of `receive.ts` and AT_ONCE, a pausing client gets its complete response within one second. */
const LINGER_QUIET_MS = 500;
const MIN_DRAINED_BYTES = 32 * 1024 * 1024;

export interface RefuseDependencies {
  /** Bodies up to this size are read to their end. */
  maxBodyBytes: number;
  /** Time limit for reading on. */
  bodySeconds: number;
  log: Logger;
}

/** The response to a thrown error. Closes the connection if the body was not read to its end. */
export async function refuse(
  error: unknown,
  upload: Upload,
  facts: RequestFacts,
  deps: RefuseDependencies,
): Promise<Response> {
  const rejection = rejectionFor(error);
  facts.code = rejection.code;
  logCause(rejection, error, facts, deps.log);
  if (upload.ended) return refusalAnswer(rejection);
  // The client waits for 100 Continue: its body need not be sent at all.
  if (upload.awaitsContinue) return refusalAnswer(rejection, CLOSE);
  const bytes = Math.max(deps.maxBodyBytes, MIN_DRAINED_BYTES);
  if (await upload.drain({ ...AT_ONCE, bytes })) return refusalAnswer(rejection, CLOSE);
  const rest = { quietMs: LINGER_QUIET_MS, totalMs: deps.bodySeconds * 1000, bytes };
  return refusalAnswer(rejection, CLOSE, text => untilDrained(text, upload, rest));
}

/** Logs a store's error for the operator. Only its message: error objects of store clients may contain values. */
function logCause({ code, cause }: Rejection, error: unknown, facts: RequestFacts, log: Logger): void {
  if (code === 'INTERNAL') log.error({ id: facts.id, err: error }, 'bug');
  else if (cause instanceof Error)
    log.warn({ id: facts.id, code, reason: cause.message }, 'a store cannot answer');
}

const CLOSE = { Connection: 'close' };
/** Caches may store even a 404, which would then be outdated. */
const ALWAYS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
/** RFC 9110, section 15.5.2, requires it. API keys have no registered scheme. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** The response to a rejection, with `more` headers. `body` makes the body from the text. */
export function refusalAnswer(
  { code, message, status, headers }: Rejection,
  more: Record<string, string> = {},
  body: (text: string) => string | ReadableStream = text => text,
): Response {
  return new Response(body(JSON.stringify({ message, code })), {
    status,
    headers: { ...ALWAYS, ...(status === 401 && CHALLENGE), ...headers, ...more },
  });
}

function untilDrained(text: string, upload: Upload, rest: Drain): ReadableStream {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      await upload.drain(rest);
      upload.abandon();
      // The client may have disconnected, which closes the stream.
      if (controller.desiredSize !== null) controller.close();
    },
  });
}

/** Maps a thrown error to a rejection. Bugs reveal no details. */
function rejectionFor(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'NOT_FOUND') return nothingHere();
  if (code === 'PARSE') return new Rejection('INVALID_JSON', 'The body could not be read');
  if (code === 'VALIDATION')
    return new Rejection('INVALID_PARAMETER', 'A parameter of the address is not valid');
  return new Rejection('INTERNAL', 'Something went wrong on our side; the request may be repeated');
}
