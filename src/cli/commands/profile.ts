/** `sluice profile`: describes the fields of a file. */
import type { ProfileDescription } from '../../profile/describe.ts';
import { EXIT, type Command, type Given, isOn, textIn } from '../command.ts';
import { profileText } from './depict.ts';
import { Failure, failureOf, shownName } from '../failure.ts';
import { grouped, plural } from '../../terms/wording.ts';
import { type Local, openLocal, screenOptions } from '../screening/local.ts';
import { noMemory } from '../screening/local-store.ts';
import type { NamedBatch } from '../screening/named-batch.ts';
import { READING, readingOf } from './screen-options.ts';
import { namedBatches, screenedIn } from '../screening/screening.ts';
import type { Terminal } from '../terminal.ts';

export const profileCommand: Command = {
  name: 'profile',
  summary: 'describe the fields of a file',
  words: 'FILE',
  choices: 'file',
  about: [
    'Shows types, nulls, distinct values, quartiles and a histogram of each field, over all rows of one batch: the first 10,000',
    'rows of the file, or the rows of --batch. FILE is as for sluice screen; - is standard input.',
  ],
  options: {
    ...READING,
    batch: {
      type: 'string',
      value: 'N',
      help: 'Which 10,000 rows: 1 for the first (default), 2 for the next, …',
    },
    json: { type: 'boolean', help: 'Print the profile as JSON, as in GET /v1/jobs/{id}' },
  },
  examples: [
    ['sluice profile orders.csv', 'Check a file before its first load'],
    ['sluice profile --batch 3 orders.csv.gz', 'Show rows 20,001 to 30,000'],
    [
      "sluice profile --json orders.ndjson | jq '.fields.amount.numbers.quantiles'",
      'Print the quantiles of one field',
    ],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const [file, ...more] = given.words;
  if (file === undefined || more.length > 0)
    throw new Failure('Name one file, or - for standard input. See sluice profile --help');
  const number = batchNumber(textIn(given, 'batch') ?? '1');
  const local = await openLocal(noMemory());
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
  const typed = { source: undefined, options: {} };
  for await (const batch of namedBatches(file, readingOf(given), typed, local, terminal)) {
    if (batch.number === number) return batch;
    batches = batch.number;
  }
  throw new Failure(
    `The file has ${plural(batches, 'batch', 'batches')} of 10,000 rows; there is no batch ${number}`,
    file,
  );
}

/** As a job keeps it. */
type KeptProfile = ProfileDescription & { left_out?: number };

export async function profileOf(batch: NamedBatch, local: Local): Promise<KeptProfile> {
  const options = { ...screenOptions(batch), fullScan: true, dryRun: false };
  const { completion } = await screenedIn(batch, local, () => local.complete(batch, options));
  return JSON.parse(completion!.document.profile) as KeptProfile;
}

function headOf(
  { file, rowsBefore, rows, last, number }: NamedBatch,
  { fields, left_out = 0 }: KeptProfile,
): string {
  const range = `rows ${grouped(rowsBefore + 1)}–${grouped(rowsBefore + rows)}`;
  const more = last ? '' : ` (more follow: --batch ${number + 1})`;
  const missing =
    left_out === 0 ? '' : `; ${grouped(left_out)} more are left out, because the profile would be too long`;
  return `${shownName(file)}: ${range}${more}, ${Object.keys(fields).length} fields${missing}`;
}
