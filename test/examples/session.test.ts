/** The session of docs/session.md, run by its script against the real program. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Server } from '../e2e/server.ts';

const ROOT = join(import.meta.dir, '../..');
const SCRIPT = join(ROOT, 'examples/session.sh');
const EMAIL = 'ann@example.com';

/** Without what differs from one session to the next. The code is the reader's input: a terminal shows it, a pipe does not. */
const steady = (text: string): string =>
  text
    .replace(/req_\w{26}|key_\w{24}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(The six digits sent to \S+) (\d{6}\n)?/, '$1 ')
    .trim();

async function shown(): Promise<string> {
  const page = await Bun.file(join(ROOT, 'docs/session.md')).text();
  return /```text\n\$ examples\/session\.sh [^\n]*\n([\s\S]*?)\n```/.exec(page)![1]!;
}

/** Runs the script, which reads the code that `entered` makes of the one in the log. */
async function session(server: Server, entered: (code: string) => string) {
  const child = Bun.spawn(['bash', SCRIPT, EMAIL, server.url], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [, code] = await server.prints(/^(?=[^\n]*ann@example\.com)[^\n]*\b(\d{6})\b[^\n]*\n/m);
  child.stdin.write(`${entered(code!)}\n`);
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

test('prints what docs/session.md shows', async () => {
  await using server = await Server.start();
  const { exitCode, stdout, stderr } = await session(server, code => code);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(steady(stdout)).toBe(steady(await shown()));
});

test('ends with the error after a wrong code', async () => {
  await using server = await Server.start();
  const { exitCode, stdout, stderr } = await session(server, code =>
    code === '000000' ? '000001' : '000000',
  );
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('"code":"AUTH_INVALID"');
  expect(stdout).not.toContain('Create a key');
});
