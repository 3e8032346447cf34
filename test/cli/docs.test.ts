/** docs/cli.md shows the real output and options of the command line. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { allCommands } from '../../src/cli/commands.ts';
import { EXAMPLES, sluice } from './sluice.ts';

const ROOT = join(EXAMPLES, '..');
const text = await Bun.file(join(ROOT, 'docs/cli.md')).text();

/** The output that is shown below a command. */
const shownBelow = (typed: string): string => text.split(`$ ${typed}\n`)[1]!.split('```')[0]!;

test.each([
  'sluice screen examples/orders-broken.json',
  'sluice profile examples/sensors-clean.csv',
  'sluice diff examples/orders-clean.csv examples/orders-broken.csv',
])('shows the output of %s', async typed => {
  const { stdout } = await sluice(typed.split(' ').slice(1), { folder: ROOT });
  for (const part of shownBelow(typed).split('…\n').filter(Boolean)) expect(stdout).toContain(part);
});

test('names every command and every option', async () => {
  for (const { name, options } of await allCommands()) {
    expect(text).toContain(`\`sluice ${name}`);
    for (const option of Object.keys(options)) expect(text).toContain(`\`--${option}\``);
  }
});
