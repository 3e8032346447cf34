/** `sluice check`: screens what `sluice.yaml` lists, so that a pipeline needs no options. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { readCliEnvironment } from '../../config/config.ts';
import type { DocumentText } from '../../documents/document-text.ts';
import { quoted } from '../../terms/errors.ts';
import { type CheckDocument, type CheckedSource, parseCheck } from './check-document.ts';
import { editorSchema, SCHEMA_NAMES } from './check-schema.ts';
import { type Command, EXIT, type Given, isOn, textIn } from '../command.ts';
import { Failure } from '../failure.ts';
import { filesLike, inFolder } from '../input/files.ts';
import { memoryIn, noMemory } from '../screening/local-store.ts';
import { type Destination, outputsOf } from '../output/forms.ts';
import { remoteScreener, serverUrl } from '../screening/remote.ts';
import { documentIn, located, rulesIn } from './rules-file.ts';
import { openLocal } from '../screening/local.ts';
import type { JsonObject, Screener } from '../screening/named-batch.ts';
import { UsedFiles } from '../input/same-file.ts';
import { screenFiles } from './screen.ts';
import { resultsOf } from '../screening/results.ts';
import type { Terminal } from '../terminal.ts';

const NAMES = ['sluice.yaml', 'sluice.yml'];

export const checkCommand: Command = {
  name: 'check',
  summary: 'screen everything that sluice.yaml lists',
  words: '[SOURCE…]',
  about: [
    'sluice.yaml names sources with their files, rules and thresholds, and where results go. Paths in it begin at its folder. With the',
    'name of a SOURCE, only that one is checked.',
    '',
    'Exit code: 0 PASS (or WARN), 1 WARN with fail_on: warn, 2 BLOCK, 3 error. The worst verdict counts.',
  ],
  options: {
    config: {
      type: 'string',
      short: 'c',
      value: 'FILE',
      help: 'Another file than sluice.yaml in this folder',
      choices: 'file',
    },
    'dry-run': { type: 'boolean', help: 'Compare with the baseline, but store nothing' },
    quiet: { type: 'boolean', short: 'q', help: 'Show only errors; outputs with a file are written' },
    schema: {
      type: 'string',
      value: 'NAME',
      help: 'Print the JSON Schema for editors: check (of sluice.yaml) or rules (of a file of rules)',
      choices: SCHEMA_NAMES,
    },
  },
  examples: [
    ['sluice check', 'Check all sources, as in CI'],
    ['sluice check orders', 'Check one source'],
    ['sluice check --schema check > .sluice.schema.json', 'Let an editor complete sluice.yaml'],
  ],
  run,
};

/** A file, and the source that it belongs to. */
interface Planned {
  file: string;
  source: string;
  checked: CheckedSource;
  options: JsonObject;
}

async function run(given: Given, terminal: Terminal): Promise<number> {
  const schema = textIn(given, 'schema');
  if (schema !== undefined) return printSchema(schema, terminal);
  const file = textIn(given, 'config') ?? NAMES.find(existsSync);
  if (file === undefined)
    throw new Failure(
      'There is no sluice.yaml in this folder: write one, or name a file with --config. See docs/cli.md',
    );
  const text = await documentIn(file);
  const document = located(file, text, () => parseCheck(text.value));
  const folder = file === '-' ? '.' : dirname(file);
  const place = { given, folder, file, text };
  const planned = await planOf(document, place);
  const destinations = destinationsIn(document, place, planned);
  const failOn = document.fail_on ?? 'block';
  const output = outputsOf(
    destinations,
    { command: 'check', hasSeveralFiles: true, failOn },
    { terminal, isQuiet: isOn(given, 'quiet') },
  );
  const memory = document.baseline === undefined ? noMemory() : memoryIn(inFolder(folder, document.baseline));
  try {
    const screener = document.url === undefined ? await openLocal(memory) : await onServer(document.url);
    const results = (name: string, place: number) => {
      const { source, options, checked } = planned[place]!;
      const { format, delimiter, header_line, charset, rows } = checked;
      const headerLine = header_line?.toString();
      const reading = {
        format,
        delimiter,
        headerLine,
        escapedBy: checked.escape,
        charset,
        rows,
        columns: undefined,
        isQuiet: isOn(given, 'quiet'),
      };
      return resultsOf(name, reading, { source, options }, screener, terminal);
    };
    const files = planned.map(each => each.file);
    return await screenFiles({ files, results, output, failOn }, terminal);
  } finally {
    memory.close();
  }
}

