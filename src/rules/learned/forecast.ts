/**
 * One statistic against its own past.
 *
 * The distance of a batch from its forecast is counted in standard errors of sampling. For shares it is the signed root of the deviance of two
 * binomial samples, which also holds for a share that was always 0; for levels the difference divided by its standard error; for distributions the
 * root of the deviance of two multinomial samples divided by its degrees of freedom. Every batch of the history is judged in this way by those before
 * it (the hindcast). The spread of these distances is the unit for the present one: it is above 1 for sources whose batches differ by more than
 * sampling explains, and below 1 for fields that never vary. The spread starts from PRIOR_BATCHES batches that behaved as sampling predicts. It is raised
 * if a single batch strayed further than the others predict.
 *
 * All of this depends only on the history and is fitted once. A batch then costs one distance a statistic, and one forecast that is moved on by it.
 */
import { ASSUMED, MIN_BATCHES, MIN_NUMBERS, SHORT_FREEDOM } from '../../terms/policy.ts';
import type { Assumed, Forecasting, Reading } from '../../statistics/statistic.ts';
import {
  degreesOfFreedom,
  distanceOf,
  exposureOf,
  type Measured,
  standardError,
  stepOf,
} from './distance.ts';
import { type Forecaster, FromAll, type Moment } from './forecasters.ts';
import type { Pooled } from './pooled.ts';
import { type Past, selectForecaster } from './select-forecaster.ts';
import { priorBatchesOf, type Spread, type Spreading, spreadAt, spreadsOf } from './spread.ts';
import { normalOfF, normalOfT, surprise } from './tail-probability.ts';

/** What a fit needs to know of a statistic. */
export type Fittable = Spreading & Measured & Pick<Forecasting, 'onlyRise' | 'riseFactor' | 'assumed'>;

/** One batch beside its forecast. */
export interface Forecast {
  /** In the statistic's own unit; and by how much one unit of spread moves it. For a distribution 0, and the share of cells that one unit moves. */
  expected: number;
  step: number;
  /** Of the present reading, in units of spread; signed. */
  distance: number;
  /** −log10 of the chance of such a distance. */
  surprise: number;
  /** A rise counts as a distance so many times as long. */
  riseFactor: number;
  /** Levels: variance of one cell in the batches of the forecast. */
  usualVariance: number;
}

/** `Batch`: what it must know of a batch beside the reading. Immutable: `after` returns a new judge. */
export interface Judge<Batch extends Moment = Moment> {
  /** Null where there is no forecast for such a batch. */
  forecast(now: Reading, batch: Batch): Forecast | null;
  /** The judge once that batch is the newest of the history. The spread stays as it was fitted. */
  after(newest: Reading, batch: Batch): Judge<Batch>;
}

export interface Fit {
  judge: Judge;
  /** Surprise of each batch of the history, judged without itself, by its index; NaN where there was no forecast. Computed at each call. */
  hindcast(): Float64Array;
  /** Distances of the history, in standard errors of sampling. NaN where there was no forecast; absent where it did not vary. */
  readonly distances?: Float64Array;
}

/** Null if no batch of the history has the statistic. `history` is in the order of time; `moments`: when its batches came. */
export function fit(
  statistic: Fittable,
  history: readonly (Reading | null)[],
  moments: readonly Moment[],
): Fit | null {
  const past = knownIn(history, moments);
  if (past.readings.length === 0) return null;
  if (past.readings.length < MIN_BATCHES)
    return statistic.assumed === null ? null : fitFew(statistic, history, past);
  const same = statistic.kind === 'share' ? commonExtreme(past) : null;
  return same === null ? fitVarying(statistic, history, past) : fitConstant(statistic, history, past, same);
}

/** Most histories have all of their batches: nothing to copy. */
function knownIn(history: readonly (Reading | null)[], moments: readonly Moment[]): Past {
  if (!history.includes(null)) return { readings: history as readonly Reading[], moments };
  const past = { readings: [] as Reading[], moments: [] as Moment[] };
  for (let i = 0; i < history.length; i++) {
    const each = history[i];
    if (!each) continue;
    past.readings.push(each);
    past.moments.push(moments[i]!);
  }
  return past;
}

type JudgePooled = (now: Reading, pooled: Pooled) => Forecast | null;

class ForecastJudge implements Judge {
  constructor(
    readonly forecaster: Forecaster,
    readonly judge: JudgePooled,
  ) {}

  forecast(now: Reading, batch: Moment): Forecast | null {
    const pooled = this.forecaster.forecast(batch);
    return pooled && this.judge(now, pooled);
  }

  after(newest: Reading, batch: Moment): ForecastJudge {
    const forecaster = this.forecaster.copy();
    forecaster.add(newest, batch);
    return new ForecastJudge(forecaster, this.judge);
  }
}

/**
 * One or two batches do not show how far a third may lie. Until then it may differ by sampling, and besides by what is assumed of any source:
 * `assumed`.
 */
function fitFew(statistic: Fittable, history: readonly (Reading | null)[], { readings }: Past): Fit {
  const all = new FromAll();
  for (const each of readings) all.add(each);
  return {
    hindcast: () => new Float64Array(history.length).fill(Number.NaN),
    judge: new ForecastJudge(all, (now, pooled) => {
      if (statistic.kind === 'share') return judgeFewShares(statistic, now, pooled);
      if (isHandful(statistic, now, pooled)) return null;
      // The assumption is symmetric.
      const even = { ...statistic, riseFactor: 1 };
      return forecastOf(even, now, pooled, assumedSpread(statistic, now, pooled), SHORT_FREEDOM);
    }),
  };
}

