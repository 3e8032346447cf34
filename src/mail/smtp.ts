/** Sends mail by SMTP, with one short connection for each message. */
import type { Transporter } from 'nodemailer';
import type { Mailer } from '../account/sign-in.ts';
import { codeMail, type MailText } from './code-mail.ts';

/** All in ms. */
export interface SmtpTimeouts {
  /** Until the server has accepted the connection and sent its greeting. */
  connect: number;
  /** Without a byte from the server. */
  idle: number;
  /** For one message in total. */
  total: number;
}

/** A user is waiting: a later mail would be too late, and the user can request another code. */
const TIMEOUTS: SmtpTimeouts = { connect: 5_000, idle: 8_000, total: 20_000 };

export class SmtpMailer implements Mailer {
  readonly #url: string;
  readonly #from: string;
  readonly #timeouts: SmtpTimeouts;
  #transport: Promise<Transporter> | null = null;

  /** `url`: smtp:// or smtps://, with user, password, port and nodemailer's options as its query. `from`: `a@b.c` or `Name <a@b.c>`. */
  constructor(url: string, from: string, timeouts = TIMEOUTS) {
    this.#url = url;
    this.#from = from;
    this.#timeouts = timeouts;
  }

  /** Connects and signs in without sending a mail. Rejects with the error of the server or the network. */
  async check(): Promise<void> {
    await (await this.#opened()).verify();
  }

  /** Rejects with the error of the server or network. */
  sendCode(email: string, code: string): Promise<void> {
    return this.send(email, codeMail(code));
  }

  /** Rejects with the error of the server or network. */
  async send(email: string, mail: MailText): Promise<void> {
    const transport = await this.#opened();
    await transport.sendMail({
      ...mail,
      from: this.#from,
      // An object is always one address, whatever the text contains.
      to: { name: '', address: email },
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(this.#timeouts.total),
    });
  }

  /** The library is loaded for the first mail: most services send none. */
  #opened(): Promise<Transporter> {
    this.#transport ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({
        url: this.#url,
        connectionTimeout: this.#timeouts.connect,
        greetingTimeout: this.#timeouts.connect,
        socketTimeout: this.#timeouts.idle,
        disableFileAccess: true,
        disableUrlAccess: true,
      }),
    );
    return this.#transport;
  }
}
