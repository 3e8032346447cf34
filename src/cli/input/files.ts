/** The files that the words of a command name: files, folders, globs, standard input. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Failure } from '../failure.ts';
import { isKnownName } from './format.ts';
import { STDIN } from './input.ts';

/** Each file once, those of a folder or glob by name. A file whose own name looks like a glob is that file. Throws `Failure`. */
export async function filesIn(words: readonly string[]): Promise<string[]> {
  const files = await Promise.all(words.map(filesOf));
  return [...new Set(files.flat())];
}

async function filesOf(word: string): Promise<string[]> {
  if (word === STDIN) return [word];
  const facts = await stat(word).catch(() => null);
  if (facts?.isDirectory()) return filesInFolder(word);
  if (facts !== null || !/[*?[{]/.test(word)) return [word];
  const found = await scanned(word, '.', word);
  if (found.length === 0) throw new Failure('No file matches; check the pattern', word);
  return found;
}

async function filesInFolder(folder: string): Promise<string[]> {
  const names = (await scanned('**/*', folder, folder)).filter(isKnownName);
  if (names.length === 0)
    throw new Failure('No file in this folder has a name of a known format, as in orders.csv', folder);
  return names.map(name => join(folder, name));
}

/** A file of a folder, or all files that a glob from there matches, by name. The folder's own name is no part of the glob. Throws `Failure`. */
export async function filesLike(pattern: string, folder: string): Promise<string[]> {
  const path = inFolder(folder, pattern);
  if (existsSync(path)) return [path];
  return (await scanned(pattern, folder, pattern)).map(name => inFolder(folder, name));
}

export const inFolder = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path);

/** Hidden files are left out, and links to folders are not followed. Throws `Failure` if a folder cannot be read. */
async function scanned(pattern: string, cwd: string, word: string): Promise<string[]> {
  try {
    const found = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd, onlyFiles: true }));
    return found.sort();
  } catch (error) {
    throw new Failure(`A folder cannot be read, so files may be missing: ${(error as Error).message}`, word);
  }
}
