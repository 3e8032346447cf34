/** `sluice screen`: files → verdicts. */
import { readCliEnvironment } from '../config.ts';
import { THRESHOLDS } from '../policy.ts';
import { MODES, parseOptions, type ScreenOptions } from '../options/options.ts';
import { worseOf } from '../verdict.ts';
import { type Command, EXIT, type Given, isOn, type Option, textIn } from './command.ts';
import { Failure, failureOf } from './failure.ts';
import { DELIMITER_NAMES, FORMAT_NAMES } from './format.ts';
import { openLocal } from './local.ts';
import { noMemory, type Memory, memoryIn } from './local-store.ts';
import { remoteScreener, serverUrl } from './remote.ts';
import { NO_OUTPUT, OUTPUTS, outputOf, type OutputName } from './output/forms.ts';
import { FAIL_ON, type FailOn, isStopped, type Output, type RunResult } from './output/output.ts';
import {
  checkedOptions,
  type FileResult,
  type JsonObject,
  type NamedBatch,
  resultsOf,
  type Typed,
  type Screener,
} from './screening.ts';
import type { Reading } from './reading.ts';
import { rulesIn } from './rules-file.ts';
import type { Terminal } from './terminal.ts';

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
    help: 'Delimiter of CSV: , ; | or tab (default: found in the file)',
    choices: DELIMITER_NAMES,
  },
  charset: {
    type: 'string',
    value: 'NAME',
    help: 'Encoding of CSV: utf-8, windows-1252, utf-16le, … (default: found in the file)',
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

export const screenCommand: Command = {
  name: 'screen',
  summary: 'give files of rows PASS, WARN or BLOCK, with the reasons',
  words: 'FILE…',
  choices: 'file',
  about: [
    'FILE is CSV, TSV, JSON (an array of rows, or a request object) or NDJSON, plain, .gz or .zst; - is standard input.',
    'A larger file is screened in batches of 10,000 rows. Without --url no data leaves this machine. Without --baseline',
    'nothing is stored.',
    '',
    'Exit code: 0 PASS (or WARN), 1 WARN with --fail-on warn, 2 BLOCK, 3 error. The worst verdict counts.',
  ],
  options: {
    ...READING,
    source: {
      type: 'string',
      short: 's',
      value: 'NAME',
      help: 'Name of the pipeline or table (default: the file name)',
    },
    baseline: {
      type: 'string',
      short: 'b',
      value: 'FILE',
      help: 'Compare with the baselines of earlier runs in FILE, and add this run',
      choices: 'file',
    },
    'dry-run': { type: 'boolean', help: 'Compare with the baseline, but store nothing' },
    'fail-on': {
      type: 'string',
      value: 'VERDICT',
      help: 'block (default): a WARN exits with 0; warn: it exits with 1',
      choices: FAIL_ON,
    },
    strict: { type: 'boolean', help: 'Short for --fail-on warn' },
    'full-scan': {
      type: 'boolean',
      help: 'Measure the values of all rows, not of a sample of 1,000 per batch',
    },
    'row-verdicts': {
      type: 'boolean',
      help: 'With --json: list every row to hold back, with its reasons; implies --full-scan',
    },
    mode: {
      type: 'string',
      value: 'MODE',
      help: 'contract: fixed thresholds (default); adaptive: thresholds learned from the source, needs --baseline or --url',
      choices: MODES,
    },
    rules: {
      type: 'string',
      short: 'r',
      value: 'FILE',
      help: 'Check every row by the rules in FILE, YAML or JSON, instead of those of the source',
      choices: 'file',
    },
    ...thresholdOptions,
    output: {
      type: 'string',
      short: 'o',
      value: 'FORM',
      help: `Form of the results: ${OUTPUTS.join(', ')} (default: text)`,
      choices: OUTPUTS,
    },
    json: { type: 'boolean', help: 'Short for --output json' },
    each: { type: 'boolean', help: 'Show the single batches of a file, before its summary' },
    verbose: { type: 'boolean', short: 'v', help: 'Short for --each' },
    quiet: { type: 'boolean', short: 'q', help: 'Show only errors; the exit code gives the verdict' },
    url: { type: 'string', value: 'URL', help: 'Screen on this server, which keeps the baselines' },
    key: {
      type: 'string',
      value: 'KEY',
      help: 'API key for --url; better set it as SLUICE_KEY, which other users cannot see',
    },
  },
  examples: [
    ['sluice screen orders.csv', 'Screen a file and show the reasons'],
    [
      'sluice screen --baseline ~/.sluice.sqlite --source orders orders-2026-11-21.csv.gz',
      'Compare a file with the earlier ones of its source',
    ],
    [
      'sluice screen --strict --quiet orders.csv && load orders.csv',
      'Load a file only if its verdict is PASS',
    ],
    [
      "psql -c 'COPY orders TO STDOUT CSV HEADER' | sluice screen --format csv --source orders -",
      'Screen the output of another program',
    ],
    [
      'sluice screen --json big.ndjson | jq \'.results[] | select(.status == "BLOCK") | .first_row\'',
      'Find the blocked batches of a large file',
    ],
    ['SLUICE_KEY=… sluice screen --url https://sluice.example.com orders.json', 'Screen on a server'],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  if (given.words.length === 0)
    throw new Failure('Name a file, or - for standard input. See sluice screen --help');
  if (given.words.filter(file => file === '-').length > 1)
    throw new Failure('Standard input can be read only once: name - only once');
  const reading = readingOf(given);
  const typed: Typed = { source: textIn(given, 'source'), options: await optionsOf(given) };
  const failOn = failOnOf(given);
  const output = chosenOutput(given, failOn, terminal);
  const memory = memoryOf(given);
  try {
    const screener = await screenerOf(given, memory);
    const results = (file: string) => resultsOf(file, reading, typed, screener, terminal);
    return await screenFiles({ files: given.words, results, output, failOn }, terminal);
  } finally {
    memory.close();
  }
}

export const readingOf = (given: Given): Reading => ({
  format: textIn(given, 'format'),
  delimiter: textIn(given, 'delimiter'),
  charset: textIn(given, 'charset'),
  isQuiet: isOn(given, 'quiet'),
});

async function optionsOf(given: Given): Promise<JsonObject> {
  const rules = textIn(given, 'rules');
  const thresholds = THRESHOLD_NAMES.flatMap(name => {
    const text = textIn(given, optionNameOf(name));
    return text === undefined ? [] : [[name, rateIn(optionNameOf(name), text)] as const];
  });
  const mode = textIn(given, 'mode');
  return checkedOptions({
    ...(isOn(given, 'full-scan') && { full_scan: true }),
    ...(isOn(given, 'row-verdicts') && { row_verdicts: true }),
    ...(isOn(given, 'dry-run') && { dry_run: true }),
    ...(mode !== undefined && { mode }),
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

function memoryOf(given: Given): Memory {
  const file = textIn(given, 'baseline');
  if (file === undefined) return noMemory();
  if (textIn(given, 'url') !== undefined)
    throw new Failure('The server of --url keeps its own baselines: remove --baseline');
  return memoryIn(file);
}

async function screenerOf(given: Given, memory: Memory): Promise<Screener> {
  const url = textIn(given, 'url');
  const key = textIn(given, 'key') ?? readCliEnvironment().key;
  if (url === undefined && textIn(given, 'key') !== undefined)
    throw new Failure('--key needs a server: add --url');
  if (url === undefined) return localScreener(memory);
  if (key === null) throw new Failure('A server needs an API key: set SLUICE_KEY, or add --key');
  return remoteScreener({ url: serverUrl(url), key });
}

async function localScreener(memory: Memory): Promise<Screener> {
  const local = await openLocal(memory);
  return {
    engines: local.engines,
    async screen(batch) {
      const named = { source: batch.source, options: screenOptions(batch) };
      const { screened } = await local.screen(batch.body, batch.format, named);
      return screened;
    },
  };
}

export function screenOptions({ options, isChunk }: NamedBatch): ScreenOptions {
  const parsed = parseOptions(options);
  return { ...parsed, chunk: parsed.chunk || isChunk };
}

interface Run {
  files: readonly string[];
  results(file: string): AsyncIterable<FileResult>;
  output: Output;
  failOn: FailOn;
}

async function screenFiles({ files, results, output, failOn }: Run, terminal: Terminal): Promise<number> {
  const run: RunResult = { worst: 'PASS', failed: false, failOn };
  for (const file of files) {
    try {
      for await (const result of results(file)) {
        run.worst = worseOf(run.worst, result.report.status);
        await output.result(result);
      }
    } catch (error) {
      // Go on with the other files.
      const failure = failureOf(error, file);
      if (failure === null) throw error;
      run.failed = true;
      terminal.tell(`sluice: ${failure.shown}`);
      await output.failure(failure);
    }
  }
  await output.end(run);
  return exitCode(run);
}

function exitCode({ worst, failed, failOn }: RunResult): number {
  if (failed) return EXIT.error;
  if (!isStopped(worst, failOn)) return EXIT.pass;
  return worst === 'BLOCK' ? EXIT.block : EXIT.warn;
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

function chosenOutput(given: Given, failOn: FailOn, terminal: Terminal): Output {
  const name = outputNameOf(given);
  if (isOn(given, 'quiet')) return NO_OUTPUT;
  const each = isOn(given, 'each') || isOn(given, 'verbose');
  return outputOf({ name, each, hasSeveralFiles: given.words.length > 1, failOn }, terminal);
}

function outputNameOf(given: Given): OutputName {
  const typed = textIn(given, 'output') ?? (isOn(given, 'json') ? 'json' : 'text');
  const name = OUTPUTS.find(each => each === typed);
  if (name === undefined)
    throw new Failure(`--output must be one of ${OUTPUTS.join(', ')}, not ${JSON.stringify(typed)}`);
  if (name !== 'json' && isOn(given, 'json'))
    throw new Failure('--json is short for --output json: remove one of them');
  return name;
}
