/**
 * Quantiles of a weighted mixture of batches.
 *
 * A batch keeps 33 order statistics of its numbers, at ranks 0, 1/32 .. 1. They form a cumulative
 * distribution that is linear between neighbours (equal neighbours are a jump). Batches are mixed by adding their
 * distributions by weight. A fold reads the mixture at the 33 ranks again, so a record stays small.
 *
 * The error is one of rank: the distance between p and the true weighted share of values at `quantile(p)`.
 * - A batch of n numbers: its order statistics (type 7) are true within 1/n, and between two of them any
 *   distribution stays within the 1/32 that lies between their ranks: e = 1/32 + 1/n.
 * - Mixing averages errors. Compressing is exact at the 33 ranks and, as above, within 1/32 between them.
 * - A fold takes in at least 16 batches (`baseline-cache.ts`), which shrinks what was folded before to a share
 *   s = 2^(-16/10) = 0.33 of the weight where batches are of like size. The folded part's error is then
 *   f = e + (1/32)(1 + s + s² + ..) = e + 1.493/32 at most.
 * - The newest 16 batches are never folded, so when read the folded part has at most the share s again:
 *   e + s · 1.493/32 = 1.493/32 + 1/n. RANK_ERROR = 1.5/32 = 0.047 (plus 1/n) is that bound.
 * - For batches of unlike size s is the share by weight: each fold adds 1/32 times the share of the present
 *   weight that went through it. A field without new numbers is not compressed again.
 */
import { QUANTILES } from '../../assembly/abi.ts';
import { decayOver } from './decay.ts';

/** Bound of the rank error for batches of like size, to which 1/n is added for batches of n numbers. */
export const RANK_ERROR = 1.5 / 32;

const STEPS = QUANTILES - 1;

/** The numbers of one batch, or of all folded ones. */
export interface Component {
  /** Order statistics at i / 32, ascending and finite. */
  points: Float64Array;
  /** Numbers behind it when it was made, and the newest batch then (counted from the source's first). */
  weight: number;
  batch: number;
}

/** The mixture's distribution at every point where it bends. */
interface Distribution {
  knots: Float64Array;
  /** Share of the weight strictly below each knot, and at or below it. */
  below: Float64Array;
  upTo: Float64Array;
}

export class Mixture {
  readonly #components: readonly Component[];
  readonly #batches: number;
  /** Made when it is first asked for: most requests do not ask. */
  #distribution: Distribution | undefined;

  /** `batches`: the number of the source's newest batch, which gives the ages of the components. */
  constructor(components: readonly Component[], batches: number) {
    this.#components = components;
    this.#batches = batches;
  }

  /** The smallest number that at least the share p (0..1) of the weight does not exceed; NaN without numbers. */
  quantile(p: number): number {
    if (this.#components.length === 0) return Number.NaN;
    this.#distribution ??= distributionOf(this.#components, this.#batches);
    return invert(this.#distribution, Math.min(1, Math.max(0, p)));
  }

  /** The mixture as one component. */
  compress(): Component {
    const points = Float64Array.from({ length: QUANTILES }, (_, i) => this.quantile(i / STEPS));
    // Interpolation rounds: neighbours may be out of order by one unit in the last place.
    for (let i = 1; i < QUANTILES; i++) points[i] = Math.max(points[i]!, points[i - 1]!);
    const weight = this.#components.reduce((sum, component) => sum + weightAt(component, this.#batches), 0);
    return { points, weight, batch: this.#batches };
  }
}

const weightAt = (component: Component, batches: number): number =>
  component.weight * decayOver(batches - component.batch);

function distributionOf(components: readonly Component[], batches: number): Distribution {
  const knots = distinctPoints(components);
  const below = new Float64Array(knots.length);
  const upTo = new Float64Array(knots.length);
  for (const component of components) {
    addShares(component.points, weightAt(component, batches), knots, below, upTo);
  }
  normalise(below, upTo);
  return { knots, below, upTo };
}

function distinctPoints(components: readonly Component[]): Float64Array {
  const all = new Float64Array(components.length * QUANTILES);
  for (const [index, component] of components.entries()) all.set(component.points, index * QUANTILES);
  all.sort();
  return all.filter((point, index) => index === 0 || point !== all[index - 1]);
}

/** Adds one component's weight below and up to every knot, walking both in ascending order. */
function addShares(
  points: Float64Array,
  weight: number,
  knots: Float64Array,
  below: Float64Array,
  upTo: Float64Array,
): void {
  let lower = 0;
  let upper = 0;
  for (let k = 0; k < knots.length; k++) {
    const knot = knots[k]!;
    while (lower < QUANTILES && points[lower]! < knot) lower++;
    while (upper < QUANTILES && points[upper]! <= knot) upper++;
    below[k]! += weight * shareAt(points, lower, knot);
    upTo[k]! += weight * shareAt(points, upper, knot);
  }
}

/** Share of a component at a knot that `passed` of its points lie before. */
function shareAt(points: Float64Array, passed: number, knot: number): number {
  if (passed === 0) return 0;
  if (passed === QUANTILES) return 1;
  return (passed - 1 + position(points[passed - 1]!, points[passed]!, knot)) / STEPS;
}

/** Where x lies between a and b (a < b): 0..1. */
function position(a: number, b: number, x: number): number {
  const width = b - a;
  // The distance of two huge numbers of opposite sign overflows a double; with half of each it does not.
  return Number.isFinite(width) ? (x - a) / width : (x / 2 - a / 2) / (b / 2 - a / 2);
}

/** Makes the sums shares of 1 that never fall, in spite of rounding. */
function normalise(below: Float64Array, upTo: Float64Array): void {
  const total = upTo[upTo.length - 1]!;
  let reached = 0;
  for (let k = 0; k < upTo.length; k++) {
    below[k] = Math.min(1, Math.max(reached, below[k]! / total));
    upTo[k] = Math.min(1, Math.max(below[k]!, upTo[k]! / total));
    reached = upTo[k]!;
  }
}

function invert(distribution: Distribution, p: number): number {
  const { knots, below, upTo } = distribution;
  // Rounded sums may reach 1 before the maximum.
  if (p === 1) return knots[knots.length - 1]!;
  const k = firstAtLeast(upTo, p);
  if (k === 0 || p > below[k]!) return knots[k]!;
  const share = (p - upTo[k - 1]!) / (below[k]! - upTo[k - 1]!);
  return between(knots[k - 1]!, knots[k]!, share);
}

function firstAtLeast(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The number at `share` of the way from a to b; neither overflows nor leaves them. */
const between = (a: number, b: number, share: number): number =>
  Math.min(b, Math.max(a, a * (1 - share) + b * share));
