/** `sluice completion`: scripts for shells, made from the table of commands. */
import { type Command, type Given, optionsOf } from './command.ts';
import { Failure } from './failure.ts';
import { EXIT } from './screen-command.ts';
import type { Terminal } from './terminal.ts';

type Commands = readonly Command[];

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `commands`: all there are, this one included. */
export const completionCommand = (commands: () => Commands): Command => ({
  name: 'completion',
  summary: 'a script that lets the shell complete commands and options',
  words: SHELLS.join('|'),
  choices: SHELLS,
  about: ['Writes the script to standard output; have your shell read it at its start.'],
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
    await terminal.write(SCRIPTS[shell](commands()));
    return EXIT.pass;
  },
});

const SCRIPTS: Record<Shell, (commands: Commands) => string> = { bash, zsh, fish };

/** First words, and those that may follow them. */
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

/** Options that take a value: their words, and what the value may be. */
const valued = (command: Command) =>
  optionsOf(command)
    .filter(([, { type }]) => type === 'string')
    .map(([name, option]) => ({
      spellings: [`--${name}`, ...(option.short === undefined ? [] : [`-${option.short}`])],
      choices: option.choices,
    }));

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Without helpers of bash-completion, which not everybody has. */
function bash(commands: Commands): string {
  const words = wordsOf(commands);
  const cases = commands.map(command => {
    const options = optionsOf(command).map(([name]) => `--${name}`);
    const values = valued(command).map(({ spellings, choices }) => {
      const reply =
        choices === 'file'
          ? 'COMPREPLY=($(compgen -f -- "$word"))'
          : `COMPREPLY=($(compgen -W ${singleQuoted((choices ?? []).map(each => (each === '|' || each === ';' ? `"${each}"` : each)).join(' '))} -- "$word"))`;
      return `        ${spellings.join('|')}) ${reply}; return ;;`;
    });
    const more = words.get(firstWord(command))!;
    const rest =
      command.choices === 'file'
        ? 'compgen -f -- "$word"'
        : `compgen -W ${singleQuoted(more.join(' '))} -- "$word"`;
    return [
      `    ${firstWord(command)})`,
      '      case "$before" in',
      ...values,
      '      esac',
      `      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W ${singleQuoted(options.join(' '))} -- "$word"))`,
      `      else COMPREPLY=($(${rest})); fi ;;`,
    ].join('\n');
  });
  return `# bash completion for sluice
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${singleQuoted([...words.keys(), 'help', '--help', '--version'].join(' '))} -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    help) COMPREPLY=($(compgen -W ${singleQuoted([...words.keys()].join(' '))} -- "$word")) ;;
  esac
}
complete -o filenames -F _sluice sluice
`;
}

function zsh(commands: Commands): string {
  const words = wordsOf(commands);
  const described = [...words.keys()].map(first => {
    const { summary } = commands.find(command => firstWord(command) === first)!;
    return `    ${singleQuoted(`${first}:${summary}`)}`;
  });
  const cases = commands.map(command => {
    const specs = optionsOf(command).map(([name, { type, help, value, choices, short }]) => {
      const about = help.replaceAll(/[[\]:]/g, ' ');
      const action = choices === 'file' ? '_files' : choices ? `(${choices.map(zshWord).join(' ')})` : '';
      const argument = type === 'string' ? `:${value ?? ''}:${action}` : '';
      const spec = (spelling: string, equals: string) =>
        singleQuoted(`${spelling}${type === 'string' ? equals : ''}[${about}]${argument}`);
      return [spec(`--${name}`, '='), ...(short === undefined ? [] : [spec(`-${short}`, '+')])].join(' ');
    });
    const more = words.get(firstWord(command))!;
    const rest = command.choices === 'file' ? "'*:file:_files'" : `'1:word:(${more.join(' ')})'`;
    return `    ${firstWord(command)}) _arguments ${[...specs, rest].join(' \\\n      ')} ;;`;
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
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`;
}

const zshWord = (word: string): string => word.replaceAll(/[;|,]/g, '\\$&');

function fish(commands: Commands): string {
  const words = wordsOf(commands);
  const lines = commands.flatMap(command => {
    const first = firstWord(command);
    const when = `-n '__fish_seen_subcommand_from ${first}'`;
    const more = words.get(first)!;
    return [
      `complete -c sluice -n __fish_use_subcommand -f -a ${first} -d ${singleQuoted(command.summary)}`,
      ...(command.choices === 'file'
        ? []
        : [`complete -c sluice ${when} -f -a ${singleQuoted(more.join(' '))}`]),
      ...optionsOf(command).map(([name, { type, short, help, choices }]) => {
        const value =
          type === 'boolean'
            ? ''
            : choices === 'file'
              ? ' -r -F'
              : choices
                ? ` -x -a ${singleQuoted(choices.join(' '))}`
                : ' -x';
        return `complete -c sluice ${when}${short === undefined ? '' : ` -s ${short}`} -l ${name}${value} -d ${singleQuoted(help)}`;
      }),
    ];
  });
  return `# fish completion for sluice\n${lines.join('\n')}\n`;
}
