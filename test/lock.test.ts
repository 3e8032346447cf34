/** What an installation brings: by npm's lock, and by Bun's for the image. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';

interface Locked {
  /** Where it is another one than the path says. */
  name?: string;
  version?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  peer?: boolean;
  engines?: Record<string, string> | string[];
  optionalDependencies?: Record<string, string>;
  resolved?: string;
  dev?: boolean;
  integrity?: string;
}

const lock = await Bun.file(join(import.meta.dir, '../package-lock.json')).json();
const packages: Record<string, Locked> = lock.packages;
const bunLock = parseLoose(await Bun.file(join(import.meta.dir, '../bun.lock')).text());
const manifest = await Bun.file(join(import.meta.dir, '../package.json')).json();
const installed = Object.entries(packages).filter(([path]) => path !== '');

/** JSON with commas behind the last item, as Bun writes it. */
function parseLoose(text: string): { packages: Record<string, [string, ...unknown[]]> } {
  return JSON.parse(text.replace(/,(\s*[}\]])/g, '$1'));
}

const nameAt = (path: string, { name }: Locked): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** As npm looks for it: in the package's own folder, then in each one above. */
function isLocked(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in packages) return true;
    if (folder === '') return false;
  }
}

// npm leaves a platform's package out of the lock when a registry lacks it, and `npm ci` then refuses the whole lock.
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

describe('an installation', () => {
  test('runs no script but the one that fetches Bun', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripted.map(([path, each]) => nameAt(path, each))).toEqual(['bun']);
    expect(manifest.allowScripts).toEqual({ bun: true });
  });

  test.each(['20.19.0', '22.19.0'])('prints no warning on Node %s, with npm 10 or 11', node => {
    const wanted = Object.entries(packages).flatMap(([path, { engines = {} }]) =>
      Array.isArray(engines) ? [] : [{ path, node: engines.node ?? '*', npm: engines.npm ?? '*' }],
    );
    const refused = wanted.filter(
      ({ node: range, npm }) =>
        !Bun.semver.satisfies(node, range) ||
        !['10.8.2', '11.6.0'].every(version => Bun.semver.satisfies(version, npm)),
    );
    expect(wanted.length).toBeGreaterThan(50);
    expect(refused).toEqual([]);
  });

  test('brings no telemetry: what a package would report with is an empty package', () => {
    const names = installed.map(([path, each]) => nameAt(path, each));
    const ofBun = Object.values(bunLock.packages).map(([name]) => name);
    expect([...names, ...ofBun].filter(name => /scarf|posthog|analytics|umami/.test(name))).toEqual([]);
  });

  // A registry may lack the packages of another platform, and Bun leaves those out.
  test('has the same packages and versions by either lock', () => {
    const byBun = new Set(Object.values(bunLock.packages).map(([name]) => name));
    const named = (each: [string, Locked][]) =>
      each.map(([path, locked]) => `${nameAt(path, locked)}@${locked.version}`);
    expect([...byBun].filter(name => !named(installed).includes(name))).toEqual([]);
    const needed = named(installed.filter(([, { optional, peer }]) => !optional && !peer));
    expect(needed.filter(name => !byBun.has(name))).toEqual([]);
  });
});
