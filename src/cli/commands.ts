/** All commands, in the order of the help. */
import type { Command } from './command.ts';

/** How each is loaded: reading the modules of all of them takes longer than most commands do. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  screen: async () => (await import('./commands/screen.ts')).screenCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  profile: async () => (await import('./commands/profile.ts')).profileCommand,
  measure: async () => (await import('./commands/measure.ts')).measureCommand,
  'merge-states': async () => (await import('./commands/merge-states.ts')).mergeStatesCommand,
  accept: async () => (await import('./commands/accept.ts')).acceptCommand,
  diff: async () => (await import('./commands/diff.ts')).diffCommand,
  stream: async () => (await import('./commands/stream.ts')).streamCommand,
  'rules import': async () => (await import('./commands/rules.ts')).rulesImportCommand,
  'rules export': async () => (await import('./commands/rules.ts')).rulesExportCommand,
  'rules suggest': async () => (await import('./commands/suggest.ts')).rulesSuggestCommand,
  'keys create': async () => (await import('./commands/keys.ts')).keysCreateCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  completion: async () => (await import('./completion.ts')).completionCommand(allCommands),
};

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(COMMANDS).map(load => load()));
