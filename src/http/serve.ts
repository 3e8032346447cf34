/**
 * The application on a socket, until it is stopped.
 *
 * A stop begins with a moment in which the socket still listens and every new request is told to go elsewhere: clients
 * and balancers learn of it by an answer, not by a connection that is reset while it waits to be accepted.
 */
import type { AnyElysia } from 'elysia';
import { addHeaders } from './answer-headers.ts';
import { idleSeconds } from './timeout.ts';

export interface Address {
  /** 0 takes a free port. */
  port: number;
  host: string;
  bodyStallSeconds: number;
  /** Whether other processes may listen on the port too, and share its traffic. */
  isShared: boolean;
}

/** How long newcomers are answered before the socket closes. */
const LINGER_MS = 500;

export class Listener {
  readonly server: Bun.Server<undefined>;
  #draining = false;

  /** Listens. Throws what Bun throws when the address cannot be had, with `code` EADDRINUSE. */
  constructor(app: AnyElysia, { port, host, bodyStallSeconds, isShared }: Address) {
    this.server = Bun.serve({
      port,
      hostname: host,
      // On by default, and then two servers on one port share its traffic and nobody notices.
      reusePort: isShared,
      // Bun answers a longer body with an empty 413. We count, and answer in our own words.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: idleSeconds(bodyStallSeconds),
      // Else an error page with the stack answers what `fetch` throws.
      development: false,
      fetch: request => app.fetch(absolute(request)),
      error: () => fault(),
    });
    app.server = this.server;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Sends newcomers away, closes, and waits for what runs, `seconds` at most. */
  async drain(seconds: number): Promise<void> {
    this.#draining = true;
    await Bun.sleep(LINGER_MS);
    await Promise.race([this.server.stop(), Bun.sleep(seconds * 1000)]);
  }
}

/** What nothing of the application has answered. */
function fault(): Response {
  const body = { message: 'Something went wrong on our side', code: 'INTERNAL' };
  const response = Response.json(body, { status: 500 });
  addHeaders(response.headers);
  return response;
}

/** Without a usable `Host`, which HTTP/1.0 allows, Bun leaves the address relative and Elysia finds no path in it. */
function absolute(request: Request): Request {
  return request.url.startsWith('/') ? new Request(`http://localhost${request.url}`, request) : request;
}
