/**
 * Forecasters: what to expect of a batch, from the batches before it. By all of them, by the newest, by the trend, by earlier batches of the same
 * weekday or hour, by every n-th batch.
 */
import { CYCLE_RETURNS, LONGEST_CYCLE, NEWEST_BATCHES } from '../../policy.ts';
import type { Kind } from '../../statistics/statistic.ts';
import { type Observation, type Pooled, pooledWith } from './observation.ts';

/** When a batch comes: in ms, and as which one. */
export type Moment = Pick<Observation, 'at' | 'order'>;

/** The forecast of each observation from those before it (null for the first ones), and of a later one. */
export interface Forecasts {
  past: (Pooled | null)[];
  next: (now: Moment) => Pooled | null;
}

export type Forecaster = (past: readonly Observation[]) => Forecasts;

/** Forecasters that may fit better than `fromAll`. */
export function forecastersFor(kind: Kind, past: readonly Observation[]): Forecaster[] {
  // If all batches are in the same season there is no season to tell.
  const varies = ({ seasonOf }: Calendar): boolean =>
    past.some(each => seasonOf(each.at) !== seasonOf(past[0]!.at));
  const cycles = Math.min(LONGEST_CYCLE, Math.floor(past.length / CYCLE_RETURNS));
  return [
    fromNewest,
    ...(kind === 'level' ? [fromTrend(byTime), fromTrend(byIndex)] : []),
    ...[WEEKDAY, HOUR].filter(varies).map(fromSeason),
    ...Array.from({ length: Math.max(0, cycles - 1) }, (_, i) => fromCycle(i + 2)),
  ];
}

export const fromAll: Forecaster = past => {
  const forecasts: (Pooled | null)[] = [];
  let pooled: Pooled | null = null;
  for (const each of past) {
    forecasts.push(pooled);
    pooled = pooledWith(pooled, each);
  }
  return { past: forecasts, next: always(pooled) };
};

/** A function of its own, so that the closure holds nothing else. */
const always =
  (pooled: Pooled | null): Forecasts['next'] =>
  () =>
    pooled;

/** The observations from `from` to before `to`. */
function pooledOver(past: readonly Observation[], from: number, to: number): Pooled | null {
  let pooled: Pooled | null = null;
  for (let i = Math.max(0, from); i < to; i++) pooled = pooledWith(pooled, past[i]!);
  return pooled;
}

const fromNewest: Forecaster = past => ({
  past: past.map((_, i) => pooledOver(past, i - NEWEST_BATCHES, i)),
  next: always(pooledOver(past, past.length - NEWEST_BATCHES, past.length)),
});

/** Where an observation lies on the axis of a trend. */
type Position = (moment: Moment) => number;
const byTime: Position = ({ at }) => at;
const byIndex: Position = ({ order = 0 }) => order;

/** The newest observations, moved on along the line from the first ones to them. By time or by index: a missing batch shifts only one of them. */
const fromTrend =
  (positionOf: Position): Forecaster =>
  past => {
    const middle = (from: number): number =>
      (positionOf(past[from]!) + positionOf(past[from + 1]!) + positionOf(past[from + 2]!)) / NEWEST_BATCHES;
    const forecast = (i: number, now: Moment): Pooled | null => {
      if (i < 2 * NEWEST_BATCHES) return null;
      const [first, last] = [pooledOver(past, 0, NEWEST_BATCHES)!, pooledOver(past, i - NEWEST_BATCHES, i)!];
      const length = middle(i - NEWEST_BATCHES) - middle(0);
      if (!(length > 0)) return null;
      const slope = (last.value / last.size - first.value / first.size) / length;
      const rise = slope * (positionOf(now) - middle(i - NEWEST_BATCHES));
      const extraVariance = ((slope * length) / (i - NEWEST_BATCHES)) ** 2;
      return { ...last, value: last.value + last.size * rise, extraVariance };
    };
    return { past: past.map((each, i) => forecast(i, each)), next: now => forecast(past.length, now) };
  };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Calendar {
  /** The season that a time is in. */
  seasonOf(at: number): number;
  /** The occurrence of a season that a time is in. */
  occurrenceOf(at: number): number;
}

const dayOf = (at: number): number => Math.floor(at / DAY_MS);
const WEEKDAY: Calendar = { seasonOf: at => dayOf(at) % 7, occurrenceOf: dayOf };
const HOUR: Calendar = { seasonOf: at => Math.floor(at / HOUR_MS) % 24, occurrenceOf: dayOf };

/** Earlier occurrences of the same season. Batches of the same day do not show what a weekday is like. */
const fromSeason =
  ({ seasonOf, occurrenceOf }: Calendar): Forecaster =>
  past => {
    const before = (season: number, now: number, end: number): Pooled | null => {
      let pooled: Pooled | null = null;
      for (let i = 0; i < end; i++) {
        const { at } = past[i]!;
        if (seasonOf(at) === season && occurrenceOf(at) !== now) pooled = pooledWith(pooled, past[i]!);
      }
      return pooled;
    };
    return {
      past: past.map(({ at }, i) => before(seasonOf(at), occurrenceOf(at), i)),
      next: ({ at }) => before(seasonOf(at), occurrenceOf(at), past.length),
    };
  };

/** Every n-th batch. */
const fromCycle =
  (n: number): Forecaster =>
  past => {
    const pooled: (Pooled | null)[] = Array(n).fill(null);
    const forecasts = past.map(each => {
      const place = byIndex(each) % n;
      const before = pooled[place]!;
      pooled[place] = pooledWith(before, each);
      return before;
    });
    return { past: forecasts, next: now => pooled[byIndex(now) % n]! };
  };
