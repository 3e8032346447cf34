/** Folders for tests that need files. */
import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For a file or suite of tests: returns a function that creates a folder, which is deleted after the test. */
export function foldersOfATest(): () => string {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
    folders.push(folder);
    return folder;
  };
}
