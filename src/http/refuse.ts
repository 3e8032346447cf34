/**
 * Rejection → response, while the body may still be on its way.
 *
 * What Bun 1.4 does with an answer to a body that has not been read to its end, found with raw sockets:
 * - With `Connection: close` it closes the socket as soon as the answer is out. Bytes that the client has sent and
 *   nobody read then make the kernel send a reset: a client that sends everything first fails while sending and never
 *   sees the answer.
 * - Without it the rest of the body is read and dropped for however long it takes, and the connection goes on.
 * - A streamed answer goes out piece by piece while the handler goes on reading the body, and the connection closes when
 *   the stream ends. What follows the body on that connection is not answered, and what stands in the body's place is
 *   read as the body.
 * - `Expect: 100-continue` is answered before the handler runs, so nothing can be refused instead.
 *
 * So: read on for a moment, and when the body ends, answer plainly. Else stream: the whole text at once, its end when
 * the body ends or the client pauses. The text is there for a client that pauses, and one that sends everything first
 * is read to its end.
 */
import type { Logger } from 'pino';
import { Rejection } from '../errors.ts';
import type { Drain, Upload } from '../intake/upload.ts';
import type { RequestFacts } from './facts.ts';
import { nothingHere } from './methods.ts';

/** Nearly every refused body is already here. */
const AT_ONCE = { quietMs: 25, totalMs: 250 };
/** With the 200 ms of `receive.ts` and the above, less than the second after which a pausing client must have its answer whole. */
const LINGER_QUIET_MS = 500;
const LEAST_DRAINED_BYTES = 32 * 1024 * 1024;

export interface RefuseDependencies {
  /** A body up to this length is read to its end. */
  maxBodyBytes: number;
  /** Reading on ends after this long. */
  bodySeconds: number;
  log: Logger;
}

/** The answer to what was thrown. A connection whose body had not been read to its end is closed with it. */
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
  const bytes = Math.max(deps.maxBodyBytes, LEAST_DRAINED_BYTES);
  if (await upload.drain({ ...AT_ONCE, bytes })) return refusalAnswer(rejection, CLOSE);
  const rest = { quietMs: LINGER_QUIET_MS, totalMs: deps.bodySeconds * 1000, bytes };
  return refusalAnswer(rejection, CLOSE, text => untilDrained(text, upload, rest));
}

/** What a store said is for whoever runs the program. Not the whole error: clients put what they were sent into it. */
function logCause({ code, cause }: Rejection, error: unknown, facts: RequestFacts, log: Logger): void {
  if (code === 'INTERNAL') log.error({ id: facts.id, err: error }, 'bug');
  else if (cause instanceof Error)
    log.warn({ id: facts.id, code, reason: cause.message }, 'a store cannot answer');
}

const CLOSE = { Connection: 'close' };
/** A cache on the way may keep even a 404, which would outlive what makes it untrue. */
const ALWAYS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
/** RFC 9110, section 15.5.2, wants one; keys have no scheme that could be named. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** An answer that says it, with `more` headers, its body made of the text. */
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
      // The client may have gone and taken the stream with it.
      if (controller.desiredSize !== null) controller.close();
    },
  });
}

/** What was thrown, as a rejection; a bug says nothing about itself. */
function rejectionFor(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'NOT_FOUND') return nothingHere();
  if (code === 'PARSE') return new Rejection('INVALID_JSON', 'The body could not be read');
  if (code === 'VALIDATION')
    return new Rejection('INVALID_PARAMETER', 'A parameter of the address is not valid');
  return new Rejection('INTERNAL', 'Something went wrong on our side; the request may be repeated');
}
