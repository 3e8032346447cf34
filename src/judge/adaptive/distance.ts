/** How far a reading lies from what is expected, in standard errors of sampling. */
import type { Kind, Reading } from './measures.ts';

export interface Past extends Reading {
  /** When the batch came, in ms. */
  at: number;
  /** Of a quantile: its rank among all numbers of the history; null beyond them. */
  rank?: Past | null;
  /** How unusual it can be at most, where it lies beyond them. */
  most?: number;
}

/** Sums over the batches that something is expected from. */
export interface Sums {
  batches: number;
  size: number;
  value: number;
  variance: number;
  /** Mixes: cells by bucket. */
  counts?: Float64Array;
  /** Levels: variance of what is expected beyond that of sampling. */
  own?: number;
}

export function added(sums: Sums | null, { value, size, variance, counts }: Reading): Sums {
  const next: Sums = {
    batches: (sums?.batches ?? 0) + 1,
    size: (sums?.size ?? 0) + size,
    value: (sums?.value ?? 0) + size * value,
    variance: (sums?.variance ?? 0) + size * variance,
  };
  if (counts) next.counts = sums?.counts ? sums.counts.map((each, i) => each + counts[i]!) : counts;
  return next;
}

/** Degrees of freedom of a mix. */
export const freedomOf = ({ counts }: Reading): number => (counts?.length ?? 2) - 1;

/** Positive where the reading is above what is expected; of a mix the root of the deviance by its degrees of freedom. */
export function distanceOf(kind: Kind, now: Reading, sums: Sums): number {
  if (kind === 'mix') return Math.sqrt(mixDeviance(now, sums) / freedomOf(now));
  const expected = sums.value / sums.size;
  if (kind === 'level') return (now.value - expected) / errorOf(kind, now, sums);
  return now.shrinks ? shrinkingDistance(now, sums, expected) : shareDistance(now, sums);
}

function shareDistance(now: Reading, sums: Sums): number {
  const parts = now.value * now.size;
  const both = (parts + sums.value) / (now.size + sums.size);
  const deviance = 2 * (binomial(parts, now.size, both) + binomial(sums.value, sums.size, both));
  return Math.sign(now.value - sums.value / sums.size) * Math.sqrt(Math.max(0, deviance));
}

/**
 * The more cells, the less of them are distinct. Were all values equally frequent, the share would go on as that of uniform draws does; where some
 * are rare it falls less. What lies between is no distance, and the rest is one from the nearer end.
 */
function shrinkingDistance(now: Reading, sums: Sums, expected: number): number {
  const other = ofUniformDraws(expected, (now.size * sums.batches) / sums.size);
  if (other === expected) return shareDistance(now, sums);
  const [low, high] = other < expected ? [other, expected] : [expected, other];
  if (now.value >= low && now.value <= high) return 0;
  const nearer = now.value < low ? low : high;
  return shareDistance(now, { ...sums, value: nearer * sums.size });
}

/** Share of distinct ones among so many times as many draws from equally frequent values, as draws have of which this share is distinct. */
function ofUniformDraws(share: number, times: number): number {
  if (share >= 1 || share <= 0) return share;
  const distinctOf = (draws: number): number => -Math.expm1(-draws) / draws;
  // Draws a value, so that (1 − e^−x) / x is the share: Newton's steps for x s = 1 − e^−x.
  let draws = share > 0.5 ? 2 * (1 - share) * (2 - share) : 1 / share;
  for (let step = 0; step < 6; step++) {
    const rest = Math.exp(-draws);
    draws -= (draws * share - 1 + rest) / (share - rest);
  }
  return draws > 1e-9 ? distinctOf(draws * times) : share;
}

/** Log-likelihood ratio of a sample's own share to the common one. */
const binomial = (parts: number, size: number, common: number): number =>
  timesLog(parts, parts / size / common) + timesLog(size - parts, (1 - parts / size) / (1 - common));

const timesLog = (factor: number, ratio: number): number => (factor > 1e-9 ? factor * Math.log(ratio) : 0);

function mixDeviance({ counts: now, size }: Reading, { counts: before, size: all }: Sums): number {
  let sum = 0;
  for (let i = 0; i < now!.length; i++) {
    const [a, b] = [now![i]!, before![i]!];
    const both = (a + b) / (size + all);
    sum += timesLog(a, a / size / both) + timesLog(b, b / all / both);
  }
  return Math.max(0, 2 * sum);
}

/** Share of a batch's cells that lie in other buckets than usual: half the sum of the differences. */
export function movedShare({ counts: now, size }: Reading, { counts: before, size: all }: Sums): number {
  let sum = 0;
  for (let i = 0; i < now!.length; i++) sum += Math.abs(now![i]! / size - before![i]! / all);
  return sum / 2;
}

/** Standard error of the difference. A share's is that of the expected one, with half a success and half a failure more. */
export function errorOf(kind: Kind, now: Reading, sums: Sums): number {
  if (kind === 'mix') return movedShare(now, sums) / Math.max(1e-9, distanceOf(kind, now, sums));
  const share = (sums.value + 0.5) / (sums.size + 1);
  const variance = kind === 'level' ? sums.variance / sums.size : share * (1 - share);
  return Math.sqrt(variance * (1 / now.size + 1 / sums.size) + (now.own ?? 0) + (sums.own ?? 0));
}
