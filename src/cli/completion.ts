/** `sluice completion`: completion scripts for shells, made from the table of commands. */
import { EXIT, type Command, type Given, type Option, optionsOf } from './command.ts';
import { Failure } from './failure.ts';
import type { Terminal } from './terminal.ts';

type Commands = readonly Command[];

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `commands` gives all commands, with this one. */
export const completionCommand = (commands: () => Promise<Commands>): Command => ({
  name: 'completion',
  summary: 'print a completion script for your shell',
  words: SHELLS.join('|'),
  choices: SHELLS,
  about: ['Writes the script to standard output. Let your shell read it when it starts.'],
  options: {},
  examples: [
    [
      'sluice completion bash > ~/.local/share/bash-completion/completions/sluice',
      'bash (with bash-completion)',
    ],
    ['sluice completion zsh > "$fpath[1]/_sluice"', 'zsh'],
    ['sluice completion fish > ~/.config/fish/completions/sluice.fish', 'fish'],
  ],
  async run({ words }: Given, terminal: Terminal): Promise<number> {
    const shell = SHELLS.find(each => each === words[0]);
    if (shell === undefined || words.length > 1)
      throw new Failure(`Name one shell: ${SHELLS.join(', ')}. See sluice completion --help`);
    await terminal.write(SCRIPTS[shell](await commands()));
    return EXIT.pass;
  },
});

const SCRIPTS: Record<Shell, (commands: Commands) => string> = { bash, zsh, fish };

/** The first words of commands, each with the words that may follow. */
function wordsOf(commands: Commands): Map<string, string[]> {
  const words = new Map<string, string[]>();
  for (const { name, choices } of commands) {
    const [first, second] = name.split(' ') as [string, string | undefined];
    const more = second === undefined ? (choices === 'file' ? [] : [...(choices ?? [])]) : [second];
    words.set(first, [...(words.get(first) ?? []), ...more]);
  }
  return words;
}

const firstWord = ({ name }: Command): string => name.split(' ')[0]!;

/** Options with a value: how they are spelled, and the allowed values. */
const valued = (command: Command) =>
  optionsOf(command)
    .filter(([, { type }]) => type === 'string')
    .map(([name, option]) => ({
      spellings: [`--${name}`, ...(option.short === undefined ? [] : [`-${option.short}`])],
      choices: option.choices,
    }));

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Words joined by spaces, for the shell to split. `escaped` is the replacement for words that are operators of the shell. */
const listed = (words: readonly string[], escaped: string): string =>
  singleQuoted(words.map(word => word.replace(/^[;|~]$/, escaped)).join(' '));

const BASH_WORD = '"\\\\$&"';
const FISH_WORD = '"$&"';

/** Works without the helpers of bash-completion, which may be missing. */
function bash(commands: Commands): string {
  const words = wordsOf(commands);
  return `# bash completion for sluice
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  # bash splits --name=value into three words.
  if [[ $word == = ]]; then word=
  elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if ((COMP_CWORD == 1)); then
    ${bashReply([...words.keys(), 'help', '--help', '--version'])}
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(command => bashCase(command, words)).join('\n')}
    help) ${bashReply([...words.keys()])} ;;
  esac
}
# Without a reply bash completes file names, and quotes them.
complete -o default -F _sluice sluice
`;
}

function bashCase(command: Command, words: Map<string, string[]>): string {
  const values = valued(command).map(
    ({ spellings, choices }) => `        ${spellings.join('|')}) ${bashReply(choices)}; return ;;`,
  );
  const options = optionsOf(command).map(([name]) => `--${name}`);
  const rest = command.choices === 'file' ? 'file' : words.get(firstWord(command));
  return [
    `    ${firstWord(command)})`,
    '      case "$before" in',
    ...values,
    '      esac',
    `      if [[ $word == -* ]]; then ${bashReply(options)}`,
    `      else ${bashReply(rest)}; fi ;;`,
  ].join('\n');
}

const bashReply = (choices: readonly string[] | 'file' = []): string =>
  choices === 'file' ? 'COMPREPLY=()' : `COMPREPLY=($(compgen -W ${listed(choices, BASH_WORD)} -- "$word"))`;

function zsh(commands: Commands): string {
  const words = wordsOf(commands);
  const described = [...words.keys()].map(first => {
    const { summary } = commands.find(command => firstWord(command) === first)!;
    return `    ${singleQuoted(`${first}:${summary}`)}`;
  });
  return `#compdef sluice
_sluice() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${commands.map(command => zshCase(command, words)).join('\n')}
    help) _arguments '1:word:(${[...words.keys()].join(' ')})' ;;
  esac
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`;
}

function zshCase(command: Command, words: Map<string, string[]>): string {
  const first = firstWord(command);
  const rest = command.choices === 'file' ? "'*:file:_files'" : `'1:word:(${words.get(first)!.join(' ')})'`;
  const specs = [...optionsOf(command).flatMap(zshSpecs), rest];
  return `    ${first}) _arguments ${specs.join(' \\\n      ')} ;;`;
}

function zshSpecs([name, { type, help, value, choices, short, multiple }]: [string, Option]): string[] {
  const takes = type === 'string';
  const action = choices === 'file' ? '_files' : choices ? `(${choices.map(zshWord).join(' ')})` : '';
  const about = `[${help.replaceAll(/[[\]:]/g, ' ')}]${takes ? `:${value ?? ''}:${action}` : ''}`;
  const again = multiple ? '*' : '';
  return [
    singleQuoted(`${again}--${name}${takes ? '=' : ''}${about}`),
    ...(short === undefined ? [] : [singleQuoted(`${again}-${short}${takes ? '+' : ''}${about}`)]),
  ];
}

const zshWord = (word: string): string => word.replaceAll(/[;|,]/g, '\\$&');

function fish(commands: Commands): string {
  const words = wordsOf(commands);
  const help = `complete -c sluice -n '__fish_seen_subcommand_from help' -f -a ${listed([...words.keys()], FISH_WORD)}`;
  return `# fish completion for sluice\n${[...commands.flatMap(command => fishLines(command, words)), help].join('\n')}\n`;
}

function fishLines(command: Command, words: Map<string, string[]>): string[] {
  const first = firstWord(command);
  const when = `complete -c sluice -n '__fish_seen_subcommand_from ${first}'`;
  const rest = command.choices === 'file' ? [] : [`${when} -f -a ${listed(words.get(first)!, FISH_WORD)}`];
  return [
    `complete -c sluice -n __fish_use_subcommand -f -a ${first} -d ${singleQuoted(command.summary)}`,
    ...rest,
    ...optionsOf(command).map(([name, option]) => {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      return `${when}${short} -l ${name}${fishValue(option)} -d ${singleQuoted(option.help)}`;
    }),
  ];
}

function fishValue({ type, choices }: Option): string {
  if (type === 'boolean') return '';
  if (choices === 'file') return ' -r -F';
  return choices === undefined ? ' -x' : ` -x -a ${listed(choices, FISH_WORD)}`;
}
