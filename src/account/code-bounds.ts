/**
 * Bounds of one-time codes beyond those of an exact address and a client, so that nobody fills a stranger's mailbox with variants of its
 * address, or makes the service a sender of spam.
 *
 * Those by mailbox, domain and service hold only for addresses without an account: whoever has one gets the codes of the exact address,
 * whatever others ask for. They are counted after the answer, which so reveals nothing. Each count recovers steadily, and
 * what it refuses does not count: a flood keeps new people of its mailbox or domain out only while it lasts.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { HOUR_MS } from '../durations.ts';
import { Rejection } from '../errors.ts';
import { type Rate, type RateStore, retryAfter } from './rate.ts';

/** Codes an hour for new addresses of one mailbox, of one domain, and of all: of a process, or of all replicas with Redis. */
export const CODES_PER_MAILBOX = 5;
export const CODES_PER_DOMAIN = 20;
export const CODES_PER_SERVICE = 500;
/** Requests an hour of one network, whether or not a code is sent. */
export const ASKS_PER_NETWORK = 60;

/** Ignore dots before the @. The value is the first of several names of one domain. */
const WITHOUT_DOTS: ReadonlyMap<string, string> = new Map([
  ['gmail.com', 'gmail.com'],
  ['googlemail.com', 'gmail.com'],
  ['proton.me', 'proton.me'],
  ['protonmail.com', 'proton.me'],
  ['pm.me', 'proton.me'],
]);

/** Domains whose addresses belong to strangers. A count by domain would let one client keep them all out, and protects no mailbox. */
const PUBLIC_PROVIDERS: ReadonlySet<string> = new Set([
  ...WITHOUT_DOTS.keys(),
  ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'yahoo.com', 'aol.com', 'icloud.com', 'me.com'],
  ...['gmx.de', 'gmx.net', 'gmx.com', 'web.de', 't-online.de', 'orange.fr', 'free.fr', 'libero.it'],
  ...['fastmail.com', 'zoho.com', 'yandex.ru', 'yandex.com', 'mail.ru', 'qq.com', '163.com', 'naver.com'],
]);

const hourly = (most: number): Rate => ({ requestsPerSecond: most / (HOUR_MS / 1000), burst: most });

/** `email`: as `emailIn` gives it. Without what follows a plus sign, and without dots where the domain ignores them. */
export function mailboxOf(email: string): { local: string; domain: string } {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at);
  const written = email.slice(at + 1);
  // Mail goes to the domain in ASCII, however it is written.
  const domain = domainToASCII(written) || written;
  const plus = name.indexOf('+');
  // An address may begin with a plus sign.
  const local = plus > 0 ? name.slice(0, plus) : name;
  const single = WITHOUT_DOTS.get(domain);
  return single === undefined ? { local, domain } : { local: local.replaceAll('.', ''), domain: single };
}

/** `client`: as `ClientAddresses` gives it. IPv4 by /24, IPv6 by /48. */
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

/** Counts a code for an address without an account. Returns the bound that leaves no room for it; null: it may be sent. Throws SERVICE_UNAVAILABLE. */
export async function takeCode(email: string, rates: RateStore, now: number): Promise<CodeBound | null> {
  const { local, domain } = mailboxOf(email);
  const hasRoom = async (bound: CodeBound, of: string, most: number) =>
    (await rates.take(`codes to ${bound} ${hashed(of)}`, hourly(most), now)).allowed;
  // The narrowest first: a flood of one mailbox uses up no more than that.
  if (!(await hasRoom('mailbox', `${local}@${domain}`, CODES_PER_MAILBOX))) return 'mailbox';
  const isShared = PUBLIC_PROVIDERS.has(domain);
  if (!isShared && !(await hasRoom('domain', domain, CODES_PER_DOMAIN))) return 'domain';
  return (await hasRoom('service', '', CODES_PER_SERVICE)) ? null : 'service';
}

/** Counts hold no address. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');
