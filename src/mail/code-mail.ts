/** The mail with a one-time code. */
import { CODE_MINUTES } from '../account/sign-in.ts';

export interface MailText {
  subject: string;
  text: string;
}

/** Lines are short, so that no server wraps them. The code has its own line: easy to read on a phone and to select. */
export const codeMail = (code: string): MailText => ({
  subject: 'Your code to sign in to Sluice',
  text: [
    'Your code to sign in to Sluice is',
    '',
    code,
    '',
    `It works once, within ${CODE_MINUTES} minutes. If you did not request it,`,
    'you can ignore this mail: nobody can sign in without the code.',
    '',
  ].join('\n'),
});
