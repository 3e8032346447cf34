/** `sluice merge-states`: states of parts of a batch as one. */
import { type Command, EXIT, type Given } from '../command.ts';
import { Failure } from '../failure.ts';
import { filesIn } from '../input/files.ts';
import { mergedStates, writeState } from '../states/state-file.ts';
import type { Terminal } from '../terminal.ts';
import { STATE_OUTPUT, stateOutput } from './measure.ts';

export const mergeStatesCommand: Command = {
  name: 'merge-states',
  summary: 'merge the states of parts of a batch',
  words: 'FILE…',
  choices: 'file',
  about: [
    'The states come from sluice measure, or from this command. Their order and grouping do not matter: the same parts give the same',
    'bytes. A part that comes twice is an error. FILE may be a glob in quotes. sluice screen --states takes states merged or not.',
  ],
  options: STATE_OUTPUT,
  examples: [
    ["sluice merge-states --output orders.state 'orders-*.state'", 'Merge all parts'],
    ['sluice merge-states --output ab.state a.state b.state', 'Merge some parts on their way'],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  if (given.words.length === 0) throw new Failure('Name the states to merge. See sluice merge-states --help');
  const files = await filesIn(given.words);
  const output = stateOutput(given, files);
  await writeState(output, await mergedStates(files), terminal);
  return EXIT.pass;
}
