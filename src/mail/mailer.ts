/** Chooses how codes are sent: by mail if a server is configured, else to the log. */
import type { Logger } from 'pino';
import type { Mailer } from '../account/sign-in.ts';
import { LogMailer } from './log.ts';
import { SmtpMailer } from './smtp.ts';

export interface MailConfig {
  /** Null: no mail server. */
  smtpUrl: string | null;
  mailFrom: string;
}

export const newMailer = ({ smtpUrl, mailFrom }: MailConfig, log: Logger): Mailer =>
  smtpUrl === null ? new LogMailer(log) : new SmtpMailer(smtpUrl, mailFrom);
