/**
 * Recognises bodies that are plainly not of the format their headers name: files of other formats, pages, text in another encoding.
 * Looks only at how a body begins. Such a body is rejected, never repaired: the error says what it is and what to send. So
 * every test here asks for bytes that no CSV begins with in practice. A CSV cell in quotes begins with a quote, and passes.
 */
import { Format } from '../../assembly/abi.ts';
import { Rejection } from '../terms/errors.ts';
import type { Coding } from './content-coding.ts';
import type { ContentType } from './content-type.ts';
import { BY_HEADERS, type FormatName, type Instructions } from './instructions.ts';

/** Bytes of a body that are looked at. A tar archive names itself at byte 257. */
export const HEAD_BYTES = 512;

/** What the sender says of a body. */
export type Named = Pick<ContentType, 'format' | 'delimiter' | 'charset' | 'coding'>;

export interface Recognised {
  /** What it is, as in `gzip data`. */
  what: string;
  /** What it should be instead; by default its format. */
  not?: string;
  advice(say: Instructions): string;
}

/** What a body is that begins with `head`; null if it may be what it is named. */
export function recognise(head: Uint8Array, named: Named): Recognised | null {
  if (isColumnsAsNamed(head, named)) return null;
  return (
    fileIn(head, named) ?? wideTextIn(head, named) ?? markupOrJsonIn(head, named) ?? binaryIn(head, named)
  );
}

/** Each byte as one character. The decoder of the platform that is named so reads windows-1252. */
const charactersOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

/** A body that is plainly not of the format it is named. */
export const notAsNamed = ({ what, not, advice }: Recognised, format: Format, say = BY_HEADERS): Rejection =>
  new Rejection(
    format === Format.JSON || format === Format.NDJSON ? 'INVALID_JSON' : 'INVALID_ROWS',
    `${say.body} is ${what}, not ${not ?? FORMAT_NAMES[format]}; ${advice(say)}`,
  );

const FORMAT_NAMES: Record<Format, string> = {
  [Format.JSON]: 'JSON',
  [Format.CSV]: 'CSV',
  [Format.NDJSON]: 'NDJSON',
  [Format.ARROW]: 'an Arrow stream',
  [Format.ARROW_FILE]: 'an Arrow file',
  [Format.PARQUET]: 'Parquet',
};

// ---- files ----

type Advice = Recognised['advice'];

const exported: Advice = say => `save its rows as CSV or NDJSON and ${say.give} those`;
const asNamed =
  (name: FormatName): Advice =>
  say =>
    say.format(name);
const unpacked: Advice = () => 'decompress it first';
const pulled: Advice = say => `run git lfs pull, and ${say.give} the file that it fetches`;
/** `begin`: a character for each byte. A coding as advice: to name it. `has`: what else it must have, where it begins with letters that may begin a header. */
type FileKind = [begin: string, what: string, advice: Advice | Coding, has?: (bytes: string) => boolean];

const FILES: FileKind[] = [
  ['\x1f\x8b\x08', 'gzip data', 'gzip'],
  ['\x28\xb5\x2f\xfd', 'zstd data', 'zstd'],
  ['\xfd7zXZ\0', 'xz data', unpacked],
  ['BZh91AY&SY', 'bzip2 data', unpacked],
  ['\x04\x22\x4d\x18', 'lz4 data', unpacked],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive', unpacked],
  ['Rar!\x1a\x07', 'a RAR archive', unpacked],
  ['PK\x03\x04', 'a ZIP archive or a workbook such as .xlsx', exported],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'a workbook such as .xls', exported],
  ['PAR1\x15', 'a Parquet file', asNamed('parquet')],
  ['PARE', 'an encrypted Parquet file', () => 'write it without encryption', bytes => bytes.includes('\0')],
  ['ARROW1\0\0', 'an Arrow file', asNamed('arrow')],
  ['\xff\xff\xff\xff', 'an Arrow stream', asNamed('arrows'), bytes => bytes.startsWith('\0\0', 6)],
  ['FEA1', 'a Feather file of version 1', () => 'write it as version 2', bytes => bytes.includes('\0')],
  ['Obj\x01', 'an Avro file', exported],
  ['SQLite format 3\0', 'a SQLite database', exported],
  ['%PDF-', 'a PDF document', exported],
  ['\x89PNG\r\n\x1a\n', 'a PNG image', exported],
  ['\xff\xd8\xff', 'a JPEG image', exported],
  ['II*\0', 'a TIFF image', exported],
  ['MM\0*', 'a TIFF image', exported],
  ['version https://git-lfs.github.com/spec/', 'a Git LFS pointer', pulled],
  // Their sizes hold zeros.
  ['GIF87a', 'a GIF image', exported, bytes => bytes.slice(6, 16).includes('\0')],
  ['GIF89a', 'a GIF image', exported, bytes => bytes.slice(6, 16).includes('\0')],
  ['RIFF', 'a WebP image', exported, bytes => bytes.startsWith('WEBP', 8)],
  ['BM', 'a BMP image', exported, bytes => bytes.startsWith('\0\0\0\0', 6)],
];

