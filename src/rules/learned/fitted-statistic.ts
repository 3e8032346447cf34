/** The statistics of a field, or of the batch as a whole, that were fitted to the history of a source. */
import type { Reading, Statistic } from '../../statistics/statistic.ts';
import type { Judge } from './forecast.ts';
import { type Part, readingOf } from './part.ts';

export interface FittedStatistic {
  statistic: Statistic;
  judge: Judge<Part>;
  /** Whether what was read of a batch is judged. By default all is. */
  isJudged: ((part: Part) => boolean) | undefined;
  /** However far it lies, it is no BLOCK. */
  atMostWarn: boolean;
}

/** With what is only needed while the whole history is fitted. */
export type WithHindcast = FittedStatistic & {
  readonly hindcast: Float64Array;
  readonly distances: Float64Array | undefined;
};

export interface FittedField {
  /** Null for the batch as a whole. */
  field: string | null;
  /** The neighbour that it had last; 0 without one. */
  neighbour: number;
  statistics: readonly FittedStatistic[];
}

/** What is judged of a batch; null where nothing is. */
export const judgedIn = (
  { statistic, isJudged }: FittedStatistic,
  part: Part,
  neighbour: number,
): Reading | null => (isJudged && !isJudged(part) ? null : readingOf(statistic, part, neighbour));

/** The field once that part is its newest. */
export const fieldAfter = ({ field, neighbour, statistics }: FittedField, newest: Part): FittedField => ({
  field,
  neighbour,
  statistics: statistics.map(each => statisticAfter(each, newest, neighbour)),
});

function statisticAfter(fitted: FittedStatistic, part: Part, neighbour: number): FittedStatistic {
  const { statistic, judge, isJudged, atMostWarn } = fitted;
  const newest = readingOf(statistic, part, neighbour);
  return newest ? { statistic, judge: judge.after(newest, part), isJudged, atMostWarn } : fitted;
}
