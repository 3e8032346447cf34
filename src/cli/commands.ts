/** All commands, in the order of the help. */
import type { Command } from './command.ts';

/** How each is loaded: reading the modules of all of them takes longer than most commands do. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  screen: async () => (await import('./screen-command.ts')).screenCommand,
  check: async () => (await import('./check-command.ts')).checkCommand,
  profile: async () => (await import('./profile-command.ts')).profileCommand,
  accept: async () => (await import('./accept-command.ts')).acceptCommand,
  diff: async () => (await import('./diff-command.ts')).diffCommand,
  stream: async () => (await import('./stream-command.ts')).streamCommand,
  'rules import': async () => (await import('./rules-command.ts')).rulesImportCommand,
  'rules export': async () => (await import('./rules-command.ts')).rulesExportCommand,
  'rules suggest': async () => (await import('./suggest-command.ts')).rulesSuggestCommand,
  'keys create': async () => (await import('./keys-command.ts')).keysCreateCommand,
  migrate: async () => (await import('./migrate-command.ts')).migrateCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  completion: async () => (await import('./completion.ts')).completionCommand(allCommands),
};

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(COMMANDS).map(load => load()));
