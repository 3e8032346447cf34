/** `sluice profile`: what the fields of a file look like. */
import type { ProfileDescription } from '../profile/describe.ts';
import { type Command, type Given, isOn, textIn } from './command.ts';
import { profileText } from './depict.ts';
import { Failure, failureOf, shownName } from './failure.ts';
import { grouped } from '../wording.ts';
import { type Local, openLocal } from './local.ts';
import { forgetful } from './local-store.ts';
import { EXIT, READING, readingOf, screenOptions } from './screen-command.ts';
import { type NamedBatch, namedBatches } from './screening.ts';
import type { Terminal } from './terminal.ts';

export const profileCommand: Command = {
  name: 'profile',
  summary: 'what the fields of a file look like',
  words: 'FILE',
  choices: 'file',
  about: [
    'Types, nulls, distinct values, quartiles and a histogram of each field, over all rows of one batch: the first 10,000',
    'rows of the file, or those of --batch. FILE is what sluice screen takes; - is standard input.',
  ],
  options: {
    ...READING,
    batch: {
      type: 'string',
      value: 'N',
      help: 'Which 10,000 rows: 1 for the first (the default), 2 for the next, …',
    },
    json: { type: 'boolean', help: 'The profile as JSON, as GET /v1/jobs/{id} has it' },
  },
  examples: [
    ['sluice profile orders.csv', 'Look at a file before its first load'],
    ['sluice profile --batch 3 orders.csv.gz', 'Look at rows 20,001 to 30,000'],
    ["sluice profile --json orders.ndjson | jq '.fields.amount.numbers.quantiles'", 'One number out of it'],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const [file, ...more] = given.words;
  if (file === undefined || more.length > 0)
    throw new Failure('Name one file, or - for standard input. See sluice profile --help');
  const number = batchNumber(textIn(given, 'batch') ?? '1');
  const local = await openLocal(forgetful());
  try {
    const batch = await batchAt(number, file, given, local, terminal);
    const profile = await profileOf(batch, local);
    terminal.status('');
    if (isOn(given, 'json')) await terminal.write(`${JSON.stringify(profile)}\n`);
    else await terminal.write(`${headOf(batch, profile)}\n\n${profileText(profile, batch.rows, terminal)}\n`);
  } catch (error) {
    throw failureOf(error, file) ?? error;
  }
  return EXIT.pass;
}

function batchNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Failure('--batch must be a whole number from 1');
  return number;
}

async function batchAt(
  number: number,
  file: string,
  given: Given,
  local: Local,
  terminal: Terminal,
): Promise<NamedBatch> {
  let batches = 0;
  const saying = { source: undefined, options: {} };
  for await (const { batch } of namedBatches(file, readingOf(given), saying, local, terminal)) {
    if (batch.number === number) return batch;
    batches = batch.number;
  }
  throw new Failure(
    `The file has ${batches} batch${batches === 1 ? '' : 'es'} of 10,000 rows, so there is no batch ${number}`,
    file,
  );
}

async function profileOf(batch: NamedBatch, local: Local): Promise<ProfileDescription> {
  const options = { ...screenOptions(batch), fullScan: true, dryRun: false };
  const { completion } = await local.screen(batch.body, batch.format, { source: batch.source, options });
  return JSON.parse(completion!.document.profile) as ProfileDescription;
}

function headOf(
  { file, rowsBefore, rows, last, number }: NamedBatch,
  { fields }: ProfileDescription,
): string {
  const range = `rows ${grouped(rowsBefore + 1)}–${grouped(rowsBefore + rows)}`;
  const more = last ? '' : ` (more follow: --batch ${number + 1})`;
  return `${shownName(file)}: ${range}${more}, ${Object.keys(fields).length} fields`;
}
