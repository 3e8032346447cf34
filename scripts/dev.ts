/**
 * `npm run dev`: runs the service with the debug build of the engine. When a source file changes, it rebuilds what depends on
 * the file and restarts the service. When a build fails, the last good service goes on. SIGINT or SIGTERM ends everything.
 */
import { watch } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const ENGINE = ['scripts/build-engine.ts', '--debug', '--if-stale'];
const DASHBOARD = ['scripts/build-dashboard.ts', '--if-stale'];
const SERVICE = ['src/main.ts', '--debug-engine'];
/** An editor changes several files at once, or one file several times. */
const SETTLE_MS = 100;
/** A service that has not ended after this long is killed. */
const STOP_MS = 5000;

let service: Bun.Subprocess | null = null;
let build: Bun.Subprocess | null = null;
let isStopping = false;
/** A run of `rebuild` is going on, and whether a file has changed since it began. */
let isBuilding = false;
let hasChanged = false;
let timer: ReturnType<typeof setTimeout> | undefined;

const run = (script: readonly string[]): Bun.Subprocess =>
  Bun.spawn([process.execPath, ...script], { cwd: ROOT, stdout: 'inherit', stderr: 'inherit' });

async function succeeds(script: readonly string[]): Promise<boolean> {
  build = run(script);
  const exitCode = await build.exited;
  build = null;
  return exitCode === 0 && !isStopping;
}

async function end(child: Bun.Subprocess | null): Promise<void> {
  if (child === null) return;
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await child.exited;
  clearTimeout(kill);
}

/** Builds what is stale and restarts the service; again when files change meanwhile. */
async function rebuild(): Promise<void> {
  hasChanged = true;
  if (isBuilding) return;
  isBuilding = true;
  while (hasChanged && !isStopping) {
    hasChanged = false;
    if (!(await succeeds(ENGINE)) || !(await succeeds(DASHBOARD))) continue;
    await end(service);
    if (!isStopping) service = run(SERVICE);
  }
  isBuilding = false;
}

function changed(): void {
  clearTimeout(timer);
  timer = setTimeout(rebuild, SETTLE_MS);
}

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  await Promise.all([end(build), end(service)]);
  process.exit(0);
}

const watchers = ['assembly', 'src'].map(folder => watch(join(ROOT, folder), { recursive: true }, changed));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
await rebuild();
