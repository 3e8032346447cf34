/** `sluice screen`: files → verdicts. */
import { readCliEnvironment } from '../../config/config.ts';
import { worseOf } from '../../terms/verdict.ts';
import { type Command, EXIT, type Given, textIn, textsIn } from '../command.ts';
import { Failure, failureOf, OutputFailure } from '../failure.ts';
import { filesIn } from '../input/files.ts';
import { openLocal } from '../screening/local.ts';
import { noMemory, type Memory, memoryIn } from '../screening/local-store.ts';
import { remoteScreener, serverUrl } from '../screening/remote.ts';
import { type FailOn, isStopped, type Output, type RunResult } from '../output/output.ts';
import type { FileResult, JsonObject, Screener, Typed } from '../screening/named-batch.ts';
import { resultsOf } from '../screening/results.ts';
import { statesResult } from '../screening/whole-states.ts';
import { Parts, takePartFiles } from '../parts/parts.ts';
import { UsedFiles } from '../input/same-file.ts';
import { chosenOutput, JUDGING, OUTPUT, READING, readingOf, requestOptions } from './screen-options.ts';
import type { Terminal } from '../terminal.ts';

export const screenCommand: Command = {
  name: 'screen',
  summary: 'give files of rows PASS, WARN or BLOCK, with the reasons',
  words: 'FILE…',
  choices: 'file',
  about: [
    'FILE is CSV, TSV, JSON (an array of rows, or a request object), NDJSON, Parquet or Arrow, plain, .gz or .zst; a folder or',
    'a glob in quotes means the files in it; - is standard input.',
    'A file is one batch, however long it is. Without --url no data leaves this machine. Without --baseline nothing is stored.',
    '',
    'Exit code: 0 PASS (or WARN), 1 WARN with --fail-on warn, 2 BLOCK, 3 error. The worst verdict counts.',
  ],
  options: {
    ...READING,
    ...OUTPUT,
    baseline: {
      type: 'string',
      short: 'b',
      value: 'FILE',
      help: 'Compare with the baselines of earlier runs in FILE, and add this run',
      choices: 'file',
    },
    'dry-run': { type: 'boolean', help: 'Compare with the baseline, but store nothing' },
    'row-verdicts': {
      type: 'boolean',
      help: 'With --json: list every row to hold back, with its reasons; implies --full-scan',
    },
    good: {
      type: 'string',
      value: 'FILE',
      help: 'Write the rows that may be loaded to FILE, in the format of the input',
      choices: 'file',
    },
    held: {
      type: 'string',
      value: 'FILE',
      help: 'Write the rows to hold back to FILE, in the format of the input',
      choices: 'file',
    },
    states: {
      type: 'string',
      multiple: true,
      value: 'FILES',
      help: 'Screen what sluice measure wrote of the parts of one batch: a glob in quotes, or several files',
      choices: 'file',
    },
    parts: { type: 'string', value: 'N', help: 'With --states: how many parts there must be' },
    ...JUDGING,
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
      'sluice screen --json *.ndjson | jq -r \'.results[] | select(.status == "BLOCK") | .file\'',
      'Find the blocked ones of several files',
    ],
    [
      'sluice screen --good good.csv --held held.csv orders.csv',
      'Divide a file into what may be loaded and what not',
    ],
    [
      'sluice screen --output text --output junit=report.xml orders.csv',
      'Show the result, and write it to a file for a CI server',
    ],
    [
      "sluice screen --states 'orders-*.state' --source orders --baseline baselines.sqlite",
      'Screen what was measured of the parts of a batch, as one batch',
    ],
    ['SLUICE_KEY=… sluice screen --url https://sluice.example.com orders.json', 'Screen on a server'],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  if (textsIn(given, 'states').length > 0) return screenStates(given, terminal);
  if (textIn(given, 'parts') !== undefined) throw new Failure('--parts counts states: add --states');
  if (given.words.length === 0)
    throw new Failure('Name a file, or - for standard input. See sluice screen --help');
  if (given.words.filter(file => file === '-').length > 1)
    throw new Failure('Standard input can be read only once: name - only once');
  const reading = readingOf(given);
  const files = await filesIn(given.words);
  const partFiles = { good: textIn(given, 'good'), held: textIn(given, 'held') };
  const hasParts = partFiles.good !== undefined || partFiles.held !== undefined;
  const options = await requestOptions(given);
  checkHistory(options, given);
  const typed: Typed = {
    source: textIn(given, 'source'),
    options: hasParts ? { ...options, row_verdicts: true } : options,
  };
  if (hasParts && files.length > 1) throw new Failure('--good and --held divide one file: name only one');
  const used = new UsedFiles([...files, textIn(given, 'baseline'), textIn(given, 'rules')]);
  takePartFiles(used, partFiles);
  const chosen = { hasSeveralFiles: files.length > 1, used };
  const { output, failOn, hasResults } = chosenOutput(given, chosen, terminal);
  const memory = memoryOf(given);
  let parts: Parts | null = null;
  try {
    const screener = await screenerOf(given, memory);
    parts = hasParts ? await Parts.open(partFiles, failOn, hasResults) : null;
    const results = (file: string) => resultsOf(file, reading, typed, screener, terminal, parts);
    const code = await screenFiles({ files, results, output, failOn }, terminal);
    if (code !== EXIT.error) parts?.name();
    return code;
  } finally {
    parts?.abandon();
    memory.close();
  }
}