async function printSchema(given: string, terminal: Terminal): Promise<number> {
  const name = SCHEMA_NAMES.find(each => each === given);
  if (name === undefined)
    throw new Failure(`--schema must be ${SCHEMA_NAMES.join(' or ')}, not ${quoted(given)}`);
  await terminal.write(editorSchema(name));
  return EXIT.pass;
}

interface Place {
  given: Given;
  folder: string;
  file: string;
  text: DocumentText;
}

/** All files of the chosen sources, with what holds for them. Throws `Failure`. */
async function planOf(document: CheckDocument, { given, folder, file, text }: Place): Promise<Planned[]> {
  const { words } = given;
  const names = Object.keys(document.sources);
  const unknown = words.find(word => !names.includes(word));
  if (unknown !== undefined)
    throw new Failure(
      `There is no source ${quoted(unknown)}; there are ${names.map(name => quoted(name)).join(', ')}`,
      file,
    );
  const planned: Planned[] = [];
  for (const [source, checked] of Object.entries(document.sources)) {
    if (words.length > 0 && !words.includes(source)) continue;
    const options = await optionsOf(document, checked, folder, isOn(given, 'dry-run'));
    const files = new Set<string>();
    for (const pattern of [checked.files].flat()) {
      const found = await filesLike(pattern, folder);
      if (found.length === 0)
        throw new Failure(
          `No file matches ${quoted(pattern)}`,
          file,
          text.lineOf(['sources', source, 'files']),
        );
      for (const each of found) files.add(each);
    }
    planned.push(...[...files].map(each => ({ file: each, source, checked, options })));
  }
  return planned;
}

/** The settings of a source, and above them those of all, as options of a request. */
async function optionsOf(
  document: CheckDocument,
  checked: CheckedSource,
  folder: string,
  isDryRun: boolean,
): Promise<JsonObject> {
  const { mode, false_alarm_rate, full_scan, signs, thresholds } = { ...document, ...checked };
  const { rules } = checked;
  return {
    ...(mode !== undefined && { mode }),
    ...(false_alarm_rate !== undefined && { false_alarm_rate }),
    ...(full_scan && { full_scan }),
    ...(signs !== undefined && { signs }),
    ...(isDryRun && { dry_run: true }),
    ...(rules !== undefined && {
      rules: typeof rules === 'string' ? await rulesIn(inFolder(folder, rules)) : rules,
    }),
    thresholds: { ...document.thresholds, ...thresholds },
  };
}

async function onServer(url: string): Promise<Screener> {
  const { key } = readCliEnvironment();
  if (key === null) throw new Failure('A server needs an API key: set SLUICE_KEY');
  return remoteScreener({ url: serverUrl(url), key });
}

/** Throws `Failure` where an output would replace a file that the check reads or writes. */
function destinationsIn(
  { sources, baseline, outputs = [{ format: 'text' }] }: CheckDocument,
  { folder, file, text }: Place,
  planned: readonly Planned[],
): Destination[] {
  const rules = Object.values(sources).flatMap(source =>
    typeof source.rules === 'string' ? source.rules : [],
  );
  const named = [...rules, ...(baseline === undefined ? [] : [baseline])].map(path => inFolder(folder, path));
  const used = new UsedFiles([file, ...named, ...planned.map(each => each.file)]);
  return outputs.map(({ format, file: typed }, i) => {
    if (typed === undefined) return { format };
    const destination = { format, file: inFolder(folder, typed) };
    try {
      used.take(destination.file, `outputs[${i}]`);
    } catch (error) {
      throw new Failure((error as Failure).message, file, text.lineOf(['outputs', i, 'file']));
    }
    return destination;
  });
}
