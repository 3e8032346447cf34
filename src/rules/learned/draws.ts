/**
 * Columns that do not vary within a batch: the date of a file, its shift, its region, a holiday. However many rows such a batch has, it is one
 * draw of the column. So a new value is at most as unusual as one new draw among them, and never certain.
 */
import { DRAWS_SHARE, FAR_RATIO, MIN_BATCHES, SETTLED_BATCHES, SMALL_NUMBER } from '../../terms/policy.ts';
import { PLACE } from '../../statistics/registry.ts';
import type { At, Reading } from '../../statistics/statistic.ts';
import type { WithHindcast } from './fitted-statistic.ts';
import type { Forecast, Judge } from './forecast.ts';
import { isDrawn, type Part } from './part.ts';

export interface Draws {
  /** Batches that are one draw of the column, and how many of them had a value that was new then. */
  count: number;
  fresh: number;
  /** Of the numbers that were drawn. */
  least: number;
  most: number;
}

/** Null for a column that varies within batches. One that has two values, one after the other, in most of them is sorted by them: a flag. */
export function drawsOf(readers: readonly (At | null)[]): Draws | null {
  const filled = readers.filter(read => read !== null && read(PLACE.values) > 1);
  const drawn = filled.filter(read => isDrawn(read!)) as At[];
  if (drawn.length === 0 || drawn.length < DRAWS_SHARE * filled.length) return null;
  const constant = drawn.filter(read => read(PLACE.distinct) === 1);
  if (2 * constant.length < filled.length) return null;
  const numbers = drawn.map(read => read(PLACE.mean)).filter(mean => !Number.isNaN(mean));
  return {
    count: drawn.length,
    fresh: 1 + drawn.filter(read => read(PLACE.new_values) > 0).length,
    least: Math.min(...numbers),
    most: Math.max(...numbers),
  };
}

/** Families that do not depend on which value it is, and the age of dates, which goes on with the clock. */
const OF_CELLS: ReadonlySet<string> = new Set(['types', 'nulls', 'empties', 'dates']);

/** The statistic with what one draw a batch can say at most. */
export function asDraws(fitted: WithHindcast, draws: Draws): WithHindcast {
  const { statistic, judge } = fitted;
  if (OF_CELLS.has(statistic.family)) return fitted;
  // Dates and file names differ each time. Their format should not: it is judged as usual.
  const isForm =
    statistic.family === 'texts' && draws.count > MIN_BATCHES && draws.fresh >= DRAWS_SHARE * draws.count;
  // A number that was the same in a few files is a state that may change: no rain, no delay.
  const isState = draws.least === draws.most && draws.count < SETTLED_BATCHES && statistic.family !== 'texts';
  const most = Math.log10(draws.count + 1);
  const limit: Limit = (forecast, now, { read }) => {
    if (isForm || !(isState || isDrawn(read))) return forecast;
    if (statistic.id === 'mean' && isFar(now.value, draws)) return forecast;
    return { ...forecast, surprise: Math.min(most, forecast.surprise) };
  };
  return {
    ...fitted,
    hindcast: isForm ? fitted.hindcast : fitted.hindcast.map(each => Math.min(each, most)),
    atMostWarn: true,
    judge: new LimitedJudge(judge, limit),
  };
}

type Limit = (forecast: Forecast, now: Reading, part: Part) => Forecast;

class LimitedJudge implements Judge<Part> {
  constructor(
    readonly judge: Judge<Part>,
    readonly limit: Limit,
  ) {}

  forecast(now: Reading, part: Part): Forecast | null {
    const forecast = this.judge.forecast(now, part);
    return forecast && this.limit(forecast, now, part);
  }

  after(newest: Reading, part: Part): LimitedJudge {
    return new LimitedJudge(this.judge.after(newest, part), this.limit);
  }
}

/** Far from all that was drawn: by several times their range, or by a factor where they never differed. */
function isFar(value: number, { least, most }: Draws): boolean {
  if (value >= least && value <= most) return false;
  const isSmall = [value, least, most].every(
    each => Number.isInteger(each) && Math.abs(each) <= SMALL_NUMBER,
  );
  if (isSmall) return false;
  const size = Math.max(Math.abs(least), Math.abs(most));
  // Nothing but zeros does not show what is far.
  if (size === 0) return false;
  const range = most - least;
  const beyond = Math.max(least - value, value - most);
  return beyond > FAR_RATIO * Math.max(range, size / FAR_RATIO) && beyond > range * FAR_RATIO;
}
