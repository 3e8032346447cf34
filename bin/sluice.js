#!/usr/bin/env node
// The command `sluice` for Node or Bun. The program runs on the Bun that is installed with this package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
/** Bun's program comes in a package for each platform. Its install script moves it, except with `--ignore-scripts`. */
const CPUS = { x64: 'x64', arm64: 'aarch64' };
const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows', freebsd: 'freebsd' };
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

if (process.versions.bun) await import(MAIN);
else run(bunPath());

function bunPath() {
  const name = process.platform === 'win32' ? 'bun.exe' : 'bun';
  const system = `${SYSTEMS[process.platform]}-${CPUS[process.arch]}`;
  const packages = [`@oven/bun-${system}`, `@oven/bun-${system}-musl`].flatMap(folderOf);
  const places = [
    ...packages.map(folder => join(folder, 'bin', name)),
    ...folderOf('bun').map(folder => join(folder, 'bin', 'bun.exe')),
    ...(process.env.PATH ?? '').split(delimiter).map(folder => join(folder, name)),
  ];
  const found = places.find(place => existsSync(place));
  if (found !== undefined) return found;
  console.error(
    'sluice: Bun is missing; run npm install in the folder of this package, or see https://bun.com',
  );
  process.exit(3);
}

/** The folder of a package in a list; an empty list if it is not installed. */
function folderOf(name) {
  try {
    return [dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))];
  } catch {
    return [];
  }
}

function run(bun) {
  const child = spawn(bun, [MAIN, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', error => {
    console.error(`sluice: starting ${bun} failed: ${error.message}`);
    process.exit(3);
  });
  // The exit code of Bun, as if it were run directly.
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
}