/** A few cells do not show how far cells lie apart. */
const isHandful = ({ kind, assumed }: Fittable, now: Reading, pooled: Pooled): boolean =>
  kind === 'level' &&
  (assumed ?? ASSUMED.level).deviations !== undefined &&
  Math.min(now.size, pooled.size) < MIN_NUMBERS;

/** A share has that leeway to either side, and sampling beyond it. */
function judgeFewShares(statistic: Fittable, now: Reading, pooled: Pooled): Forecast {
  const expected = pooled.value / pooled.size;
  const { difference = 0, deviations = 0 }: Assumed = statistic.assumed ?? ASSUMED.share;
  const leeway = Math.hypot(difference, deviations * Math.sqrt(expected * (1 - expected)));
  const moved = expected + Math.min(leeway, Math.max(-leeway, now.value - expected));
  const nearest = { ...pooled, value: moved * pooled.size };
  const spread = Math.max(1, statistic.priorSpread);
  return { ...forecastOf(statistic, now, nearest, spread, SHORT_FREEDOM), expected };
}

/** In standard errors of sampling. */
function assumedSpread({ kind, priorSpread, assumed }: Fittable, now: Reading, pooled: Pooled): number {
  const { difference = 0, deviations = 0, ratio = 0 }: Assumed = assumed ?? ASSUMED[kind];
  const sampling = Math.max(1, priorSpread) ** 2;
  if (kind === 'distribution') {
    const both = (now.size * pooled.size) / (now.size + pooled.size);
    return Math.sqrt(sampling + (both * (2 * difference) ** 2) / degreesOfFreedom(now));
  }
  const cells = deviations ** 2 * (pooled.variance / pooled.size);
  const all = difference ** 2 + cells + (ratio * (pooled.value / pooled.size)) ** 2;
  return Math.sqrt(sampling + all / standardError(kind, now, pooled) ** 2);
}

/** 0 or 1, if a share was that throughout. Most are: arrays among numbers, padding, characters beyond ASCII. */
function commonExtreme({ readings }: Past): number | null {
  const { value } = readings[0]!;
  return (value === 0 || value === 1) && readings.every(each => each.value === value) ? value : null;
}

/** The result of `fitVarying`, at hardly any cost. */
function fitConstant(
  statistic: Fittable,
  history: readonly (Reading | null)[],
  { readings }: Past,
  value: number,
): Fit {
  const batches = readings.length;
  const size = readings.reduce((sum, each) => sum + each.size, 0);
  const sums = { batches, size, value: value * size, variance: 0, extraVariance: 0, counts: null };
  const freedom = priorBatchesOf(statistic) + batches;
  return {
    hindcast: () => hindcastOf(history, () => 0),
    judge: new ForecastJudge(new FromAll(sums), (now, pooled) => {
      const expected = pooled.value / pooled.size;
      return now.value === expected
        ? { expected, step: 0, distance: 0, surprise: 0, riseFactor: 1, usualVariance: 0 }
        : forecastOf(statistic, now, pooled, statistic.priorSpread, freedom);
    }),
  };
}

function fitVarying(statistic: Fittable, history: readonly (Reading | null)[], past: Past): Fit {
  const { distances, exposures, forecaster, selectionBias } = selectForecaster(statistic, past);
  const { freedom, all, deviationWithout } = spreadsOf(statistic, past.readings, distances, exposures);
  const spread = { sampling: all.sampling, between: all.between, factor: all.factor / selectionBias };
  return {
    hindcast() {
      let at = 0;
      return hindcastOf(history, each => {
        const i = at++;
        const distance = distances[i]!;
        if (Number.isNaN(distance)) return Number.NaN;
        return surpriseOf(statistic, (distance * selectionBias) / deviationWithout(i), freedom - 1, each);
      });
    },
    distances,
    judge: judgeBySpread(statistic, forecaster, freedom, spread),
  };
}

/** A loop: `Float64Array.from` took a tenth of a fit. */
function hindcastOf(
  history: readonly (Reading | null)[],
  surpriseAt: (reading: Reading) => number,
): Float64Array {
  const hindcast = new Float64Array(history.length);
  for (let i = 0; i < history.length; i++) {
    const each = history[i]!;
    hindcast[i] = each ? surpriseAt(each) : Number.NaN;
  }
  return hindcast;
}

/** A function of its own, so that a fit holds nothing else of the history. */
const judgeBySpread = (
  statistic: Fittable,
  forecaster: Forecaster,
  freedom: number,
  spread: Spread,
): ForecastJudge =>
  new ForecastJudge(forecaster, (now, pooled) =>
    forecastOf(statistic, now, pooled, spreadAt(spread, exposureOf(statistic.kind, now, pooled)), freedom),
  );

function forecastOf(
  statistic: Fittable,
  now: Reading,
  pooled: Pooled,
  spread: number,
  freedom: number,
): Forecast {
  const { kind } = statistic;
  const inErrors = distanceOf(statistic, now, pooled);
  const distance = inErrors / spread;
  return {
    expected: kind === 'distribution' ? 0 : pooled.value / pooled.size,
    step: spread * stepOf(kind, now, pooled, inErrors),
    distance,
    surprise: surpriseOf(statistic, distance, freedom, now),
    riseFactor: statistic.riseFactor ?? 1,
    usualVariance: pooled.variance / pooled.size,
  };
}

function surpriseOf(statistic: Fittable, distance: number, freedom: number, of: Reading): number {
  const { kind, onlyRise, riseFactor = 1 } = statistic;
  if (kind === 'distribution')
    return surprise(Math.max(0, normalOfF(distance ** 2, degreesOfFreedom(of), freedom)));
  if (distance > 0) return surprise(normalOfT(riseFactor * distance, freedom));
  return onlyRise && distance < 0 ? 0 : surprise(normalOfT(-distance, freedom));
}
