/** Files that are refused are closed: later ones can still be opened. */
import { afterAll, expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { Failure } from '../../../src/cli/failure.ts';
import { openInput } from '../../../src/cli/input/input.ts';
import { openText } from '../../../src/cli/input/reading.ts';
import { READING } from '../quiet-reading.ts';
import { Folder } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

/** Files of the folder that this process has open. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap(descriptor => {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      return file.startsWith(folder.path) ? [file] : [];
    } catch {
      // That of the listing itself.
      return [];
    }
  });

/** Longer than what is looked at, so not read to its end. */
const PROSE = 'words without a delimiter\n'.repeat(20_000);

async function read(file: string): Promise<void> {
  const { text } = await openText(await openInput(file), READING, () => {});
  for await (const _ of text);
}

test.each([
  ['of unknown format', 'notes', PROSE],
  ['of another format', 'page', `<!doctype html>\n${PROSE}`],
  [
    'whose bytes are of another format',
    'image.csv',
    new Uint8Array(Buffer.from(`\x89PNG\r\n\x1a\n${PROSE}`, 'latin1')),
  ],
  ['that are damaged', 'cut.csv.gz', Bun.gzipSync(PROSE).fill(7, 20)],
  ['that are not compressed', 'plain.csv.zst', PROSE],
])('files %s are closed', async (_, name, content) => {
  for (let i = 0; i < 20; i++) {
    const error = await read(await folder.write(`${i}-${name}`, content)).catch(thrown => thrown);
    expect(error).toBeInstanceOf(Failure);
  }
  expect(openFiles().filter(file => file.endsWith(name))).toEqual([]);
});
