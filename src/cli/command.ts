/** A command as data: for parsing arguments, writing help and completing in shells. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Failure } from './failure.ts';
import { meant } from '../names/nearest.ts';
import type { Terminal } from './terminal.ts';

export const EXIT = { pass: 0, warn: 1, block: 2, error: 3 } as const;

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  /** It may be given several times: `textsIn` reads it. */
  multiple?: boolean;
  /** Placeholder of its value in the help: `FILE`. */
  value?: string;
  help: string;
  /** Allowed values, for completion; `file` completes file names. */
  choices?: readonly string[] | 'file';
}

export interface Given {
  values: Record<string, string | boolean | string[] | undefined>;
  words: string[];
}

export interface Command {
  /** One or two words, typed after `sluice`. */
  name: string;
  summary: string;
  /** Typed after the name: `FILE…`. */
  words: string;
  /** Allowed values of the first word, for completion. */
  choices?: readonly string[] | 'file';
  about: readonly string[];
  options: Readonly<Record<string, Option>>;
  /** A command line, and what it does. */
  examples: readonly (readonly [string, string])[];
  /** The exit code. Throws `Failure`. */
  run(given: Given, terminal: Terminal): Promise<number>;
}

const HELP: Option = { type: 'boolean', short: 'h', help: 'Show this help' };

export const optionsOf = (command: Command): [string, Option][] => [
  ...Object.entries(command.options),
  ['help', HELP],
];

/** Parses the arguments of a command. Throws `Failure`. */
export function given(command: Command, args: string[]): Given {
  const options = Object.fromEntries(
    optionsOf(command).map(([name, { type, short, multiple = false }]) => [
      name,
      short === undefined ? { type, multiple } : { type, multiple, short },
    ]),
  ) as NonNullable<ParseArgsConfig['options']>;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as Given['values'], words: positionals };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    const [sentence] = message.split(/[.\n] ?/);
    const [, typed] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
    const names = optionsOf(command).map(([name]) => `--${name}`);
    const hint = typed === undefined ? '' : meant(typed, names);
    throw new Failure(`${sentence}.${hint} See sluice ${command.name} --help`);
  }
}

/** The help of one command. */
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

/** The help of `sluice` itself. */
export const overviewOf = (commands: readonly Command[]): string =>
  [
    'sluice: PASS, WARN or BLOCK for a batch of rows, before anything is written',
    '',
    'Usage: sluice COMMAND [options]',
    '',
    ...summaries(commands),
    '',
    'Examples:',
    '  # Screen a file and show the reasons',
    '  sluice screen orders.csv',
    '  # Load a file only if its verdict is PASS',
    '  sluice screen --strict --quiet orders.csv && load orders.csv',
    '  # Show the options of the screen command',
    '  sluice screen --help',
    '',
    'Exit codes: 0 PASS (or WARN), 1 WARN with --fail-on warn, 2 BLOCK, 3 error.',
    '',
  ].join('\n');

/** The help of commands with the same first word. */
export const groupHelpOf = (group: string, commands: readonly Command[]): string =>
  [
    `Usage: sluice ${group} COMMAND [options]`,
    '',
    ...summaries(commands),
    '',
    `sluice ${group} COMMAND --help shows the options of one of them.`,
    '',
  ].join('\n');

const summaries = (commands: readonly Command[]): string[] =>
  columns(commands.map(({ name, words, summary }) => [`  ${name} ${words}`.trimEnd(), summary]));

function columns(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2;
  return rows.map(([left, right]) => `${left!.padEnd(width)}${right}`);
}

/** The value of an option of type string. */
export const textIn = ({ values }: Given, name: string): string | undefined =>
  values[name] as string | undefined;

/** The values of an option that may be given several times. */
export const textsIn = ({ values }: Given, name: string): string[] =>
  (values[name] as string[] | undefined) ?? [];

export const isOn = ({ values }: Given, name: string): boolean => values[name] === true;
