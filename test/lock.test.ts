/**
 * npm installs from package-lock.json, and the container image from bun.lock: both must hold the same packages.
 * npm omits the package of a platform when the registry lacks it, and `npm ci` then rejects the whole lock.
 */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';

interface Locked {
  name?: string;
  version: string;
  hasInstallScript?: boolean;
  engines?: Record<string, string> | string[];
  optionalDependencies?: Record<string, string>;
  resolved?: string;
  dev?: boolean;
  optional?: boolean;
  integrity?: string;
}

/** `[name@version, registry, facts, integrity]` */
type BunLocked = [string, string, object, string];

const root = join(import.meta.dir, '..');
const manifest = await Bun.file(join(root, 'package.json')).json();
const lock = await Bun.file(join(root, 'package-lock.json')).json();
const packages: Record<string, Locked> = lock.packages;
const bunLock = Bun.JSONC.parse(await Bun.file(join(root, 'bun.lock')).text()) as {
  workspaces: Record<string, object>;
  packages: Record<string, BunLocked>;
};

/** Looks in the package's own folder first, then in each folder above, as npm does. */
function isLocked(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in packages) return true;
    if (folder === '') return false;
  }
}

test('package-lock.json names every optional dependency', () => {
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).filter(name => !isLocked(from, name)),
  );
  expect(missing).toEqual([]);
});

test('docs/security.md says what the locks pin and how to check it, and no version or date that grows old', async () => {
  const page = await Bun.file(join(root, 'docs/security.md')).text();
  const [, section] = page.match(/^## Dependencies$([\s\S]*?)^## /m)!;
  expect(section).not.toMatch(/\d+\.\d+|\b20\d\d\b/);
  for (const said of ['package-lock.json', 'bun.lock', 'npm audit --omit=dev', 'npm outdated --omit=dev'])
    expect(section).toContain(said);
});

test('package-lock.json names no registry', () => {
  expect(Object.values(packages).filter(each => each.resolved?.startsWith('http'))).toEqual([]);
});

test('bun.lock names no registry', () => {
  expect(Object.values(bunLock.packages).filter(([, registry]) => registry !== '')).toEqual([]);
});

test('every package that runs with the service has a checksum', () => {
  const running = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(running.length).toBeGreaterThan(10);
  for (const [path, { integrity }] of running)
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
});

test('both locks ask for what package.json asks for', () => {
  const { dependencies, devDependencies } = manifest;
  expect(packages['']).toMatchObject({ dependencies, devDependencies });
  expect(bunLock.workspaces['']).toEqual({ name: manifest.name, dependencies, devDependencies });
});

test('both locks hold the same packages, with the same versions and checksums', () => {
  expect(lockedByBun().sort()).toEqual(lockedByNpm().sort());
});

function lockedByNpm(): string[] {
  const installed = Object.entries(packages).filter(([path, each]) => path !== '' && !isOnlyNamed(each));
  return unique(
    installed.map(([path, { name, version, integrity }]) => {
      const folder = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return `${name ?? folder}@${version} ${integrity}`;
    }),
  );
}

const lockedByBun = (): string[] =>
  unique(
    Object.values(bunLock.packages).map(
      ([nameAndVersion, , , integrity]) => `${nameAndVersion} ${integrity}`,
    ),
  );

/** The package of another platform, which the registry did not have: npm needs its name, and Bun leaves it out. */
const isOnlyNamed = ({ optional, dev, integrity }: Locked): boolean =>
  optional === true && dev === true && integrity === undefined;

const unique = (each: string[]): string[] => [...new Set(each)];

const installed = Object.entries(packages).filter(([path]) => path !== '');

const nameAt = (path: string, { name }: Locked): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

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
});
