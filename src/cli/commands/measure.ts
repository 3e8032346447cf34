/** `sluice measure`: what a file says, as a state that merges with those of other files. */
import { saltPrint } from '../../states/bytes/state-bytes.ts';
import { type Command, EXIT, type Given, type Option, textIn } from '../command.ts';
import { Failure, failureOf } from '../failure.ts';
import { UsedFiles } from '../input/same-file.ts';
import { SALT } from '../screening/file-threads.ts';
import { openLocal } from '../screening/local.ts';
import { noMemory } from '../screening/local-store.ts';
import { measured } from '../screening/measured.ts';
import { writeState } from '../states/state-file.ts';
import type { Terminal } from '../terminal.ts';
import { fileIn } from './rules.ts';
import { READING, readingOf } from './screen-options.ts';

/** Of every command that writes a state. */
export const STATE_OUTPUT: Record<string, Option> = {
  output: { type: 'string', short: 'o', value: 'FILE', help: 'Write the state to FILE', choices: 'file' },
};

export const measureCommand: Command = {
  name: 'measure',
  summary: 'measure one part of a batch that many machines share',
  words: 'FILE',
  choices: 'file',
  about: [
    'Writes a state: counts, sums, extremes and sketches of each field, and hashes and samples of its values. States of the parts of',
    'a batch merge in any order (sluice merge-states). FILE is as for sluice screen; - is standard input.',
  ],
  options: {
    part: {
      type: 'string',
      short: 'p',
      value: 'N',
      help: 'Which part of the batch the file is, from 0; each has its own number',
    },
    ...STATE_OUTPUT,
    ...READING,
  },
  examples: [
    ['sluice measure --part 1 --output orders-1.state orders-1.csv', 'Measure the second of several files'],
    [
      'seq 0 99 | xargs -P 8 -I N sluice measure --part N --output N.state orders-N.parquet',
      'Measure a hundred files, eight at once',
    ],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const file = fileIn(given, 'measure');
  const part = partIn(given);
  const output = stateOutput(given);
  const local = await openLocal(noMemory());
  try {
    const state = await measured(file, readingOf(given), local, terminal, part);
    terminal.status('');
    await writeState(output, { salt: saltPrint(SALT), parts: [part], state }, terminal);
  } catch (error) {
    throw failureOf(error, file) ?? error;
  }
  return EXIT.pass;
}

function partIn(given: Given): number {
  const typed = textIn(given, 'part');
  if (typed === undefined)
    throw new Failure('Number the parts of the batch from 0 with --part: --part 0 for the first file');
  if (!/^\d{1,15}$/.test(typed))
    throw new Failure(`--part must be a whole number from 0, not ${JSON.stringify(typed)}`);
  return Number(typed);
}

/** Throws `Failure` if the file is missing, or is one that the command reads. */
export function stateOutput(given: Given, files: readonly string[] = given.words): string {
  const file = textIn(given, 'output');
  if (file === undefined)
    throw new Failure('Name the file for the state with --output, as in --output orders.state');
  new UsedFiles(files).take(file, '--output');
  return file;
}
