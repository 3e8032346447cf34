/** Opens a file or standard input, and reads its bytes in pieces: a file of any size takes little memory. */
import { closeSync, openSync, readSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Failure } from '../failure.ts';

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
  if (!facts.isFile()) return { file, size: null, pieces: streamBytes(file) };
  return { file, size: facts.size, pieces: fileBytes(file, facts.size) };
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

/** Of a device or a pipe with a name. */
async function* streamBytes(file: string): AsyncGenerator<Uint8Array> {
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

/** Of a file on disk of `size` bytes, from byte `from` on. Nothing else is done meanwhile, so it is read without the threads that wait for a disk. Throws `Failure`. */
export async function* fileBytes(file: string, size: number, from = 0): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(PIECE_BYTES);
  const handle = orUnreadable(file, () => openSync(file, 'r'));
  try {
    for (let total = from; ; ) {
      const bytesRead = orUnreadable(file, () => readSync(handle, buffer, 0, PIECE_BYTES, total));
      if (bytesRead === 0 && total < size)
        throw new Failure(
          'The file became shorter while it was read: screen it when nothing writes it',
          file,
        );
      if (bytesRead === 0) return;
      total += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    closeSync(handle);
  }
}

function orUnreadable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function* standardInput(): AsyncGenerator<Uint8Array> {
  try {
    yield* Bun.stdin.stream();
  } catch (error) {
    throw unreadable(STDIN, error);
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
