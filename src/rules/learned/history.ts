/**
 * All statistics of a source's history, fitted: all that a verdict needs of the past and that does not depend on the batch. It costs milliseconds,
 * and is made once for a baseline. Pure: who holds the result is up to the caller.
 */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import type { Baseline } from '../../baseline/baseline.ts';
import {
  type BatchStatistics,
  isSameBatch,
  isSuspect,
  RECENT_BATCHES,
} from '../../baseline/batch-statistics.ts';
import { type Fitter, SIZE_BYTES } from '../../baseline/fitted-cache.ts';
import {
  DISTINCT_SHARE,
  FIT_EVERY,
  FREE_STRAYS,
  MIN_BATCHES,
  NEWEST_BATCHES,
  SETTLE_AFTER,
  SETTLED_BATCHES,
} from '../../terms/policy.ts';
import {
  BATCH_STATISTICS,
  FIELD_STATISTICS,
  NEIGHBOUR_STATISTICS,
  PLACE,
} from '../../statistics/registry.ts';
import type { At, Reading, Statistic } from '../../statistics/statistic.ts';
import { hasLooseDates } from '../../statistics/texts.ts';
import { asDraws, drawsOf } from './draws.ts';
import { type FittedField, fieldAfter, type WithHindcast } from './fitted-statistic.ts';
import { fit } from './forecast.ts';
import { limited, onlyElsewhere } from './limited.ts';
import { type Arrival, arrivalAfter, isSerial, type Part, partOf, readingOf } from './part.ts';
import { NO_PRIORS, type Priors, priorsFrom, withPrior } from './priors.ts';
import { pooledRanks, type RankOf } from './ranks.ts';
import { atRhythm, withinRhythm } from './rhythm.ts';
import { fitWithoutStrays, type Suspicion } from './strays.ts';

export interface History {
  batches: readonly BatchStatistics[];
  /** As it was asked for. */
  settleAfter: number;
  /** The batch as a whole first. */
  fields: readonly FittedField[];
  /** Statistics that were fitted, of all of them. */
  tests: number;
  /** Batches that the source has learned. */
  known: number;
  /** How many of the newest batches came after the fit: forecasts know them, spreads do not. */
  newer: number;
  /** Greatest surprise of each fitted batch that had a forecast. A statistic with a budget of its own has a lower line: the difference is added to its surprise. */
  worst: readonly number[];
  /** How often batches began to be WARN. */
  occasions: number;
}

/** `settleAfter`: number of agreeing batches after which a new normal holds; infinite: never. */
/*DOC A long history is fitted once in `FIT_EVERY` batches, and each other batch moves it on. A field that strayed in an alarm since the fit is fitted again for each batch. The result depends on the baseline alone; `before`, the history of an earlier baseline, only makes it cheaper.*/
export function fitHistory(baseline: Baseline, settleAfter = SETTLE_AFTER, before?: History): History {
  const past = pastOf(baseline, settleAfter);
  const newer = newerThanFit(past);
  if (newer === null) return historyOf(past, fitAll(past));
  if (before && leadsTo(before, past, newer)) return movedOn(before, past, newer);
  const oldest = FIT_EVERY - 1 - newer;
  const end = past.batches.length - newer;
  const fitted = {
    ...past,
    batches: past.batches.slice(oldest, end),
    moments: past.moments.slice(oldest, end),
    suspects: past.suspects.slice(oldest, end),
    proposed: past.proposed.slice(oldest, end),
  };
  return movedOn(historyOf(fitted, fitAll(fitted)), past, newer);
}

/** For the first large batch of a source whose files came in pieces: fitted without these. Null for any other batch. */
export function fitForFirstLarge(baseline: Baseline, batch: Sized, settleAfter: number): History | null {
  const { recent } = baseline;
  if (!isLarge(batch) || recent.some(isLarge) || recent.every(isNoChunk)) return null;
  return fitHistory({ ...baseline, recent: recent.filter(isNoChunk) }, settleAfter);
}

/** How many batches came after those that are fitted together; null if all are. */
const newerThanFit = ({ batches, known }: Past): number | null =>
  batches.length < RECENT_BATCHES ? null : known % FIT_EVERY;

/** Whether `before` differs from the past only by the newest batches. */
function leadsTo(before: History, { batches, asked }: Past, newer: number): boolean {
  const missing = newer - before.newer;
  if (before.settleAfter !== asked || before.batches.length !== batches.length || missing < 0) return false;
  return batches.every(
    (each, i) => i + missing >= batches.length || isSameBatch(each, before.batches[i + missing]!),
  );
}

function movedOn(before: History, past: Past, newer: number): History {
  const { known, batches, moments, suspects } = past;
  let { fields } = before;
  for (let i = batches.length - (newer - before.newer); i < batches.length; i++) {
    const moved: FittedField[] = [];
    for (const field of fields) {
      const part = partOf(batches[i]!, field.field, moments[i]!);
      moved.push(part ? fieldAfter(field, part, suspects[i]!) : field);
    }
    fields = moved;
  }
  if (suspects.slice(batches.length - newer).includes(true)) fields = refitStrayed(fields, past);
  const tests = testsIn(fields);
  return { ...before, known, batches, fields, tests, newer, occasions: occasionsIn(suspects) };
}

