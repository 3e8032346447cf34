import { expect, test } from 'bun:test';
import { cpuSeconds } from '../../bench/cpu.ts';

/** Uses up a fifth of a second of a processor, says so, and waits for its end. */
const BUSY =
  'const begun = process.cpuUsage().user; while (process.cpuUsage().user - begun < 2e5); console.log("done"); setInterval(() => {}, 1000)';

test('running child processes count, and ended ones do not', async () => {
  const before = cpuSeconds(process.pid);
  await using child = Bun.spawn([process.execPath, '-e', BUSY], { stdout: 'pipe' });
  await child.stdout.getReader().read();
  const ofChild = cpuSeconds(child.pid);
  expect(ofChild).toBeGreaterThanOrEqual(0.19);
  expect(cpuSeconds(process.pid) - before).toBeGreaterThanOrEqual(0.19);
  child.kill();
  await child.exited;
  expect(cpuSeconds(child.pid)).toBe(0);
});
