/** Signals to a program of its own, which prints what they do. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { eventually } from '../servers/process.ts';

const PROGRAM = `
  const { onStopSignals } = await import(${JSON.stringify(join(import.meta.dir, '../../src/service/stop-signals.ts'))});
  let now = 0;
  const stopNow = () => { console.log('now'); process.exit(1); };
  onStopSignals(signal => console.log('stop ' + signal), stopNow, () => now);
  process.on('SIGUSR2', () => { now += 500; console.log('half a second'); });
  setInterval(() => {}, 1000);
  console.log('ready');`;

async function after(signals: readonly NodeJS.Signals[]): Promise<string[]> {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM], { stdout: 'pipe' });
  let output = '';
  const read = (async () => {
    for await (const bytes of child.stdout) output += Buffer.from(bytes).toString();
  })();
  const lines = () => output.split('\n').filter(Boolean);
  await eventually(async () => expect(lines()).toEqual(['ready']));
  for (const signal of signals) {
    child.kill(signal);
    // One that does nothing prints nothing.
    await Bun.sleep(50);
  }
  await eventually(async () => expect(lines().length).toBeGreaterThan(1));
  child.kill('SIGKILL');
  await Promise.all([child.exited, read]);
  return lines().slice(1);
}

test.each<[string, NodeJS.Signals[], string[]]>([
  ['one signal stops', ['SIGTERM'], ['stop SIGTERM']],
  ['a second one at once is the same one', ['SIGINT', 'SIGINT', 'SIGTERM'], ['stop SIGINT']],
  ['half a second later too', ['SIGINT', 'SIGUSR2', 'SIGINT'], ['stop SIGINT', 'half a second']],
  [
    'a second later it means now',
    ['SIGTERM', 'SIGUSR2', 'SIGUSR2', 'SIGINT'],
    ['stop SIGTERM', 'half a second', 'half a second', 'now'],
  ],
])('%s', async (_, signals, lines) => {
  expect(await after(signals)).toEqual(lines);
});