const BY_FIRST_BYTE = Map.groupBy(FILES, ([begin]) => begin.charCodeAt(0));

const isArrowFile = (bytes: string): boolean => bytes.startsWith('ARROW1');

/** How a body of columns begins. A stream of before 2019 has a length there; a file that is sent as a stream is read as the file that it is. */
const BEGINNINGS: Partial<Record<Format, (bytes: string) => boolean>> = {
  [Format.ARROW]: bytes =>
    bytes.startsWith('\xff\xff\xff\xff') || bytes.startsWith('\0\0\x10\0\0\0', 2) || isArrowFile(bytes),
  [Format.ARROW_FILE]: isArrowFile,
  // With an encrypted directory, `PARE`: the reader says so.
  [Format.PARQUET]: bytes => bytes.startsWith('PAR1') || bytes.startsWith('PARE'),
};

const isColumnsAsNamed = (head: Uint8Array, { format }: Named): boolean =>
  BEGINNINGS[format]?.(charactersOf(head)) ?? false;

/** Whether it cannot be a file of columns, though it is named one. Streams have no mark. */
export const lacksMark = (head: Uint8Array, format: Format): boolean =>
  (format === Format.PARQUET || format === Format.ARROW_FILE) &&
  !BEGINNINGS[format]!(charactersOf(head.subarray(0, HEAD_BYTES)));

const TAR_NAME_AT = 257;
const isTar = (head: Uint8Array): boolean =>
  head[TAR_NAME_AT] === 0x75 && /^ustar( {2})?\0/.test(charactersOf(head).slice(TAR_NAME_AT));

function fileIn(head: Uint8Array, { coding }: Named): Recognised | null {
  if (isTar(head)) return { what: 'a tar archive', advice: exported };
  const kinds = BY_FIRST_BYTE.get(head[0]!);
  if (kinds === undefined) return null;
  const bytes = charactersOf(head);
  const kind = kinds.find(([begin, , , has]) => bytes.startsWith(begin) && (has?.(bytes) ?? true));
  if (kind === undefined) return null;
  const [, what, advice] = kind;
  if (typeof advice === 'function') return { what, advice };
  return { what, advice: say => (coding === null ? say.coding(advice) : 'compress it only once') };
}

/** Different control characters, without white space and escape, from which on bytes are no text. Texts have a few: separators, padding. */
const MANY_CONTROLS = 6;
/** The same for bytes that are refused in any case, because they are not UTF-8. */
const SOME_CONTROLS = 3;
const TEXT_CONTROLS = 0b11_1110_0000_0000 | (1 << 27);

function binaryIn(head: Uint8Array, { charset }: Named): Recognised | null {
  if (isWide(charset)) return null;
  let seen = 0;
  for (let i = 0; i < head.length; i++) if (head[i]! < 32) seen |= 1 << head[i]!;
  const controls = bitCount(seen & ~TEXT_CONTROLS);
  const isBinary =
    controls >= MANY_CONTROLS || (controls >= SOME_CONTROLS && charset === null && !beginsAsUtf8(head));
  return isBinary ? { what: 'binary data', advice: exported } : null;
}

