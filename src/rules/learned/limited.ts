/** Limits to how unusual a statistic of numbers can be: for numbers that cluster, and for those that were there before. */
import { FAR_RATIO } from '../../terms/policy.ts';
import { PLACE } from '../../statistics/registry.ts';
import type { At, Reading } from '../../statistics/statistic.ts';
import type { WithHindcast } from './fitted-statistic.ts';
import { type Fittable, fit, type Forecast, type Judge } from './forecast.ts';
import type { Moment } from './forecasters.ts';
import type { Part } from './part.ts';
import type { RankOf } from './ranks.ts';

/** A field's past. */
export interface FieldPast {
  moments: readonly Moment[];
  /** One a batch; null where it lacks the field. */
  readers: readonly (At | null)[];
  /** Whether the batch was WARN and nobody accepted it. */
  suspects: readonly boolean[];
  rankOf: RankOf;
}

/** The statistic with the limit that it asks for. */
export function limited(fitted: WithHindcast, past: FieldPast): WithHindcast {
  const { onlyFarBelowMinimum, onlyBeyond, onlyWhere, limitedByRanks } = fitted.statistic;
  if (onlyFarBelowMinimum) return onlyFarBelow(fitted, past);
  if (onlyBeyond) return onlyBeyondAll(fitted, onlyBeyond, past);
  if (onlyWhere) return onlyWhereSaid(fitted, onlyWhere, past);
  return limitedByRanks ? limitedByRank(fitted, limitedByRanks, past) : fitted;
}

// ---- extremes ----

/**
 * Judges only batches whose extreme lies beyond all earlier extremes. In a batch with an unusually narrow bulk, a value that always occurred would
 * otherwise look far away. For the share of outliers alarmed batches are left out: one extreme that was loaded would hide the same damage for
 * as long as the history knows it.
 */
function onlyBeyondAll(
  fitted: WithHindcast,
  which: 'minimum' | 'maximum' | 'either',
  { readers, suspects }: FieldPast,
): WithHindcast {
  const calm = which === 'either' ? readers.filter((_, i) => !suspects[i]) : readers;
  const known = calm.filter(read => read !== null && read(PLACE.finite) > 0);
  const farthest = (extreme: number, sign: 1 | -1) => Math.max(...known.map(read => sign * read!(extreme)));
  const isAbove = isBeyond(PLACE.maximum, 1, farthest(PLACE.maximum, 1));
  const isBelow = isBeyond(PLACE.minimum, -1, farthest(PLACE.minimum, -1));
  if (which === 'either') return { ...fitted, isJudged: part => isAbove(part) || isBelow(part) };
  return { ...fitted, isJudged: which === 'maximum' ? isAbove : isBelow };
}

function onlyFarBelow(fitted: WithHindcast, { readers }: FieldPast): WithHindcast {
  const known = readers.filter(read => read !== null && read(PLACE.finite) > 0);
  const minima = known.map(read => read!(PLACE.minimum));
  const lowest = Math.min(...minima);
  if (!(lowest >= 0)) return fitted;
  const widths = known.map(read => read!(PLACE.quartile_3) - read!(PLACE.quartile_1));
  const range = Math.max(...minima) - lowest;
  const width = range + widths.reduce((sum, each) => sum + each, 0) / widths.length;
  return { ...fitted, isJudged: isBeyond(PLACE.minimum, -1, width - lowest) };
}

const isBeyond =
  (extreme: number, sign: 1 | -1, farthest: number) =>
  ({ read }: Part): boolean =>
    sign * read(extreme) > farthest;

/** Other batches are as usual. */
const onlyWhereSaid = (
  fitted: WithHindcast,
  isSaid: (at: At) => boolean,
  { readers }: FieldPast,
): WithHindcast => ({
  ...fitted,
  isJudged: ({ read }) => isSaid(read),
  hindcast: fitted.hindcast.map((each, i) => (readers[i] && !isSaid(readers[i]) ? Math.min(0, each) : each)),
});

/**
 * Judges a counter only in batches that are somewhere else: all of their numbers are so many times as high as all before, or as low, and so many times as far away as
 * these lie apart. Another unit, for example.
 */
