/** Measures the slices of a file in all threads, and puts together what they say. */
import type { State } from '../../states/state.ts';
import type { FileThreads, Slices } from './file-threads.ts';
import type { NamedBatch } from './named-batch.ts';
import { inHalves } from './screening.ts';

/** Throws `Failure`. */
export async function measuredIn(
  threads: FileThreads,
  slices: Slices,
  batches: AsyncIterable<NamedBatch>,
): Promise<State> {
  const begun: Promise<unknown>[] = [];
  let rows = 0;
  let file = '';
  try {
    for await (const batch of batches) {
      if (begun.length >= threads.atOnce) await begun.shift();
      const measured = inHalves(batch, { threads }, false, slice => threads.measure(slice, slices));
      // It is awaited in its turn.
      measured.catch(() => {});
      begun.push(measured);
      rows += batch.rows;
      file = batch.file;
    }
    await Promise.all(begun);
  } finally {
    await Promise.allSettled(begun);
  }
  return threads.takeState(slices, rows, file);
}
