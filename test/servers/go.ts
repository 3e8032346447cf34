/**
 * Programs that tests run against and that are built from source by Go, where Go is there. Elsewhere, and where the module
 * proxy does not answer, the suites that need them are named as skipped. A build is kept in the user's cache folder.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** A build takes a minute or two on a small machine. */
const BUILD_MS = 600_000;

const CACHE = join(homedir(), '.cache', 'sluice-go');

/** The path of the built program; null where it cannot be had. `version` is one of the module that holds the package. */
export function goProgram(goPackage: string, version: string): string | null {
  const folder = join(CACHE, version);
  const program = join(folder, basename(goPackage));
  if (existsSync(program)) return program;
  const go = Bun.which('go');
  if (go === null) return null;
  const { exitCode, stderr } = Bun.spawnSync([go, 'install', `${goPackage}@${version}`], {
    env: { ...process.env, GOBIN: folder },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: BUILD_MS,
  });
  if (exitCode !== 0)
    console.warn(`${goPackage} cannot be built: ${stderr.toString().trim().split('\n').at(-1)}`);
  return exitCode === 0 ? program : null;
}
