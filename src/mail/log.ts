/** Instead of mail, where there is no mail server: codes in the log, for whoever runs the program to read. */
import type { Logger } from 'pino';
import type { Mailer } from '../account/sign-in.ts';

export class LogMailer implements Mailer {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** A warning, for it is none of a log's business, and so that it is seen with any LOG_LEVEL up to `warn`. */
  async sendCode(email: string, code: string): Promise<void> {
    this.#log.warn(`The one-time code for ${email} is ${code} (not mailed: SMTP_URL is not set)`);
  }
}
