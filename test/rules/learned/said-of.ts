import type { History } from '../../../src/rules/learned/history.ts';
import { arrivalAfter, partOf, readingOf } from '../../../src/rules/learned/part.ts';

/** All that a history says of a batch. */
export const saidOf = ({ fields, batches, ...rest }: History, of = batches.at(-1)!) => ({
  ...rest,
  batches: batches.length,
  forecasts: fields.flatMap(({ field, neighbour, statistics }) => {
    const part = partOf(of, field, arrivalAfter(batches.at(-2), of.at, rest.known))!;
    return statistics.map(({ statistic, judge }) => {
      const now = readingOf(statistic, part, neighbour);
      return [field, statistic.id, now && judge.forecast(now, part)];
    });
  }),
});
