/** How codes leave: by mail where a server is named, else into the log. */
import type { Logger } from 'pino';
import type { Mailer } from '../account/sign-in.ts';
import { LogMailer } from './log.ts';
import { SmtpMailer } from './smtp.ts';

export interface MailConfig {
  /** Null: there is no mail server. */
  smtpUrl: string | null;
  mailFrom: string;
}

export const newMailer = ({ smtpUrl, mailFrom }: MailConfig, log: Logger): Mailer =>
  smtpUrl === null ? new LogMailer(log) : new SmtpMailer(smtpUrl, mailFrom);
