/**
 * All statistics of a source's history, fitted: all that a verdict needs of the past and that does not depend on the batch. It costs milliseconds,
 * and is made once for a baseline. Pure: who holds the result is up to the caller.
 */
import type { Baseline } from '../../baseline/baseline.ts';
import { type BatchStatistics, RECENT_BATCHES, readerOf } from '../../baseline/batch-statistics.ts';
import { type Fitter, SIZE_BYTES } from '../../baseline/fitted-cache.ts';
import { atOnce, mapping, type Pieces } from '../../cooperative-yield.ts';
import {
  DISTINCT_SHARE,
  FIT_EVERY,
  FREE_STRAYS,
  MIN_BATCHES,
  NEWEST_BATCHES,
  SERIAL_SHARE,
  SETTLE_AFTER,
  SETTLED_BATCHES,
} from '../../policy.ts';
import {
  BATCH_STATISTICS,
  FIELD_STATISTICS,
  NEIGHBOUR_STATISTICS,
  PLACE,
  readBatch,
} from '../../statistics/registry.ts';
import type { At, Reading, Statistic } from '../../statistics/statistic.ts';
import { hasLooseDates } from '../../statistics/texts.ts';
import { asDraws, drawsOf, isOneDraw } from './draws.ts';
import type { FittedStatistic, WithHindcast } from './fitted-statistic.ts';
import { fit } from './forecast.ts';
import { limited } from './limited.ts';
import type { Observation } from './observation.ts';
import { NO_PRIORS, type Priors, priorsFrom, withPrior } from './priors.ts';
import { pooledRanks, type RankOf } from './ranks.ts';
import { fitWithoutStrays, type Suspicion } from './strays.ts';

export interface History {
  batches: readonly BatchStatistics[];
  /** As it was asked for. */
  settleAfter: number;
  fitted: readonly FittedStatistic[];
  /** How many of the newest batches came after the fit: forecasts know them, spreads do not. */
  newer: number;
  /** Greatest surprise of each fitted batch that had a forecast. */
  worst: readonly number[];
  /** How often batches began to be WARN. */
  occasions: number;
}

/** `settleAfter`: number of agreeing batches after which a new normal holds; infinite: never. */
export const fitHistory = (baseline: Baseline, settleAfter?: number): History =>
  atOnce(fittingHistory(baseline, settleAfter));

/**
 * The same in pieces. A long history is fitted once in `FIT_EVERY` batches and moved on by the others, as long as these were no alarm: so it follows from
 * the baseline alone, and from the history of an earlier baseline (`before`) at less cost.
 */
export function* fittingHistory(
  baseline: Baseline,
  settleAfter = SETTLE_AFTER,
  before?: History,
): Pieces<History> {
  const past = pastOf(baseline, settleAfter);
  const newer = newerThanFit(past);
  if (newer === null) return historyOf(past, yield* fittingAll(past));
  if (before && leadsTo(before, past, newer)) return yield* movedOn(before, past, newer);
  const oldest = FIT_EVERY - 1 - newer;
  const end = past.batches.length - newer;
  const fitted = {
    ...past,
    batches: past.batches.slice(oldest, end),
    suspects: past.suspects.slice(oldest, end),
  };
  return yield* movedOn(historyOf(fitted, yield* fittingAll(fitted)), past, newer);
}

/** How many batches came after those that are fitted together; null if all are. */
function newerThanFit({ batches, suspects, known }: Past): number | null {
  const newer = known % FIT_EVERY;
  return batches.length < RECENT_BATCHES || suspects.slice(batches.length - newer).includes(true)
    ? null
    : newer;
}

/** Whether `before` differs from the past only by the newest batches. */
function leadsTo(before: History, { batches, asked }: Past, newer: number): boolean {
  const missing = newer - before.newer;
  if (before.settleAfter !== asked || before.batches.length !== batches.length || missing < 0) return false;
  return batches.every((each, i) => i + missing >= batches.length || each === before.batches[i + missing]);
}

function* movedOn(before: History, { batches, suspects }: Past, newer: number): Pieces<History> {
  let { fitted } = before;
  for (const batch of batches.slice(batches.length - (newer - before.newer)))
    fitted = yield* mapping(fitted, each => ({ ...each, judge: each.judge.after(each.read(batch)) }));
  return { ...before, batches, fitted, newer, occasions: occasionsIn(suspects) };
}