export function onlyElsewhere(fitted: WithHindcast, readers: readonly (At | null)[]): WithHindcast {
  const known = readers.filter(read => read !== null && read(PLACE.finite) > 0);
  const low = Math.min(...known.map(read => read!(PLACE.minimum)));
  const high = Math.max(...known.map(read => read!(PLACE.maximum)));
  const far = FAR_RATIO * (high - low);
  return {
    ...fitted,
    isJudged: ({ read }) => {
      const [least, most] = [read(PLACE.minimum), read(PLACE.maximum)];
      return (
        (low > 0 && least > FAR_RATIO * high && least - high > far) ||
        (most > 0 && low > FAR_RATIO * most && low - most > far)
      );
    },
    hindcast: fitted.hindcast.map(each => Math.min(0, each)),
  };
}

// ---- ranks ----

/** A rank is a share: how many of all numbers lie below. */
const RANK: Fittable = { kind: 'share', onlyRise: false, priorSpread: 1 };

/**
 * A quantile of numbers that cluster jumps from one cluster to the next: far as a number, near as a rank. So one that stays within what the source
 * had before is no more unusual than its rank: the share of all earlier numbers below it.
 */
function limitedByRank(fitted: WithHindcast, places: readonly number[], past: FieldPast): WithHindcast {
  const { readers, moments } = past;
  const readRank = rankReader(past.rankOf, places);
  const before = readers.reduce((sum, read) => sum + (read?.(PLACE.finite) ?? 0), 0);
  const ranks = readers.map((read, i) => (read && fitted.hindcast[i]! >= 0 ? readRank(read) : null));
  const byRank = fit(RANK, ranks, moments);
  if (!byRank) return fitted;
  const least = (a: number, b: number): number => (Number.isNaN(b) ? a : Math.min(a, b));
  const hindcast = byRank.hindcast();
  return {
    ...fitted,
    hindcast: fitted.hindcast.map((each, i) => least(each, hindcast[i]!)),
    judge: new RankJudge(fitted.judge, byRank.judge, readRank, maxSurpriseBeyond(places, before)),
  };
}

/** Null beyond all numbers of the history. */
type ReadRank = (read: At) => Reading | null;

const rankReader =
  (rankOf: RankOf, [first, second]: readonly number[]): ReadRank =>
  read => {
    const from = rankOf(read(first!));
    const to = second === undefined ? 0 : rankOf(read(second));
    if (from === null || to === null) return null;
    const value = second === undefined ? from : Math.max(0, to - from);
    return { value, size: read(PLACE.finite), variance: 0, extraVariance: 0, counts: null };
  };

/**
 * The surprise of a quantile beyond the `before` earlier numbers is limited for any distribution. The chance that so many of a batch's n numbers all lie
 * beyond them is at most that of draws from one urn: n / (n + before) for each.
 */
const maxSurpriseBeyond =
  ([place, other]: readonly number[], before: number) =>
  (read: At): number => {
    if (other !== undefined) return Number.POSITIVE_INFINITY;
    const count = read(PLACE.finite);
    const tail = TAILS.get(place!)!;
    return Math.max(1, Math.floor(tail * count)) * Math.log10((count + before) / count);
  };

/** For each quantile the share of numbers that lie at least as far out. */
const TAILS: ReadonlyMap<number, number> = new Map([
  [PLACE.quantile_1_16, 1 / 16],
  [PLACE.quartile_1, 1 / 4],
  [PLACE.median, 1 / 2],
  [PLACE.quartile_3, 1 / 4],
  [PLACE.quantile_15_16, 1 / 16],
]);

class RankJudge implements Judge<Part> {
  constructor(
    readonly byValue: Judge<Part>,
    readonly byRank: Judge,
    readonly readRank: ReadRank,
    readonly maxSurprise: (read: At) => number,
  ) {}

  forecast(now: Reading, part: Part): Forecast | null {
    const forecast = this.byValue.forecast(now, part);
    if (!forecast) return null;
    const rank = this.readRank(part.read);
    const limit = rank ? this.byRank.forecast(rank, part)?.surprise : this.maxSurprise(part.read);
    if (limit === undefined || limit >= forecast.surprise) return forecast;
    return { ...forecast, surprise: limit };
  }

  after(newest: Reading, part: Part): RankJudge {
    const rank = this.readRank(part.read);
    const byRank = rank ? this.byRank.after(rank, part) : this.byRank;
    return new RankJudge(this.byValue.after(newest, part), byRank, this.readRank, this.maxSurprise);
  }
}
