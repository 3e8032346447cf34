/** Columns from a pipe need a copy on disk: it never outlives the command, and is not made of what cannot be columns. */
import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../servers/process.ts';
import { commandOf } from '../../servers/program.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const PARQUET = await Bun.file(join(import.meta.dir, '../../columns/files/groups.parquet')).bytes();
const ARGS = ['screen', '--quiet', '--source', 's', '--format'];

const beginning = (format: string) =>
  Bun.spawn([...commandOf('sluice'), ...ARGS, format, '-'], {
    env: { TMPDIR: folder.path },
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'pipe',
  });

/** Bytes of files that a process has open without a name. Linux only, as these tests are. */
function namelessBytes(pid: number): number[] {
  const fds = Bun.spawnSync([
    'find',
    '-L',
    `/proc/${pid}/fd`,
    '-links',
    '0',
    '-type',
    'f',
    '-printf',
    '%s\n',
  ]);
  return fds.stdout.toString().split('\n').filter(Boolean).map(Number);
}

test.skipIf(process.platform !== 'linux').each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'after %s nothing is left of the copy',
  async signal => {
    const child = beginning('parquet');
    child.stdin.write(PARQUET);
    await child.stdin.flush();
    await eventually(async () => expect(namelessBytes(child.pid)).toContain(PARQUET.length));
    expect(readdirSync(folder.path)).toEqual([]);
    child.kill(signal);
    await child.exited;
    expect(readdirSync(folder.path)).toEqual([]);
  },
);

test.each(['parquet', 'arrow'])(
  '%s that does not begin as one is refused at once, however long it is',
  async format => {
    const child = beginning(format);
    // The pipe stays open.
    child.stdin.write(new Uint8Array(1024));
    await child.stdin.flush();
    expect(await child.exited).toBe(3);
    expect(await new Response(child.stderr).text()).toBe(
      'sluice: -: This does not begin as a file of its format does: it is damaged, or --format or its name is wrong\n',
    );
  },
);

test('a folder that takes no copy is said, with what to do', async () => {
  const { code, stderr } = await sluice([...ARGS, 'parquet', '-'], {
    environment: { TMPDIR: folder.at('missing') },
    stdin: PARQUET,
  });
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^sluice: -: Columns from a pipe or a compressed file need a copy, which cannot be written: ENOENT.*\. Set TMPDIR to a folder with room\n$/,
  );
});