/** Fits again the fields that strayed, and for the first time those that came with an alarm. */
function refitStrayed(fields: readonly FittedField[], past: Past): FittedField[] {
  const names = new Set(fields.map(({ field }) => field));
  const fresh = [...fieldsOf(past.batches)].filter(field => !names.has(field));
  const fitted: FittedField[] = [];
  for (const each of [...fields, ...fresh.map(field => ({ field, hasStrayed: true as const }))]) {
    fitted.push(
      each.hasStrayed ? { ...withoutHindcasts(fitField(each.field, past)), hasStrayed: true } : each,
    );
  }
  return fitted;
}

/** What is fitted of one field alone; null: of the batch as a whole. Priors come from its own statistics. */
export function fitPart(baseline: Baseline, field: string | null, settleAfter: number): FittedField {
  const past = pastOf(baseline, settleAfter);
  const fitted = fitField(field, past);
  return isShort(past) ? fitField(field, { ...past, priors: priorsFrom(fitted.statistics) }) : fitted;
}

interface FieldWithHindcast extends FittedField {
  statistics: readonly WithHindcast[];
}

function fitAll(past: Past): FieldWithHindcast[] {
  const fitted = fitEach(past);
  if (!isShort(past)) return fitted;
  const priors = priorsFrom(fitted.flatMap(({ statistics }) => statistics));
  return fitEach({ ...past, priors });
}

function fitEach(past: Past): FieldWithHindcast[] {
  const fitted: FieldWithHindcast[] = [];
  for (const field of [null, ...fieldsOf(past.batches)]) {
    fitted.push(fitField(field, past));
  }
  return fitted;
}

/** Of the hindcast only the greatest surprise of each batch is kept. */
function historyOf({ known, batches, asked, suspects }: Past, all: readonly FieldWithHindcast[]): History {
  const worst = new Float64Array(batches.length).fill(Number.NaN);
  const tests = testsIn(all);
  for (const { statistics } of all)
    for (const { statistic, hindcast } of statistics)
      noteWorst(worst, hindcast, Math.log10(Math.max(1, tests * (statistic.budget ?? 0))));
  const fields = all.map(withoutHindcasts);
  return {
    known,
    batches,
    settleAfter: asked,
    fields,
    tests,
    newer: 0,
    worst: [...worst].filter(each => !Number.isNaN(each)),
    occasions: occasionsIn(suspects),
  };
}

const testsIn = (fields: readonly FittedField[]): number =>
  fields.reduce((sum, { statistics }) => sum + statistics.length, 0);

/** Written out, in the order of `fieldAfter`: objects of one shape are read faster. */
const withoutHindcasts = ({ field, neighbour, statistics, hasStrayed }: FieldWithHindcast): FittedField => ({
  field,
  neighbour,
  statistics: statistics.map(({ statistic, judge, isJudged, atMostWarn }) => ({
    statistic,
    judge,
    isJudged,
    atMostWarn,
  })),
  hasStrayed,
});

const occasionsIn = (suspects: readonly boolean[]): number =>
  suspects.filter((isSuspect, i) => isSuspect && !suspects[i - 1]).length;

/** `lower`: by how much its line is lower than that of statistics without a budget of their own. */
function noteWorst(worst: Float64Array, hindcast: WithHindcast['hindcast'], lower: number): void {
  for (let i = 0; i < worst.length; i++) {
    const surprise = hindcast[i]! + lower;
    if (!(surprise <= worst[i]!) && !Number.isNaN(surprise)) worst[i] = surprise;
  }
}

/** To be held by the cache of the baselines. */
export const HISTORY_FITTER: Fitter<History> = {
  fit: fitHistory,
  isFor: (fitted, settleAfter) => fitted.settleAfter === settleAfter,
  sizeOf: ({ tests, batches }) =>
    tests + Math.ceil(batches.reduce((sum, each) => sum + bytesOf(each), 0) / SIZE_BYTES),
};

const bytesOf = ({ numbers, brief, unknown }: BatchStatistics): number =>
  numbers.byteLength + brief.byteLength + (unknown?.numbers.byteLength ?? 0);

interface Past extends Suspicion {
  moments: readonly Arrival[];
  /** Batches behind the baseline. */
  known: number;
  asked: number;
  /** What the spreads that are assumed of statistics are multiplied with. */
  priors: Priors;
  /** In the order of time. */
  batches: readonly BatchStatistics[];
}

type Sized = Pick<BatchStatistics, 'rows' | 'chunk'>;

/** A whole file: pieces of files, as batches of their own, are unlike it in spread and order. */
const isLarge = ({ rows, chunk }: Sized): boolean => !chunk && rows > MAX_ROWS;
const isNoChunk = ({ chunk }: Sized): boolean => !chunk;

