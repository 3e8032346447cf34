/**
 * What was alarmed must not widen what passes next: in a batch that was WARN, a reading far from what the other batches
 * let expect is left out of the fit, so the same damage is alarmed when it comes again. Strays that go on are no damage but a new
 * normal: once enough of them follow one another and agree, the statistic starts over with them. And what strays again and again is usual here:
 * rainy days among dry ones. Nobody called these batches bad, or they would have left the history.
 */
import { MIN_BATCHES, STRAY_SURPRISE, USUAL_OCCASIONS } from '../../terms/policy.ts';
import type { Reading } from '../../statistics/statistic.ts';
import type { Fit, Fittable, Forecast } from './forecast.ts';
import type { Moment } from './forecasters.ts';

/** What is known of the batches of the history, one entry a batch. */
export interface Suspicion {
  moments: readonly Moment[];
  /** Whether the batch was WARN and nobody accepted it. */
  suspects: readonly boolean[];
  /** Whether it was a proposed new normal. */
  proposed: readonly boolean[];
  /** Number of consecutive strays that make a new normal if none of them was proposed; infinite: never. */
  settleAfter: number;
  /** The same if one of them was: the BLOCKed batches before it were not learned. */
  settleProposedAfter: number;
}

type Past = readonly (Reading | null)[];
type FitAll = (statistic: Fittable, past: Past, moments: readonly Moment[]) => Fit | null;

/** Fits the history without its strays. `fitAll` fits the readings that it gets. */
export function fitWithoutStrays(
  statistic: Fittable,
  past: Past,
  suspicion: Suspicion,
  fitAll: FitAll,
): Fit | null {
  const { suspects, moments } = suspicion;
  const all = fitAll(statistic, past, moments);
  // Nothing strayed from a statistic that never varied.
  if (!all?.distances || !suspects.some((isSuspect, i) => isSuspect && past[i])) return all;
  const strays = straysOf(statistic, past, suspicion, all, fitAll);
  if (!strays.includes(true)) return all;
  if (occasionsIn(past, strays) >= USUAL_OCCASIONS) return all;
  const run = trailing(past, strays);
  const settleAfter =
    suspicion[suspicion.proposed.includes(true, run) ? 'settleProposedAfter' : 'settleAfter'];
  const settled = run >= 0 && past.slice(run).filter(each => each !== null).length >= settleAfter;
  const kept = past.map((each, i) => (settled ? (i < run ? null : each) : strays[i] ? null : each));
  const left = fitAll(statistic, kept, moments);
  if (settled && left?.hindcast().some(surprise => surprise > STRAY_SURPRISE))
    return fitAll(statistic, without(past, strays), moments) ?? all;
  return left ?? all;
}

const without = (past: Past, out: readonly boolean[]): Past => past.map((each, i) => (out[i] ? null : each));

/** Whether a batch that was WARN strayed from its forecast. */
export const isStray = (forecast: Forecast | null): boolean =>
  forecast !== null && forecast.surprise > STRAY_SURPRISE;

/** Judged by the batches that were not suspected; by all others, where these are too few. */
function straysOf(
  statistic: Fittable,
  past: Past,
  { suspects, moments }: Suspicion,
  all: Fit,
  fitAll: FitAll,
): boolean[] {
  const calm = without(past, suspects);
  const isEnough = calm.filter(each => each !== null).length >= MIN_BATCHES;
  const byCalm = isEnough ? fitAll(statistic, calm, moments) : null;
  const hindcast = byCalm ? null : all.hindcast();
  return past.map((each, i) => {
    if (!each || !suspects[i]) return false;
    return hindcast ? hindcast[i]! > STRAY_SURPRISE : isStray(byCalm!.judge.forecast(each, moments[i]!));
  });
}

/** How often strays began: one that follows another is the same occasion. */
function occasionsIn(past: Past, strays: readonly boolean[]): number {
  const known = strays.filter((_, i) => past[i] !== null);
  return known.filter((isStray, i) => isStray && !known[i - 1]).length;
}

/** Index of the first of the strays at the end of the history; -1 if the newest reading is not a stray. */
function trailing(past: Past, strays: readonly boolean[]): number {
  let from = -1;
  for (let i = past.length - 1; i >= 0; i--) {
    if (past[i] === null) continue;
    if (!strays[i]) break;
    from = i;
  }
  return from;
}
