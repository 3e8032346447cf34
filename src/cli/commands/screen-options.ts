/** Options that several commands share, and what they mean. */
import { type Given, isOn, type Option, textIn, textsIn } from '../command.ts';
import { Failure } from '../failure.ts';
import { DELIMITER_NAMES } from '../../intake/delimiters.ts';
import { FORMAT_NAMES } from '../input/format.ts';
import { ASKED_MODES } from '../../options/options.ts';
import { type Destination, OUTPUTS, outputsOf } from '../output/forms.ts';
import { FAIL_ON, type FailOn, type Output } from '../output/output.ts';
import { THRESHOLDS } from '../../terms/policy.ts';
import type { Reading } from '../input/reading.ts';
import { rulesIn } from './rules-file.ts';
import type { JsonObject } from '../screening/named-batch.ts';
import type { UsedFiles } from '../input/same-file.ts';
import { checkedOptions } from '../screening/screening.ts';
import type { Terminal } from '../terminal.ts';
import { signsOf } from '../../options/options.ts';

/** Options of every command that reads files. */
export const READING: Record<string, Option> = {
  format: {
    type: 'string',
    short: 'f',
    value: 'NAME',
    help: `Format of the file: ${FORMAT_NAMES.join(', ')}, also with .gz or .zst (default: by the file name, then by its bytes)`,
    choices: FORMAT_NAMES,
  },
  delimiter: {
    type: 'string',
    short: 'd',
    value: 'CHARACTER',
    help: 'Delimiter of CSV: , ; | ^ ~ tab or 0x01 (default: found in the file)',
    choices: DELIMITER_NAMES,
  },
  'header-line': {
    type: 'string',
    value: 'LINE',
    help: 'Line of the header of CSV, from 1; what stands before it is not read (default: found in the file)',
  },
  escape: {
    type: 'string',
    value: 'CHARACTER',
    help: 'Character of CSV before quotes and delimiters that are text, as Spark and MySQL write it: \\',
  },
  charset: {
    type: 'string',
    value: 'NAME',
    help: 'Encoding of CSV: utf-8, windows-1252, utf-16le, … (default: found in the file)',
  },
  rows: {
    type: 'string',
    value: 'PATH',
    help: 'Member of a JSON object that has the rows, as in data or response.items (default: rows)',
  },
  columns: {
    type: 'string',
    value: 'NAMES',
    help: 'Read only these columns of a Parquet or Arrow file, separated by commas',
  },
};

const THRESHOLD_HELP: Record<keyof typeof THRESHOLDS, string> = {
  null_rate_warn: 'WARN above this share of rows without a value',
  null_rate_block: 'BLOCK above this share of rows without a value',
  type_mismatch_warn: 'WARN above this share of values of another type',
  type_mismatch_block: 'BLOCK above this share of values of another type',
  health_warn: 'WARN below this health',
  health_block: 'BLOCK below this health',
};

const THRESHOLD_NAMES = Object.keys(THRESHOLDS) as (keyof typeof THRESHOLDS)[];
const optionNameOf = (threshold: string): string => threshold.replaceAll('_', '-');

const thresholdOptions = Object.fromEntries(
  THRESHOLD_NAMES.map((name): [string, Option] => [
    optionNameOf(name),
    { type: 'string', value: 'RATE', help: `${THRESHOLD_HELP[name]}, 0 to 1 (default ${THRESHOLDS[name]})` },
  ]),
);

/** Options of every command that shows verdicts. */
export const OUTPUT: Record<string, Option> = {
  source: {
    type: 'string',
    short: 's',
    value: 'NAME',
    help: 'Name of the pipeline or table (default: the file name)',
  },
  output: {
    type: 'string',
    short: 'o',
    multiple: true,
    value: 'FORM[=FILE]',
    help: `Form of the results: ${OUTPUTS.join(', ')} (default: text), into FILE or on standard output; may be repeated`,
    choices: OUTPUTS,
  },
  json: { type: 'boolean', help: 'Short for --output json' },
  'fail-on': {
    type: 'string',
    value: 'VERDICT',
    help: 'block (default): a WARN exits with 0; warn: it exits with 1',
    choices: FAIL_ON,
  },
  strict: { type: 'boolean', help: 'Short for --fail-on warn' },
  quiet: {
    type: 'boolean',
    short: 'q',
    help: 'Show only errors; the exit code gives the verdict, and outputs with a file are written',
  },
};

/** Options of every command that judges: the `options` of a request. */
export const JUDGING: Record<string, Option> = {
  'full-scan': {
    type: 'boolean',
    help: 'Measure the values of all rows, not of a sample of 1,000 per batch',
  },
  mode: {
    type: 'string',
    value: 'MODE',
    help: 'auto (default): fixed thresholds of nulls and types until three batches were seen, and for at least 20 cells; then earlier runs alone. contract: fixed thresholds always, and earlier runs. adaptive: earlier runs alone; needs --baseline or --url',
    choices: ASKED_MODES,
  },
  rules: {
    type: 'string',
    short: 'r',
    value: 'FILE',
    help: 'Check every row by the rules in FILE, YAML or JSON, instead of those of the source',
    choices: 'file',
  },
  signs: {
    type: 'string',
    value: 'NAMES',
    help: 'Signs of damaged values to look for, such as mojibake,impossible_date; all (default) or none',
  },
  ...thresholdOptions,
};

