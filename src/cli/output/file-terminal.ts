/** A file in place of standard output, without colours. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure, OutputFailure } from '../failure.ts';
import { factsOf, standardDescriptor } from '../input/same-file.ts';
import { Terminal } from '../terminal.ts';

export class FileTerminal extends Terminal {
  /** Opened once: the reader of a pipe stops when it is closed. */
  readonly #handle: Promise<FileHandle>;

  /** Makes the folders of the file, and replaces it if it is there. Throws `Failure`. */
  constructor(readonly file: string) {
    super({ noColour: true });
    const facts = factsOf(file);
    // To open it again would overwrite what is there.
    if (standardDescriptor(facts) !== null)
      throw new Failure('This is standard output or error: name the form without =FILE', file);
    try {
      mkdirSync(dirname(file), { recursive: true });
      if (!facts?.isFIFO()) writeFileSync(file, '');
    } catch (error) {
      throw new Failure(`It cannot be written: ${(error as Error).message}`, file);
    }
    // In another thread, which waits for the reader of a pipe. At once, so that the reader stops even if nothing is written.
    this.#handle = open(file, 'a');
    // write() throws it.
    this.#handle.catch(() => {});
  }

  override write(text: string): Promise<void> {
    return this.#handle
      .then(handle => handle.appendFile(text))
      .catch(error => {
        throw new OutputFailure(`It cannot be written: ${(error as Error).message}`, this.file);
      });
  }
}
