/**
 * Ids of channels, incidents and deliveries. They sort by time, as those of requests do, and those of one process in the order
 * in which they are made: an id that would not be the greatest so far is the successor of the greatest. So ids of the same
 * millisecond keep their order, and so do those that are made after the clock was set back, with the time from before.
 */
import { ID_RANDOM_BYTES, requestId } from '../names/request-id.ts';

export type AlertKind = 'chn' | 'inc' | 'msg';

/** Makes ids: `kind_` and 26 characters. `now`: in ms. */
export function alertIds(
  now: () => number,
  random: (bytes: number) => Uint8Array,
): (kind: AlertKind) => string {
  let last = '';
  return kind => {
    const fresh = requestId(now(), random(ID_RANDOM_BYTES)).slice('req_'.length);
    last = fresh > last ? fresh : successor(last);
    return `${kind}_${last}`;
  };
}

/** Crockford's base 32, in ASCII order. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The next number of as many digits. After the last one of a millisecond comes the first of the next. */
const successor = (digits: string): string =>
  digits.replace(/[^Z]Z*$/, tail => next(tail[0]!) + '0'.repeat(tail.length - 1));

const next = (digit: string): string => ALPHABET[ALPHABET.indexOf(digit) + 1]!;

const ALERT_ID = /^(chn|inc|msg)_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const isAlertId = (kind: AlertKind, text: string): boolean =>
  ALERT_ID.test(text) && text.startsWith(`${kind}_`);
