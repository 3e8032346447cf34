/** The files that the words of a command name: files, folders, globs, standard input. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from './failure.ts';
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

/** Hidden files are left out, and links to folders are not followed. Throws `Failure` if a folder cannot be read. */
async function scanned(pattern: string, cwd: string, word: string): Promise<string[]> {
  try {
    const found = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd, onlyFiles: true }));
    return found.sort();
  } catch (error) {
    throw new Failure(`A folder cannot be read, so files may be missing: ${(error as Error).message}`, word);
  }
}
