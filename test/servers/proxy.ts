/** A way to a server that can be made bad: slow, or silent on the connections that stand. */
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pipe {
  client: Socket;
  server: Socket;
  isSilent: boolean;
}

export class SlowProxy {
  /** How much later each piece of an answer comes. */
  delayMs = 0;
  /** Whether new connections lead nowhere. */
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

  /** From now on nothing passes on the connections that stand, and neither side is told. */
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

  /** Timers of one delay end in the order in which they began. */
  #later(pass: () => void): void {
    if (this.delayMs === 0) pass();
    else setTimeout(pass, this.delayMs);
  }
}