/** What is fitted of one field alone; null: of the batch as a whole. Priors come from its own statistics. */
export function fitPart(baseline: Baseline, field: string | null, settleAfter: number): FittedStatistic[] {
  const past = pastOf(baseline, settleAfter);
  const fit = (given: Past) => (field === null ? fitBatches(given) : fitField(field, given));
  const fitted = fit(past);
  return isShort(past) ? fit({ ...past, priors: priorsFrom(fitted) }) : fitted;
}

function* fittingAll(past: Past): Pieces<WithHindcast[]> {
  const fitted = yield* fittingEach(past);
  return isShort(past) ? yield* fittingEach({ ...past, priors: priorsFrom(fitted) }) : fitted;
}

function* fittingEach(past: Past): Pieces<WithHindcast[]> {
  const fitted = fitBatches(past);
  for (const field of fieldsOf(past.batches)) {
    fitted.push(...fitField(field, past));
    yield;
  }
  return fitted;
}

/** Of the hindcast only the greatest surprise of each batch is kept. */
function historyOf({ batches, asked, suspects }: Past, all: readonly WithHindcast[]): History {
  const worst = new Float64Array(batches.length).fill(Number.NaN);
  const fitted = all.map(({ hindcast, distances: _, ...rest }) => {
    noteWorst(worst, hindcast);
    return rest;
  });
  return {
    batches,
    settleAfter: asked,
    fitted,
    newer: 0,
    worst: [...worst].filter(each => !Number.isNaN(each)),
    occasions: occasionsIn(suspects),
  };
}

const occasionsIn = (suspects: readonly boolean[]): number =>
  suspects.filter((isSuspect, i) => isSuspect && !suspects[i - 1]).length;

function noteWorst(worst: Float64Array, hindcast: WithHindcast['hindcast']): void {
  for (let i = 0; i < worst.length; i++) {
    const surprise = hindcast[i]!;
    if (!(surprise <= worst[i]!) && !Number.isNaN(surprise)) worst[i] = surprise;
  }
}

/** To be held by the cache of the baselines. */
export const HISTORY_FITTER: Fitter<History> = {
  fit: fittingHistory,
  isFor: (fitted, settleAfter) => fitted.settleAfter === settleAfter,
  sizeOf: ({ fitted, batches }) =>
    fitted.length + Math.ceil(batches.reduce((sum, each) => sum + bytesOf(each), 0) / SIZE_BYTES),
};

const bytesOf = ({ numbers, brief, unknown }: BatchStatistics): number =>
  numbers.byteLength + brief.byteLength + (unknown?.numbers.byteLength ?? 0);

interface Past extends Suspicion {
  /** Batches behind the baseline. */
  known: number;
  asked: number;
  /** What the spreads that are assumed of statistics are multiplied with. */
  priors: Priors;
  /** In the order of time. */
  batches: readonly BatchStatistics[];
}

/** The first `FREE_STRAYS` of the batches that agree are BLOCK, and not learned; or they were alarm enough. */
function pastOf({ provisional, recent, batches: known }: Baseline, settleAfter: number): Past {
  const batches = provisional ? [] : recent;
  // The first ones were judged by assumptions.
  const older = known - batches.length;
  const suspects = batches.map(
    ({ verdict, accepted }, i) => verdict === 'WARN' && !accepted && older + i >= MIN_BATCHES,
  );
  return {
    known,
    batches,
    suspects,
    priors: NO_PRIORS,
    asked: settleAfter,
    settleAfter: Math.max(1, settleAfter - FREE_STRAYS),
  };
}

/** Long enough to say something, and too short for each statistic to speak for itself. */
const isShort = ({ batches }: Past): boolean =>
  batches.length >= MIN_BATCHES && batches.length < SETTLED_BATCHES;

const fieldsOf = (batches: readonly BatchStatistics[]): Set<string> =>
  new Set([...new Set(batches.map(({ places }) => places))].flatMap(places => [...places.keys()]));

const fitField = (field: string, past: Past): WithHindcast[] => [
  ...fitStatistics(field, FIELD_STATISTICS, past, false),
  ...fitStatistics(field, NEIGHBOUR_STATISTICS, past, true),
];

/** A chunk's row count says nothing. */
const fitBatches = (past: Past): WithHindcast[] =>
  BATCH_STATISTICS.flatMap(statistic => {
    const read = (batch: BatchStatistics): Observation | null =>
      batch.chunk && statistic.unit === 'rows' ? null : observed(readBatch(statistic, batch), batch.at);
    return fitOne(null, statistic, past.batches.map(read), read, past);
  });

