/**
 * Runs the examples of examples/pipelines/ for real: npm run pipelines [NAME …]. Each gets an environment of its own in
 * node_modules/.cache/, which a later run uses again, and a copy of its folder. What it prints must be what its page in docs/pipelines/
 * shows; --write writes it there.
 */
import './built.ts';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCALE_KEY, Service } from '../test/http/service.ts';

const root = join(import.meta.dir, '..');
const examples = join(root, 'examples/pipelines');
const environments = join(root, 'node_modules/.cache/pipelines');

/** How an output begins in its page. */
const shownAs = (name: string) => `\`\`\`text\n$ npm run pipelines -- ${name}\n`;
const pageOf = (name: string) => join(root, 'docs/pipelines', `${name}.md`);

async function sh(command: string, cwd: string, environment: Record<string, string> = {}): Promise<string> {
  // Not awaited with spawnSync: the server answers from this process.
  const child = Bun.spawn(['bash', '-c', command], {
    cwd,
    env: { ...process.env, ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${out}${errors}`);
  return out;
}

/** Installs what the example needs, once for each list of requirements. Gives the folders for PATH. */
async function installed(name: string): Promise<string[]> {
  const own = join(environments, name);
  const requirements = join(examples, name, 'requirements.txt');
  if (!existsSync(requirements)) return [];
  mkdirSync(own, { recursive: true });
  const wanted = await Bun.file(requirements).text();
  const has = Bun.file(join(own, 'installed'));
  if (!((await has.exists()) && (await has.text()) === wanted)) {
    await sh('python3 -m venv venv', own);
    await sh(`venv/bin/python -m pip install --quiet --disable-pip-version-check -r ${requirements}`, own);
    await Bun.write(has, wanted);
  }
  await sh(
    `venv/bin/python -m pip install --quiet --disable-pip-version-check ${join(root, 'clients/python')}`,
    own,
  );
  return [join(own, 'venv/bin')];
}

/** The answer to every third part of a batch is lost on its way, the first time: then the part is sent again. */
function losingAnswers(service: Service): (request: Request) => Promise<Response> {
  const lost = new Set<string>();
  return async request => {
    const { pathname } = new URL(request.url);
    const answer = await service.app.handle(request);
    const part = pathname.match(/\/parts\/(\d+)$/)?.[1];
    if (part === undefined || Number(part) % 3 !== 2 || !answer.ok || lost.has(pathname)) return answer;
    lost.add(pathname);
    return new Response('The answer is lost', { status: 502 });
  };
}

async function output(name: string): Promise<string> {
  const path = await installed(name);
  const folder = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
  const service = new Service({ now: Date.now });
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: losingAnswers(service) });
  const free = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = free;
  await free.stop(true);
  try {
    cpSync(join(examples, name), folder, { recursive: true });
    cpSync(join(root, 'examples'), join(folder, 'data'), {
      recursive: true,
      filter: file => file === join(root, 'examples') || /\.(csv|json)$/.test(file),
    });
    if (existsSync(join(folder, 'package.json'))) {
      await sh(`bun ${join(root, 'scripts/build-client.ts')} --if-stale`, root);
      await sh(`npm pack --silent ${join(root, 'clients/typescript')}`, folder);
      await sh('npm install --silent --no-audit --no-fund ./sluice-client-*.tgz', folder);
    }
    await sh(`mkdir -p bin && ln -s ${join(root, 'bin/sluice.js')} bin/sluice`, folder);
    return await sh('./run.sh', folder, {
      PATH: [join(folder, 'bin'), ...path, join(root, 'node_modules/.bin'), process.env.PATH!].join(':'),
      SLUICE_URL: `http://127.0.0.1:${server.port}`,
      SLUICE_KEY: SCALE_KEY,
      SLUICE_REPOSITORY: root,
      PORT: String(port),
    });
  } finally {
    await server.stop(true);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Null, or what went wrong. */
async function tried(name: string, isWriting: boolean): Promise<string | null> {
  try {
    const printed = await output(name);
    const page = await Bun.file(pageOf(name)).text();
    const [before, rest] = page.split(shownAs(name));
    if (rest === undefined) return `its page lacks the block that begins with ${shownAs(name)}${printed}`;
    const end = rest.indexOf('```');
    if (rest.slice(0, end) === printed) return null;
    if (!isWriting) return `printed something else than its page shows:\n${printed}`;
    await Bun.write(pageOf(name), `${before}${shownAs(name)}${printed}${rest.slice(end)}`);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const words = process.argv.slice(2);
const asked = words.filter(word => word !== '--write');
const names = readdirSync(examples).sort();
const unknown = asked.filter(name => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`there is no ${unknown.join(', ')}; examples are ${names.join(', ')}`);
let failed = 0;
for (const name of asked.length > 0 ? asked : names) {
  const problem = await tried(name, words.includes('--write'));
  if (problem !== null) failed++;
  console.log(`${name}: ${problem ?? 'runs, and prints what its page shows'}`);
}
process.exit(failed === 0 ? 0 : 1);
