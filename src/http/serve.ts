/**
 * Serves the application on a socket.
 *
 * On a stop the socket listens for another moment and rejects new requests. So clients and load balancers get a response
 * instead of a connection reset.
 */
import type { Socket, TCPSocketListener } from 'bun';
import type { AnyElysia } from 'elysia';
import { idleSeconds } from './timeout.ts';
import { Connection, type Service } from './wire/connection.ts';
import { Connections } from './wire/connections.ts';
import { Turns } from './wire/turns.ts';
import type { WireRequest } from './wire/request.ts';

export interface Address {
  /** 0 takes a free port. */
  port: number;
  host: string;
  bodyStallSeconds: number;
  /** Whether other processes may listen on the same port and share its traffic. */
}

/** How long new requests are rejected before the socket closes. */
const LINGER_MS = 500;

const TICK_MS = 1000;

const FULL =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export class Listener {
  /** The address that clients connect to. */
  readonly server: { hostname: string; port: number };
  readonly #listener: TCPSocketListener<Connection>;
  readonly #connections = new Connections();
  readonly #ticks: ReturnType<typeof setInterval>;
  #draining = false;
  #closing = false;
  #closed = Promise.withResolvers<void>();

  /** Starts listening. Throws Bun's error if it cannot, such as one with `code` EADDRINUSE. */
  constructor(app: AnyElysia, { port, host, bodyStallSeconds }: Address) {
    const listener = this;
    const service = {
      // The application reads no more of a request than that.
      respond: (request: WireRequest) => app.fetch(request as unknown as Request),
      get closing() {
        return listener.#closing;
      },
      idleMs: idleSeconds(bodyStallSeconds) * 1000,
      turns: new Turns(),
      keep: (bytes: number) => this.#connections.keep(bytes),
    };
    this.#listener = this.#listen({ port, hostname: host, reusePort: false }, service);
    this.server = { hostname: this.#listener.hostname, port: this.#listener.port };
    this.#ticks = setInterval(() => this.#tick(), TICK_MS);
    this.#ticks.unref();
    const requestIP = ({ address }: WireRequest) => ({ address });
    // The only method of a server that the application uses.
    app.server = { requestIP } as unknown as typeof app.server;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Rejects new requests, closes the socket, and waits for running requests, at most `seconds`. */
  async drain(seconds: number): Promise<void> {
    this.#draining = true;
    for (const connection of this.#connections) connection.stop();
    await Bun.sleep(LINGER_MS);
    await Promise.race([this.stop(), Bun.sleep(seconds * 1000)]);
  }

  /** Accepts no more connections; resolves when all have closed. */
  async stop(): Promise<void> {
    this.#closing = true;
    this.#listener.stop();
    for (const connection of this.#connections) connection.stop();
    this.#tick();
    if (this.#connections.size > 0) await this.#closed.promise;
    clearInterval(this.#ticks);
  }

  #listen(address: { port: number; hostname: string; reusePort: boolean }, service: Service) {
    const open = (socket: Socket<Connection>) => {
      if (!this.#connections.admit()) {
        socket.end(FULL);
        return;
      }
      socket.data = new Connection(socket, service);
      this.#connections.add(socket.data);
    };
    const close = (socket: Socket<Connection>) => {
      // A socket that was not admitted has no connection.
      if (socket.data === undefined) return;
      socket.data.close();
      this.#connections.delete(socket.data);
      if (this.#closing && this.#connections.size === 0) this.#closed.resolve();
    };
    return Bun.listen<Connection>({
      ...address,
      // A client may close its side and still read.
      allowHalfOpen: true,
      socket: {
        open,
        close,
        data: (socket, bytes) => socket.data?.data(bytes),
        drain: socket => socket.data?.drain(),
        end: socket => (socket.data ?? socket).end(),
        error: socket => socket.terminate(),
      },
    });
  }

  #tick(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.tick(now);
  }
}
