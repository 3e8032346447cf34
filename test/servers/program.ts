/**
 * The commands that start the service and the command line. `npm test` compiles both, which saves most of a start's time;
 * after a change of a source, tests run the sources until both are compiled again.
 */
import { join } from 'node:path';
import { isStale } from '../../scripts/build-folder.ts';
import { PROGRAMS, pathOf, programs } from '../../scripts/programs.ts';

type Name = keyof typeof PROGRAMS;

/** As users start it. */
export const sourceOf = (name: Name): string[] => [process.execPath, pathOf(PROGRAMS[name][0])];

const folder = programs();
const isCompiled = !isStale(folder);

export const commandOf = (name: Name): string[] =>
  isCompiled ? [join(folder.output, name)] : sourceOf(name);
