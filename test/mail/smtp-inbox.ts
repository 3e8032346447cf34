/** A real mail server in this process, which records its mails. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Received {
  from: string;
  to: string[];
  user: string | undefined;
  /** As it came: headers, an empty line, the text. */
  message: string;
}

export class SmtpInbox {
  readonly received: Received[] = [];
  readonly #server: SMTPServer;
  #arrived = Promise.withResolvers<void>();

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: true,
      // Its certificate is self-signed.
      disabledCommands: ['STARTTLS'],
      onData: async (stream, session, done) => {
        const message = await new Response(stream as unknown as ReadableStream).text();
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        this.received.push({ from, to: rcptTo.map(({ address }) => address), user: session.user, message });
        done();
        this.#arrived.resolve();
        this.#arrived = Promise.withResolvers();
      },
      ...options,
    });
    this.#server.on('error', () => {});
  }

  static async open(options: SMTPServerOptions = {}): Promise<SmtpInbox> {
    const inbox = new SmtpInbox(options);
    await new Promise<void>(resolve => inbox.#server.listen(0, '127.0.0.1', resolve));
    return inbox;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Resolves when so many messages have come. */
  async has(count: number): Promise<void> {
    while (this.received.length < count) await this.#arrived.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }
}
