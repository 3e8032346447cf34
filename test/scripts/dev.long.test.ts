/** `npm run dev` in a copy of the sources, which the test may change. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { foldersOfATest } from '../folders.ts';

const ROOT = join(import.meta.dir, '../..');
const FILES = [
  'src',
  'assembly',
  'scripts',
  'asconfig.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
const LISTENING = /"msg":"listening"/g;
const newFolder = foldersOfATest();

/** Ended after each test, however it went. */
let started: Dev | null = null;
afterEach(async () => {
  await started?.end('SIGTERM');
  started = null;
});

class Dev {
  output = '';
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  #more = Promise.withResolvers<void>();

  constructor(readonly folder: string) {
    this.child = Bun.spawn([process.execPath, 'scripts/dev.ts'], {
      cwd: folder,
      env: { PORT: '0', DATA_DIR: join(folder, 'data') },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    this.#read(this.child.stdout);
    this.#read(this.child.stderr);
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const bytes of stream) {
      this.output += new TextDecoder().decode(bytes);
      this.#more.resolve();
      this.#more = Promise.withResolvers();
    }
  }

  /** Waits until the output so far has this many matches. The timeout of the test limits it. */
  async prints(pattern: RegExp, times: number): Promise<void> {
    while ((this.output.match(pattern)?.length ?? 0) < times) await this.#more.promise;
  }

  async end(signal: NodeJS.Signals): Promise<number> {
    this.child.kill(signal);
    return this.child.exited;
  }
}

function copyOfSources(): string {
  const folder = newFolder();
  for (const file of FILES)
    cpSync(join(ROOT, file), join(folder, file), { recursive: true, preserveTimestamps: true });
  // A build that is there already spares the compiler. The rest of the folder is large, and not what the service needs.
  for (const built of ['engine.wasm', 'engine.debug.wasm', 'engine.debug.wasm.map', 'dashboard'])
    if (existsSync(join(ROOT, 'build', built)))
      cpSync(join(ROOT, 'build', built), join(folder, 'build', built), {
        recursive: true,
        preserveTimestamps: true,
      });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Processes that have the folder in their environment. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => environmentOf(pid).includes(folder));
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // it has ended, or belongs to another user
  }
}

// Made once, and copied by every test: the compiler takes seconds.
beforeAll(async () => {
  for (const script of ['build-engine.ts --debug', 'build-dashboard.ts']) {
    const build = Bun.spawn([process.execPath, ...`scripts/${script} --if-stale`.split(' ')], { cwd: ROOT });
    expect(await build.exited).toBe(0);
  }
}, 240_000);

describe('npm run dev', () => {
  test('restarts the service when a file changes', async () => {
    const dev = new Dev(copyOfSources());
    started = dev;
    await dev.prints(LISTENING, 1);
    appendFileSync(join(dev.folder, 'src/http/methods.ts'), '\n// changed\n');
    await dev.prints(LISTENING, 2);
    appendFileSync(join(dev.folder, 'src/http/methods.ts'), '\nconsole.log("changed again");\n');
    await dev.prints(/^changed again$/gm, 1);
  });

  test('keeps the service when the engine does not compile, and restarts it when it does', async () => {
    const dev = new Dev(copyOfSources());
    started = dev;
    await dev.prints(LISTENING, 1);
    const file = join(dev.folder, 'assembly/tags.ts');
    const good = readFileSync(file, 'utf8');
    await Bun.write(file, `${good}\nexport let broken: nothing = 0;\n`);
    await dev.prints(/compile error/g, 1);
    expect(dev.output.match(/"msg":"stopping"/)).toBeNull();
    await Bun.write(file, `${good}\n// mended\n`);
    await dev.prints(LISTENING, 2);
  }, 240_000);

  test.each(['SIGINT', 'SIGTERM'] as const)('ends on %s and leaves no process', async signal => {
    const dev = new Dev(copyOfSources());
    started = dev;
    await dev.prints(LISTENING, 1);
    expect(processesOf(dev.folder).length).toBeGreaterThanOrEqual(2);
    expect(await dev.end(signal)).toBe(0);
    expect(processesOf(dev.folder)).toEqual([]);
  });

  test('ends in the middle of a build and leaves no process', async () => {
    const folder = copyOfSources();
    appendFileSync(join(folder, 'assembly/tags.ts'), '\n// not built yet\n');
    const dev = new Dev(folder);
    started = dev;
    while (processesOf(folder).length < 3) await Bun.sleep(10);
    expect(await dev.end('SIGTERM')).toBe(0);
    while (processesOf(folder).length > 0) await Bun.sleep(10);
  });
});
