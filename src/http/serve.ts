/** The application on a socket. */
import type { AnyElysia } from 'elysia';
import { idleSeconds } from './timeout.ts';

export interface Address {
  /** 0 takes a free port. */
  port: number;
  host: string;
  bodyStallSeconds: number;
}

/** Listens until it is stopped. Throws what Bun throws when the address cannot be had, with `code` EADDRINUSE. */
export function serve(app: AnyElysia, { port, host, bodyStallSeconds }: Address): Bun.Server<undefined> {
  const server = Bun.serve({
    port,
    hostname: host,
    // On by default, and then two servers on one port share its traffic and nobody notices.
    reusePort: false,
    // Bun answers a longer body with an empty 413. We count, and answer in our own words.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleSeconds(bodyStallSeconds),
    // Else an error page with the stack answers what `fetch` throws.
    development: false,
    fetch: request => app.fetch(absolute(request)),
    error: () =>
      Response.json({ message: 'Something went wrong on our side', code: 'INTERNAL' }, { status: 500 }),
  });
  app.server = server;
  return server;
}

/** Without a usable `Host`, which HTTP/1.0 allows, Bun leaves the address relative and Elysia finds no path in it. */
function absolute(request: Request): Request {
  return request.url.startsWith('/') ? new Request(`http://localhost${request.url}`, request) : request;
}
