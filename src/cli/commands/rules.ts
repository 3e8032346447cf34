/** `sluice rules`: rules from and to the documents of other programs. */
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { escaped } from '../../terms/errors.ts';
import type { RulesDocument } from '../../rules/declared/document.ts';
import type { Unsupported } from '../../rules/interchange/draft.ts';
import { EXPORT_FORMATS, exportRules } from '../../rules/interchange/export.ts';
import { IMPORT_FORMATS, importRules } from '../../rules/interchange/import.ts';
import { plural } from '../../terms/wording.ts';
import { EXIT, type Command, type Given, type Option, textIn } from '../command.ts';
import { Failure } from '../failure.ts';
import { documentIn, located, rulesIn } from './rules-file.ts';
import { BASELINE, tellUnknownFields } from './unknown-fields.ts';
import { UsedFiles } from '../input/same-file.ts';
import type { Terminal } from '../terminal.ts';

export const OUT: Record<string, Option> = {
  out: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    help: 'Write to FILE (default: standard output)',
    choices: 'file',
  },
};

export const rulesImportCommand: Command = {
  name: 'rules import',
  summary: 'make rules of a schema, contract or suite of another program',
  words: 'FILE',
  choices: 'file',
  about: [
    'FILE is JSON or YAML: JSON Schema 2020-12, an ODCS 3 contract, schema.yml of dbt, a Frictionless Table Schema or a suite of',
    'Great Expectations; - is standard input. The rules are printed as YAML. What they cannot say is listed on standard error.',
  ],
  options: {
    format: {
      type: 'string',
      short: 'f',
      value: 'NAME',
      help: `Format of FILE: ${IMPORT_FORMATS.join(', ')}`,
      choices: IMPORT_FORMATS,
    },
    table: { type: 'string', value: 'NAME', help: 'Which table, if FILE describes several' },
    source: {
      type: 'string',
      short: 's',
      value: 'NAME',
      help: 'Name of the source, for --baseline (default: that of --table)',
    },
    ...BASELINE,
    ...OUT,
  },
  examples: [
    [
      'sluice rules import --format odcs --table orders contract.yaml > orders.rules.yaml',
      'Make rules of a data contract',
    ],
    [
      'sluice rules import --format dbt --table orders models/schema.yml',
      'Show the tests of a dbt model as rules',
    ],
  ],
  run: runImport,
};

export const rulesExportCommand: Command = {
  name: 'rules export',
  summary: 'write rules as a document of another program',
  words: 'FILE',
  choices: 'file',
  about: [
    'FILE has rules as JSON or YAML; - is standard input. What the format cannot say is listed on standard error.',
  ],
  options: {
    as: {
      type: 'string',
      value: 'NAME',
      help: `Format to write: ${EXPORT_FORMATS.join(', ')}`,
      choices: EXPORT_FORMATS,
    },
    source: {
      type: 'string',
      short: 's',
      value: 'NAME',
      help: 'Name of the table in the document, and of the source (default: the file name)',
    },
    ...BASELINE,
    ...OUT,
  },
  examples: [
    ['sluice rules export --as odcs orders.rules.yaml > orders.odcs.yaml', 'Make a data contract of rules'],
  ],
  run: runExport,
};

async function runImport(given: Given, terminal: Terminal): Promise<number> {
  const file = fileIn(given, 'rules import');
  const format = choiceIn(given, 'format', IMPORT_FORMATS);
  const document = await documentIn(file);
  const { rules, unsupported } = located(file, document, () =>
    importRules(format, document.value, textIn(given, 'table')),
  );
  await write(given, terminal, yamlOf(rules));
  tellUnsupported(
    terminal,
    unsupported,
    `${unsupported.length === 1 ? 'has' : 'have'} no counterpart in rules`,
  );
  await tellUnknownFields(given, textIn(given, 'source') ?? textIn(given, 'table'), rules, terminal);
  return EXIT.pass;
}

async function runExport(given: Given, terminal: Terminal): Promise<number> {
  const file = fileIn(given, 'rules export');
  const format = choiceIn(given, 'as', EXPORT_FORMATS);
  const name =
    textIn(given, 'source') ?? (file === '-' ? 'rows' : basename(file).replace(/(\.rules)?\.\w+$/, ''));
  const rules = await rulesIn(file);
  const { document, unsupported } = exportRules(format, rules, name);
  await write(
    given,
    terminal,
    format === 'odcs' ? yamlOf(document) : `${JSON.stringify(document, null, 2)}\n`,
  );
  tellUnsupported(terminal, unsupported, `cannot be said as ${format}`);
  await tellUnknownFields(given, name, rules, terminal);
  return EXIT.pass;
}

export function fileIn({ words: [file, ...more] }: Given, command: string): string {
  if (file === undefined || more.length > 0)
    throw new Failure(`Name one file, or - for standard input. See sluice ${command} --help`);
  return file;
}

function choiceIn<Choice extends string>(given: Given, option: string, choices: readonly Choice[]): Choice {
  const word = textIn(given, option);
  const found = choices.find(choice => choice === word);
  if (found) return found;
  const said = word === undefined ? '' : `, not ${JSON.stringify(word)}`;
  throw new Failure(`--${option} must be one of ${choices.join(', ')}${said}`);
}

/** Quotes texts that YAML 1.1, which most other programs read, takes for dates or numbers: `2026-01-02`, `12:30`. */
export const yamlOf = (document: RulesDocument | object): string =>
  (require('yaml') as typeof import('yaml')).stringify(document, {
    compat: 'yaml-1.1',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });

export async function write(given: Given, terminal: Terminal, text: string): Promise<void> {
  const file = textIn(given, 'out');
  if (file === undefined) return terminal.write(text);
  new UsedFiles(given.words).take(file, '--out');
  await writeFile(file, text).catch(error => {
    throw new Failure(`It cannot be written: ${(error as Error).message}`, file);
  });
}

function tellUnsupported(terminal: Terminal, unsupported: readonly Unsupported[], what: string): void {
  if (unsupported.length === 0) return;
  terminal.tell(`sluice: ${plural(unsupported.length, 'part')} ${what}:`);
  for (const { path, reason } of unsupported) terminal.tell(escaped(`  ${path}: ${reason}`));
}
