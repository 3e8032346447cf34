/** Entry point of the command line: finds the command, shows help, ends with an exit code. */
import { readFileSync } from 'node:fs';
import { readCliEnvironment } from '../config/config.ts';
import { EXIT, type Command, given, groupHelpOf, helpOf, isOn, overviewOf } from './command.ts';
import { allCommands, COMMANDS } from './commands.ts';
import { Failure, failureOf } from './failure.ts';
import { meant } from '../names/nearest.ts';
import { Terminal } from './terminal.ts';
import { versionLine } from './version.ts';

const HELP = ['help', '--help', '-h'];

/** Exit codes as shells have them for programs that a signal ended. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const terminal = new Terminal(readCliEnvironment());
for (const [signal, code] of Object.entries(SIGNALS)) {
  if (signal === 'SIGHUP' && ignoresHangup()) continue;
  process.on(signal, () => {
    terminal.tell('sluice: interrupted; there is no verdict');
    process.exit(code);
  });
}
// The reader has closed the pipe, as `head` does. The exit code must be neither PASS nor BLOCK; no message is needed. `Terminal.write` throws other errors.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.error);
});
process.exit(await withErrors(() => main(process.argv.slice(2))));

/** Under `nohup` SIGHUP is ignored, which a handler would end. Linux says so; elsewhere `nohup` shows in that standard error is no terminal. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*\w*(\w)$/m.exec(readFileSync('/proc/self/status', 'utf8'))!;
    return Number.parseInt(ignored[1]!, 16) % 2 === 1;
  } catch {
    return !terminal.isInteractive;
  }
}

async function main(args: string[]): Promise<number> {
  const [word = ''] = args;
  if (word === '--version' || word === '-V') return show(await versionLine());
  if (HELP.includes(word)) return show(await helpFor(args.slice(1)));
  const command = await commandIn(args);
  if (command === null && HELP.includes(args[1] ?? '')) return show(await helpFor([word]));
  if (command === null) throw unknown(args);
  const parsed = given(command, args.slice(command.name.split(' ').length));
  if (isOn(parsed, 'help')) return show(helpOf(command));
  return command.run(parsed, terminal);
}

/** The name of a command has one or two words. */
async function commandIn(args: string[]): Promise<Command | null> {
  const name = Object.keys(COMMANDS).find(each => each.split(' ').every((word, i) => word === args[i]));
  return name === undefined ? null : COMMANDS[name]!();
}

async function helpFor(args: string[]): Promise<string> {
  const command = await commandIn(args);
  if (command !== null) return helpOf(command);
  const commands = await allCommands();
  if (args.length === 0) return overviewOf(commands);
  const group = args.length === 1 ? commands.filter(({ name }) => name.startsWith(`${args[0]} `)) : [];
  if (group.length === 0) throw unknown(args);
  return groupHelpOf(args[0]!, group);
}

function unknown(args: string[]): Failure {
  const names = Object.keys(COMMANDS).join(', ');
  if (args.length === 0) return new Failure(`Name a command: ${names}. See sluice --help`);
  const all = Object.keys(COMMANDS);
  const hint = meant(args.slice(0, 2).join(' '), all) || meant(args[0]!, all);
  return new Failure(
    `Unknown command ${JSON.stringify(args[0])}.${hint} Commands are ${names}. See sluice --help`,
  );
}

async function show(text: string): Promise<number> {
  await terminal.write(text);
  return EXIT.pass;
}

/** An error that the user can fix is shown as one line. Anything else is a bug and is shown with its stack. */
async function withErrors(run: () => Promise<number>): Promise<number> {
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
