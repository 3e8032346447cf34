/** `sluice profile`: describes the fields of a file. */
import { describe, type ProfileDescription } from '../../profile/describe.ts';
import { readProfile } from '../../profile/read.ts';
import { valueQueriesOf } from '../../states/queries.ts';
import { recordOf } from '../../states/record.ts';
import { EXIT, type Command, type Given, isOn, textIn } from '../command.ts';
import { profileText } from './depict.ts';
import { Failure, failureOf, shownName } from '../failure.ts';
import { grouped, plural } from '../../terms/wording.ts';
import { type Local, openLocal, screenOptions } from '../screening/local.ts';
import { noMemory } from '../screening/local-store.ts';
import type { NamedBatch } from '../screening/named-batch.ts';
import { READING, readingOf } from './screen-options.ts';
import { describedFile } from '../screening/file-threads.ts';
import { measuredIn, screenedIn } from '../screening/slices.ts';
import { namedBatches } from '../screening/screening.ts';
import type { Terminal } from '../terminal.ts';

export const profileCommand: Command = {
  name: 'profile',
  summary: 'describe the fields of a file',
  words: 'FILE',
  choices: 'file',
  about: [
    'Shows types, nulls, distinct values, quartiles and a histogram of each field, over all rows of the file. Beyond 16,384 distinct',
    'values their number is an estimate (standard error 0.8%), and quantiles of many different numbers are close. FILE is as for',
    'sluice screen; - is standard input.',
  ],
  options: {
    ...READING,
    batch: {
      type: 'string',
      value: 'N',
      help: 'Only 10,000 rows: 1 for the first ones, 2 for the next, …',
    },
    json: { type: 'boolean', help: 'Print the profile as JSON, as in GET /v1/jobs/{id}' },
  },
  examples: [
    ['sluice profile orders.csv', 'Look at a file before its first load'],
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
  const chosen = textIn(given, 'batch');
  const number = chosen === undefined ? null : batchNumber(chosen);
  const local = await openLocal(noMemory());
  try {
    const { head, rows, profile } =
      number === null
        ? await ofFile(file, given, local, terminal)
        : await ofBatch(number, file, given, local, terminal);
    terminal.status('');
    if (isOn(given, 'json')) await terminal.write(`${JSON.stringify(profile)}\n`);
    else await terminal.write(`${head}\n\n${profileText(profile, rows, terminal)}\n`);
  } catch (error) {
    throw failureOf(error, file) ?? error;
  }
  return EXIT.pass;
}

interface Described {
  head: string;
  rows: number;
  profile: ProfileDescription;
}

/** Its slices are measured in all threads, in whatever order, and put together. */
async function ofFile(file: string, given: Given, local: Local, terminal: Terminal): Promise<Described> {
  const typed = { source: undefined, options: {} };
  const batches = namedBatches(file, readingOf(given), typed, local, terminal);
  const state = await measuredIn(local.threads, describedFile(), batches, null);
  const profile = describe(readProfile(recordOf(state, (_, line) => line)), valueQueriesOf(state));
  const fields = Object.keys(profile.fields).length;
  const head = `${shownName(file)}: ${plural(state.rows, 'row')}, ${plural(fields, 'field')}`;
  return { head, rows: state.rows, profile };
}

async function ofBatch(
  number: number,
  file: string,
  given: Given,
  local: Local,
  terminal: Terminal,
): Promise<Described> {
  const batch = await batchAt(number, file, given, local, terminal);
  const profile = await profileOf(batch, local);
  return { head: headOf(batch, profile), rows: batch.rows, profile };
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
  const { completion } = await screenedIn(batch, local.threads, () => local.complete(batch, options));
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
