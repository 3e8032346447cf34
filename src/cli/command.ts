/** What a command is: one table from which arguments are parsed, help is written and shells complete. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Failure } from './failure.ts';
import type { Terminal } from './terminal.ts';

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  /** What stands for its value in the help: `FILE`. */
  value?: string;
  help: string;
  /** All values there are, for completion; `file` completes names of files. */
  choices?: readonly string[] | 'file';
}

export interface Given {
  values: Record<string, string | boolean | undefined>;
  words: string[];
}

export interface Command {
  /** As it is typed, behind `sluice`. */
  name: string;
  summary: string;
  /** Behind the name: `FILE…`. */
  words: string;
  /** Values of the first word, for completion. */
  choices?: readonly string[] | 'file';
  about: readonly string[];
  options: Readonly<Record<string, Option>>;
  /** What is typed, and what it does. */
  examples: readonly (readonly [string, string])[];
  /** The exit code. Throws `Failure`. */
  run(given: Given, terminal: Terminal): Promise<number>;
}

const HELP: Option = { type: 'boolean', short: 'h', help: 'Shows this page' };

export const optionsOf = (command: Command): [string, Option][] => [
  ...Object.entries(command.options),
  ['help', HELP],
];

/** Throws `Failure`. */
export function given(command: Command, args: string[]): Given {
  const options = Object.fromEntries(
    optionsOf(command).map(([name, { type, short }]) => [
      name,
      short === undefined ? { type } : { type, short },
    ]),
  ) as NonNullable<ParseArgsConfig['options']>;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as Given['values'], words: positionals };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    const [sentence] = message.split(/[.\n] ?/);
    throw new Failure(`${sentence}. See sluice ${command.name} --help`);
  }
}

/** A command's page. */
export function helpOf(command: Command): string {
  const { name, summary, words, about, examples } = command;
  const options = optionsOf(command).map(([option, { short, value, help }]) => [
    `  ${short === undefined ? '    ' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  return [
    `sluice ${name}: ${summary}`,
    '',
    `Usage: sluice ${name}${words === '' ? '' : ` ${words}`} [options]`,
    '',
    ...about,
    '',
    'Options:',
    ...columns(options),
    '',
    'Examples:',
    ...examples.flatMap(([typed, does]) => [`  # ${does}`, `  ${typed}`]),
    '',
  ].join('\n');
}

/** The page of all commands. */
export const overviewOf = (commands: readonly Command[]): string =>
  [
    'sluice: PASS, WARN or BLOCK for a batch of rows, before anything is written',
    '',
    'Usage: sluice COMMAND [options]',
    '',
    ...columns(commands.map(({ name, words, summary }) => [`  ${name} ${words}`.trimEnd(), summary])),
    '',
    'Examples:',
    '  # Screen a file, with reasons',
    '  sluice screen orders.csv',
    '  # Load it only if nothing is wrong',
    '  sluice screen --strict --quiet orders.csv && load orders.csv',
    '  # What the screen command can do',
    '  sluice screen --help',
    '',
    'Exit codes: 0 PASS (or WARN), 1 WARN with --strict, 2 BLOCK, 3 error.',
    '',
  ].join('\n');

function columns(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2;
  return rows.map(([left, right]) => `${left!.padEnd(width)}${right}`);
}

/** The value of an option that takes one. */
export const textIn = ({ values }: Given, name: string): string | undefined =>
  values[name] as string | undefined;

export const isOn = ({ values }: Given, name: string): boolean => values[name] === true;
