/** Channels: what a client may set, and which incidents they hear of. */
import { emailIn } from '../account/email.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import { plainName } from '../names/plain-name.ts';
import type { Channel, ChannelSettings, ChannelType, Incident, Threshold } from '../stores/ports.ts';
import { isRefusedHost } from './target.ts';

export const MAX_CHANNELS = 20;
export const MAX_NAME_CHARACTERS = 100;
export const MAX_URL_CHARACTERS = 2000;
export const MAX_PATTERNS = 100;
export const MAX_PATTERN_CHARACTERS = 200;
export const CHANNEL_TYPES = ['webhook', 'slack', 'email'] as const satisfies readonly ChannelType[];
export const THRESHOLDS = ['warn', 'block'] as const satisfies readonly Threshold[];

export interface ChannelRules {
  /** Whether URLs may lead to private, loopback and link-local addresses. */
  allowPrivate: boolean;
  /** Whether there is a mail server. */
  canMail: boolean;
}

type Given = Record<string, unknown>;

/** Reads the type of a new channel. Throws `Rejection` INVALID_PARAMETER. */
export function channelType({ type }: Given, { canMail }: ChannelRules): ChannelType {
  const known = CHANNEL_TYPES.find(each => each === type);
  if (!known) throw wrong('type', `one of ${CHANNEL_TYPES.join(', ')}`, type);
  if (known === 'email' && !canMail)
    throw invalid('type email needs a mail server here: the operator sets SMTP_URL');
  return known;
}

/**
 * Reads the settings of a channel; what is absent stays as it is in `before`. Unknown members are refused: a misspelled one
 * would silently leave an alert out. Throws `Rejection` INVALID_PARAMETER.
 */
export function channelSettings(
  given: Given,
  type: ChannelType,
  rules: ChannelRules,
  before: ChannelSettings | null,
): ChannelSettings {
  const place = type === 'email' ? 'to' : 'url';
  const known = ['type', 'name', place, 'sources', 'on'];
  const unknown = Object.keys(given).find(name => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(`A channel of type ${type} has no ${quoted(unknown)}: it has ${known.join(', ')}`);
  if (before && given.type !== undefined && given.type !== type)
    throw invalid(`type cannot be changed, it is ${type}: add another channel`);
  return {
    name: given.name === undefined ? (before?.name ?? type) : nameIn(given.name),
    target: targetIn(given[place], type, rules, before),
    sources: given.sources === undefined ? (before?.sources ?? ['*']) : patternsIn(given.sources),
    on: given.on === undefined ? (before?.on ?? 'warn') : thresholdIn(given.on),
  };
}

function nameIn(given: unknown): string {
  const name = plainName(given, 'name', MAX_NAME_CHARACTERS);
  if (name === '') throw invalid('name must not be empty');
  return name;
}

function targetIn(
  given: unknown,
  type: ChannelType,
  { allowPrivate }: ChannelRules,
  before: ChannelSettings | null,
): string {
  if (given === undefined && before) return before.target;
  if (type !== 'email') return urlIn(given, allowPrivate);
  const address = typeof given === 'string' ? emailIn(given) : null;
  if (address === null) throw wrong('to', 'an e-mail address', given);
  return address;
}

/** The message does not repeat the URL, whose path is often a secret. */
function urlIn(given: unknown, allowPrivate: boolean): string {
  const url = typeof given === 'string' && given.length <= MAX_URL_CHARACTERS ? URL.parse(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}` !== '')
    throw invalid(
      `url must be an address that starts with https:// or http://, without a user, of at most ${MAX_URL_CHARACTERS} characters`,
    );
  if (!allowPrivate && isRefusedHost(url.hostname))
    throw invalid(
      'url must not lead to a private, loopback or link-local address: the operator may allow it with ALERT_ALLOW_PRIVATE=true',
    );
  url.hash = '';
  return url.href;
}

function patternsIn(given: unknown): string[] {
  // No source has a control character or a lone surrogate: such a pattern would silently match none.
  const isPattern = (each: unknown): each is string =>
    typeof each === 'string' &&
    each !== '' &&
    each.isWellFormed() &&
    !/\p{Cc}/u.test(each) &&
    [...each].length <= MAX_PATTERN_CHARACTERS;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_PATTERNS || !given.every(isPattern))
    throw wrong(
      'sources',
      `a list of 1 to ${MAX_PATTERNS} names of 1 to ${MAX_PATTERN_CHARACTERS} characters that a source may have, in which * stands for any characters`,
      given,
    );
  return given;
}

function thresholdIn(given: unknown): Threshold {
  const known = THRESHOLDS.find(each => each === given);
  if (!known) throw wrong('on', `one of ${THRESHOLDS.join(', ')}`, given);
  return known;
}

const wrong = (name: string, expected: string, given: unknown) =>
  invalid(`${name} must be ${expected}${typeof given === 'string' ? `, not ${quoted(given)}` : ''}`);

const invalid = (message: string) => new Rejection('INVALID_PARAMETER', message);

/** Whether the channel hears of the incident. */
export const hears = (
  { sources, on }: Pick<Channel, 'sources' | 'on'>,
  { source, verdict }: Pick<Incident, 'source' | 'verdict'>,
): boolean => (on === 'warn' || verdict === 'BLOCK') && sources.some(pattern => matches(pattern, source));

/** Linear in the text for each star: the next piece is looked for from where the last one ended. */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
