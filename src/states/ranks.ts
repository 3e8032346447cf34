/**
 * Where the numbers of a column lie, over parts of any number: a histogram whose buckets are as narrow as their number allows.
 *
 * The bits of a double, read as a whole number, sort as the doubles do. A bucket holds the numbers that agree in all but the lowest `level` of these bits. The level is
 * the lowest at which no more than MAX_BUCKETS buckets are filled. Which buckets all numbers together fill does not depend on the parts that they came in, so neither does
 * the level, and a merge is associative and commutative, to the bit (the uniform collapse of UDDSketch, Epicoco et al. 2020, on bits in place of logarithms).
 *
 * Order statistics are exact while no bucket holds more than two distinct numbers, so at least up to MAX_BUCKETS distinct numbers. Beyond that a rank is wrong by less than the
 * share of the numbers in its bucket; smooth distributions fill thousands of buckets alike.
 */
export interface Ranks {
  /** Bits that are left out: LEAST_LEVEL..64. */
  level: number;
  /** The buckets that hold numbers, ascending. */
  keys: Float64Array;
  counts: Float64Array;
  /** The least and the greatest number in each. */
  least: Float64Array;
  greatest: Float64Array;
}

export const MAX_BUCKETS = 4096;
/** So that a key is a whole number that a double holds. */
const LEAST_LEVEL = 11;
const KEY_BITS = 64 - LEAST_LEVEL;

const EMPTY = new Float64Array();
export const NO_RANKS: Ranks = {
  level: LEAST_LEVEL,
  keys: EMPTY,
  counts: EMPTY,
  least: EMPTY,
  greatest: EMPTY,
};

const number = new Float64Array(1);
const halves = new Uint32Array(number.buffer);

/** Ascending with x, which is finite; below 2^53. */
function keyOf(x: number): number {
  number[0] = x;
  const [low, high] = [halves[0]!, halves[1]!];
  const isNegative = high >>> 31 === 1;
  const upper = (isNegative ? ~high : high | 0x80000000) >>> 0;
  const lower = (isNegative ? ~low : low) >>> 0;
  return upper * 2 ** (32 - LEAST_LEVEL) + (lower >>> LEAST_LEVEL);
}

/** Of finite numbers, which it sorts. A negative zero counts as zero. `level`: the least to begin with, as that of other parts is known to be so high. */
export function ranksOf(numbers: Float64Array, level = LEAST_LEVEL): Ranks {
  for (let i = 0; i < numbers.length; i++) numbers[i]! += 0;
  numbers.sort();
  const buckets = new Buckets(level, numbers.length);
  const width = 2 ** (level - LEAST_LEVEL);
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    buckets.add(Math.floor(keyOf(number) / width), 1, number, number);
  }
  return bounded(buckets.end());
}

export function mergeRanks(a: Ranks, b: Ranks): Ranks {
  if (a.level > b.level) return mergeRanks(b, a);
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
  return bounded(buckets.end());
}

/** Joins what has the same key. Keys come in ascending order. */
class Buckets {
  readonly #level: number;
  readonly #keys: Float64Array;
  readonly #counts: Float64Array;
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  #last = -1;

  constructor(level: number, most: number) {
    this.#level = level;
    this.#keys = new Float64Array(most);
    this.#counts = new Float64Array(most);
    this.#least = new Float64Array(most);
    this.#greatest = new Float64Array(most);
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

  end(): Ranks {
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
function bounded(ranks: Ranks): Ranks {
  const { keys, counts, least, greatest } = ranks;
  if (keys.length <= MAX_BUCKETS) return ranks;
  const levels = levelsTooMany(keys);
  const buckets = new Buckets(ranks.level + levels, keys.length);
  for (let i = 0; i < keys.length; i++)
    buckets.add(Math.floor(keys[i]! / 2 ** levels), counts[i]!, least[i]!, greatest[i]!);
  return buckets.end();
}

/** By how many levels ascending keys must become coarser, so that they are in MAX_BUCKETS buckets at most. */
function levelsTooMany(keys: Float64Array): number {
  // Neighbours are in one bucket from the level on at which they agree.
  const apart = new Uint32Array(KEY_BITS + 1);
  for (let i = 1; i < keys.length; i++) apart[differingBits(keys[i - 1]!, keys[i]!)]!++;
  let buckets = 1;
  let levels = KEY_BITS;
  while (levels > 0 && buckets + apart[levels]! <= MAX_BUCKETS) buckets += apart[levels--]!;
  return levels;
}

/** How many of the lowest bits must be left out until both are the same. */
function differingBits(a: number, b: number): number {
  const upper = Math.floor(a / 2 ** 32) ^ Math.floor(b / 2 ** 32);
  return upper === 0 ? 32 - Math.clz32((a >>> 0) ^ (b >>> 0)) : 64 - Math.clz32(upper);
}

// ---- what it says ----

/** How many numbers there are. */
export const sizeOf = ({ counts }: Ranks): number => counts.reduce((sum, count) => sum + count, 0);

/** Order statistics of type 7 (Hyndman and Fan 1996) at i / (n - 1). There must be numbers. */
export function quantilesOf(ranks: Ranks, n: number): Float64Array {
  const last = sizeOf(ranks) - 1;
  const at = numberAt(ranks);
  return Float64Array.from({ length: n }, (_, i) => {
    const rank = (last * i) / (n - 1);
    const below = at(Math.floor(rank));
    const above = at(Math.ceil(rank));
    const share = rank - Math.floor(rank);
    return share === 0 ? below : between(below, above, share);
  });
}

/** Reads the number of a rank, from 0. Ranks must be asked for in ascending order, but for the one before. */
function numberAt({ counts, least, greatest }: Ranks): (rank: number) => number {
  let bucket = 0;
  let before = 0;
  return rank => {
    while (bucket > 0 && rank < before) before -= counts[--bucket]!;
    while (rank >= before + counts[bucket]!) before += counts[bucket++]!;
    const places = counts[bucket]! - 1;
    const share = places === 0 ? 0 : (rank - before) / places;
    return between(least[bucket]!, greatest[bucket]!, share);
  };
}

/** As the engine does: the distance of two huge numbers may overflow a double. */
function between(a: number, b: number, share: number): number {
  const gap = b - a;
  return Number.isFinite(gap) ? a + share * gap : a * (1 - share) + b * share;
}

/** How many numbers lie below x. Exact unless x lies within a bucket: there numbers count as if they lay evenly. */
export function countBelow({ counts, least, greatest }: Ranks, x: number): number {
  let below = 0;
  for (let i = 0; i < counts.length && least[i]! < x; i++) {
    const [low, high] = [least[i]!, greatest[i]!];
    below += high < x ? counts[i]! : 1 + Math.floor((counts[i]! - 2) * Math.min(1, (x - low) / (high - low)));
  }
  return below;
}

/** The least and the greatest number. There must be numbers. */
export const leastIn = ({ least }: Ranks): number => least[0]!;
export const greatestIn = ({ greatest }: Ranks): number => greatest.at(-1)!;

/** The least number above x, and the greatest one below it: the nearest that is known. NaN without one. */
export function nextAbove({ least, greatest }: Ranks, x: number): number {
  const bucket = greatest.findIndex(number => number > x);
  return bucket < 0 ? Number.NaN : least[bucket]! > x ? least[bucket]! : greatest[bucket]!;
}

export function nextBelow({ least, greatest }: Ranks, x: number): number {
  const bucket = least.findLastIndex(number => number < x);
  return bucket < 0 ? Number.NaN : greatest[bucket]! < x ? greatest[bucket]! : least[bucket]!;
}
