/**
 * Forecasters: what to expect of a batch, from the batches before it. By all of them, by the newest, by the trend, by earlier batches of the same
 * weekday or hour, by every n-th batch.
 */
import { CYCLE_RETURNS, LONGEST_CYCLE, NEWEST_BATCHES } from '../../policy.ts';
import type { Kind } from '../../statistics/statistic.ts';
import { type Observation, type Pooled, pooledWith } from './observation.ts';

/** When a batch comes: in ms, and as which one. */
export type Moment = Pick<Observation, 'at' | 'order'>;

/** Immutable: `with` returns a new forecaster. */
export interface Forecaster {
  /** Null for the first batches. */
  forecast(now: Moment): Pooled | null;
  /** The forecaster that knows one more batch, the newest. */
  with(newest: Observation): Forecaster;
}

/** Forecasters that may fit better than `fromAll`, before any observation. */
export function forecastersFor(kind: Kind, past: readonly Observation[]): Forecaster[] {
  // If all batches are in the same season there is no season to tell.
  const varies = ({ seasonOf }: Calendar): boolean =>
    past.some(each => seasonOf(each.at) !== seasonOf(past[0]!.at));
  const cycles = Math.min(LONGEST_CYCLE, Math.floor(past.length / CYCLE_RETURNS));
  return [
    fromNewest([]),
    ...(kind === 'level' ? [fromTrend(byTime), fromTrend(byIndex)] : []),
    ...[WEEKDAY, HOUR].filter(varies).map(calendar => fromSeason(calendar)),
    ...Array.from({ length: Math.max(0, cycles - 1) }, (_, i) => fromCycle(Array(i + 2).fill(null))),
  ];
}

export const fromAll = (pooled: Pooled | null = null): Forecaster => ({
  forecast: () => pooled,
  with: newest => fromAll(pooledWith(pooled, newest)),
});

const poolOf = (observations: readonly Observation[]): Pooled | null =>
  observations.reduce<Pooled | null>(pooledWith, null);

/** With one more, and without the oldest of `NEWEST_BATCHES`. */
const newestWith = (newest: readonly Observation[], one: Observation): Observation[] => [
  ...newest.slice(1 - NEWEST_BATCHES),
  one,
];

const fromNewest = (known: readonly Observation[]): Forecaster => ({
  forecast: () => poolOf(known),
  with: newest => fromNewest(newestWith(known, newest)),
});

/** Where an observation lies on the axis of a trend. */
type Position = (moment: Moment) => number;
const byTime: Position = ({ at }) => at;
const byIndex: Position = ({ order = 0 }) => order;

/** The newest observations, moved on along the line from the first ones to them. By time or by index: a missing batch shifts only one of them. */
function fromTrend(
  positionOf: Position,
  first: readonly Observation[] = [],
  known: readonly Observation[] = [],
  count = 0,
): Forecaster {
  const middleOf = (some: readonly Observation[]): number =>
    some.reduce((sum, each) => sum + positionOf(each), 0) / NEWEST_BATCHES;
  return {
    forecast(now) {
      if (count < 2 * NEWEST_BATCHES) return null;
      const [start, end] = [poolOf(first)!, poolOf(known)!];
      const length = middleOf(known) - middleOf(first);
      if (!(length > 0)) return null;
      const slope = (end.value / end.size - start.value / start.size) / length;
      const rise = slope * (positionOf(now) - middleOf(known));
      const extraVariance = ((slope * length) / (count - NEWEST_BATCHES)) ** 2;
      return { ...end, value: end.value + end.size * rise, extraVariance };
    },
    with: newest =>
      fromTrend(
        positionOf,
        count < NEWEST_BATCHES ? [...first, newest] : first,
        newestWith(known, newest),
        count + 1,
      ),
  };
}

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

/** What is known of a season: all but its newest occurrence, and all. */
interface Season {
  newest: number;
  earlier: Pooled | null;
  all: Pooled;
}

/** Earlier occurrences of the same season. Batches of the same day do not show what a weekday is like. */
const fromSeason = (calendar: Calendar, seasons: ReadonlyMap<number, Season> = new Map()): Forecaster => ({
  forecast({ at }) {
    const season = seasons.get(calendar.seasonOf(at));
    if (!season) return null;
    return season.newest === calendar.occurrenceOf(at) ? season.earlier : season.all;
  },
  with(newest) {
    const [name, occurrence] = [calendar.seasonOf(newest.at), calendar.occurrenceOf(newest.at)];
    const before = seasons.get(name);
    const earlier = before?.newest === occurrence ? before.earlier : (before?.all ?? null);
    const season = { newest: occurrence, earlier, all: pooledWith(before?.all ?? null, newest) };
    return fromSeason(calendar, new Map(seasons).set(name, season));
  },
});

/** Every n-th batch. */
const fromCycle = (pooled: readonly (Pooled | null)[]): Forecaster => {
  const placeOf = (moment: Moment): number => byIndex(moment) % pooled.length;
  return {
    forecast: now => pooled[placeOf(now)]!,
    with: newest => fromCycle(pooled.with(placeOf(newest), pooledWith(pooled[placeOf(newest)]!, newest))),
  };
};

/** What the second one forecasts where the first one cannot: of a season that did not occur yet. */
export const orElse = (first: Forecaster, second: Forecaster): Forecaster => ({
  forecast: now => first.forecast(now) ?? second.forecast(now),
  with: newest => orElse(first.with(newest), second.with(newest)),
});
