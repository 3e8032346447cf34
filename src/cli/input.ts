/** Opens a file or standard input, and reads its bytes in pieces: a file of any size takes little memory. */
import { open, stat } from 'node:fs/promises';
import { Failure } from './failure.ts';

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
  const size = facts.isFile() ? facts.size : null;
  return { file, size, pieces: fileBytes(file, size ?? 0) };
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

async function* fileBytes(file: string, size: number): AsyncGenerator<Uint8Array> {
  const handle = await open(file).catch(error => {
    throw unreadable(file, error);
  });
  try {
    const buffer = new Uint8Array(PIECE_BYTES);
    for (let total = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES).catch(error => {
        throw unreadable(file, error);
      });
      if (bytesRead === 0 && total < size)
        throw new Failure(
          'The file became shorter while it was read: screen it when nothing writes it',
          file,
        );
      if (bytesRead === 0) return;
      total += bytesRead;
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
