/** Ids of channels, incidents and deliveries. They sort by time, as those of requests do. */
import { ID_RANDOM_BYTES, requestId } from '../intake/request-id.ts';

export type AlertKind = 'chn' | 'inc' | 'msg';

/** `kind_` and 26 characters, for `now` in ms. */
export const alertId = (kind: AlertKind, now: number, random: (bytes: number) => Uint8Array): string =>
  requestId(now, random(ID_RANDOM_BYTES)).replace('req_', `${kind}_`);

const ALERT_ID = /^(chn|inc|msg)_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const isAlertId = (kind: AlertKind, text: string): boolean =>
  ALERT_ID.test(text) && text.startsWith(`${kind}_`);
