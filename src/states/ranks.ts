/**
 * Where the numbers of a column lie, over parts of any number: a histogram whose buckets are as narrow as their number allows.
 *
 * The bits of a double, read as a whole number, sort as the doubles do. A bucket holds the numbers that agree in all but the lowest `level` of these bits. The level is
 * the lowest at which no more than MAX_BUCKETS buckets are filled. Which buckets all numbers together fill does not depend on the parts that they came in, so neither does
 * the level, and a merge is associative and commutative, to the bit (the uniform collapse of UDDSketch, Epicoco et al. 2020, on bits in place of logarithms).
 *
 * Numbers that are frequent in a slice, such as a usual price, are atoms (one in ATOM_ONE_IN numbers, and two at least): they are counted by themselves. When there are more than MAX_ATOMS, all are put into the buckets.
 *
 * Order statistics are exact while each bucket holds one number. Beyond that a rank is wrong by less than the share of the numbers in its bucket; distributions
 * without other frequent numbers fill thousands of buckets alike.
 */
import { ATOM_ONE_IN } from '../../assembly/abi-parts.ts';

export interface Ranks {
  /** Null once there were too many. */
  atoms: Atoms | null;
  /** Bits that are left out: LEAST_LEVEL..64. */
  level: number;
  /** The buckets that hold numbers, ascending. */
  keys: Float64Array;
  counts: Float64Array;
  /** The least and the greatest number in each. */
  least: Float64Array;
  greatest: Float64Array;
  /** So many buckets are kept, and so many atoms: MAX_BUCKETS, or fewer in a wide table. */
  most: number;
}

/** Ascending, each with its count. */
export interface Atoms {
  numbers: Float64Array;
  counts: Float64Array;
}

export const MAX_BUCKETS = 4096;
/** So that a key is a whole number that a double holds. */
export const LEAST_LEVEL = 11;
export const HIGHEST_LEVEL = 64;
const KEY_BITS = HIGHEST_LEVEL - LEAST_LEVEL;

const EMPTY = new Float64Array();
export const NO_RANKS: Ranks = {
  most: MAX_BUCKETS,
  atoms: { numbers: EMPTY, counts: EMPTY },
  level: LEAST_LEVEL,
  keys: EMPTY,
  counts: EMPTY,
  least: EMPTY,
  greatest: EMPTY,
};

const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

/** Ascending with x, which is finite; below 2^53. */
function keyOf(x: number): number {
  double[0] = x;
  const [low, high] = [halves[0]!, halves[1]!];
  const isNegative = high >>> 31 === 1;
  const upper = (isNegative ? ~high : high | 0x80000000) >>> 0;
  const lower = (isNegative ? ~low : low) >>> 0;
  return upper * 2 ** (32 - LEAST_LEVEL) + (lower >>> LEAST_LEVEL);
}

/** Of the bucket that holds x. */
export const keyAt = (level: number, x: number): number => Math.floor(keyOf(x) / 2 ** (level - LEAST_LEVEL));

/** Of finite numbers, which it sorts. A negative zero counts as zero. `level`: that of ranks which they will be merged with, or a lower one. */
export function ranksOf(numbers: Float64Array, level = LEAST_LEVEL, most = MAX_BUCKETS): Ranks {
  for (let i = 0; i < numbers.length; i++) numbers[i]! += 0;
  numbers.sort();
  const buckets = new Buckets(level, numbers.length);
  const width = 2 ** (level - LEAST_LEVEL);
  const frequent = Math.max(2, numbers.length / ATOM_ONE_IN);
  const atoms: { number: number; count: number }[] = [];
  for (let from = 0, end = 0; from < numbers.length; from = end) {
    const number = numbers[from]!;
    while (end < numbers.length && numbers[end] === number) end++;
    if (end - from >= frequent) atoms.push({ number, count: end - from });
    else buckets.add(Math.floor(keyOf(number) / width), end - from, number, number);
  }
  return bounded({
    ...buckets.end(),
    most,
    atoms: {
      numbers: Float64Array.from(atoms, ({ number }) => number),
      counts: Float64Array.from(atoms, ({ count }) => count),
    },
  });
}

export function mergeRanks(a: Ranks, b: Ranks): Ranks {
  if (a.level > b.level) return mergeRanks(b, a);
  const most = Math.min(a.most, b.most);
  const atoms = a.atoms && b.atoms && mergeAtoms(a.atoms, b.atoms, most);
  if (atoms === null && (a.atoms !== null || b.atoms !== null))
    return mergeRanks(withoutAtoms(a), withoutAtoms(b));
  const width = 2 ** (b.level - a.level);
  const [left, right] = [a.keys.length, b.keys.length];
  const buckets = new Buckets(b.level, left + right);
  for (let i = 0, j = 0; i < left || j < right; ) {
    const x = i < left ? Math.floor(a.keys[i]! / width) : Number.POSITIVE_INFINITY;
    if (j === right || x <= b.keys[j]!) {
      buckets.add(x, a.counts[i]!, a.least[i]!, a.greatest[i]!);
      i++;
    } else {
      buckets.add(b.keys[j]!, b.counts[j]!, b.least[j]!, b.greatest[j]!);
      j++;
    }
  }
  return bounded({ ...buckets.end(), most, atoms });
}

