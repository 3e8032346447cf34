/** A statistic that was fitted to the history of a source. */
import type { BatchStatistics } from '../../baseline/batch-statistics.ts';
import type { Statistic } from '../../statistics/statistic.ts';
import type { Fit, Judge } from './forecast.ts';
import type { Observation } from './observation.ts';

/** One statistic of one field, or of the batch. */
export interface FittedStatistic {
  /** Null for the batch as a whole. */
  field: string | null;
  statistic: Statistic;
  /** Null where the batch has nothing to read. */
  read(batch: BatchStatistics): Observation | null;
  /** Whether what was read of a batch is judged. By default all is. */
  isJudged?(batch: BatchStatistics): boolean;
  judge: Judge;
  /** However far it lies, it is no BLOCK. */
  atMostWarn?: boolean;
}

/** What is judged of a batch; null where nothing is. */
export const judgedIn = ({ isJudged, read }: FittedStatistic, batch: BatchStatistics): Observation | null =>
  isJudged && !isJudged(batch) ? null : read(batch);

/** With what is only needed while the whole history is fitted. */
export type WithHindcast = FittedStatistic & Pick<Fit, 'hindcast' | 'distances'>;
