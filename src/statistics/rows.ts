/** The batch as a whole. */
import { level } from './statistic.ts';

/** Compared as a logarithm, which varies by 1 / rows if rows arrive by chance: by that of usual batches, not of this one. */
export const ROW_COUNT = level(
  { id: 'row_count', label: 'row count', family: 'rows', unit: 'rows', isPrivate: false },
  (_, rows) => Math.log(rows),
  () => 1,
  (_, rows) => 1 / rows,
  { inverse: Math.exp, assumed: { difference: Math.log(3) / 4 } },
);
