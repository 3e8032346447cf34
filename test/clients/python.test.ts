/** The Python client: its wheel, its types and style, and its own tests against the real program. */
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pythonOperations, pythonTypes, syncOf } from '../../scripts/python-source.ts';
import { readDocument } from '../http/documents/document.ts';

const ROOT = join(import.meta.dir, '../..');
const CLIENT = join(ROOT, 'clients/python');
const ENVIRONMENT = join(ROOT, 'build/python');
const MINUTES = 60_000;

/** Null, or why the environment cannot be made here. */
function reasonToSkip(): string | null {
  if (!Bun.which('python3')) return 'python3 is not there';
  if (Bun.spawnSync(['python3', '-c', 'import ensurepip, venv']).exitCode !== 0) return 'python3 has no venv';
  const made = Bun.spawnSync([join(ROOT, 'scripts/python-environment.sh'), ENVIRONMENT]);
  return made.exitCode === 0 ? null : `it cannot be installed: ${lastLine(made.stderr)}`;
}

const lastLine = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim().split('\n').at(-1)!;

async function run(...command: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([join(ENVIRONMENT, 'bin/python'), ...command], {
    cwd: CLIENT,
    env: { PATH: process.env.PATH!, SLUICE_BUN: process.execPath, PYTHONDONTWRITEBYTECODE: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  const output = (await Promise.all(texts)).join('');
  return { code: await child.exited, output };
}

const reason = reasonToSkip();

describe.skipIf(reason !== null)(`the Python client${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  test('is a wheel with its package, marked as typed', () => {
    const [wheel] = readdirSync(join(ENVIRONMENT, 'wheel'));
    expect(wheel).toBe('sluice_client-1.0.0-py3-none-any.whl');
    const site = readdirSync(join(ENVIRONMENT, 'lib'))[0]!;
    const installed = readdirSync(join(ENVIRONMENT, 'lib', site, 'site-packages/sluice'));
    const written = readdirSync(join(CLIENT, 'src/sluice')).filter(name => /\.(py|typed)$/.test(name));
    expect(installed.filter(name => name !== '__pycache__').sort()).toEqual(written.sort());
  });

  test.each([
    ['its types are strict', ['-m', 'mypy', '--no-incremental']],
    ['its style is checked', ['-m', 'ruff', 'check', '--no-cache', '.']],
    ['it is formatted', ['-m', 'ruff', 'format', '--no-cache', '--check', '.']],
  ])(
    '%s',
    async (_, command) => {
      const { code, output } = await run(...command);
      expect(code, output).toBe(0);
    },
    3 * MINUTES,
  );

  test(
    'its own tests pass',
    async () => {
      const { code, output } = await run('-m', 'pytest', '-x');
      expect(code, output.slice(-5000)).toBe(0);
      expect(output).toMatch(/^\d{3,} passed/m);
      expect(output).not.toMatch(/\d+ skipped/);
    },
    10 * MINUTES,
  );
});

test('its generated files are up to date; if not, run npm run contract', async () => {
  const document = await readDocument();
  const read = (name: string) => Bun.file(join(CLIENT, 'src/sluice', name)).text();
  expect(await read('types.py')).toBe(pythonTypes(document));
  expect(await read('_operations.py')).toBe(pythonOperations(document));
  expect(await read('_client.py')).toBe(syncOf(await read('_async_client.py')));
});
