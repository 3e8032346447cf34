/** `--good` and `--held` into links, pipes, devices and standard output: nothing else is replaced, and after an error neither part is there. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { eventually } from '../../servers/process.ts';
import { commandOf } from '../../servers/program.ts';
import { Folder, sluice, start } from '../sluice.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

const LINES = Array.from({ length: 50 }, (_, i) => (i === 7 ? `${i},x\n` : `${i},${i}\n`));
const CSV = `id,v\n${LINES.join('')}`;
const GOOD = `id,v\n${LINES.filter((_, i) => i !== 7).join('')}`;
const HELD = `id,v\n${LINES[7]}`;

const make = (...command: string[]) => expect(Bun.spawnSync(command).exitCode).toBe(0);

describe('what this command uses too is not replaced', () => {
  const refused = async (option: string, target: string, ...words: string[]) => {
    const file = await folder.write('in.csv', CSV);
    const { code, stdout, stderr } = await sluice(['screen', option, folder.at(target), ...words, file]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^sluice: --(good|held|output) would replace \S+, which this command uses too: name another file\n$/,
    );
    expect(await Bun.file(file).text()).toBe(CSV);
  };

  test('the file, by a symbolic link', async () => {
    symlinkSync('in.csv', folder.at('link.csv'));
    for (const option of ['--good', '--held']) await refused(option, 'link.csv');
  });

  test('the file, by a hard link', async () => {
    await folder.write('in.csv', CSV);
    linkSync(folder.at('in.csv'), folder.at('hard.csv'));
    await refused('--good', 'hard.csv');
    await refused('--good', 'other.csv', '--output', `text=${folder.at('hard.csv')}`);
  });

  test('the file, by another folder', async () => {
    symlinkSync('.', folder.at('here'));
    await refused('--good', 'here/in.csv');
  });

  test('the file, on standard input', async () => {
    const file = await folder.write('in.csv', CSV);
    const child = Bun.spawn([...commandOf('sluice'), 'screen', '--format', 'csv', '--good', file, '-'], {
      env: {},
      stdin: Bun.file(file),
      stderr: 'pipe',
    });
    expect(await new Response(child.stderr).text()).toContain('--good would replace');
    expect(await child.exited).toBe(3);
    expect(await Bun.file(file).text()).toBe(CSV);
  });

  test('the file, by the name that an unfinished part has', async () => {
    const file = await folder.write('in.csv.unfinished', CSV);
    const { code } = await sluice(['screen', '--format', 'csv', '--good', folder.at('in.csv'), file]);
    expect([code, await Bun.file(file).text()]).toEqual([3, CSV]);
  });

  test('the other part, by a folder that is linked or a link that leads to it', async () => {
    symlinkSync('.', folder.at('here'));
    await refused('--good', 'part.csv', '--held', folder.at('here/part.csv'));
    symlinkSync('here/part.csv', folder.at('link.csv'));
    await refused('--good', 'part.csv', '--held', folder.at('link.csv'));
  });

  test('baselines and rules', async () => {
    await folder.write('rules.yaml', 'rows: { min: 1 }');
    await refused('--good', 'rules.yaml', '--rules', folder.at('rules.yaml'));
    await refused('--good', 'b.sqlite', '--baseline', folder.at('b.sqlite'));
  });
});

test('a symbolic link to another file is followed and stays', async () => {
  mkdirSync(folder.at('real'));
  await folder.write('real/old.csv', 'old');
  symlinkSync('real/old.csv', folder.at('good.csv'));
  symlinkSync('real/new.csv', folder.at('held.csv'));
  const file = await folder.write('in.csv', CSV);
  const parts = ['--good', folder.at('good.csv'), '--held', folder.at('held.csv')];
  expect((await sluice(['screen', '--quiet', ...parts, file])).code).toBe(0);
  for (const name of ['good.csv', 'held.csv']) expect(lstatSync(folder.at(name)).isSymbolicLink()).toBe(true);
  expect(await Bun.file(folder.at('real/old.csv')).text()).toBe(GOOD);
  expect(await Bun.file(folder.at('real/new.csv')).text()).toBe(HELD);
  expect(readdirSync(folder.at('real')).sort()).toEqual(['new.csv', 'old.csv']);
});

test('pipes are written as they are, whichever the reader opens first', async () => {
  const [good, held] = [folder.at('good.csv'), folder.at('held.csv.gz')];
  make('mkfifo', good, held);
  const file = await folder.write('in.csv', CSV);
  const ended = sluice(['screen', '--quiet', '--good', good, '--held', held, file]);
  const read = (name: string) =>
    new Response(Bun.spawn(['cat', name], { stdout: 'pipe' }).stdout).arrayBuffer();
  const [ofHeld, ofGood] = await Promise.all([read(held), read(good)]);
  const texts = [ofGood, Bun.gunzipSync(new Uint8Array(ofHeld))].map(bytes =>
    new TextDecoder().decode(bytes),
  );
  expect([(await ended).code, ...texts]).toEqual([0, GOOD, HELD]);
  expect([lstatSync(good).isFIFO(), lstatSync(held).isFIFO()]).toEqual([true, true]);
});

test('a signal ends the wait for the reader of a pipe', async () => {
  make('mkfifo', folder.at('held.csv'));
  const file = await folder.write('in.csv', CSV);
  const child = start(['screen', '--good', folder.at('good.csv'), '--held', folder.at('held.csv'), file]);
  await eventually(async () => expect(existsSync(folder.at('good.csv.unfinished'))).toBe(true));
  child.kill('SIGTERM');
  expect(await child.exited).toBe(143);
  expect(readdirSync(folder.path).sort()).toEqual(['held.csv', 'in.csv']);
});

/** A device needs a right that not every user has. */
const NULL = ['mknod', '-m', '666', 'null', 'c', '1', '3'];
const mayMakeDevices = (() => {
  const probe = new Folder();
  const made = Bun.spawnSync(NULL, { cwd: probe.path });
  probe.remove();
  return made.exitCode === 0;
})();

