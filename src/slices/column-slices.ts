import type { CutBody } from '../columns/cut.ts';
import type { Slice } from './slice.ts';

/** Slices of a file of columns: each body is an Arrow stream. Throws what `bodies` throws. */
export async function* slicesOfColumns(
  bodies: Iterable<CutBody> | AsyncIterable<CutBody>,
): AsyncGenerator<Slice> {
  let [number, rowsBefore] = [0, 0];
  for await (const { bytes, rows, last } of bodies) {
    yield {
      ...{ pieces: [bytes], number: ++number, rowsBefore, rows, last },
      ...{ linesBefore: 0, bytesBefore: 0, closedAt: null, head: null, isCutOff: false },
      said: { source: undefined, options: undefined },
    };
    rowsBefore += rows;
  }
}
