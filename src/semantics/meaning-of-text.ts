/** What one value may mean, by its characters and check digits. Pure. */
import { isIPv6 } from 'node:net';
import type { Meaning } from './semantic-type.ts';

/** Empty for most texts. */
export function meaningsOf(text: string): readonly Meaning[] {
  if (SHORT_ADDRESS.test(text))
    return isCertainAddress(text) ? ['ip_address', 'certain_ip_address'] : ['ip_address'];
  if (isLongAddress(text)) return ['ip_address', 'certain_ip_address'];
  if (isCardNumber(text)) return ['card_number'];
  if (isIban(text)) return ['iban'];
  if (isPhone(text)) return ['phone'];
  return isPhoneDigits(text) ? ['phone_digits'] : [];
}

// ---- addresses ----

const SHORT_ADDRESS = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** A number that versions of programs seldom have. */
const BEYOND_VERSIONS = 100;

const isCertainAddress = (text: string): boolean =>
  text.split('.').some(part => Number(part) >= BEYOND_VERSIONS);

/** `fe80::1`. Without a digit it may be a name of a program: `add::bad`. */
const isLongAddress = (text: string): boolean => text.includes(':') && /\d/.test(text) && isIPv6(text);

// ---- numbers with check digits ----

/** Digits, or groups of them with a space or a hyphen between. */
const GROUPED_DIGITS = /^\d{4,}(?:[ -]\d{3,})*$/;

/** First digits and lengths of Visa, Mastercard, American Express, Discover, JCB, Diners Club and UnionPay. */
const CARD =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:(?:2[2-9]|[3-6]\d|7[01])\d|720)\d{12}|3[47]\d{13}|(?:6011|65\d\d|64[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[689]\d)\d{11}|62\d{14,17})$/;

function isCardNumber(text: string): boolean {
  if (!GROUPED_DIGITS.test(text)) return false;
  const digits = text.replace(/[ -]/g, '');
  return CARD.test(digits) && hasLuhnDigit(digits);
}

/** Luhn's check digit (ISO/IEC 7812-1, annex B). */
function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** A country, two check digits, then letters and digits; in groups of four, or together. */
const IBAN = /^[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?$/;
const [LEAST_IBAN, MOST_IBAN] = [15, 34];

/** Check digits as in ISO 13616: with the first four characters behind the others, and letters as 10 to 35, the remainder by 97 is 1. */
function isIban(text: string): boolean {
  if (!IBAN.test(text)) return false;
  const characters = text.replaceAll(' ', '');
  if (characters.length < LEAST_IBAN || characters.length > MOST_IBAN) return false;
  let rest = 0;
  for (const character of characters.slice(4) + characters.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

// ---- phone numbers ----

/** `+49 30 1234567`, `+1 (555) 234-5678`, and what North America writes without a country, perhaps with an extension. */
const INTERNATIONAL = /^\+[1-9][\d ()./-]{6,22}$/;
const NORTH_AMERICAN =
  /^(?:1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?: ?(?:x|ext\.?) ?\d{1,6})?$/;
/** ITU-T E.164 allows 15 digits, the country included. */
const [LEAST_PHONE, MOST_PHONE] = [8, 15];

const isPhone = (text: string): boolean =>
  NORTH_AMERICAN.test(text) || (INTERNATIONAL.test(text) && hasDigits(text, LEAST_PHONE));

const PHONE_CHARACTERS = /^[\d ()./-]{7,24}$/;
/** Of a number within a town. */
const LEAST_LOCAL = 7;

const isPhoneDigits = (text: string): boolean => PHONE_CHARACTERS.test(text) && hasDigits(text, LEAST_LOCAL);

function hasDigits(text: string, least: number): boolean {
  const digits = text.replace(/\D/g, '').length;
  return digits >= least && digits <= MOST_PHONE;
}
