/** The programs that tests start hundreds of times, compiled: these start in a third of the time of the sources. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Folder } from './build-folder.ts';

const ROOT = join(import.meta.dir, '..');
const SOURCE = join(ROOT, 'src');

/** By the name of the program: its main file, then those of its threads. */
export const PROGRAMS = {
  service: ['src/main.ts', 'src/threads/worker.ts'],
  sluice: ['src/cli/main.ts', 'src/threads/worker.ts'],
  killable: ['src/main.ts', 'src/threads/worker.ts'],
} as const;

export type Program = keyof typeof PROGRAMS;

/** What a program runs before its main file. */
export const BEFORE: Partial<Record<Program, string>> = { killable: 'test/e2e/signal-at.ts' };

export const pathOf = (file: string): string => join(ROOT, file);

export const programs = (): Folder => ({
  output: join(ROOT, 'build/programs'),
  made: 'sluice',
  sources: [
    ...readdirSync(SOURCE, { recursive: true }).map(name => join(SOURCE, String(name))),
    ...Object.values(BEFORE).map(pathOf),
    join(ROOT, 'assembly/abi.ts'),
    join(ROOT, 'scripts/build-programs.ts'),
    join(ROOT, 'package-lock.json'),
  ],
});
