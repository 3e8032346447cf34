/** The package of `npm pack` is small, installs alone, and works in Node and Bun, its types under the strictest settings, and docs/client.md shows real output. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../servers/process.ts';
import { SCALE_KEY, Service } from '../http/service.ts';

const ROOT = join(import.meta.dir, '../..');
const MODULES = join(ROOT, 'node_modules');
const DOCUMENTED_URL = 'http://127.0.0.1:8080';
const document = await Bun.file(join(ROOT, 'docs/client.md')).text();
/** The examples, each with its output. */
const examples = [...document.matchAll(/```js\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)].map(
  ([, code, output]) => [code!, output!] as const,
);

const folder = mkdtempSync(join(tmpdir(), 'sluice-client-'));
const packageFolder = join(folder, 'node_modules/sluice-client');
const MAX_INSTALLED_BYTES = 1_000_000;
let time = Date.UTC(2026, 10, 21, 12);
const service = new Service({ now: () => time++ });
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: request => service.app.handle(request) });

afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program with only PATH of the environment of the tests. */
async function run(
  command: string[],
  cwd: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH!, HOME: folder, SLUICE_KEY: SCALE_KEY };
  const child = Bun.spawn(command, { cwd, env, stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

async function done(command: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await run(command, cwd);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const inNode = (file: string) => run(['node', '--no-warnings', join(folder, file)], ROOT);

beforeAll(async () => {
  await done([process.execPath, 'scripts/build-client.ts', '--if-stale'], ROOT);
  const packing = ['npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const tarball = (await done(packing, join(ROOT, 'clients/typescript'))).trim();
  await Bun.write(join(folder, 'package.json'), '{"type":"module"}');
  await done(['npm', 'install', '--silent', '--offline', '--no-audit', '--no-fund', `./${tarball}`], folder);
  // The declarations of Node, for the checks that need them.
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(MODULES, '@types/node'), join(folder, 'node_modules/@types/node'));
});

describe('the package', () => {
  test('is the client alone, below a megabyte installed', () => {
    expect(readdirSync(packageFolder).sort()).toEqual(['README.md', 'dist', 'package.json']);
    expect(readdirSync(join(folder, 'node_modules')).filter(name => /^\w/.test(name))).toEqual([
      'sluice-client',
    ]);
    const files = readdirSync(packageFolder, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter(each => each.isFile())
      .map(each => statSync(join(each.parentPath, each.name)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
    const [, said] = /about (\d+) kB installed/.exec(document)!;
    expect(Math.abs(bytes / 1000 - Number(said))).toBeLessThan(15);
  });

  test.each(['node', 'bun'])('is imported in %s', async platform => {
    const port = await freePort();
    await Bun.write(
      join(folder, 'imported.js'),
      `import { Sluice, SluiceError, Unavailable } from 'sluice-client';
       const url = '${server.url}';
       console.log((await new Sluice({ url }).health()).version);
       const gone = new Sluice({ url: 'http://127.0.0.1:${port}', maxRetries: 0 });
       const error = await gone.listKeys().catch(reason => reason);
       console.log(error instanceof SluiceError, error instanceof Unavailable, error.code);`,
    );
    const command = platform === 'node' ? ['node', '--no-warnings'] : [process.execPath];
    expect(await run([...command, join(folder, 'imported.js')], folder)).toEqual({
      code: 0,
      stderr: '',
      stdout: '1.0.0\ntrue true UNREACHABLE\n',
    });
  });

  test('is one file without imports and without names of platforms', async () => {
    const text = await Bun.file(join(packageFolder, 'dist/index.js')).text();
    expect(text).not.toMatch(/^\s*import\b|\bimport\(|\brequire\b|\bBun\b|\bDeno\b|\bprocess\b|\bBuffer\b/m);
  });
});

describe('its types', () => {
  const CHECKED = `import { type Report, Sluice, SluiceError, type Options } from 'sluice-client';
    import { Blocked, InvalidInput, type Job } from 'sluice-client';
    interface Order { id: number; note: string | null }
    const orders: Order[] = [{ id: 1, note: null }];
    const options: Options = { thresholds: { health_warn: 0.9 } };
    export async function check(sluice: Sluice, file: Blob): Promise<Report['status']> {
      const { report } = await sluice.screen({ source: 'orders', rows: orders, options });
      for await (const { lastRow } of sluice.screenAll({ source: 'orders', csv: file.stream() })) lastRow.toFixed();
      const jobs: Job[] = (await sluice.listJobs({ limit: 5 })).jobs;
      const url: string = (await sluice.startCheckout('growth')).url;
      for await (const job of sluice.jobs({ source: 'orders' })) job.created_at.trim();
      try { await sluice.gate({ source: 'orders', csv: file }, { blockOn: 'warn' }); } catch (error) {
        if (error instanceof Blocked) return error.report.status;
        if (error instanceof InvalidInput) error.code.trim();
      }
      // @ts-expect-error: no such plan
      await sluice.startCheckout('gold');
      // @ts-expect-error: no such threshold
      await sluice.screen({ source: 'orders', rows: orders, options: { thresholds: { health: 1 } } });
      // @ts-expect-error: a source is missing
      await sluice.screen({ rows: orders });
      // @ts-expect-error: JSON is not cut into batches
      sluice.screenAll({ source: 'orders', json: file });
      try { await sluice.resetBaseline('orders'); } catch (error) {
        if (error instanceof SluiceError && error.code === 'RATE_LIMITED') return url === '' ? 'PASS' : jobs[0]!.status;
      }
      return report.status;
    }`;
  const STRICT = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'ES2022',
  };

  test.each([
    ['NodeNext', 'NodeNext', ['ES2023'], ['node']],
    ['a bundler', 'bundler', ['ES2023', 'DOM', 'DOM.AsyncIterable'], []],
  ])('stand alone under %s', async (_, moduleResolution, lib, types) => {
    const name = `checked-${moduleResolution}`;
    await Bun.write(join(folder, `${name}.ts`), CHECKED);
    const module = moduleResolution === 'bundler' ? 'ESNext' : moduleResolution;
    const compilerOptions = {
      ...STRICT,
      module,
      moduleResolution,
      lib,
      types,
      skipLibCheck: types.length > 0,
    };
    const settings = join(folder, `${name}.json`);
    await Bun.write(settings, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
    expect(await run([join(MODULES, '.bin/tsc'), '-p', settings], folder)).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  test('are those of the examples', async () => {
    const files = await Promise.all(
      examples.map(async ([code], i) => {
        await Bun.write(join(folder, `example-${i}.ts`), code);
        return `example-${i}.ts`;
      }),
    );
    const nodes = { module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023'], types: ['node'] };
    const compilerOptions = { ...STRICT, ...nodes, skipLibCheck: true };
    await Bun.write(join(folder, 'examples.json'), JSON.stringify({ compilerOptions, files }));
    const checking = [join(MODULES, '.bin/tsc'), '-p', join(folder, 'examples.json')];
    expect(await run(checking, folder)).toMatchObject({ code: 0, stdout: '' });
  });
});

test('the examples print what the document shows, one after the other', async () => {
  expect(examples.length).toBe(document.match(/```js/g)!.length);
  for (const [i, [code, output]] of examples.entries()) {
    expect(code).toContain(DOCUMENTED_URL);
    await Bun.write(join(folder, `example-${i}.js`), code.replaceAll(DOCUMENTED_URL, server.url.origin));
    expect(await inNode(`example-${i}.js`)).toEqual({ code: 0, stdout: output, stderr: '' });
  }
});
