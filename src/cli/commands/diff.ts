/** `sluice diff`: two files as batches of one source. */
import { type Command, type Given, isOn, textIn } from '../command.ts';
import { Failure } from '../failure.ts';
import { sourceOf } from '../input/format.ts';
import { temporaryMemory } from '../screening/local-store.ts';
import { openLocal } from '../screening/local.ts';
import type { Typed } from '../screening/named-batch.ts';
import { UsedFiles } from '../input/same-file.ts';
import { screenFiles } from './screen.ts';
import { chosenOutput, OUTPUT, READING, readingOf } from './screen-options.ts';
import { resultsOf } from '../screening/results.ts';
import type { Terminal } from '../terminal.ts';

export const diffCommand: Command = {
  name: 'diff',
  summary: 'compare a file with an earlier one of the same source',
  words: 'BEFORE AFTER',
  choices: 'file',
  about: [
    'Learns BEFORE, then judges AFTER against it: changed types, new and missing fields, nulls, new values, unusual numbers. Nothing',
    'is stored. The files are as for sluice screen, and so is the exit code, which is that of AFTER.',
  ],
  options: { ...READING, ...OUTPUT },
  examples: [
    ['sluice diff orders-2026-11-21.csv orders-2026-11-22.csv', "Compare today's file with yesterday's"],
    ['sluice diff --output markdown before.csv after.csv', 'Put the difference into a review'],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const [before, after, ...more] = given.words;
  if (before === undefined || after === undefined || more.length > 0)
    throw new Failure('Name two files: the one before, and the one after. See sluice diff --help');
  if (before === '-' && after === '-') throw new Failure('Standard input can be read only once');
  const { output, failOn } = chosenOutput(
    given,
    { hasSeveralFiles: false, used: new UsedFiles([before, after]) },
    terminal,
  );
  const reading = readingOf(given);
  // Every value is measured, so that the difference is not one of samples.
  const typed: Typed = { source: textIn(given, 'source') ?? sourceOf(after), options: { full_scan: true } };
  const memory = temporaryMemory();
  try {
    const screener = await openLocal(memory);
    const results = (file: string) => resultsOf(file, reading, typed, screener, terminal);
    for await (const { report } of results(before))
      if (!isOn(given, 'quiet') && report.status === 'BLOCK')
        terminal.tell(`sluice: ${before}: this file is BLOCK itself: ${report.decision.reason}`);
    return await screenFiles({ files: [after], results, output, failOn }, terminal);
  } finally {
    memory.close();
  }
}
