/** Asks all threads about the slices of a file, and puts together what they say. */
import { RepeatedRows, type TakesKeys } from '../../states/repeated-rows.ts';
import type { State } from '../../states/state.ts';
import type { FileThreads, Slices } from './file-threads.ts';
import type { NamedBatch } from './named-batch.ts';
import { inHalves } from './screening.ts';

/** `keys`: of a `RepeatedRows` the threads do the work. Throws `Failure`. */
export async function measuredIn(
  threads: FileThreads,
  slices: Slices,
  batches: AsyncIterable<NamedBatch>,
  keys: TakesKeys | RepeatedRows | null,
): Promise<State> {
  const repeated = keys instanceof RepeatedRows ? keys : null;
  let rows = 0;
  let file = '';
  const asked = eachIn(threads, batches, slice => threads.measure(slice, slices, repeated !== null));
  for await (const { batch, said } of asked) {
    if (repeated === null) keys?.add(said, { part: slices.part, row: batch.rowsBefore });
    rows += batch.rows;
    file = batch.file;
  }
  return threads.takeState(slices, rows, file, repeated);
}

/** A batch that was read, before those that were not. */
export async function* behind(
  first: NamedBatch,
  rest: AsyncIterable<NamedBatch>,
): AsyncGenerator<NamedBatch> {
  yield first;
  yield* rest;
}

/** Asks about slices in all threads at once, and gives what they say in the order of the file. Throws what `ask` throws. */
export async function* eachIn<Said>(
  threads: FileThreads,
  batches: AsyncIterable<NamedBatch>,
  ask: (slice: NamedBatch) => Promise<Said>,
): AsyncGenerator<{ batch: NamedBatch; said: Said }> {
  const begun: Promise<{ batch: NamedBatch; said: Said }[]>[] = [];
  try {
    for await (const batch of batches) {
      while (begun.length >= threads.atOnce) yield* await begun.shift()!;
      const asked = inHalves(batch, { threads }, false, ask);
      // It is awaited in its turn.
      asked.catch(() => {});
      begun.push(asked);
      // Nothing can be read behind it.
      if (batch.isCutOff) break;
    }
    while (begun.length > 0) yield* await begun.shift()!;
  } finally {
    await Promise.allSettled(begun);
  }
}
