/** Screens a file: opens it, cuts it into batches and screens one after the other, here or on a server. */
import { Format } from '../../assembly/abi.ts';
import type { Report } from '../contract/report.ts';
import { parseOptions } from '../options/options.ts';
import { cutAhead } from './cut-ahead.ts';
import { cutFile } from './cut-file.ts';
import { Failure, failureOf } from './failure.ts';
import type { Cutters } from './file-batch.ts';
import { openInput } from './input.ts';
import {
  type FileResult,
  type JsonObject,
  type NamedBatch,
  nameBatch,
  resultOf,
  type Screener,
  type Typed,
} from './named-batch.ts';
import { Progress } from './progress.ts';
import type { Reading } from './reading.ts';
import type { Terminal } from './terminal.ts';
import { LARGE_BYTES, sharedFile, tellFound } from './shared-file.ts';
import { resultsInParallel } from './parallel-screening.ts';

/** Divides a file into parts. */
export interface Divider {
  /** `body` is that of the batch, `report` has its row numbers. Throws `Failure`. */
  add(batch: NamedBatch, body: Uint8Array, report: Report): Promise<void>;
  end(): Promise<void>;
}

/** Throws `Failure` with the file's name. */
export async function* resultsOf(
  file: string,
  reading: Reading,
  typed: Typed,
  screener: Screener,
  terminal: Terminal,
  divider: Divider | null = null,
): AsyncGenerator<FileResult> {
  try {
    const shared = divider === null && screener.isForgetful ? await sharedFile(file, reading) : null;
    if (shared !== null) {
      tellFound(file, shared.found, reading, terminal);
      yield* resultsInParallel({ ...shared, typed }, screener, terminal);
      return;
    }
    for await (const { batch, progress } of namedBatches(file, reading, typed, screener, terminal)) {
      if (divider !== null && batch.format.format === Format.ARROW)
        throw new Failure('--good and --held divide text files, not Parquet and Arrow');
      // The screening takes the memory of the body. It may be a Buffer, whose slice() is no copy.
      const copy = divider === null ? null : new Uint8Array(batch.body);
      const screened = await screener.screen(batch);
      if (copy !== null) await divider!.add(batch, copy, screened.report);
      progress.rows = batch.rowsBefore + batch.rows;
      yield resultOf(batch, screened);
    }
    await divider?.end();
  } catch (error) {
    throw failureOf(error, file) ?? error;
  } finally {
    terminal.status('');
  }
}

/** The batches of a file, with source and options. */
export async function* namedBatches(
  file: string,
  reading: Reading,
  typed: Typed,
  cutters: Cutters,
  terminal: Terminal,
): AsyncGenerator<{ batch: NamedBatch; progress: Progress }> {
  const input = await openInput(file);
  const progress = new Progress(input, terminal);
  const onBytes = (bytes: number) => progress.read(bytes);
  const { batches, found, ...opened } =
    (input.size ?? 0) > LARGE_BYTES
      ? await cutAhead({ file, reading, module: cutters.module }, onBytes)
      : await cutFile(input, reading, cutters, onBytes);
  for await (const batch of batches) {
    if (batch.number === 1) tellFound(file, found, reading, terminal);
    yield { batch: nameBatch(file, batch, opened, typed), progress };
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
