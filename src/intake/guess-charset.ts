/**
 * Guesses the encoding of a text that is no UTF-8. A library knows which bytes the encodings of many languages use (`chardet`); here it
 * gets only the words with such bytes, as a table is mostly ASCII. It does not know the encodings of old Macs and of DOS, and takes
 * them for windows-1252: there most letters would be control characters and symbols.
 */
import type { Match } from 'chardet';

export interface GuessedCharset {
  /** A name of the Encoding Standard, or of one that the platform does not decode, such as `ibm850`. */
  charset: string;
  /** Whether it may be used without asking. */
  isSure: boolean;
}

/** Bytes of words that are looked at. */
const MOST_BYTES = 4096;

/** Null where nothing fits. */
export function guessCharset(bytes: Uint8Array): GuessedCharset | null {
  const words = wordsIn(bytes);
  if (words.length === 0) return null;
  const matches = matchesOf(words);
  return isLatin(words) ? latinIn(words, matches) : otherIn(words, matches);
}

const SPACE = 0x20;

/** In other scripts than Latin most bytes beyond ASCII follow each other. */
function isLatin(words: Uint8Array): boolean {
  let inRuns = 0;
  let run = 0;
  for (const byte of words) {
    run = byte >= 0x80 ? run + 1 : 0;
    if (run >= RUN) inRuns += run === RUN ? RUN : 1;
  }
  return inRuns < countIf(words, byte => byte >= 0x80) / 2;
}

const RUN = 3;

/** Words with a byte beyond ASCII, divided by spaces. */
function wordsIn(bytes: Uint8Array): Uint8Array {
  const words: number[] = [];
  let from = 0;
  let isBeyond = false;
  for (let at = 0; at <= bytes.length && words.length < MOST_BYTES; at++) {
    const byte = bytes[at] ?? SPACE;
    if (isWithin(byte)) {
      isBeyond ||= byte >= 0x80;
      continue;
    }
    if (isBeyond) words.push(...bytes.subarray(Math.max(from, at - 256), at), SPACE);
    [from, isBeyond] = [at + 1, false];
  }
  return Uint8Array.from(words);
}

/** Letters, also those that are the second byte of a character; hyphens and apostrophes. */
const isWithin = (byte: number): boolean => byte >= 0x40 || byte === 0x27 || byte === 0x2d;

function countIf(bytes: Uint8Array, test: (byte: number) => boolean): number {
  let count = 0;
  for (const byte of bytes) if (test(byte)) count++;
  return count;
}

function matchesOf(words: Uint8Array): Match[] {
  // Most texts are UTF-8, and never need it.
  const { analyse } = require('chardet') as typeof import('chardet');
  return analyse(words);
}

// ---- Latin ----

/** Letters of languages of the west, and marks that word processors write. */
const WESTERN = new Set('äöüßéèêëàâáãåæçíîïñóôõøúûùœÄÖÜÉÅØÆÑÇÁÍÓÚÀÈÂÊÎ‘’“”–—…•€™®©°£½«»\u00a0');
/** The same in the encodings that the library does not know; of `ibm850` as bytes. */
const IBM850 = new Set([
  ...[0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e, 0x8f, 0x90, 0x91, 0x92],
  ...[0x93, 0x94, 0x96, 0x97, 0x99, 0x9a, 0x9b, 0x9d, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xc6, 0xe1, 0xe4],
]);
const CENTRAL = ['windows-1250', 'ISO-8859-2'];
const WEST = ['windows-1252', 'ISO-8859-1'];

function latinIn(words: Uint8Array, matches: readonly Match[]): GuessedCharset {
  const beyond = words.filter(byte => byte >= 0x80);
  const readAs = (charset: string) =>
    [...new TextDecoder(charset as Bun.Encoding).decode(beyond)].filter(letter => WESTERN.has(letter)).length;
  const west = readAs('windows-1252');
  const others: [string, number][] = [
    ['macintosh', readAs('macintosh')],
    ['ibm850', countIf(beyond, byte => IBM850.has(byte))],
  ];
  const [other, most] = others.reduce((a, b) => (b[1] > a[1] ? b : a));
  if (most > west) return { charset: other, isSure: false };
  const best = matches.find(({ name }) => [...CENTRAL, ...WEST, 'ISO-8859-9', 'windows-1254'].includes(name));
  const confidence = (names: readonly string[]) =>
    Math.max(0, ...matches.filter(({ name }) => names.includes(name)).map(match => match.confidence));
  if (best && !WEST.includes(best.name) && best.confidence > confidence(WEST))
    return { charset: best.name.toLowerCase().replace('iso-8859-9', 'windows-1254'), isSure: false };
  // Symbols and capital letters within words are letters of another encoding.
  const misplaced =
    new TextDecoder('windows-1252').decode(words).match(/(?<=[a-z])[À-ÖØ-Þ](?=[a-z])/g)?.length ?? 0;
  return { charset: 'windows-1252', isSure: west - misplaced >= beyond.length * MOSTLY };
}

const MOSTLY = 0.8;

// ---- other scripts ----

/** Encodings of several bytes a character are told by which pairs occur at all. */
const SURE_CONFIDENCE = 60;
const MULTIBYTE = new Set(['GB18030', 'Big5', 'Shift_JIS', 'EUC-JP', 'EUC-KR', 'ISO-2022-JP', 'ISO-2022-KR']);

function otherIn(words: Uint8Array, matches: readonly Match[]): GuessedCharset | null {
  const fitting = matches.filter(({ name }) => !LATIN.has(name) && decodes(words, name));
  const [best, next] = fitting;
  if (best === undefined) return null;
  const isAlone = next === undefined || next.confidence < best.confidence - 20;
  const isSure = MULTIBYTE.has(best.name) && best.confidence >= SURE_CONFIDENCE && isAlone;
  return { charset: best.name.toLowerCase(), isSure };
}

const LATIN = new Set([
  ...CENTRAL,
  ...WEST,
  'ASCII',
  'UTF-8',
  'ISO-8859-9',
  'windows-1254',
  'windows-1257',
  'ISO-8859-4',
]);

/** Also false for an encoding that the platform does not know. */
function decodes(words: Uint8Array, charset: string): boolean {
  try {
    new TextDecoder(charset as Bun.Encoding, { fatal: true }).decode(words);
    return true;
  } catch {
    return false;
  }
}
