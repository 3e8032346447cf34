/**
 * The commands that start the service and the command line. `npm test` compiles them, which saves most of the time of a start;
 * after a change of a source, tests run the sources until they are compiled again.
 */
import { join } from 'node:path';
import { isStale } from '../../scripts/build-folder.ts';
import { BEFORE, PROGRAMS, type Program, pathOf, programs } from '../../scripts/programs.ts';

/** As users start it. */
export const sourceOf = (name: Program): string[] => {
  const before = BEFORE[name];
  const preload = before === undefined ? [] : ['--preload', pathOf(before)];
  return [process.execPath, ...preload, pathOf(PROGRAMS[name][0])];
};

const folder = programs();
const isCompiled = !isStale(folder);

export const commandOf = (name: Program): string[] =>
  isCompiled ? [join(folder.output, name)] : sourceOf(name);