/** Options that only files of rows have: a part was read when it was measured, and its state holds no rows. */
const OF_ROWS = [...Object.keys(READING), 'row-verdicts', 'good', 'held', 'url', 'key'];

/** The words are states too, as a shell makes them of a glob without quotes. */
async function screenStates(given: Given, terminal: Terminal): Promise<number> {
  const ofRows = OF_ROWS.find(name => given.values[name] !== undefined);
  if (ofRows !== undefined)
    throw new Failure(
      `States hold no rows, so --${ofRows} does not go with --states: ${ofRows in READING ? 'give it to sluice measure' : 'screen the files themselves'}`,
    );
  const typed = [...textsIn(given, 'states'), ...given.words];
  const files = await filesIn(typed);
  const options = await requestOptions(given);
  checkHistory(options, given);
  const used = new UsedFiles([...files, textIn(given, 'baseline'), textIn(given, 'rules')]);
  const { output, failOn } = chosenOutput(given, { hasSeveralFiles: false, used }, terminal);
  const states = { name: typed[0]!, files, parts: partsIn(given) };
  const memory = memoryOf(given);
  try {
    const local = await openLocal(memory);
    const results = async function* () {
      yield await statesResult(states, { source: textIn(given, 'source'), options }, { local, memory });
    };
    return await screenFiles({ files: [states.name], results, output, failOn }, terminal);
  } finally {
    memory.close();
  }
}

function partsIn(given: Given): number | null {
  const typed = textIn(given, 'parts');
  if (typed === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(typed))
    throw new Failure(`--parts must be a whole number from 1, not ${JSON.stringify(typed)}`);
  return Number(typed);
}

/** Throws `Failure` for adaptive mode without earlier runs: nothing would say that a column of nulls is wrong. */
function checkHistory({ mode }: JsonObject, given: Given): void {
  const hasHistory = textIn(given, 'baseline') !== undefined || textIn(given, 'url') !== undefined;
  if (mode === 'adaptive' && !hasHistory)
    throw new Failure('--mode adaptive judges by earlier runs: add --baseline FILE or --url URL');
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
  if (url === undefined) return openLocal(memory);
  if (key === null) throw new Failure('A server needs an API key: set SLUICE_KEY, or add --key');
  return remoteScreener({ url: serverUrl(url), key });
}

interface Run {
  files: readonly string[];
  /** `place`: that of the file in the list. */
  results(file: string, place: number): AsyncIterable<FileResult>;
  output: Output;
  failOn: FailOn;
}

export async function screenFiles(
  { files, results, output, failOn }: Run,
  terminal: Terminal,
): Promise<number> {
  const run: RunResult = { worst: null, failed: false, failOn };
  const fail = async (failure: Failure) => {
    run.failed = true;
    terminal.tell(`sluice: ${failure.shown}`);
    await output.failure(failure);
  };
  const screenFile = async (file: string, place: number) => {
    for await (const result of results(file, place)) {
      run.worst = worseOf(run.worst ?? 'PASS', result.report.status);
      await output.result(result);
    }
  };
  try {
    for (const [place, file] of files.entries()) {
      try {
        await screenFile(file, place);
      } catch (error) {
        // Go on with the other files.
        const failure = failureOf(error, file);
        if (failure === null || failure instanceof OutputFailure) throw error;
        await fail(failure);
      }
    }
  } catch (error) {
    // Nobody would see more verdicts. Other outputs say why, and end.
    if (!(error instanceof OutputFailure)) throw error;
    await fail(error);
  }
  await output.end(run);
  return exitCode(run);
}

function exitCode({ worst, failed, failOn }: RunResult): number {
  if (failed || worst === null) return EXIT.error;
  if (!isStopped(worst, failOn)) return EXIT.pass;
  return worst === 'BLOCK' ? EXIT.block : EXIT.warn;
}