test.skipIf(!mayMakeDevices)('a device stays one', async () => {
  expect(Bun.spawnSync(NULL, { cwd: folder.path }).exitCode).toBe(0);
  symlinkSync('null', folder.at('link'));
  const file = await folder.write('in.csv', CSV);
  for (const name of ['null', 'link']) {
    const good = folder.at('good.csv');
    const { code } = await sluice(['screen', '--quiet', '--good', good, '--held', folder.at(name), file]);
    expect([code, await Bun.file(good).text()]).toEqual([0, GOOD]);
  }
  expect(lstatSync(folder.at('null')).isCharacterDevice()).toBe(true);
  expect(lstatSync(folder.at('link')).isSymbolicLink()).toBe(true);
  expect(readdirSync(folder.path).sort()).toEqual(['good.csv', 'in.csv', 'link', 'null']);
});

describe('/dev/stdout', () => {
  const toStdout = async (redirection: string, ...options: string[]) => {
    const file = await folder.write('in.csv', CSV);
    const command = `exec "$@" ${redirection}`;
    const args = ['screen', ...options, '--good', '/dev/stdout', file];
    const child = Bun.spawn(['sh', '-c', command, 'sh', ...commandOf('sluice'), ...args], {
      env: {},
      cwd: folder.path,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code: await child.exited, stdout, stderr };
  };

  test('gets the rows if no results go there', async () => {
    expect(await toStdout('', '--quiet')).toEqual({ code: 0, stdout: GOOD, stderr: '' });
    expect((await toStdout('| cat', '--output', 'text=report.txt')).stdout).toBe(GOOD);
    expect(await Bun.file(folder.at('report.txt')).text()).toStartWith('PASS');
  });

  test('is refused if results go there', async () => {
    for (const options of [[], ['--json']]) {
      const { code, stdout, stderr } = await toStdout('', ...options);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('Results go to standard output too: add --quiet or --output FORM=FILE');
    }
  });

  test('that is a file keeps what is in it', async () => {
    await folder.write('all.csv', 'before\n');
    expect((await toStdout('>> all.csv', '--quiet')).code).toBe(0);
    expect(await Bun.file(folder.at('all.csv')).text()).toBe(`before\n${GOOD}`);
  });
});

describe('after an error neither part is there', () => {
  test.each([
    ['no folder', 'absent/held.csv'],
    ['a folder', 'folder'],
    ['no folder behind a link', 'nowhere'],
  ])('%s to write the second one: before anything is screened', async (_, name) => {
    mkdirSync(folder.at('folder'));
    symlinkSync('absent/held.csv', folder.at('nowhere'));
    const file = await folder.write('in.csv', CSV);
    const parts = ['--good', folder.at('good.csv'), '--held', folder.at(name)];
    const { code, stdout, stderr } = await sluice(['screen', ...parts, file]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^sluice: [^\n]+: (Writing the file failed: ENOENT[^\n]*|This is a folder[^\n]*)\n$/,
    );
    expect(readdirSync(folder.path).sort()).toEqual(['folder', 'in.csv', 'nowhere']);
  });

  test('the second one cannot have its name', async () => {
    const file = folder.at('in.fifo');
    make('mkfifo', file);
    const parts = ['--good', folder.at('good.csv'), '--held', folder.at('held.csv')];
    const child = start(['screen', '--quiet', '--format', 'csv', ...parts, file]);
    const rows = await open(file, 'w');
    await rows.write(CSV);
    await eventually(async () => expect(existsSync(folder.at('held.csv.unfinished'))).toBe(true));
    mkdirSync(folder.at('held.csv'));
    await rows.close();
    expect(await child.exited).toBe(3);
    expect(await new Response(child.stderr).text()).toContain('held.csv: Writing the file failed: ');
    expect(readdirSync(folder.path).sort()).toEqual(['held.csv', 'in.fifo']);
  });
});

test('both parts into a device', async () => {
  const file = await folder.write('in.csv', CSV);
  const { code, stderr } = await sluice(['screen', '-q', '--good', '/dev/null', '--held', '/dev/null', file]);
  expect([code, stderr]).toEqual([0, '']);
});

test('an output into a pipe', async () => {
  const file = await folder.write('in.csv', CSV);
  make('mkfifo', folder.at('pipe'));
  const child = start(['screen', '--output', `json=${folder.at('pipe')}`, file]);
  expect(JSON.parse(await Bun.file(folder.at('pipe')).text()).status).toBe('PASS');
  expect(await child.exited).toBe(0);
});

test('an output into a pipe ends with the command, even if nothing is written', async () => {
  make('mkfifo', folder.at('ended'));
  // First: a command that has ended opens it for nobody.
  const read = Bun.file(folder.at('ended')).text();
  const child = start(['screen', '--output', `text=${folder.at('ended')}`, folder.at('missing.csv')]);
  expect(await read).toBe('');
  expect(await child.exited).toBe(3);
});
