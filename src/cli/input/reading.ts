/** Reads a file as UTF-8 text of a known format. What neither its name nor the options say is found in its bytes, and said. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAscii } from 'node:buffer';
import { Format } from '../../../assembly/abi.ts';
import { Rejection } from '../../terms/errors.ts';
import { Transcoder } from '../../intake/charset.ts';
import { type Coding, decompressed, type Piece } from '../../intake/content-coding.ts';
import { HEAD_BYTES, lacksMark, notAsNamed, recognise } from '../../intake/recognise.ts';
import { QUIET } from '../../intake/upload.ts';
import { Failure } from '../failure.ts';
import { delimiterName } from '../../intake/delimiters.ts';
import { charsetIn, codingIn, dialectIn, formatIn, hasWideMark, lastCharacterEnd } from './found.ts';
import { escapeOf, unescaped } from './escape.ts';
import { fromLine, headerLineOf } from './header-line.ts';
import { delimiterByte, type FileFormat, formatName, formatOf, namedFormat, unknownFile } from './format.ts';
import { charsetOf, empty, type Input, STDIN, unreadable } from './input.ts';
import { BY_OPTIONS } from './instructions.ts';

/** Options for reading a file, as typed. */
export interface Reading {
  format: string | undefined;
  delimiter: string | undefined;
  headerLine: string | undefined;
  /** CSV: the character before quotes that are text. */
  escapedBy: string | undefined;
  charset: string | undefined;
  /** JSON: path of the array of rows, such as `data` or `response.items`. */
  rows: string | undefined;
  /** Names of columns to read, of a Parquet or Arrow file, separated by commas. */
  columns: string | undefined;
  /** Say nothing of what was found. */
  isQuiet: boolean;
}

export interface Opened {
  format: FileFormat;
  /** The encoding of the file; null for UTF-8. */
  charset: string | null;
  /** Whether the file begins with a byte order mark of UTF-16, which `text` lacks. */
  hasWideMark: boolean;
  /** In UTF-8. */
  text: AsyncIterable<Uint8Array>;
  /** For people: what was found in the bytes; empty if that is nothing unusual. */
  found: string;
}

/** Bytes of the text that are looked at for format, delimiter and encoding. */
const LOOK_BYTES = 64 * 1024;

/** Calls `onBytes` with the size of each piece, before decompression. Throws `Failure`. */
export async function openText(
  input: Input,
  reading: Reading,
  onBytes: (bytes: number) => void,
): Promise<Opened> {
  const { file } = input;
  const named = namedFormat(file, reading.format);
  const givenCharset = charsetOf(reading.charset);
  const raw = await peeked(counted(input, onBytes), 4);
  const coding = named.coding ?? codingIn(raw.head);
  const plain = await peeked(
    coding === null ? raw.pieces : uncompressed(file, raw.pieces, coding),
    LOOK_BYTES,
  );
  try {
    const look = { input, coding, head: plain.head, named, reading, givenCharset };
    const { format, charset } = await looked(look);
    const found = foundText({ ...look, format, charset });
    const checked = asNamed(file, plain.pieces, { ...format, charset });
    const decoded = charset === null ? checked : transcoded(file, checked, charset);
    const escapeByte = escapeOf(reading.escapedBy);
    const text = escapeByte === null ? decoded : unescaped(decoded, format.delimiter, escapeByte);
    return { format, charset, hasWideMark: hasWideMark(plain.head, charset), found, text };
  } catch (error) {
    await plain.close();
    throw error;
  }
}

/** The file itself, or a copy of input that can be read only once or is compressed. Throws `Failure` also where it is plainly of another format. */
export async function seekable(
  input: Input,
  format: FileFormat,
  onBytes: (bytes: number) => void,
): Promise<{ handle: FileHandle; isCopy: boolean }> {
  const { file, size } = input;
  const named = { ...format, charset: null };
  if (file !== STDIN && format.coding === null && size !== null) {
    for await (const head of asNamed(file, input.pieces, named)) if (head) break;
    return { handle: await onDisk(file), isCopy: false };
  }
  const copy = await namelessFile(file);
  try {
    const read = counted(input, onBytes);
    const plain = format.coding === null ? read : uncompressed(file, read, format.coding);
    const { pieces } = await peeked(plain, HEAD_BYTES);
    for await (const piece of asNamed(file, pieces, named)) await copy.writeFile(piece).catch(noCopy(file));
    return { handle: copy, isCopy: true };
  } catch (error) {
    await copy.close();
    throw error;
  }
}

