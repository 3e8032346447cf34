/**
 * Serves the application on a socket.
 *
 * On a stop the socket listens for another moment and rejects new requests. So clients and load balancers get a response
 * instead of a connection reset.
 */
import type { AnyElysia } from 'elysia';
import { addHeaders } from './answer-headers.ts';
import { idleSeconds } from './timeout.ts';

export interface Address {
  /** 0 takes a free port. */
  port: number;
  host: string;
  bodyStallSeconds: number;
  /** Whether other processes may listen on the same port and share its traffic. */
  isShared: boolean;
}

/** How long new requests are rejected before the socket closes. */
const LINGER_MS = 500;

export class Listener {
  readonly server: Bun.Server<undefined>;
  #draining = false;

  /** Starts listening. Throws Bun's error if it cannot, such as one with `code` EADDRINUSE. */
  constructor(app: AnyElysia, { port, host, bodyStallSeconds, isShared }: Address) {
    this.server = Bun.serve({
      port,
      hostname: host,
      // On by default, so two servers on one port would silently share its traffic.
      reusePort: isShared,
      // Bun would answer larger bodies with an empty 413. We count bytes and answer with our own error.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: idleSeconds(bodyStallSeconds),
      // Otherwise Bun sends an error page with the stack.
      development: false,
      fetch: request => app.fetch(absolute(request)),
      error: () => fault(),
    });
    app.server = this.server;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Rejects new requests, closes the socket, and waits for running requests, at most `seconds`. */
  async drain(seconds: number): Promise<void> {
    this.#draining = true;
    await Bun.sleep(LINGER_MS);
    await Promise.race([this.server.stop(), Bun.sleep(seconds * 1000)]);
  }
}

/** The response to an error that the application did not handle. */
function fault(): Response {
  const body = { message: 'Something went wrong on our side', code: 'INTERNAL' };
  const response = Response.json(body, { status: 500 });
  addHeaders(response.headers);
  return response;
}

/** Without a valid `Host` header, which HTTP/1.0 allows, Bun's URL is relative and Elysia finds no path in it. */
function absolute(request: Request): Request {
  return request.url.startsWith('/') ? new Request(`http://localhost${request.url}`, request) : request;
}
