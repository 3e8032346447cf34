/** A service for a client: in this process, or over TCP with connections that break. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Sluice, type Settings } from '../../src/client/index.ts';
import { SCALE_KEY, Service } from '../http/service.ts';

/** A request of the client, and the answer. */
export interface Exchange {
  method: string;
  url: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  status: number;
}

export interface Serving {
  service: Service;
  client: Sluice;
  exchanges: Exchange[];
  /** How long the client was told to pause, in ms. */
  pauses: number[];
}

/** A client of a service in this process. Its pauses take no time. */
export function serving(settings: Partial<Settings> = {}, service = new Service()): Serving {
  const exchanges: Exchange[] = [];
  const pauses: number[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    const body = await request.clone().bytes();
    const response = await service.app.handle(request);
    const { method, headers } = request;
    exchanges.push({ method, url, headers, body: body as Uint8Array<ArrayBuffer>, status: response.status });
    return response;
  };
  const wait = async (ms: number) => void pauses.push(ms);
  const client = new Sluice({ url: 'http://localhost/v1/', key: SCALE_KEY, fetch, wait, ...settings });
  return { service, client, exchanges, pauses };
}

/** Forwards connections to a port and breaks them: `breaks` decides for connection n, from 1. */
export class FlakyProxy {
  connections = 0;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(
    readonly serverPort: number,
    readonly breaks: (connection: number) => 'before' | 'after' | null,
  ) {
    this.#listener = createServer(client => this.#join(client));
  }

  /** `before`: when the client has connected. `after`: when the server has answered, of which nothing is passed on. */
  static async to(serverPort: number, breaks: FlakyProxy['breaks']): Promise<FlakyProxy> {
    const proxy = new FlakyProxy(serverPort, breaks);
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.#listener.listen(0, '127.0.0.1', resolve);
    await promise;
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#listener.address() as { port: number }).port}`;
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket): void {
    const breaks = this.breaks(++this.connections);
    this.#sockets.add(client.on('error', () => {}));
    if (breaks === 'before') {
      client.destroy();
      return;
    }
    const server = connect(this.serverPort, '127.0.0.1').on('error', () => client.destroy());
    this.#sockets.add(server);
    client.on('data', bytes => server.write(bytes)).on('close', () => server.destroy());
    server.on('data', bytes => (breaks === 'after' ? client.destroy() : client.write(bytes)));
    server.on('close', () => client.destroy());
  }
}
