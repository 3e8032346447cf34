/** What a whole file says, in slices that are measured in all threads, in whatever order, and put together. */
import type { State } from '../../states/state.ts';
import { Failure } from '../failure.ts';
import type { Reading } from '../input/reading.ts';
import type { Terminal } from '../terminal.ts';
import type { Local } from './local.ts';
import { inHalves, namedBatches } from './screening.ts';

/** `part`: the number of the file, where it is a part of a batch. Throws `Failure`, and `Rejection`. */
export async function measured(
  file: string,
  reading: Reading,
  local: Pick<Local, 'threads' | 'atOnce' | 'screen'>,
  terminal: Terminal,
  part = 0,
): Promise<State> {
  const { threads } = local;
  const typed = { source: undefined, options: {} };
  const begun: Promise<unknown>[] = [];
  let rows = 0;
  try {
    for await (const batch of namedBatches(file, reading, typed, local, terminal)) {
      if (begun.length >= local.atOnce()) await begun.shift();
      const measuring = inHalves(batch, local, false, slice => threads.measure(slice, part));
      // It is awaited in its turn.
      measuring.catch(() => {});
      begun.push(measuring);
      rows += batch.rows;
    }
    await Promise.all(begun);
  } finally {
    await Promise.allSettled(begun);
  }
  const state = await threads.takeState();
  // What a thread has measured ends with it.
  if (state?.rows !== rows) throw new Failure('A thread ended before the file was measured; try again', file);
  return state;
}
