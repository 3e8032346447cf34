/** What holds of a batch that somebody accepted as the new normal. */
import type { JobFeedback } from '../client/contract.ts';
import type { Verdict } from '../terms/verdict.ts';

/** The accept that holds now; undefined if nobody accepted the batch, or it was undone. */
export const acceptedIn = (feedback: readonly JobFeedback[] = []): JobFeedback | undefined =>
  feedback.find(({ said, undone_at }) => said === 'accepted' && undone_at === undefined);

/** As they were called then. */
export const whoSaid = ({ who, by }: JobFeedback): string =>
  who ?? (by === null ? 'a person who was signed in' : `the key ${by}`);

/** `at`: as it is shown. */
export const acceptedText = (feedback: JobFeedback, at = feedback.at): string =>
  `Accepted as the new normal by ${whoSaid(feedback)} on ${at}.`;

/** What follows for the rows. Those of a WARN were loaded. */
export function afterAccept(verdict: Verdict): string {
  const judged =
    'The same batch, posted again, is judged by the new baseline; thresholds and rules hold as before.';
  return verdict === 'BLOCK' ? `${judged} ${ROWS}` : judged;
}

const ROWS =
  'Its rows are not stored here: send them again, with a new idempotency key if they had one, or load them yourself.';