const onDisk = (file: string): Promise<FileHandle> =>
  open(file).catch(error => {
    throw unreadable(file, error);
  });

/** A file without a name: however the program ends, nothing is left of it. */
async function namelessFile(file: string): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-')).catch(noCopy(file));
  try {
    return await open(join(folder, 'input'), 'wx+', 0o600).catch(noCopy(file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const noCopy =
  (file: string) =>
  ({ message }: Error): never => {
    throw new Failure(
      `Columns from a pipe or a compressed file need a copy, which cannot be written: ${message}. Set TMPDIR to a folder with room`,
      file,
    );
  };

interface Look {
  input: Input;
  coding: Coding | null;
  head: Uint8Array;
  named: ReturnType<typeof namedFormat>;
  reading: Reading;
  givenCharset: string | null;
}

async function looked(look: Look): Promise<Pick<Opened, 'format' | 'charset'>> {
  const { head, coding, named, reading, givenCharset } = look;
  const usual = formatOf(named.format ?? Format.CSV, named.delimiter, coding);
  const isCsv = usual.format === Format.CSV;
  const charset =
    reading.charset === undefined && isCsv ? await foundCharset(look, usual.delimiter) : givenCharset;
  const text = new TextDecoder((charset ?? 'utf-8') as Bun.Encoding).decode(head.subarray(0, LOOK_BYTES));
  const format = named.format ?? formatIn(text) ?? unnamed(look, usual, charset);
  if (format !== Format.CSV) return { format: { ...usual, format }, charset: givenCharset };
  return { format: { ...usual, ...dialectOf(text, usual, reading, head.length < LOOK_BYTES) }, charset };
}

/** What the options say, else what is found. */
function dialectOf(
  text: string,
  usual: FileFormat,
  reading: Reading,
  isWhole: boolean,
): Pick<FileFormat, 'delimiter' | 'isDelimiterGiven' | 'headerLine' | 'isHeaderGiven'> {
  const isGiven = reading.delimiter !== undefined;
  const given = isGiven ? delimiterByte(reading.delimiter!) : usual.delimiter;
  const headerLine = headerLineOf(reading.headerLine);
  const behind = headerLine === null ? text : fromLine(text, headerLine);
  const found = dialectIn(behind, given, isGiven, isWhole);
  return {
    delimiter: found.delimiter,
    isDelimiterGiven: isGiven || found.delimiter !== given,
    headerLine: headerLine ?? found.headerLine,
    isHeaderGiven: headerLine !== null,
  };
}

/** Nothing says the format. If the file is of a known other kind, that is said instead. */
function unnamed({ head, input: { file } }: Look, usual: FileFormat, charset: string | null): never {
  const recognised = recognise(head.subarray(0, HEAD_BYTES), { ...usual, charset });
  if (recognised) throw new Failure(notAsNamed(recognised, Format.CSV, BY_OPTIONS).message, file);
  throw unknownFile(file);
}

/** Where the beginning is ASCII, a file on disk is read on until it is not. */
async function foundCharset({ input, coding, head }: Look, delimiter: number): Promise<string | null> {
  let charset = charsetIn(head, delimiter);
  if (charset === 'ascii' && coding === null && input.size !== null && input.size > head.length)
    charset = await laterCharset(input.file, head.length, delimiter);
  return ['ascii', 'utf-8', 'unknown'].includes(charset) ? null : charset;
}

const SCAN_BYTES = 1024 * 1024;

async function laterCharset(file: string, from: number, delimiter: number) {
  const handle = await onDisk(file);
  try {
    const buffer = new Uint8Array(SCAN_BYTES);
    for (let position = from; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, SCAN_BYTES, position);
      const piece = buffer.subarray(0, bytesRead);
      const charset = isAscii(piece) ? 'ascii' : charsetIn(piece, delimiter);
      if (charset !== 'ascii' || bytesRead < SCAN_BYTES) return charset;
      position += lastCharacterEnd(piece);
    }
  } finally {
    await handle.close();
  }
}

/** `delimiter ';', charset windows-1252` */
function foundText({
  head,
  coding,
  named,
  reading,
  format,
  charset,
}: Look & Pick<Opened, 'format' | 'charset'>): string {
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  const usual = formatOf(format.format, named.delimiter, coding).delimiter;
  const facts = [
    named.coding === null && coding !== null && `compression ${coding}`,
    named.format === null && `format ${formatName(format.format)}`,
    reading.delimiter === undefined &&
      format.delimiter !== usual &&
      `delimiter ${delimiterName(format.delimiter)}`,
    reading.headerLine === undefined &&
      (format.headerLine ?? 1) > 1 &&
      `the header on line ${format.headerLine}`,
    reading.charset === undefined &&
      charset !== null &&
      `charset ${charset}${isGuess(charset) ? ' (likely)' : ''}`,
    hasMark && 'a byte order mark',
  ];
  return facts.filter(fact => fact !== false).join(', ');
}

/** Nothing in the bytes says it for certain. */
const isGuess = (charset: string): boolean => !charset.startsWith('utf-16');

interface Peeked {
  head: Uint8Array;
  /** All pieces, with those of the head. */
  pieces: AsyncIterable<Uint8Array>;
  /** Closes the file. `pieces` does that only once somebody has begun to read it: before, a generator does not run its `finally`. */
  close(): Promise<unknown>;
}

/** Reads ahead until there are `length` bytes. */
async function peeked(pieces: AsyncIterable<Uint8Array>, length: number): Promise<Peeked> {
  const iterator = pieces[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let total = 0;
  while (total < length) {
    const { done, value } = await iterator.next();
    if (done) break;
    // The giver may reuse its memory for the next piece.
    read.push(new Uint8Array(value));
    total += value.length;
  }
  const head = read.length === 1 ? read[0]! : Buffer.concat(read);
  return { head, pieces: after(head, iterator), close: async () => iterator.return?.() };
}

async function* after(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* counted(
  { file, pieces }: Input,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const piece of pieces) {
    total += piece.length;
    onBytes(piece.length);
    if (piece.length > 0) yield piece;
  }
  if (total === 0) throw empty(file);
}

/** Replaces the intake's message, which is about headers: here the file name says how the file is compressed. */
export async function* uncompressed(
  file: string,
  pieces: AsyncIterable<Piece>,
  coding: Coding,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of decompressed(pieces, coding)) if (piece !== QUIET) yield piece;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw new Failure(`This is not complete ${coding} data: it is damaged, cut off or not compressed`, file);
  }
}

const NO_MARK =
  'This does not begin as a file of its format does: it is damaged, or --format or its name is wrong';

/** Throws `Failure` if the file is plainly not of its format. */
async function* asNamed(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  named: Parameters<typeof recognise>[1],
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    // The first piece is what was looked at: it has enough bytes, or all.
    const recognised = isFirst ? recognise(piece.subarray(0, HEAD_BYTES), named) : null;
    if (recognised) throw new Failure(notAsNamed(recognised, named.format, BY_OPTIONS).message, file);
    if (isFirst && lacksMark(piece, named.format)) throw new Failure(NO_MARK, file);
    isFirst = false;
    yield piece;
  }
}

async function* transcoded(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  charset: string,
): AsyncGenerator<Uint8Array> {
  const transcoder = new Transcoder(charset, BY_OPTIONS);
  try {
    for await (const piece of pieces) yield* transcoder.next(piece);
    yield transcoder.finish();
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw new Failure(error.message, file);
  }
}