/** The first `FREE_STRAYS` of the batches that agree are not learned if they are BLOCK. What was never BLOCK is settled in half of the time. */
function pastOf({ provisional, recent, batches: known }: Baseline, settleAfter: number): Past {
  const batches = provisional ? [] : recent.some(isLarge) ? recent.filter(isNoChunk) : recent;
  const older = known - batches.length;
  const moments = batches.map(({ at }, i) => arrivalAfter(batches[i - 1], at, older + i));
  const suspects = batches.map((batch, i) => isSuspect(batch, older + i));
  return {
    known,
    batches,
    moments,
    suspects,
    priors: NO_PRIORS,
    asked: settleAfter,
    proposed: batches.map(({ proposed }, i) => suspects[i]! && proposed === true),
    settleAfter: Math.ceil(settleAfter / 2),
    settleProposedAfter: Math.max(1, settleAfter - FREE_STRAYS),
  };
}

/** Long enough to say something, and too short for each statistic to speak for itself. */
const isShort = ({ batches }: Past): boolean =>
  batches.length >= MIN_BATCHES && batches.length < SETTLED_BATCHES;

/** All statistics of a field. */
const ALL_OF_FIELD: readonly Statistic[] = [...FIELD_STATISTICS, ...NEIGHBOUR_STATISTICS];

const fieldsOf = (batches: readonly BatchStatistics[]): Set<string> =>
  new Set([...new Set(batches.map(({ places }) => places))].flatMap(places => [...places.keys()]));

/** `field`: null for the batch as a whole. */
function fitField(field: string | null, past: Past): FieldWithHindcast {
  const parts = past.batches.map((batch, i) => partOf(batch, field, past.moments[i]!));
  const newest = parts.findLast(each => each !== null);
  const neighbour = field === null ? 0 : (newest?.read(PLACE.neighbour) ?? 0);
  const read = (statistic: Statistic) => parts.map(part => part && readingOf(statistic, part, neighbour));
  const statistics =
    field === null
      ? BATCH_STATISTICS.flatMap(statistic => fitOne(statistic, read(statistic), past))
      : fitStatistics(parts, read, past);
  return { field, neighbour, hasStrayed: false, statistics };
}

function fitStatistics(
  parts: readonly (Part | null)[],
  read: (statistic: Statistic) => (Reading | null)[],
  past: Past,
): WithHindcast[] {
  const readers = parts.map(part => part?.read ?? null);
  let ranks: RankOf | undefined;
  const rankOf: RankOf = value => {
    ranks ??= pooledRanks(readers);
    return ranks(value);
  };
  const { moments, suspects } = past;
  const fieldPast = { moments, readers, suspects, rankOf };
  const draws = drawsOf(readers);
  const isCode = readers.every(read => read === null || hasDistinctValues(read));
  const isCounting =
    parts.length < 2 * NEWEST_BATCHES && readers.every(read => read === null || isSerial(read));
  const isLoose = hasLooseForm(readers);
  return ALL_OF_FIELD.flatMap(statistic => {
    if (isLoose && statistic.isOfForm) return [];
    // Where a counter goes on, its trend says, and no trend is known yet: only whether it is the same counter.
    const isLevel = isCounting && statistic.family === 'numbers' && statistic.kind === 'level';
    if (isLevel && statistic.id !== 'mean') return [];
    const all = read(statistic);
    const alike = statistic.goesWithGap ? atRhythm(all, moments) : all;
    const known = statistic.ignoresOldest ? withoutOldest(alike) : alike;
    const fitted = fitOne(statistic, known, past).map(each => limited(each, fieldPast));
    if (isLevel) return fitted.map(each => onlyElsewhere(each, readers));
    if (statistic.goesWithGap) return fitted.map(each => withinRhythm(each, moments.at(-1)!));
    if (draws) return fitted.map(each => asDraws(each, draws));
    return isCode && statistic.family === 'texts' ? fitted.map(asCode) : fitted;
  });
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
function withoutOldest(past: readonly (Reading | null)[]): (Reading | null)[] {
  const known = past.filter(each => each !== null);
  const oldest = new Set(
    known.slice(0, Math.max(0, Math.min(Math.ceil(known.length / 3), known.length - MIN_BATCHES))),
  );
  return past.map(each => (each && oldest.has(each) ? null : each));
}

/** Empty if no batch has it. */
function fitOne(statistic: Statistic, history: readonly (Reading | null)[], past: Past): WithHindcast[] {
  const fittable = withPrior(statistic, past.priors);
  const suspicion = statistic.mayJump ? { ...past, settleAfter: 1, settleProposedAfter: 1 } : past;
  const made = statistic.keepsStrays
    ? fit(fittable, history, past.moments)
    : fitWithoutStrays(fittable, history, suspicion, fit);
  if (!made) return [];
  const { judge, distances } = made;
  return [{ statistic, judge, isJudged: undefined, atMostWarn: false, hindcast: made.hindcast(), distances }];
}
