/** `sluice measure`: what a file says, as a state that merges with those of other files. */
import { checkSource } from '../../names/source.ts';
import { type Command, EXIT, type Given, type Option, textIn } from '../command.ts';
import { Failure, failureOf } from '../failure.ts';
import { UsedFiles } from '../input/same-file.ts';
import { openLocal } from '../screening/local.ts';
import { copiedMemory, type Memory, noMemory, PUBLIC_SALT } from '../screening/local-store.ts';
import { measuredPart } from '../screening/measured-part.ts';
import { writeState } from '../states/state-file.ts';
import type { Terminal } from '../terminal.ts';
import { fileIn } from './rules.ts';
import { rulesIn } from './rules-file.ts';
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
    'Writes a state: counts, sums, extremes and sketches of each field, and hashes and samples of its values. The states of all parts',
    'are judged as one batch by sluice screen --states. FILE is as for sluice screen; - is standard input.',
  ],
  options: {
    part: {
      type: 'string',
      short: 'p',
      value: 'N',
      help: 'Which part of the batch the file is, from 0; each has its own number',
    },
    for: {
      type: 'string',
      value: 'FILE',
      help: 'Compare values with the baseline of --source in FILE, which is only read; it may be a copy',
      choices: 'file',
    },
    source: { type: 'string', short: 's', value: 'NAME', help: 'Name of the pipeline or table' },
    rules: {
      type: 'string',
      short: 'r',
      value: 'FILE',
      help: 'Check every row by the rules in FILE, YAML or JSON',
      choices: 'file',
    },
    ...STATE_OUTPUT,
    ...READING,
  },
  examples: [
    [
      'sluice measure --part 1 --for baselines.sqlite --source orders --output orders-1.state orders-1.csv',
      'Measure the second of several files, to be judged by the past of their source',
    ],
    [
      'seq 0 99 | xargs -P 8 -I N sluice measure --part N --output orders-N.state orders-N.parquet',
      'Measure a hundred files, eight at once',
    ],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const file = fileIn(given, 'measure');
  const part = partIn(given);
  const source = sourceIn(given);
  const output = stateOutput(given, [...given.words, textIn(given, 'for'), textIn(given, 'rules')]);
  const rules = textIn(given, 'rules');
  const options = rules === undefined ? {} : { rules: await rulesIn(rules) };
  const memory = memoryOf(given);
  try {
    const local = await openLocal(memory);
    const state = await measuredPart(
      file,
      readingOf(given),
      { part, source, options },
      { local, memory },
      terminal,
    );
    terminal.status('');
    await writeState(output, state, terminal);
  } catch (error) {
    throw failureOf(error, file) ?? error;
  } finally {
    memory.close();
  }
  return EXIT.pass;
}

function partIn(given: Given): number {
  const typed = textIn(given, 'part');
  if (typed === undefined)
    throw new Failure('Number the parts of the batch from 0 with --part: --part 0 for the first file');
  if (!/^\d{1,9}$/.test(typed))
    throw new Failure(`--part must be a whole number from 0, not ${JSON.stringify(typed)}`);
  return Number(typed);
}

function sourceIn(given: Given): string | null {
  const typed = textIn(given, 'source');
  const hasPast = textIn(given, 'for') !== undefined;
  if (typed === undefined && hasPast)
    throw new Failure('--for compares with the past of a source: add --source');
  if (typed !== undefined && !hasPast)
    throw new Failure('--source names whose past to compare with: add --for, or remove it');
  return typed === undefined ? null : checkSource(typed, '--source');
}

function memoryOf(given: Given): Memory {
  const file = textIn(given, 'for');
  return file === undefined ? { ...noMemory(), salt: PUBLIC_SALT } : copiedMemory(file);
}

/** Throws `Failure` if the file is missing, or is one that the command reads. */
export function stateOutput(given: Given, files: readonly (string | undefined)[]): string {
  const file = textIn(given, 'output');
  if (file === undefined)
    throw new Failure('Name the file for the state with --output, as in --output orders.state');
  new UsedFiles(files).take(file, '--output');
  return file;
}
