/** Screens a file: opens it, and screens it in threads or on a server. */
import { failureOf } from '../failure.ts';
import { type OpenFile, openAgain, openOnce } from '../input/open-file.ts';
import type { Reading } from '../input/reading.ts';
import type { Terminal } from '../terminal.ts';
import type { FileResult, Screener, Typed } from './named-batch.ts';
import { type Divider, namedBatches } from './screening.ts';
import { fileResult } from './whole-file.ts';

/** Of a file as one batch. Throws `Failure` with the file's name. */
export async function* resultsOf(
  file: string,
  reading: Reading,
  typed: Typed,
  screener: Screener,
  terminal: Terminal,
  divider: Divider | null = null,
): AsyncGenerator<FileResult> {
  let opened: OpenFile | null = null;
  try {
    // A server gets the file as it is, and what is looked at first has to be sent too.
    const isReadAgain = screener.server !== undefined || typed.options.row_verdicts === true;
    opened = await (isReadAgain ? openAgain(file) : openOnce(file));
    const { path } = opened;
    let isQuiet = reading.isQuiet;
    const open = () => {
      const batches = namedBatches(file, { ...reading, isQuiet }, typed, screener, terminal, path);
      // What was found is said once.
      isQuiet = true;
      return batches;
    };
    yield await fileResult({ file, path, reading, open, screener, divider });
    await divider?.end();
  } catch (error) {
    throw failureOf(error, file) ?? error;
  } finally {
    opened?.close();
    terminal.status('');
  }
}