export const readingOf = (given: Given): Reading => ({
  format: textIn(given, 'format'),
  delimiter: textIn(given, 'delimiter'),
  headerLine: textIn(given, 'header-line'),
  escapedBy: textIn(given, 'escape'),
  charset: textIn(given, 'charset'),
  rows: textIn(given, 'rows'),
  columns: textIn(given, 'columns'),
  isQuiet: isOn(given, 'quiet'),
});

/** As `options.signs` of a request. */
const signsIn = (names: string): boolean | string[] =>
  names === 'all' || names === 'none' ? names === 'all' : names.split(',').map(name => name.trim());

/** Throws `Failure`. */
function checkSigns(names: string): void {
  try {
    signsOf(signsIn(names), '--signs');
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

export async function requestOptions(given: Given): Promise<JsonObject> {
  const rules = textIn(given, 'rules');
  const thresholds = THRESHOLD_NAMES.flatMap(name => {
    const text = textIn(given, optionNameOf(name));
    return text === undefined ? [] : [[name, rateIn(optionNameOf(name), text)] as const];
  });
  const mode = textIn(given, 'mode');
  const signs = textIn(given, 'signs');
  if (signs !== undefined) checkSigns(signs);
  return checkedOptions({
    ...(isOn(given, 'full-scan') && { full_scan: true }),
    ...(isOn(given, 'row-verdicts') && { row_verdicts: true }),
    ...(isOn(given, 'dry-run') && { dry_run: true }),
    ...(mode !== undefined && { mode }),
    ...(signs !== undefined && { signs: signsIn(signs) }),
    ...(rules !== undefined && { rules: await rulesIn(rules) }),
    thresholds: Object.fromEntries(thresholds),
  });
}

function rateIn(option: string, text: string): number {
  const rate = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(rate))
    throw new Failure(`--${option} must be a number from 0 to 1, not ${JSON.stringify(text)}`);
  return rate;
}

function failOnOf(given: Given): FailOn {
  const typed = textIn(given, 'fail-on');
  if (typed === undefined) return isOn(given, 'strict') ? 'warn' : 'block';
  const failOn = FAIL_ON.find(each => each === typed);
  if (failOn === undefined)
    throw new Failure(`--fail-on must be warn or block, not ${JSON.stringify(typed)}`);
  if (failOn === 'block' && isOn(given, 'strict'))
    throw new Failure('--strict is short for --fail-on warn: remove one of them');
  return failOn;
}

/** What `chosenOutput` must know of a command. */
interface Chosen {
  hasSeveralFiles: boolean;
  used: UsedFiles;
}

/** Makes the files of `--output`. `hasResults`: some go to standard output. Throws `Failure`. */
export function chosenOutput(
  given: Given,
  { hasSeveralFiles, used }: Chosen,
  terminal: Terminal,
): { output: Output; failOn: FailOn; hasResults: boolean } {
  const failOn = failOnOf(given);
  const destinations = destinationsOf(given);
  for (const { file } of destinations) if (file !== undefined) used.take(file, '--output');
  const settings = { command: 'screen', hasSeveralFiles, failOn } as const;
  const isQuiet = isOn(given, 'quiet');
  const hasResults = !isQuiet && destinations.some(({ file }) => file === undefined);
  return { output: outputsOf(destinations, settings, { terminal, isQuiet }), failOn, hasResults };
}

/** Without an option, text on standard output. */
function destinationsOf(given: Given): Destination[] {
  const typed = textsIn(given, 'output').map(destinationIn);
  const shown = typed.filter(({ file }) => file === undefined);
  if (shown.length > 1)
    throw new Failure(
      'Only one form goes to standard output: name files for the others, as in --output json=FILE',
    );
  if (isOn(given, 'json')) {
    if (shown.length === 0) return [{ format: 'json' }, ...typed];
    if (shown[0]!.format !== 'json')
      throw new Failure('--json is short for --output json: remove one of them');
  }
  return typed.length === 0 ? [{ format: 'text' }] : typed;
}

/** `FORM`, or `FORM=FILE`. */
function destinationIn(typed: string): Destination {
  const [name, ...rest] = typed.split('=');
  const format = OUTPUTS.find(each => each === name);
  if (format === undefined)
    throw new Failure(`--output must be one of ${OUTPUTS.join(', ')}, not ${JSON.stringify(name)}`);
  if (rest.length === 0) return { format };
  const file = rest.join('=');
  if (file === '') throw new Failure(`--output ${typed} names no file: write ${typed}FILE`);
  return { format, file };
}
