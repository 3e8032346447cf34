/** A proxy that can be made slow, or silent on open connections. */
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pipe {
  client: Socket;
  server: Socket;
  isSilent: boolean;
}

export class SlowProxy {
  /** Delay of each piece of an answer. */
  delayMs = 0;
  /** Whether new connections get no answer. */
  isClosed = false;
  readonly #pipes = new Set<Pipe>();
  readonly #listener: Server;

  private constructor(readonly serverPort: number) {
    this.#listener = createServer(client => this.#join(client));
  }

  static async before(serverPort: number): Promise<SlowProxy> {
    const proxy = new SlowProxy(serverPort);
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.#listener.listen(0, '127.0.0.1', resolve);
    await promise;
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port;
  }

  /** From now on nothing passes on open connections, and neither side notices. */
  silence(): void {
    for (const pipe of this.#pipes) pipe.isSilent = true;
  }

  stop(): void {
    this.#listener.close();
    for (const { client, server } of this.#pipes) for (const end of [client, server]) end.destroy();
  }

  #join(client: Socket): void {
    const server = connect(this.serverPort, '127.0.0.1');
    const pipe: Pipe = { client, server, isSilent: this.isClosed };
    this.#pipes.add(pipe);
    for (const end of [client, server]) end.setNoDelay(true).on('error', () => {});
    client.on('data', bytes => pipe.isSilent || server.write(bytes));
    server.on('data', bytes => this.#later(() => pipe.isSilent || client.write(bytes)));
    client.on('close', () => this.#part(pipe));
    server.on('close', () => pipe.isSilent || this.#later(() => this.#part(pipe)));
  }

  #part(pipe: Pipe): void {
    this.#pipes.delete(pipe);
    pipe.client.destroy();
    pipe.server.destroy();
  }

  /** Timers with the same delay fire in the order in which they were started. */
  #later(pass: () => void): void {
    if (this.delayMs === 0) pass();
    else setTimeout(pass, this.delayMs);
  }
}
