/** What the first bytes of a file say about it: compression, format, encoding, delimiter. Pure. */
import { isAscii, isUtf8 } from 'node:buffer';
import { Format } from '../../../assembly/abi.ts';
import type { Coding } from '../../intake/content-coding.ts';
import { guessCharset } from '../../intake/guess-charset.ts';
import { wideNameOf } from '../../intake/recognise.ts';
import { DELIMITERS } from '../../intake/delimiters.ts';
import { DELIMITER_BYTES, findDialect, sepLine } from '../../table/dialect.ts';

const COMMA = 0x2c;

/** The compression that the bytes begin with. */
export function codingIn(head: Uint8Array): Coding | null {
  if (head[0] === 0x1f && head[1] === 0x8b && head[2] === 8) return 'gzip';
  return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd ? 'zstd' : null;
}

/** The format of a text whose name does not say it; null if the text does not either. */
export function formatIn(text: string): Format | null {
  const begin = text.replace(/^\ufeff?\s*/, '');
  if (begin.startsWith('[')) return Format.JSON;
  if (begin.startsWith('{')) return /"rows"\s*:/.test(begin) ? Format.JSON : Format.NDJSON;
  return findDialect(begin, true, COMMA, DELIMITER_BYTES) === null ? null : Format.CSV;
}

// ---- encoding ----

/** `ascii`, `utf-8`, `unknown`, or another name of the Encoding Standard. */
export type Charset = string;

/**
 * The encoding of a text that begins with `bytes`, which may end inside a character. Text that is UTF-8 in most places is damaged
 * UTF-8: the reader refuses it and names the line. So it does if the encoding can only be guessed.
 */
export function charsetIn(bytes: Uint8Array, delimiter: number): Charset {
  const wide = wideNameOf(bytes.subarray(0, 512), {
    format: Format.CSV,
    charset: null,
    delimiter,
    coding: null,
  });
  if (wide === 'utf-16le' || wide === 'utf-16be') return wide;
  if (wide !== null) return 'unknown';
  const whole = bytes.subarray(0, lastCharacterEnd(bytes));
  if (isUtf8(whole)) return isAscii(whole) ? 'ascii' : 'utf-8';
  const { characters, broken } = countUtf8(whole);
  if (characters > broken) return 'utf-8';
  const guess = guessCharset(whole);
  return guess?.isSure ? guess.charset : 'unknown';
}

/** Whether text in this encoding begins with the byte order mark of UTF-16. */
export const hasWideMark = (head: Uint8Array, charset: string | null): boolean =>
  (charset === 'utf-16le' && head[0] === 0xff && head[1] === 0xfe) ||
  (charset === 'utf-16be' && head[0] === 0xfe && head[1] === 0xff);

/** Where the last complete character ends, if the text is UTF-8. */
export function lastCharacterEnd(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0 && at > bytes.length - 4; at--) {
    const byte = bytes[at]!;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return at + length > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/** Characters of several bytes, and places that are no UTF-8. */
function countUtf8(bytes: Uint8Array): { characters: number; broken: number } {
  const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const broken = decoded.match(/\ufffd/g)?.length ?? 0;
  const beyondAscii = decoded.match(/[^\0-\x7f]/gu)?.length ?? 0;
  return { characters: beyondAscii - broken, broken };
}

// ---- delimiter and header ----

export interface FoundDialect {
  /** A byte. */
  delimiter: number;
  /** From 1. */
  headerLine: number;
}

/** What divides the text, and where its header is; `usual` and the first line where nothing says better. `isGiven`: `usual` is what divides it. */
export function dialectIn(text: string, usual: number, isGiven: boolean, isWhole = true): FoundDialect {
  const sep = sepLine(text);
  const named = sep === null ? undefined : DELIMITERS.get(sep === '\\t' || sep === '\t' ? 'tab' : sep);
  if (sep !== null) return { delimiter: isGiven ? usual : (named ?? usual), headerLine: 2 };
  const found = findDialect(text.replace(/^\ufeff/, ''), isWhole, usual, isGiven ? [] : DELIMITER_BYTES);
  return found ?? { delimiter: usual, headerLine: 1 };
}
