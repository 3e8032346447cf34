/** The batches of a file, with its source and options. */
import { setImmediate } from 'node:timers/promises';
import type { Report } from '../../report-schema/report.ts';
import { parseOptions } from '../../options/options.ts';
import { cutFile } from '../input/cut-file.ts';
import { Failure, failureOf, shownName } from '../failure.ts';
import { openInput } from '../input/input.ts';
import { type JsonObject, type NamedBatch, nameBatch, type Screener, type Typed } from './named-batch.ts';
import { Progress } from './progress.ts';
import type { Reading } from '../input/reading.ts';
import type { Terminal } from '../terminal.ts';

/** Numbers of rows, as a report of the batch has them. */
export type HeldRows = Pick<ReadonlySet<number>, 'has'>;

/** Divides a file into parts. */
export interface Divider {
  /** The rows to hold back, as the report numbers them. */
  heldIn(report: Report): ReadonlySet<number> | 'all';
  /** `body` is that of the batch. Throws `Failure`. */
  add(batch: NamedBatch, body: Uint8Array, held: HeldRows | 'all'): Promise<void>;
  end(): Promise<void>;
}

/** The batches of a file, with source and options. `path`: where its bytes are. */
export async function* namedBatches(
  file: string,
  reading: Reading,
  typed: Typed,
  { threads }: Pick<Screener, 'threads'>,
  terminal: Terminal,
  path = file,
): AsyncGenerator<NamedBatch, undefined> {
  const opened = await openInput(path);
  // A copy of what came through a pipe is read as that was.
  const input = path === file ? opened : { ...opened, file, size: null };
  const progress = new Progress(input, terminal);
  threads.expect(input.size ?? 0);
  const onBytes = (bytes: number) => {
    progress.read(bytes);
    threads.expect(progress.bytes);
  };
  const { batches, found, ...cut } = await cutFile(input, reading, threads.records, onBytes);
  for await (const batch of batches) {
    if (batch.number === 1 && found !== '' && !reading.isQuiet)
      terminal.tell(`sluice: ${shownName(file)}: found ${found}`);
    yield nameBatch(file, batch, cut, typed);
    // Replies of threads, and signals, arrive.
    await setImmediate();
    progress.rows = batch.rowsBefore + batch.rows;
  }
}

/** Checks typed options. Throws `Failure` that names the option as typed. */
export function checkedOptions(options: JsonObject): JsonObject {
  try {
    parseOptions(options);
    return options;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    throw new Failure(
      failure.message
        .replace(/options\.thresholds\.(\w+)/g, (_, name: string) => `--${name.replaceAll('_', '-')}`)
        .replace(/is above (\w+)/, (_, name: string) => `is above --${name.replaceAll('_', '-')}`),
    );
  }
}