/** `besideSame`: only batches count in which the field has the same neighbour as in the newest one. */
function fitStatistics(
  field: string,
  statistics: readonly Statistic[],
  past: Past,
  besideSame: boolean,
): WithHindcast[] {
  const { batches } = past;
  const readers = batches.map(batch => readerOf(batch, field));
  const ofOneDraw = readers.map(read => read !== null && isOneDraw(read));
  let ranks: RankOf | undefined;
  const rankOf: RankOf = value => {
    ranks ??= pooledRanks(readers);
    return ranks(value);
  };
  const newest = readers.findLast(each => each !== null)?.(PLACE.neighbour) ?? 0;
  const neighbour = besideSame ? newest : null;
  const draws = drawsOf(readers);
  const isCode = readers.every(read => read === null || hasDistinctValues(read));
  const isCounting =
    batches.length < 2 * NEWEST_BATCHES && readers.every(read => read === null || isSerial(read));
  const isLoose = hasLooseForm(readers);
  return statistics.flatMap(statistic => {
    if (isLoose && statistic.isOfForm) return [];
    // Where a counter goes on, its trend says, and no trend is known yet.
    if (isCounting && statistic.family === 'numbers' && statistic.kind === 'level') return [];
    const all = batches.map((batch, i) => observe(statistic, readers[i]!, batch, neighbour, ofOneDraw[i]!));
    const known = statistic.ignoresOldest ? withoutOldest(all) : all;
    const fitted = fitOne(field, statistic, known, observing(field, statistic, neighbour), past).map(each =>
      limited(each, { readers, batches, rankOf }),
    );
    if (draws) return fitted.map(each => asDraws(each, draws));
    return isCode && statistic.family === 'texts' ? fitted.map(asCode) : fitted;
  });
}

/** Numbers that rise from row to row. */
function isSerial(read: At): boolean {
  const changes = read(PLACE.adjacent) - read(PLACE.adjacent_equal);
  return changes > 0 && read(PLACE.finite) > 0 && read(PLACE.adjacent_rising) >= SERIAL_SHARE * changes;
}

/** Nearly all values differ: identifiers, addresses, free text. */
const hasDistinctValues = (read: At): boolean => read(PLACE.distinct) >= DISTINCT_SHARE * read(PLACE.values);

/** Most batches have such dates. */
function hasLooseForm(readers: readonly (At | null)[]): boolean {
  const known = readers.filter(read => read !== null);
  return 2 * known.filter(hasLooseDates).length > known.length;
}

/** Codes that count get a further digit one day, all at once: no BLOCK for how they are written. */
const asCode = (fitted: WithHindcast): WithHindcast => ({ ...fitted, atMostWarn: true });

/** Without the oldest third, if enough are left. */
function withoutOldest(past: readonly (Observation | null)[]): (Observation | null)[] {
  const known = past.filter(each => each !== null);
  const oldest = new Set(
    known.slice(0, Math.max(0, Math.min(Math.ceil(known.length / 3), known.length - MIN_BATCHES))),
  );
  return past.map(each => (each && oldest.has(each) ? null : each));
}

/** `neighbour`: the one that the field must have; null if any will do. */
function observe(
  statistic: Statistic,
  reader: At | null,
  { rows, at }: BatchStatistics,
  neighbour: number | null,
  ofOneDraw: boolean,
): Observation | null {
  if (!reader) return null;
  if (neighbour !== null && (neighbour === 0 || reader(PLACE.neighbour) !== neighbour)) return null;
  const observation = observed(statistic.read(reader, rows), at);
  if (observation && ofOneDraw) observation.isOneDraw = true;
  return observation;
}

const observing =
  (field: string, statistic: Statistic, neighbour: number | null): FittedStatistic['read'] =>
  batch => {
    const reader = readerOf(batch, field);
    return observe(statistic, reader, batch, neighbour, reader !== null && isOneDraw(reader));
  };

/** Adds the time to the reading itself, which nobody else has: a copy of each would cost more than all else here. */
function observed(reading: Reading | null, at: number): Observation | null {
  if (!reading) return null;
  const observation = reading as Observation;
  observation.at = at;
  return observation;
}

function fitOne(
  field: string | null,
  statistic: Statistic,
  past: readonly (Observation | null)[],
  read: FittedStatistic['read'],
  suspicion: Past,
): WithHindcast[] {
  const fittable = withPrior(statistic, suspicion.priors);
  const settleAfter = statistic.mayJump ? 1 : suspicion.settleAfter;
  const made = statistic.keepsStrays
    ? fit(fittable, past)
    : fitWithoutStrays(fittable, past, { ...suspicion, settleAfter }, fit);
  return made ? [{ field, statistic, read, ...made }] : [];
}
