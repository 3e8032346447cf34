/**
 * Limits one-time codes by network, mailbox, domain and service, in addition to the limits by exact address and client in `sign-in.ts`.
 * They keep an attacker from filling a stranger's mailbox through variants of its address, and from sending spam through the service.
 *
 * The limits by mailbox, domain and service apply only to addresses without an account: an address with an account gets its own codes,
 * whatever others request. They are checked after the answer is sent, so the answer reveals nothing. Each count recovers steadily, and
 * refused codes do not count: a flood locks new people of its mailbox or domain out only while it lasts.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { HOUR_MS } from '../time/durations.ts';
import { Rejection } from '../terms/errors.ts';
import type { Rate, RateStore } from '../stores/ports.ts';
import { retryAfter } from './retry-after.ts';

/** Codes per hour for addresses without an account: of one mailbox, of one domain, and of all. Counted by process, with Redis over all replicas. */
export const CODES_PER_MAILBOX = 5;
export const CODES_PER_DOMAIN = 20;
export const CODES_PER_SERVICE = 500;
/** Requests per hour from one network, whether or not a code is sent. */
export const ASKS_PER_NETWORK = 60;

/** Domains that ignore dots before the @, and the main name of each: several names may share their mailboxes. */
const WITHOUT_DOTS: ReadonlyMap<string, string> = new Map([
  ['gmail.com', 'gmail.com'],
  ['googlemail.com', 'gmail.com'],
  ['proton.me', 'proton.me'],
  ['protonmail.com', 'proton.me'],
  ['pm.me', 'proton.me'],
]);

/** Providers whose users have nothing to do with each other. A limit by domain would let one client lock them all out, and protects no mailbox. */
const PUBLIC_PROVIDERS: ReadonlySet<string> = new Set([
  ...WITHOUT_DOTS.keys(),
  ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'yahoo.com', 'aol.com', 'icloud.com', 'me.com'],
  ...['gmx.de', 'gmx.net', 'gmx.com', 'web.de', 't-online.de', 'orange.fr', 'free.fr', 'libero.it'],
  ...['fastmail.com', 'zoho.com', 'yandex.ru', 'yandex.com', 'mail.ru', 'qq.com', '163.com', 'naver.com'],
]);

const hourly = (most: number): Rate => ({ requestsPerSecond: most / (HOUR_MS / 1000), burst: most });

/** The mailbox of an address: without the part after a plus sign, and without dots where the domain ignores them. `email`: from `emailIn`. */
export function mailboxOf(email: string): { local: string; domain: string } {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at);
  const written = email.slice(at + 1);
  // A domain may be written in Unicode or in ASCII; both are the same.
  const domain = domainToASCII(written) || written;
  const plus = name.indexOf('+');
  // A plus sign at the beginning belongs to the name.
  const local = plus > 0 ? name.slice(0, plus) : name;
  const single = WITHOUT_DOTS.get(domain);
  return single === undefined ? { local, domain } : { local: local.replaceAll('.', ''), domain: single };
}

/** The network of a client, IPv4 /24 or IPv6 /48. `client`: from `ClientAddresses`. */
export function networkOf(client: string): string {
  if (isIP(client) === 4) return client.replace(/\d+$/, '0/24');
  return client.replace(/:[^:]+::\/64$/, '::/48');
}

/** Counts a request for a code. Throws `Rejection` RATE_LIMITED, SERVICE_UNAVAILABLE. */
export async function takeAsk(client: string, rates: RateStore, now: number): Promise<void> {
  const network = networkOf(client);
  const { allowed, waitSeconds } = await rates.take(
    `codes of network ${network}`,
    hourly(ASKS_PER_NETWORK),
    now,
  );
  if (allowed) return;
  throw new Rejection(
    'RATE_LIMITED',
    `A network, yours is ${network}, may request ${ASKS_PER_NETWORK} codes per hour: try again in ${waitSeconds} seconds`,
    { 'Retry-After': retryAfter(waitSeconds) },
  );
}

export type CodeBound = 'mailbox' | 'domain' | 'service';

/** Counts a code for an address without an account. Returns the limit that is reached; null if the code may be sent. Throws SERVICE_UNAVAILABLE. */
export async function takeCode(email: string, rates: RateStore, now: number): Promise<CodeBound | null> {
  const { local, domain } = mailboxOf(email);
  const hasRoom = async (bound: CodeBound, of: string, most: number) =>
    (await rates.take(`codes to ${bound} ${hashed(of)}`, hourly(most), now)).allowed;
  // The narrowest limit first: a flood of one mailbox must not use up the others.
  if (!(await hasRoom('mailbox', `${local}@${domain}`, CODES_PER_MAILBOX))) return 'mailbox';
  const isShared = PUBLIC_PROVIDERS.has(domain);
  if (!isShared && !(await hasRoom('domain', domain, CODES_PER_DOMAIN))) return 'domain';
  return (await hasRoom('service', '', CODES_PER_SERVICE)) ? null : 'service';
}

/** Keys of counts must not contain addresses. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');
