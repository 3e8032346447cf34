/**
 * When an attempt that failed is made again, and which deliveries are sent now. What is due comes from the store in order: a
 * message waits for the earlier ones of its incident to its channel, until they are delivered or given up. It cannot wait long for
 * a receiver that works again, because a new message of an incident makes those before it due at once.
 */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/durations.ts';

/** After each attempt that failed: together a day. */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
];

/** The pause after `attempts` that failed, in ms; null: it is given up. `random` is from 0 to 1 and adds up to a tenth. */
export function pauseAfter(attempts: number, random: number): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + random / 10));
}

/** Attempts until a delivery is given up. */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;

/** Sent at once by one process. */
export const MAX_SENDING = 64;
/** Attempts after the first: receivers that hang must not delay those that work. */
export const MAX_RETRYING = 32;
/** Attempts of one account, for the same reason. Its first may use any place, the others only half of them: the rest is for other accounts. */
export const MAX_SENDING_OF_ACCOUNT = 4;

interface Candidate {
  account: string;
  channel: string;
  /** Attempts before this one. */
  attempts: number;
}

/** Chooses what may be sent beside what is being sent. A channel gets one at a time. */
export function choose<T extends Candidate>(due: readonly T[], sending: readonly Candidate[]): T[] {
  const chosen: T[] = [];
  for (const each of due) {
    const all = [...sending, ...chosen];
    const retrying = all.filter(({ attempts }) => attempts > 0);
    const isFree = !all.some(({ channel }) => channel === each.channel);
    if (
      isFree &&
      hasPlace(each, all, MAX_SENDING) &&
      (each.attempts === 0 || hasPlace(each, retrying, MAX_RETRYING))
    )
      chosen.push(each);
  }
  return chosen;
}

/** Whether the candidate may start beside the attempts `taken`. `most`: how many attempts there may be. */
function hasPlace({ account }: Candidate, taken: readonly Candidate[], most: number): boolean {
  const own = taken.filter(each => each.account === account).length;
  return own < MAX_SENDING_OF_ACCOUNT && taken.length < (own === 0 ? most : most / 2);
}
