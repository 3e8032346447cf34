/**
 * Compiles the engine and the dashboard if their sources are newer. A program imports this file before all others, so that `bun PROGRAM`
 * is enough to run it.
 */
import { join } from 'node:path';

for (const script of ['build-engine.ts', 'build-dashboard.ts']) {
  const command = [process.execPath, join(import.meta.dir, script), '--if-stale'];
  // Not awaited: imports do not wait for each other.
  const { exitCode } = Bun.spawnSync(command, { stdio: ['inherit', 'inherit', 'inherit'] });
  if (exitCode !== 0) process.exit(exitCode);
}
