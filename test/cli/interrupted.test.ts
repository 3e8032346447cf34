/** A command that a signal ends says that there is no verdict, and leaves nothing behind. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { eventually } from '../servers/process.ts';
import { commandOf } from '../servers/program.ts';
import { Folder } from './sluice.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

/** More than a batch; the pipe stays open. */
const ROWS = `id\n${Array.from({ length: 25_000 }, (_, i) => i).join('\n')}\n`;

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const COMMANDS: Record<string, (at: (name: string) => string) => string[]> = {
  screen: at => ['screen', '--good', at('good.csv'), '--held', at('held.csv.gz'), '--format', 'csv', '-'],
  diff: () => ['diff', '--format', 'csv', '-', 'after.csv'],
};

test.each(Object.entries(CODES).flatMap(code => Object.keys(COMMANDS).map(name => [...code, name] as const)))(
  '%s, exit code %d: %s',
  async (signal, code, name) => {
    const args = COMMANDS[name]!(folder.at);
    const child = Bun.spawn([...commandOf('sluice'), ...args], {
      env: { TMPDIR: folder.path },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    child.stdin.write(ROWS);
    await child.stdin.flush();
    await eventually(async () => expect(readdirSync(folder.path)).not.toEqual([]));
    child.kill(signal as NodeJS.Signals);
    expect(await child.exited).toBe(code);
    expect(await new Response(child.stderr).text()).toEndWith('sluice: interrupted; there is no verdict\n');
    expect(readdirSync(folder.path)).toEqual([]);
  },
);

test('a hangup does not end a command that nohup started', async () => {
  const file = folder.at('rows.fifo');
  expect(Bun.spawnSync(['mkfifo', file]).exitCode).toBe(0);
  const child = Bun.spawn(
    ['nohup', ...commandOf('sluice'), 'screen', '--format', 'csv', '--good', folder.at('good.csv'), file],
    {
      env: {},
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const rows = await open(file, 'w');
  await rows.write(ROWS);
  await eventually(async () => expect(readdirSync(folder.path)).toContain('good.csv.unfinished'));
  child.kill('SIGHUP');
  await rows.close();
  expect(await new Response(child.stdout).text()).toStartWith('PASS');
  expect(await child.exited).toBe(0);
});
