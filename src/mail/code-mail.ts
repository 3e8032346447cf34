/** The mail that carries a one-time code. */
import { CODE_MINUTES } from '../account/sign-in.ts';

export interface Text {
  subject: string;
  text: string;
}

/** Lines short enough to go as they are, whatever the way. The code stands alone on its own, to be read from a phone or marked by a double click. */
export const codeMail = (code: string): Text => ({
  subject: 'Your code to sign in to Sluice',
  text: [
    'Your code to sign in to Sluice is',
    '',
    code,
    '',
    `It works once, within ${CODE_MINUTES} minutes. If you did not ask for it,`,
    'there is nothing to do: nobody can sign in without it.',
    '',
  ].join('\n'),
});
