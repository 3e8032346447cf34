/** Reads a file or standard input in pieces: a file of any size takes little memory. */
import { open, stat } from 'node:fs/promises';
import { Rejection } from '../errors.ts';
import { Transcoder } from '../intake/charset.ts';
import { type Coding, decompressed, type Piece } from '../intake/content-coding.ts';
import { HEAD_BYTES, type Named, notAsNamed, recognise } from '../intake/recognise.ts';
import { QUIET } from '../intake/upload.ts';
import { Failure } from './failure.ts';
import type { FileFormat } from './format.ts';
import { BY_OPTIONS } from './instructions.ts';

const PIECE_BYTES = 256 * 1024;

/** The file name for standard input. */
export const STDIN = '-';

export interface Input {
  file: string;
  /** Size of the file in bytes, before decompression; null if unknown. */
  size: number | null;
  /** The bytes; they can be read once. Throws `Failure`. */
  pieces: AsyncIterable<Uint8Array>;
}

/** Throws `Failure` if the file is missing, empty or a directory. */
export async function openInput(file: string): Promise<Input> {
  if (file === STDIN) return { file, size: null, pieces: standardInput() };
  const facts = await stat(file).catch(error => {
    throw unreadable(file, error);
  });
  if (facts.isDirectory())
    throw new Failure('This is a directory; name the files in it, as in sluice screen DIR/*.csv', file);
  if (facts.isFile() && facts.size === 0) throw empty(file);
  return { file, size: facts.isFile() ? facts.size : null, pieces: fileBytes(file) };
}

/** The text of the file in UTF-8. Calls `onBytes` with the size of each piece, before decompression. Throws `Failure`. */
export async function* textOf(
  input: Input,
  format: FileFormat,
  charset: string | null,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { coding } = format;
  let body: AsyncIterable<Uint8Array> = counted(input, onBytes);
  if (coding !== null) body = uncompressed(input.file, body, coding);
  body = asNamed(input.file, body, { ...format, charset });
  yield* charset === null ? body : transcoded(input.file, body, charset);
}

/** The name of the encoding; null for UTF-8. Throws `Failure`. */
export function charsetOf(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    const { encoding } = new TextDecoder(label as Bun.Encoding);
    return encoding === 'utf-8' ? null : encoding;
  } catch {
    throw new Failure(
      `--charset ${JSON.stringify(label)} is unknown; use a name such as windows-1252 or utf-16le`,
    );
  }
}

export const empty = (file: string): Failure =>
  new Failure(
    file === STDIN
      ? 'Standard input is empty; is the command before the pipe right?'
      : 'The file is empty; a batch needs at least one row',
    file,
  );

async function* fileBytes(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file).catch(error => {
    throw unreadable(file, error);
  });
  try {
    const buffer = new Uint8Array(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES).catch(error => {
        throw unreadable(file, error);
      });
      if (bytesRead === 0) return;
      // Every piece has the same memory: the reader copies it before it asks for the next one.
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function* standardInput(): AsyncGenerator<Uint8Array> {
  yield* Bun.stdin.stream();
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
async function* uncompressed(
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

/** Throws `Failure` if the file is plainly not of its format. */
async function* asNamed(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  named: Named,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array();
  const check = (begin: Uint8Array) => {
    const recognised = recognise(begin.subarray(0, HEAD_BYTES), named);
    if (recognised) throw new Failure(notAsNamed(recognised, named.format, BY_OPTIONS).message, file);
    return begin;
  };
  for await (const piece of pieces) {
    if (head === null) yield piece;
    else {
      head = head.length === 0 && piece.length >= HEAD_BYTES ? piece : Buffer.concat([head, piece]);
      if (head.length < HEAD_BYTES) continue;
      yield check(head);
      head = null;
    }
  }
  if (head !== null) yield check(head);
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

const REASONS = new Map([
  ['ENOENT', 'There is no such file; check its name'],
  ['EACCES', 'You may not read this file; check its permissions'],
  ['EPERM', 'You may not read this file; check its permissions'],
  ['EMFILE', 'Too many files are open; raise the limit with ulimit -n'],
]);

export function unreadable(file: string, error: unknown): Failure {
  const { code = '', message } = error as { code?: string; message: string };
  return new Failure(REASONS.get(code) ?? `Reading the file failed: ${message}`, file);
}