function beginsAsUtf8(head: Uint8Array): boolean {
  try {
    // The head may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}

// ---- UTF-16 and UTF-32 ----

const isWide = (charset: string | null): boolean => charset === 'utf-16le' || charset === 'utf-16be';

const wide = (name: string, { format, charset }: Named): Recognised => ({
  what: `text in ${name}`,
  not: `in ${charset ?? 'utf-8'}`,
  advice: say =>
    format === Format.CSV && name.startsWith('utf-16') ? say.charset(name) : 'convert it to UTF-8',
});

function wideTextIn(head: Uint8Array, named: Named): Recognised | null {
  const name = wideNameOf(head, named);
  return name === null || name === named.charset ? null : wide(name, named);
}

/** The name of the encoding of text in UTF-16 or UTF-32: by the byte order mark, else by where zeros are. */
export function wideNameOf(head: Uint8Array, { charset, delimiter }: Named): string | null {
  const [a, b, c, d] = head;
  const hasZero = head.includes(0);
  // Of single-byte charsets these are letters.
  const mayBeMark = hasZero || charset === null || isWide(charset);
  if (mayBeMark && a === 0xff && b === 0xfe)
    return c === 0 && d === 0 && head[6] === 0 ? 'utf-32le' : 'utf-16le';
  if (mayBeMark && a === 0xfe && b === 0xff) return 'utf-16be';
  if (!hasZero || isWide(charset)) return null;
  if (a === 0 && b === 0) return c === 0xfe || isQuad(head, 3) ? 'utf-32be' : null;
  if (isQuad(head, 0)) return 'utf-32le';
  if (isPaired(head, 0, delimiter)) return 'utf-16le';
  return isPaired(head, 1, delimiter) ? 'utf-16be' : null;
}

/** Whether only byte `at` of each of the first two groups of four is not zero. */
const isQuad = (head: Uint8Array, at: number): boolean =>
  head.length >= 8 && head.subarray(0, 8).every((byte, i) => (byte !== 0) === ((i & 3) === at));

const LF = 0x0a;
const CR = 0x0d;

/**
 * Whether byte `at` of each pair is the character and the other one zero: for the first two characters, or for every delimiter and line
 * end, at least two. In UTF-8 zeros may be in cells, but not beside each delimiter.
 */
function isPaired(head: Uint8Array, at: 0 | 1, delimiter: number): boolean {
  if (head.length < 4) return false;
  const isAscii = (pair: number) => head[pair + at] !== 0 && head[pair + 1 - at] === 0;
  if (isAscii(0) && isAscii(2)) return true;
  let pairs = 0;
  for (const [i, byte] of head.subarray(0, head.length & ~1).entries()) {
    if (byte !== LF && byte !== CR && byte !== delimiter) continue;
    if ((i & 1) !== at || !isAscii(i - at)) return false;
    pairs++;
  }
  return pairs >= 2;
}

// ---- pages and JSON, for CSV ----

const MARK_AND_SPACE = /^(\xef\xbb\xbf|\ufeff)?\s*/;

const PAGE = 'an HTML or XML page';
const fromElsewhere: Advice = say => `look where it comes from, and ${say.give} the rows themselves`;

function markupOrJsonIn(head: Uint8Array, named: Named): Recognised | null {
  const { charset, format } = named;
  if (!isWide(charset) && !MARKS.has(firstOf(head)!)) return null;
  const all = isWide(charset) ? new TextDecoder(charset as Bun.Encoding).decode(head) : charactersOf(head);
  const text = all.replace(MARK_AND_SPACE, '');
  if (isPage(text, named)) return { what: PAGE, advice: fromElsewhere };
  const isText = format === Format.JSON || format === Format.NDJSON;
  const isJson = !isText && /^(\[\s*)?\{\s*"[^"]*"\s*:/.test(text);
  return isJson ? { what: 'JSON', advice: jsonFormat } : null;
}

/** `<`, `[` and `{`. */
const MARKS = new Set([0x3c, 0x5b, 0x7b]);

/** The first byte behind a byte order mark and white space. */
function firstOf(head: Uint8Array): number | undefined {
  let at = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  while (head[at]! <= 0x20) at++;
  return head[at];
}

const jsonFormat: Advice = say =>
  `${say.format('json')}, or if each line is one object, ${say.format('ndjson')}`;

/** A header may well begin with a tag, as in `<DATE>,<OPEN>`. */
function isPage(text: string, { delimiter }: Named): boolean {
  if (/^<(!--|!doctype\s|\?xml\s)/i.test(text)) return true;
  const [html] = /^<html(\s[^>]*)?(>|$)/i.exec(text) ?? [];
  if (html !== undefined) return text.charCodeAt(html.length) !== delimiter;
  // Two tags with nothing between them, of HTML or with a closing one behind.
  if (/^<(head|body|table|meta|title|link|script|style)(\s[^<>]*)?>\s*<[a-z/!]/i.test(text)) return true;
  return /^<[a-z_][\w.:-]*(\s[^<>]*)?>\s*<[\s\S]*<\//i.test(text);
}

// ---- JSON that is refused ----

/** What refused JSON or NDJSON that begins with `head` may be instead, as the end of a sentence; empty if that does not tell. */
export function hintOn(head: Uint8Array, format: Format, say: Instructions): string {
  if (format === Format.CSV || (format >= Format.ARROW && head.some(byte => byte < 9 || byte > 126)))
    return '';
  const text = charactersOf(head).replace(MARK_AND_SPACE, '');
  if (!/^[{[]/.test(text)) return isLikeCsv(text) ? `; if it is CSV, ${say.format('csv')}` : '';
  const [line = '', next] = text.split(/\s*\n\s*/, 2);
  const isRow = line.startsWith('{') && (next === undefined || line.endsWith('}'));
  if (format === Format.NDJSON) return isRow ? '' : `; if it is one JSON text, ${say.format('json')}`;
  return isRow && next?.startsWith('{') ? `; if each line is one object, ${say.format('ndjson')}` : '';
}

/** No value of JSON begins like that, or its first line has a delimiter. */
const isLikeCsv = (text: string): boolean => /^([^"\-\dtfn]|.*[,;\t|])/.test(text);
