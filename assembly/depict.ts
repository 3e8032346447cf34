/** Second looks that only the description of a job takes. */
import { Column } from './abi';
import { NUMBERS, recordOf } from './arena';
import { cellCount, gather, gatherNumbers, values } from './gather';
import { histogram } from './histogram';

/** Counts the analysed finite numbers, which lie in `low` .. `high`, by intervals: HISTOGRAM_BINS u32 at `histogramAddress`. */
export function lookHistogram(column: u32, low: f64, high: f64): void {
  gather(column);
  const finite = <u32>load<f64>(recordOf(column) + (<usize>Column.FINITE << 3));
  if (finite == cellCount) histogram(values, finite, low, high);
  else histogram(NUMBERS, gatherNumbers(), low, high);
}
