/** All commands, in the order of the help. */
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { doctorCommand } from './doctor.ts';
import { keysCreateCommand } from './keys-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { profileCommand } from './profile-command.ts';
import { rulesExportCommand, rulesImportCommand } from './rules-command.ts';
import { rulesSuggestCommand } from './suggest-command.ts';
import { screenCommand } from './screen-command.ts';

export const COMMANDS: readonly Command[] = [
  screenCommand,
  profileCommand,
  rulesImportCommand,
  rulesExportCommand,
  rulesSuggestCommand,
  keysCreateCommand,
  migrateCommand,
  doctorCommand,
  completionCommand(() => COMMANDS),
];
