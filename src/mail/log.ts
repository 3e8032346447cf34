/** Without a mail server, writes codes to the log for the operator. */
import type { Logger } from 'pino';
import type { Mailer } from '../account/sign-in.ts';

export class LogMailer implements Mailer {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs a warning, because a code should not be in a log, and so that it appears with any LOG_LEVEL up to `warn`. */
  async sendCode(email: string, code: string): Promise<void> {
    this.#log.warn(`The one-time code for ${email} is ${code} (not mailed: SMTP_URL is not set)`);
  }
}
