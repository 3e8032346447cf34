/** Mail by SMTP: a connection for each message, and none of them for long. */
import { createTransport, type Transporter } from 'nodemailer';
import type { Mailer } from '../account/sign-in.ts';
import { codeMail } from './code-mail.ts';

/** All in ms. */
export interface SmtpTimeouts {
  /** Until the server has been reached and has greeted. */
  connect: number;
  /** Without a byte from it. */
  quiet: number;
  /** For one message in all, however the server trickles. */
  total: number;
}

/** Somebody waits in front of a screen: what takes longer would be late, and the code can be asked for again. */
const TIMEOUTS: SmtpTimeouts = { connect: 5_000, quiet: 8_000, total: 20_000 };

export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;
  readonly #from: string;
  readonly #totalMs: number;

  /** `url`: smtp:// or smtps://, with user, password, port and nodemailer's options as its query. `from`: `a@b.c` or `Name <a@b.c>`. */
  constructor(url: string, from: string, { connect, quiet, total }: SmtpTimeouts = TIMEOUTS) {
    this.#transport = createTransport({
      url,
      connectionTimeout: connect,
      greetingTimeout: connect,
      socketTimeout: quiet,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.#from = from;
    this.#totalMs = total;
  }

  /** Connects and signs in, and sends nothing. Rejects with what the server or the network said. */
  async check(): Promise<void> {
    await this.#transport.verify();
  }

  /** Rejects with what the server or the network said. */
  async sendCode(email: string, code: string): Promise<void> {
    await this.#transport.sendMail({
      ...codeMail(code),
      from: this.#from,
      // As an object it is one address, whatever stands in it.
      to: { name: '', address: email },
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(this.#totalMs),
    });
  }
}
