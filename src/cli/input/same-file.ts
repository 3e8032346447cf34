/** Whether names mean the same file, whatever leads to it: another spelling, symbolic links, hard links, standard input. */
import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, shownName } from '../failure.ts';
import { STDIN } from './input.ts';

/** The files that a command reads and writes. */
export class UsedFiles {
  readonly #identities: Set<string | null>;

  constructor(files: readonly (string | undefined)[]) {
    this.#identities = new Set(files.filter(file => file !== undefined).map(identityOf));
    this.#identities.delete(null);
  }

  /** Takes a file to write. Throws `Failure` if it is taken; `by` names what would write it: `--good`. */
  take(file: string, by: string): void {
    const identity = identityOf(file);
    if (this.#identities.has(identity))
      throw new Failure(
        `${by} would replace ${shownName(file)}, which this command uses too: name another file`,
      );
    if (identity !== null) this.#identities.add(identity);
  }
}

/** Null: it may be read and written at once, as a terminal or /dev/null. */
function identityOf(file: string): string | null {
  const facts = file === STDIN ? standardFacts(0) : factsOf(file);
  if (facts?.isCharacterDevice()) return null;
  return facts?.isFile() || facts?.isFIFO() ? `${facts.dev}:${facts.ino}` : placeOf(file);
}

/** Of what the name leads to; null if there is nothing. */
export function factsOf(file: string): BigIntStats | null {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return null;
  }
}

/** Of standard input, output or error; null if it is closed. */
function standardFacts(descriptor: 0 | 1 | 2): BigIntStats | null {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch {
    return null;
  }
}

/** The descriptor of standard output or error that a name such as /dev/stdout leads to. Null for a device, which can be opened again. */
export function standardDescriptor(facts: BigIntStats | null): 1 | 2 | null {
  if (facts === null || facts.isCharacterDevice()) return null;
  const isOf = (descriptor: 1 | 2) => {
    const standard = standardFacts(descriptor);
    return standard?.dev === facts.dev && standard.ino === facts.ino;
  };
  return isOf(1) ? 1 : isOf(2) ? 2 : null;
}

/** As many as Linux follows. */
const MOST_LINKS = 40;

/** The path without symbolic links, also of a file that is not there yet. */
export function placeOf(file: string): string {
  let path = resolve(file);
  for (let links = 0; links < MOST_LINKS; links++) {
    path = join(realPathOf(dirname(path)), basename(path));
    try {
      path = resolve(dirname(path), readlinkSync(path));
    } catch {
      break;
    }
  }
  return path;
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
