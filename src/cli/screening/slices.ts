/** Asks about the slices of a file, and says what is refused as a failure of the file. */
import { RepeatedRows, type TakesKeys } from '../../states/repeated-rows.ts';
import type { State } from '../../states/state.ts';
import * as ask from '../../slices/ask.ts';
import { type MeasuredBatch, measureText } from '../../slices/measure.ts';
import { Failure } from '../failure.ts';
import type { FileThreads } from './file-threads.ts';
import type { NamedBatch } from './named-batch.ts';

/** `keys`: of a `RepeatedRows` the threads do the work. Throws `Failure`. */
export async function measuredIn(
  threads: FileThreads,
  of: MeasuredBatch,
  batches: AsyncIterable<NamedBatch>,
  keys: TakesKeys | RepeatedRows | null,
): Promise<State> {
  const repeated = keys instanceof RepeatedRows ? keys : null;
  const measured = repeated ? threads.collecting(of) : of;
  let file = '';
  const named = async function* () {
    for await (const batch of batches) {
      file = batch.file;
      yield batch;
    }
  };
  const rows = await measureText(threads, measured, named(), repeated ? null : keys).catch(error => {
    throw failureIn(file, error);
  });
  return threads.takeState(measured, rows, file, repeated);
}

/** A batch that was read, before those that were not. */
export async function* behind(
  first: NamedBatch,
  rest: AsyncIterable<NamedBatch>,
): AsyncGenerator<NamedBatch> {
  yield first;
  yield* rest;
}

/** Screens a batch of a file. Throws `Failure` with the place in the file of what is refused. */
export async function screenedIn<Said>(
  batch: NamedBatch,
  threads: FileThreads,
  screen: () => Promise<Said>,
): Promise<Said> {
  try {
    return await ask.askedIn(batch, threads, screen);
  } catch (error) {
    throw failureIn(batch.file, error);
  }
}

/** What is refused of a text is a failure of its file. */
export const failureIn = (file: string, error: unknown): unknown =>
  error instanceof ask.RefusedText ? new Failure(error.message, file, error.line) : error;
