/** A client that writes what it is told, byte for byte, and keeps what comes back. */
import { connect, type Socket } from 'node:net';
import { KEY } from './server.ts';

/** The head of a POST /v1/screen, in front of whatever a test calls its body. */
export function head(framing: string, more = ''): string {
  return (
    `POST /v1/screen HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n${more}\r\n`
  );
}

export class RawClient {
  received = '';
  failure: Error | null = null;
  closed = false;
  #changed = Promise.withResolvers<void>();
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', error => {
      this.failure = error;
    });
    socket.on('close', () => {
      this.closed = true;
      this.#tell();
    });
  }

  /** Connects and reads as it goes; with `reading` false only from `read()` on. */
  static async open(port: number, reading = true): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const client = new RawClient(socket);
    if (reading) client.read();
    else socket.pause();
    return client;
  }

  read(): void {
    this.#socket.on('data', data => {
      this.received += data.toString('latin1');
      this.#tell();
    });
    this.#socket.resume();
  }

  /** Resolves when the kernel has taken the bytes. */
  async send(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>(resolve => this.#socket.write(bytes, () => resolve()));
  }

  /** Goes away without a word. */
  destroy(): void {
    this.#socket.destroy();
  }

  async receives(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.received)) {
      if (this.closed) throw new Error(`closed after ${JSON.stringify(this.received)}: ${this.failure}`);
      await this.#changed.promise;
    }
  }

  /** Everything that came until the server closed. */
  async untilClosed(): Promise<string> {
    while (!this.closed) await this.#changed.promise;
    return this.received;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
