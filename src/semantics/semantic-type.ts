/** What the values of a column mean to people, where they are likely to be personal data. Pure. */
import { wordsOf } from '../names/words-of.ts';

export const SEMANTIC_TYPES = ['email', 'card_number', 'iban', 'phone', 'ip_address'] as const;

export type SemanticType = (typeof SEMANTIC_TYPES)[number];

/** Kinds of texts that are counted. E-mail addresses are a statistic of texts. */
export const MEANINGS = [
  'card_number',
  'iban',
  'phone',
  /** Digits that are a phone number if the name of the column says so. */
  'phone_digits',
  'ip_address',
  /** Of these: what is no version of a program. */
  'certain_ip_address',
] as const;

export type Meaning = (typeof MEANINGS)[number];

/** Of one column: about how many values have a meaning. What is absent is 0. They add up over slices. */
export type Meanings = { readonly [Name in Meaning]?: number };

export const NO_MEANINGS: Meanings = {};

export function addMeanings(a: Meanings, b: Meanings): Meanings {
  if (a === NO_MEANINGS || b === NO_MEANINGS) return a === NO_MEANINGS ? b : a;
  const sums: { [Name in Meaning]?: number } = { ...a };
  for (const name of MEANINGS) if (b[name]) sums[name] = (sums[name] ?? 0) + b[name];
  return sums;
}

/** Share of the values that are neither null nor empty from which a column has the type, and how many different values it needs. One in ten codes has a right check digit by chance: of ten codes eight have one in a million columns or fewer. */
const [LEAST_SHARE, LEAST_DISTINCT] = [0.8, 10];

export interface MeantColumn {
  name: string;
  /** Values that are neither null nor empty, and how many of them differ. */
  values: number;
  distinct: number;
  /** About how many values are e-mail addresses. */
  emails: number;
  meanings: Meanings;
}

export interface Semantics {
  type: SemanticType;
  /** About the share of the values that are of the type, of those that are neither null nor empty: 0.8..1. */
  share: number;
}

/** Null for a column that has none, or too few different values to tell. */
export function semanticsOf({ name, values, distinct, emails, meanings }: MeantColumn): Semantics | null {
  if (distinct < LEAST_DISTINCT) return null;
  const {
    card_number: cards = 0,
    iban: ibans = 0,
    phone: phones = 0,
    phone_digits: digits = 0,
    ip_address: addresses = 0,
    certain_ip_address: certain = 0,
  } = meanings;
  const counts: Record<SemanticType, number> = {
    email: emails,
    card_number: cards,
    iban: ibans,
    phone: phones + (isNameOfPhones(name) ? digits : 0),
    ip_address: isNameOfAddresses(name) || certain * 2 >= addresses ? addresses : 0,
  };
  const type = SEMANTIC_TYPES.reduce((best, each) => (counts[each] > counts[best] ? each : best));
  const share = Math.min(1, counts[type] / values);
  return share >= LEAST_SHARE ? { type, share } : null;
}

const PHONE = /^(tele)?(phone|fon|fax)s?$|^(cell|tele)phones?$|^(tel|mobile|msisdn)$/;
const NUMBER = /^(no|nr|num|number)$/;

/** The last word tells what a name is about: `phone_number`, but not `phone_sales`. */
function isNameOfPhones(name: string): boolean {
  const words = wordsOf(name);
  const last = NUMBER.test(words.at(-1) ?? '') ? words.at(-2) : words.at(-1);
  return PHONE.test(last ?? '');
}

const isNameOfAddresses = (name: string): boolean => wordsOf(name).some(word => /^ip(v[46])?s?$/.test(word));
