import { expect, test } from 'bun:test';
import { cpuSeconds } from '../../bench/cpu.ts';

/** Uses up a fifth of a second of a processor, says so, and waits for its end. */
const BUSY =
  'const begun = process.cpuUsage().user; while (process.cpuUsage().user - begun < 2e5); console.log("done"); setInterval(() => {}, 1000)';
/** Has one child, which is busy, and ends it when its input ends. Idle itself: this process has other children, which come and go. */
const PARENT = `const child = Bun.spawn([process.execPath, '-e', ${JSON.stringify(BUSY)}], { stdout: 'inherit' });
  await Bun.stdin.text(); child.kill(); await child.exited; console.log(child.pid); setInterval(() => {}, 1000)`;

test('running child processes count, and ended ones do not', async () => {
  await using parent = Bun.spawn([process.execPath, '-e', PARENT], { stdin: 'pipe', stdout: 'pipe' });
  const said = parent.stdout.getReader();
  await said.read();
  const withChild = cpuSeconds(parent.pid);
  await parent.stdin.end();
  const child = Number(new TextDecoder().decode((await said.read()).value));
  expect(cpuSeconds(child)).toBe(0);
  expect(withChild - cpuSeconds(parent.pid)).toBeGreaterThan(0.1);
});
