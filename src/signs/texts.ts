/** What is wrong with a text, by its characters. Pure. */
import type { Mark } from './sign.ts';

export type TextMark = Extract<Mark, 'replacement_character' | 'mojibake' | 'invisible_character'>;

export const isSpreadsheetError = (text: string): boolean => ERROR.test(text);

const ERROR = /^#(REF!|N\/A|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!)$/;

/** What the bytes 80 to BF are in windows-1252, and the controls that the same bytes are in ISO 8859-1. */
const HIGH = '\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
/** Those of them that may well stand behind a letter: quotes, dashes, marks of footnotes and of trades, spaces; and those that are letters. */
const ENDS = '\u00a0«»‘’“”–—…™®©°ªº·¹²³´¨§†‡¡¿•';
const LETTERS = 'ŒœŠšŽžŸƒ';
/** What is left of them. */
const ODD = `(?![${ENDS}${LETTERS}])[${HIGH}]`;

/**
 * UTF-8 that was read as windows-1252: a letter in place of the first byte and what is no letter in place of each other byte. One that may stand behind a letter tells only before another letter,
 * so that French and Portuguese in capitals (`IRMÃ»`, `É…`) are right.
 */
const MISREAD = new RegExp(
  [
    `Â(?![«»‘’“”–—…])[\u0080-\u00bf]`,
    `Ã(?:[¡©®°²³´¨§ª¹º·¿\u00ad${LETTERS}]|${ODD}|[«»‘’“”–—…†‡•](?=\\p{L}))`,
    `[\u00c4-\u00c6\u00c8\u00c9\u00cb-\u00d6\u00d8-\u00df]${ODD}`,
    `[\u00c4-\u00df][\u00a0-\u00bf](?=[\u00c4-\u00df][${HIGH}])`,
    'ÄŸ',
    'â€',
    'ï»¿|ï¿½',
    `[\u00e0-\u00ef](?:${ODD}[${HIGH}]|[${HIGH}]${ODD})`,
    `ð[\u0178\u009f][${HIGH}]{2}`,
  ].join('|'),
  'u',
);

/** Scripts that are written from right to left, or whose words are divided by characters without width. */
const DIRECTED =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Adlam}]/u;
/** Without width everywhere, and joiners where nothing is joined. */
const INVISIBLE =
  /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|(?<=^|\p{ASCII})[\u200c\u200d](?=\p{ASCII}|$)/u;
const MARK_INSIDE = /[\u2060\ufeff]/u;

/** The marks of a value. Most texts never come here: the engine looks at their bytes first. */
export function marksOf(text: string): TextMark[] {
  const marks: TextMark[] = [];
  if (text.includes('\ufffd')) marks.push('replacement_character');
  if (MISREAD.test(text)) marks.push('mojibake');
  if (INVISIBLE.test(text) && (MARK_INSIDE.test(text) || !DIRECTED.test(text)))
    marks.push('invisible_character');
  return marks;
}

// ---- names ----

/** In a name also spaces that are not the usual one, soft hyphens and control characters but tabs and line ends. */
const ODD_IN_NAME =
  /(?![\t\n\r])\p{Cc}|[\u00a0\u00ad\u1680\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\ufeff\ufffd]/u;

/** ASCII that can be seen, with single spaces between: most names. */
const isPlain = (name: string): boolean => /^[!-~]+(?: [!-~]+)*$/.test(name);

/** Whether a name looks like another one than it is. */
export const isOddName = (name: string): boolean =>
  !isPlain(name) && (ODD_IN_NAME.test(name) || marksOf(name).length > 0);

const UNSEEN = /(?!\s)\p{Cc}|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** The same for names that people take for one another. */
export const seenName = (name: string): string =>
  name.normalize('NFC').replace(UNSEEN, '').replace(/\s+/gu, ' ').trim();

/** Names that look alike and are not the same, but for capitals alone. */
export function similarNames(names: readonly string[]): string[][] {
  if (names.every(isPlain)) return [];
  const groups = Map.groupBy(names, name => seenName(name).toLowerCase());
  return [...groups.values()].filter(group => new Set(group.map(name => name.toLowerCase())).size > 1);
}
