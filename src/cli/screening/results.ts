/** Screens a file: opens it, cuts it into batches, and screens them in threads or on a server. */
import { Format } from '../../../assembly/abi.ts';
import { Failure, failureOf } from '../failure.ts';
import { type OpenFile, openAgain, openOnce } from '../input/open-file.ts';
import type { Reading } from '../input/reading.ts';
import type { Terminal } from '../terminal.ts';
import {
  type FileResult,
  type NamedBatch,
  resultOf,
  type Screened,
  type Screener,
  type Typed,
} from './named-batch.ts';
import { type Divider, namedBatches } from './screening.ts';
import { inHalves } from './slices.ts';
import type { SaidOf } from '../../slices/ask.ts';
import { wholeResult } from './whole-file.ts';

/** One of a file that is screened as a whole, else one of each slice. Throws `Failure` with the file's name. */
export async function* resultsOf(
  file: string,
  reading: Reading,
  typed: Typed,
  screener: Screener,
  terminal: Terminal,
  divider: Divider | null = null,
): AsyncGenerator<FileResult> {
  const { whole } = screener;
  let opened: OpenFile | null = null;
  try {
    opened = await (whole && typed.options.row_verdicts === true ? openAgain(file) : openOnce(file));
    const { path } = opened;
    const open = () => namedBatches(file, reading, typed, screener, terminal, path);
    if (whole) yield await wholeResult({ open, screener, whole, divider });
    else yield* sliceResults(open(), screener, divider);
    await divider?.end();
  } catch (error) {
    throw failureOf(error, file) ?? error;
  } finally {
    opened?.close();
    terminal.status('');
  }
}

/** On a server: each slice is a batch, judged by what those before have taught. The next one is read meanwhile. */
async function* sliceResults(
  batches: AsyncGenerator<NamedBatch, undefined>,
  screener: Screener,
  divider: Divider | null,
): AsyncGenerator<FileResult> {
  let begun: Promise<SaidOf<NamedBatch, Screened>[]> | null = null;
  let count = 0;
  try {
    for (;;) {
      const read = await batches.next().catch((error: unknown) => ({ error }));
      const batch = 'value' in read && !read.done ? read.value : null;
      // The verdicts on all that was read before an error come before it.
      const finished = await begun;
      begun = null;
      for (const { slice: screened, copy, said } of finished ?? []) {
        const result = resultOf({ ...screened, number: ++count }, said);
        await divider?.add(screened, copy!, divider.heldIn(said.report));
        yield result;
      }
      if ('error' in read) throw read.error;
      if (batch === null) break;
      if (divider !== null && batch.format.format === Format.ARROW)
        throw new Failure('--good and --held divide text files, not Parquet and Arrow');
      begun = screenBatch(batch, screener, divider !== null);
      // It is awaited in its turn.
      begun.catch(() => {});
    }
  } finally {
    await batches.return(undefined);
    await begun?.catch(() => {});
  }
}

function screenBatch(
  batch: NamedBatch,
  screener: Screener,
  isCopied: boolean,
): Promise<SaidOf<NamedBatch, Screened>[]> {
  const screenPart = (part: NamedBatch) =>
    screener.screen({ ...part, isChunk: batch.isChunk || part.rows < batch.rows });
  return inHalves(batch, screener.threads, isCopied, screenPart);
}
