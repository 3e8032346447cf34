/**
 * Forecasters: what to expect of a batch, from the batches before it. By all of them, by the newest, by the trend, by earlier batches of the same
 * weekday or hour, by every n-th batch.
 */
import { CYCLE_RETURNS, LONGEST_CYCLE, NEWEST_BATCHES } from '../../terms/policy.ts';
import type { Kind, Reading } from '../../statistics/statistic.ts';
import { addTo, copyOf, type Pooled, pooledOf, poolOf } from './pooled.ts';

/** When a batch comes. */
export interface Moment {
  /** In ms. */
  at: number;
  /** Its number among the batches of the source: those that are left out of a fit keep theirs. */
  order: number;
}

export interface Forecaster {
  /** Null for the first batches. The sums may change with the next batch that is added. */
  forecast(moment: Moment): Pooled | null;
  /** Adds the newest batch. */
  add(newest: Reading, moment: Moment): void;
  copy(): Forecaster;
}

/** Forecasters that may fit better than `FromAll`, before any batch. */
export function forecastersFor(kind: Kind, past: readonly Moment[]): Forecaster[] {
  // If all batches are in the same season there is no season to tell.
  const varies = ({ seasonOf }: Calendar): boolean =>
    past.some(each => seasonOf(each.at) !== seasonOf(past[0]!.at));
  const cycles = Math.min(LONGEST_CYCLE, Math.floor(past.length / CYCLE_RETURNS));
  return [
    new FromNewest(),
    ...(kind === 'level' ? [new FromTrend(byTime), new FromTrend(byOrder)] : []),
    ...[WEEKDAY, HOUR].filter(varies).map(calendar => new FromSeason(calendar)),
    ...Array.from({ length: Math.max(0, cycles - 1) }, (_, i) => new FromCycle(Array(i + 2).fill(null))),
  ];
}

export class FromAll implements Forecaster {
  #pooled: Pooled | null;

  constructor(pooled: Pooled | null = null) {
    this.#pooled = pooled;
  }

  forecast(): Pooled | null {
    return this.#pooled;
  }

  add(newest: Reading): void {
    if (this.#pooled) addTo(this.#pooled, newest);
    else this.#pooled = pooledOf(newest);
  }

  copy(): FromAll {
    return new FromAll(this.#pooled && copyOf(this.#pooled));
  }
}

/** With one more, and without the oldest of `NEWEST_BATCHES`. */
const newestWith = <Each>(newest: readonly Each[], one: Each): Each[] => [
  ...newest.slice(1 - NEWEST_BATCHES),
  one,
];

class FromNewest implements Forecaster {
  #known: readonly Reading[];

  constructor(known: readonly Reading[] = []) {
    this.#known = known;
  }

  forecast(): Pooled | null {
    return poolOf(this.#known);
  }

  add(newest: Reading): void {
    this.#known = newestWith(this.#known, newest);
  }

  copy(): FromNewest {
    return new FromNewest(this.#known);
  }
}

/** Where a batch lies on the axis of a trend. */
type Position = (moment: Moment) => number;
const byTime: Position = ({ at }) => at;
const byOrder: Position = ({ order }) => order;

/** A few batches and where they lie. */
interface Stretch {
  readings: readonly Reading[];
  positions: readonly number[];
}
const NOWHERE: Stretch = { readings: [], positions: [] };

const middleOf = ({ positions }: Stretch): number =>
  positions.reduce((sum, each) => sum + each, 0) / NEWEST_BATCHES;

/**
 * The newest batches, moved on along the line from the first ones to them. By time or by order: a missing batch shifts only one of them. A line is
 * not followed farther than it is long, in either direction: old files that were screened within a minute say little of the next day, and the clock may
 * be set back.
 */
class FromTrend implements Forecaster {
  #first = NOWHERE;
  #known = NOWHERE;
  #count = 0;

  constructor(readonly positionOf: Position) {}

  forecast(moment: Moment): Pooled | null {
    const [first, known, count] = [this.#first, this.#known, this.#count];
    if (count < 2 * NEWEST_BATCHES) return null;
    const [start, end] = [poolOf(first.readings)!, poolOf(known.readings)!];
    const length = middleOf(known) - middleOf(first);
    if (!(length > 0)) return null;
    const rise = end.value / end.size - start.value / start.size;
    const ahead = (this.positionOf(moment) - middleOf(known)) / length;
    const isKnown = Math.abs(ahead) <= 1;
    if (isKnown) end.value += end.size * rise * ahead;
    end.extraVariance = (isKnown ? rise / (count - NEWEST_BATCHES) : rise) ** 2;
    return end;
  }

  add(newest: Reading, moment: Moment): void {
    const position = this.positionOf(moment);
    const withNewest = ({ readings, positions }: Stretch): Stretch => ({
      readings: newestWith(readings, newest),
      positions: newestWith(positions, position),
    });
    if (this.#count < NEWEST_BATCHES) this.#first = withNewest(this.#first);
    this.#known = withNewest(this.#known);
    this.#count++;
  }

  copy(): FromTrend {
    const copy = new FromTrend(this.positionOf);
    [copy.#first, copy.#known, copy.#count] = [this.#first, this.#known, this.#count];
    return copy;
  }
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
class FromSeason implements Forecaster {
  constructor(
    readonly calendar: Calendar,
    readonly seasons = new Map<number, Season>(),
  ) {}

  forecast({ at }: Moment): Pooled | null {
    const season = this.seasons.get(this.calendar.seasonOf(at));
    if (!season) return null;
    return season.newest === this.calendar.occurrenceOf(at) ? season.earlier : season.all;
  }

  add(newest: Reading, { at }: Moment): void {
    const [name, occurrence] = [this.calendar.seasonOf(at), this.calendar.occurrenceOf(at)];
    const season = this.seasons.get(name);
    if (!season) {
      this.seasons.set(name, { newest: occurrence, earlier: null, all: pooledOf(newest) });
      return;
    }
    if (season.newest !== occurrence) season.earlier = copyOf(season.all);
    season.newest = occurrence;
    addTo(season.all, newest);
  }

  copy(): FromSeason {
    const seasons = [...this.seasons].map(
      ([name, { newest, earlier, all }]) => [name, { newest, earlier, all: copyOf(all) }] as const,
    );
    return new FromSeason(this.calendar, new Map(seasons));
  }
}

/** Every n-th batch. */
class FromCycle implements Forecaster {
  constructor(readonly pooled: (Pooled | null)[]) {}

  forecast({ order }: Moment): Pooled | null {
    return this.pooled[order % this.pooled.length]!;
  }

  add(newest: Reading, { order }: Moment): void {
    const place = order % this.pooled.length;
    const pooled = this.pooled[place];
    if (pooled) addTo(pooled, newest);
    else this.pooled[place] = pooledOf(newest);
  }

  copy(): FromCycle {
    return new FromCycle(this.pooled.map(each => each && copyOf(each)));
  }
}

/** What the second one forecasts where the first one cannot: of a season that did not occur yet. */
export class OrElse implements Forecaster {
  constructor(
    readonly first: Forecaster,
    readonly second: Forecaster,
  ) {}

  forecast(moment: Moment): Pooled | null {
    return this.first.forecast(moment) ?? this.second.forecast(moment);
  }

  add(newest: Reading, moment: Moment): void {
    this.first.add(newest, moment);
    this.second.add(newest, moment);
  }

  copy(): OrElse {
    return new OrElse(this.first.copy(), this.second.copy());
  }
}
