import { expect, test } from 'bun:test';
import { join } from 'node:path';

const MAIN = join(import.meta.dir, '../../bench/main.ts');

test.each([
  [
    ['nonsense'],
    'Name one of engine, http, load, throughput, memory, cold, guesses, statistics, replicas, cli, aging, accuracy, rows, rules, columns, stream, rule-peers, readme, capacity, charts\n',
  ],
  [
    ['__proto__'],
    'Name one of engine, http, load, throughput, memory, cold, guesses, statistics, replicas, cli, aging, accuracy, rows, rules, columns, stream, rule-peers, readme, capacity, charts\n',
  ],
  [['engine', '--seed', 'x'], '--seed must be a whole number\n'],
])('what cannot be run is one line and exit 1: %p', (command, said) => {
  const child = Bun.spawnSync([process.execPath, MAIN, ...command]);
  expect(child.exitCode).toBe(1);
  expect(child.stderr.toString()).toBe(said);
  expect(child.stdout.toString()).toBe('');
});
