/** The statistics of a field, or of the batch as a whole, that were fitted to the history of a source. */
import type { Reading, Statistic } from '../../statistics/statistic.ts';
import type { Judge } from './forecast.ts';
import { type Part, readingOf } from './part.ts';
import { isStray } from './strays.ts';

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
  /** Whether it strayed in an alarm since the history was fitted. */
  hasStrayed: boolean;
}

/** What is judged of a batch; null where nothing is. */
export const judgedIn = (
  { statistic, isJudged }: FittedStatistic,
  part: Part,
  neighbour: number,
): Reading | null => (isJudged && !isJudged(part) ? null : readingOf(statistic, part, neighbour));

/** The field with `newest` added. `isSuspect`: the batch of `newest` was an alarm. A field that strayed in one is not moved on: it has to be fitted again. */
export function fieldAfter(fitted: FittedField, newest: Part, isSuspect: boolean): FittedField {
  const { field, neighbour, statistics } = fitted;
  if (fitted.hasStrayed) return fitted;
  const moved: FittedStatistic[] = [];
  for (const each of statistics) {
    const { statistic, judge, isJudged, atMostWarn } = each;
    const reading = readingOf(statistic, newest, neighbour);
    if (reading && isSuspect && isStray(judge.forecast(reading, newest)))
      return { field, neighbour, statistics, hasStrayed: true };
    moved.push(reading ? { statistic, judge: judge.after(reading, newest), isJudged, atMostWarn } : each);
  }
  return { field, neighbour, statistics: moved, hasStrayed: false };
}
