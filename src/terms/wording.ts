/** How numbers, names and lists read in any sentence: for reports, the command line and the dashboard. What a finding says is in `src/findings/`. */

const wholeNumbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compactNumbers = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const sixDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });
const manyDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 15 });

/** `12,345` */
export const grouped = (value: number): string => wholeNumbers.format(value);

/** `12.3K`, where there is little room. */
export const compact = (value: number): string => compactNumbers.format(value);

/** `1 row`, `2,000 rows`, `2 batches` */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${grouped(count)} ${count === 1 ? noun : many}`;

/** A fraction in 0..1 as a percentage with at most one decimal. Only 0 is 0%, and only 1 is 100%. */
export function percent(rate: number): string {
  if (rate > 0 && rate < 0.001) return '<0.1%';
  if (rate < 1 && rate > 0.999) return '>99.9%';
  return `${Math.round(rate * 1000) / 10}%`;
}

/** A number of the data with six significant digits; very large and very small ones with an exponent. */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return value.toExponential(3);
  return (size >= 1e6 ? manyDigits : sixDigits).format(value);
}

/** Characters of a moment that matter if all are multiples of the unit. */
const UP_TO: Readonly<Record<string, number>> = {
  day: 10,
  hour: 16,
  minute: 16,
  second: 19,
  millisecond: 23,
};

const MEANT: Record<string, string> = {
  email: 'e-mail addresses',
  card_number: 'card numbers',
  iban: 'IBANs',
  phone: 'phone numbers',
  ip_address: 'IP addresses',
};

/** `e-mail addresses, 97% of the values` */
export const semanticWords = ({ type, share }: { type: string; share: number }): string =>
  `${MEANT[type] ?? type}${share < 1 ? `, ${percent(share)} of the values` : ''}`;

/** `YYYY-MM-DD, 2 formats, 97% of the values`, and `2026-01-02 to 2026-02-01, by day` where these are known. */
export function dateWords(dates: {
  format: string;
  formats: number;
  share: number;
  earliest?: string;
  latest?: string;
  resolution?: string;
}): { format: string; range: string | null } {
  const { format, formats, share, earliest, latest, resolution } = dates;
  const mixed = formats > 1 ? `, ${plural(formats, 'format')}` : '';
  const part = share < 1 ? `, ${percent(share)} of the values` : '';
  const moment = (iso: string): string => iso.slice(0, UP_TO[resolution ?? 'second']).replace('T', ' ');
  const unit = resolution ? `, by ${resolution}` : '';
  return {
    format: format + mixed + part,
    range:
      earliest === undefined || latest === undefined
        ? null
        : `${moment(earliest)} to ${moment(latest)}${unit}`,
  };
}

/** The first characters of a text (code points, so no surrogate pair is split). */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count++)
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** The first characters of a text, with `…` where more follow. */
export function shortened(text: string, most = 300): string {
  const start = firstCharacters(text, most);
  return start.length < text.length ? `${start}…` : start;
}

/** Characters that a terminal or a page would obey: controls, line ends and changes of writing direction. */
const UNSHOWABLE = /\p{Cc}|\p{Bidi_Control}|[\u2028\u2029\ud800-\udfff]/gu;
/** And those that nobody sees: without width, and spaces other than the usual one. */
const UNSEEN = /[\u00a0\u00ad\u1680\u2000-\u200b\u202f\u205f\u2060\ufeff]/gu;

/** Whether a text has none of them. */
export const isShowable = (text: string): boolean => text.search(UNSHOWABLE) < 0;

/** Untrusted text made safe to show: on one line, with both kinds of characters escaped. */
export const escaped = (text: string): string =>
  text.replace(UNSHOWABLE, escapeCharacter).replace(UNSEEN, escapeCharacter);

/** A name or value of the payload for a message: in single quotes, escaped, cut at 64 characters. */
export const quoted = (text: string): string => `'${escaped(shortened(text, 64))}'`;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JSON in ASCII, for headers, which hold nothing else. */
export const asciiJson = (value: object): string => JSON.stringify(value).replace(/[^ -~]/g, escapeCharacter);

/** The first `most` values, quoted. The list may be incomplete, so the others are not counted. */
export function quotedList(values: readonly string[], most: number): string {
  const shown = values.slice(0, most).map(quoted).join(', ');
  return values.length > most ? `${shown} and others` : shown;
}

/** Any JSON value of the payload on one line. */
export const example = (value: unknown): string => shortened(JSON.stringify(value) ?? '', 80);
