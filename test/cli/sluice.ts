/** The real command line in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf } from '../servers/program.ts';

const ROOT = join(import.meta.dir, '../..');
export const LAUNCHER = join(ROOT, 'bin/sluice.js');
export const EXAMPLES = join(ROOT, 'examples');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Surroundings {
  /** Only what is given is set: nothing of the environment of the tests reaches the program. */
  environment?: Record<string, string>;
  stdin?: string | Uint8Array<ArrayBuffer>;
  folder?: string;
}

export function start(args: string[], { environment = {}, stdin, folder }: Surroundings = {}) {
  return Bun.spawn([...commandOf('sluice'), ...args], {
    env: environment,
    stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
    ...(folder !== undefined && { cwd: folder }),
  });
}

/** Runs it to its end. */
export async function sluice(args: string[], surroundings?: Surroundings): Promise<Ended> {
  const child = start(args, surroundings);
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

/** A folder for one test file, which it removes at its end. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'sluice-cli-'));

  at = (name: string): string => join(this.path, name);

  async write(name: string, content: string | Uint8Array): Promise<string> {
    await Bun.write(this.at(name), content);
    return this.at(name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
