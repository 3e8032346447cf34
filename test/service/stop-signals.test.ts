/** Signals to a program of its own, which prints what they do. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** It says `next` when it is ready, and when all listeners have had a signal. */
const PROGRAM = `
  const { onStopSignals } = await import(${JSON.stringify(join(import.meta.dir, '../../src/service/stop-signals.ts'))});
  let now = 0;
  const stopNow = () => { console.log('now'); process.exit(1); };
  onStopSignals(signal => console.log('stop ' + signal), stopNow, () => now);
  process.on('SIGUSR2', () => { now += 500; console.log('half a second'); });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGUSR2']) process.on(signal, () => console.log('next'));
  setInterval(() => {}, 1000);
  console.log('next');`;

/** What the program prints after these signals. It is killed when it has had them all, unless it ends before. */
async function after(signals: readonly NodeJS.Signals[]): Promise<string[]> {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM], { stdout: 'pipe' });
  const left = [...signals];
  const printed: string[] = [];
  for await (const line of createInterface({ input: Readable.from(child.stdout) }))
    if (line === 'next') child.kill(left.shift() ?? 'SIGKILL');
    else printed.push(line);
  return printed;
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