/** Null if there are too many. */
function mergeAtoms(a: Atoms, b: Atoms, most: number): Atoms | null {
  const counts = new Map(Array.from(a.numbers, (number, i) => [number, a.counts[i]!]));
  for (const [i, number] of b.numbers.entries()) counts.set(number, (counts.get(number) ?? 0) + b.counts[i]!);
  if (counts.size > most) return null;
  const numbers = Float64Array.from(counts.keys()).sort();
  return { numbers, counts: numbers.map(number => counts.get(number)!) };
}

/** The same numbers, all in buckets. */
function withoutAtoms(ranks: Ranks): Ranks {
  const { atoms, level } = ranks;
  if (atoms === null) return ranks;
  const { numbers, counts } = atoms;
  const buckets = new Buckets(level, numbers.length);
  const width = 2 ** (level - LEAST_LEVEL);
  for (const [i, number] of numbers.entries())
    buckets.add(Math.floor(keyOf(number) / width), counts[i]!, number, number);
  return mergeRanks({ ...ranks, atoms: null }, { ...buckets.end(), most: ranks.most, atoms: null });
}

/** Used again and again: one is filled at a time. */
const space = { keys: EMPTY, counts: EMPTY, least: EMPTY, greatest: EMPTY };

/** Joins what has the same key. Keys come in ascending order. Each is ended before the next one begins. */
class Buckets {
  readonly #level: number;
  readonly #keys: Float64Array;
  readonly #counts: Float64Array;
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  #last = -1;

  constructor(level: number, most: number) {
    this.#level = level;
    if (space.keys.length < most)
      for (const name of ['keys', 'counts', 'least', 'greatest'] as const)
        space[name] = new Float64Array(most);
    this.#keys = space.keys;
    this.#counts = space.counts;
    this.#least = space.least;
    this.#greatest = space.greatest;
  }

  add(key: number, count: number, least: number, greatest: number): void {
    const at = this.#last;
    if (at >= 0 && this.#keys[at] === key) {
      this.#counts[at]! += count;
      if (least < this.#least[at]!) this.#least[at] = least;
      if (greatest > this.#greatest[at]!) this.#greatest[at] = greatest;
      return;
    }
    this.#last = at + 1;
    this.#keys[at + 1] = key;
    this.#counts[at + 1] = count;
    this.#least[at + 1] = least;
    this.#greatest[at + 1] = greatest;
  }

  end(): Omit<Ranks, 'atoms' | 'most'> {
    const size = this.#last + 1;
    return {
      level: this.#level,
      keys: this.#keys.slice(0, size),
      counts: this.#counts.slice(0, size),
      least: this.#least.slice(0, size),
      greatest: this.#greatest.slice(0, size),
    };
  }
}

/** At the lowest level that is allowed. */
export function bounded(ranks: Ranks): Ranks {
  const { keys, counts, least, greatest, most } = ranks;
  if (keys.length <= most) return ranks;
  const levels = levelsTooMany(keys, most);
  const buckets = new Buckets(ranks.level + levels, keys.length);
  for (let i = 0; i < keys.length; i++)
    buckets.add(Math.floor(keys[i]! / 2 ** levels), counts[i]!, least[i]!, greatest[i]!);
  return { ...buckets.end(), most, atoms: ranks.atoms };
}

/** By how many levels ascending keys must become coarser, so that they are in so many buckets at most. */
function levelsTooMany(keys: Float64Array, most: number): number {
  // Neighbours are in one bucket from the level on at which they agree.
  const apart = new Uint32Array(KEY_BITS + 1);
  for (let i = 1; i < keys.length; i++) apart[differingBits(keys[i - 1]!, keys[i]!)]!++;
  let buckets = 1;
  let levels = KEY_BITS;
  while (levels > 0 && buckets + apart[levels]! <= most) buckets += apart[levels--]!;
  return levels;
}

/** How many of the lowest bits must be left out until both are the same. */
function differingBits(a: number, b: number): number {
  const upper = Math.floor(a / 2 ** 32) ^ Math.floor(b / 2 ** 32);
  return upper === 0 ? 32 - Math.clz32((a >>> 0) ^ (b >>> 0)) : 64 - Math.clz32(upper);
}
