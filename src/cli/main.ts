/** The command line: which command, its help, and how it ends. */
import { readCliEnvironment } from '../config.ts';
import { type Command, given, helpOf, isOn, overviewOf } from './command.ts';
import { COMMANDS } from './commands.ts';
import { Failure, failureOf } from './failure.ts';
import { EXIT } from './screen-command.ts';
import { Terminal } from './terminal.ts';
import { versionLine } from './version.ts';

/** As a shell says that SIGINT has ended a program. */
const INTERRUPTED = 130;

const terminal = new Terminal(readCliEnvironment());
process.on('SIGINT', () => {
  terminal.tell('sluice: interrupted; there is no verdict');
  process.exit(INTERRUPTED);
});
// Who was to read the verdict is gone: it is neither PASS nor BLOCK then.
process.stdout.on('error', () => process.exit(EXIT.error));
process.exit(await orExit(() => main(process.argv.slice(2))));

async function main(args: string[]): Promise<number> {
  const [word = ''] = args;
  if (word === '--version' || word === '-V') return show(await versionLine());
  if (['help', '--help', '-h'].includes(word)) return show(helpFor(args.slice(1)));
  const command = commandIn(args);
  if (command === null) throw unknown(args);
  const typed = given(command, args.slice(command.name.split(' ').length));
  if (isOn(typed, 'help')) return show(helpOf(command));
  return command.run(typed, terminal);
}

/** A command's name may be of two words. */
function commandIn(args: string[]): Command | null {
  return COMMANDS.find(({ name }) => name.split(' ').every((word, i) => word === args[i])) ?? null;
}

function helpFor(args: string[]): string {
  const command = commandIn(args);
  if (command !== null) return helpOf(command);
  if (args.length > 0) throw unknown(args);
  return overviewOf(COMMANDS);
}

function unknown(args: string[]): Failure {
  const names = COMMANDS.map(({ name }) => name).join(', ');
  if (args.length === 0) return new Failure(`Say what to do: ${names}. See sluice --help`);
  return new Failure(`There is no command ${JSON.stringify(args[0])}; there are ${names}. See sluice --help`);
}

async function show(text: string): Promise<number> {
  await terminal.write(text);
  return EXIT.pass;
}

/** What its reader can mend is a line; anything else is a bug and keeps its stack. */
async function orExit(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const failure = failureOf(error);
    terminal.tell(
      failure ? `sluice: ${failure.shown}` : `sluice: a bug: ${(error as Error)?.stack ?? error}`,
    );
    return EXIT.error;
  }
}
