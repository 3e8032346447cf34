/** The batch as a whole. */
import { type At, at, DECIDED_BY_RULE, level, onRise, type Statistic, share } from './statistic.ts';

/** The one measurement of a batch as a whole beside its rows: what its reader returns for this place. */
const DUPLICATE_ROWS = 0;

/**
 * Where half of a file is missing, often nothing else shows it. Among hundreds of statistics the row count would have to be as unusual as the oddest
 * field (weighted tests: Genovese, Roeder and Wasserman 2006). More rows than usual are less urgent: the end of a month has them, and rows that were sent twice repeat.
 */
const MISSING_ROWS = { budget: 0.05, riseFactor: 0.8 };

/** Compared as a logarithm, which varies by 1 / rows if rows arrive by chance: by that of usual batches, not of this one. */
export const ROW_COUNT = level(
  { id: 'row_count', label: 'row count', family: 'rows', unit: 'rows', isPrivate: false },
  (_, rows) => Math.log(rows),
  () => 1,
  (_, rows) => 1 / rows,
  { inverse: Math.exp, assumed: { difference: Math.log(3) / 4 }, ...MISSING_ROWS },
);

/** Over all rows. */
export const DUPLICATE_ROW_SHARE = share(
  {
    id: 'duplicate_row_share',
    label: 'share of rows that repeat an earlier row',
    family: 'rows',
    isPrivate: false,
    rows: onRise({ query: 'duplicates' }),
  },
  at(DUPLICATE_ROWS),
  (_, rows) => rows,
  { ...DECIDED_BY_RULE, onlyRise: true, atMostWarn: true, withSize: 'rises' },
);

/** Their reader is `readerOfBatch`. */
export const BATCH_STATISTICS: readonly Statistic[] = [ROW_COUNT, DUPLICATE_ROW_SHARE];

/** Reads the batch as a whole. */
export const readerOfBatch =
  ({ duplicateRows }: { duplicateRows: number }): At =>
  () =>
    duplicateRows;
