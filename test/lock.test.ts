/** npm leaves a platform's package out of the lock when a registry lacks it, and `npm ci` then refuses the whole lock. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';

interface Locked {
  optionalDependencies?: Record<string, string>;
  resolved?: string;
  dev?: boolean;
  integrity?: string;
}

const lock = await Bun.file(join(import.meta.dir, '../package-lock.json')).json();
const packages: Record<string, Locked> = lock.packages;

/** As npm looks for it: in the package's own folder, then in each one above. */
function isLocked(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in packages) return true;
    if (folder === '') return false;
  }
}

test('the lock names every optional dependency', () => {
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).filter(name => !isLocked(from, name)),
  );
  expect(missing).toEqual([]);
});

test('the lock names no registry', () => {
  expect(Object.values(packages).filter(each => each.resolved?.startsWith('http'))).toEqual([]);
});

test('of what runs with the service no byte can change unseen', () => {
  const running = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(running.length).toBeGreaterThan(10);
  for (const [path, { integrity }] of running)
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
});
