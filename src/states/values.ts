/**
 * How often the values of a column occur, over parts of any number, by their hashes. The MAX_VALUES values with the smallest hashes are kept, each with its exact count: a value that
 * is among them for all rows is among them for the rows of each part, so a merge is associative and commutative, to the bit (bottom-k sketches, Cohen and Kaplan 2007).
 *
 * Up to MAX_VALUES distinct values all is exact. Beyond that the number of distinct values follows from the largest hash that is kept (Bar-Yossef et al. 2002), with a standard
 * error of 1 / √MAX_VALUES = 0.8%.
 */
export interface Values {
  /** Of the values that are kept: the upper 53 bits of their hashes, ascending. */
  hashes: Float64Array;
  counts: Float64Array;
  /** Values with larger hashes are left out. */
  end: number;
  /** So many are kept: MAX_VALUES, or fewer in a wide table. */
  most: number;
}

export const MAX_VALUES = 16_384;
/** Hashes are below it. */
export const HASH_END = 2 ** 53;

export const NO_VALUES: Values = {
  ...{ hashes: new Float64Array(), counts: new Float64Array() },
  ...{ end: HASH_END, most: MAX_VALUES },
};

/** Whether none is left out. */
export const areAll = ({ end }: Values): boolean => end === HASH_END;

/** Used again and again. */
const space = { hashes: new Float64Array(), counts: new Float64Array() };

export function mergeValues(a: Values, b: Values): Values {
  const [left, right] = [a.hashes, b.hashes];
  // What one side has left out cannot be counted any more.
  const stop = Math.min(a.end, b.end);
  const most = Math.min(a.most, b.most);
  const [m, n] = [left.length, right.length];
  if (space.hashes.length < m + n) {
    space.hashes = new Float64Array(m + n);
    space.counts = new Float64Array(m + n);
  }
  const { hashes, counts } = space;
  let end = 0;
  for (let i = 0, j = 0; i < m || j < n; end++) {
    const x = i < m ? left[i]! : HASH_END;
    const y = j < n ? right[j]! : HASH_END;
    const hash = Math.min(x, y);
    if (hash > stop || end > most) break;
    hashes[end] = hash;
    counts[end] = 0;
    if (x === hash) counts[end]! += a.counts[i++]!;
    if (y === hash) counts[end]! += b.counts[j++]!;
  }
  return cut({ hashes, counts, end: stop, most }, end);
}

/** Subtracts the counts of others. Values with a count of 0 are dropped. */
export function withoutValues(values: Values, { hashes, counts }: Values): Values {
  const left = values.counts.slice();
  for (const [i, hash] of hashes.entries()) {
    const at = values.hashes.indexOf(hash);
    if (at >= 0) left[at]! -= counts[i]!;
  }
  const isLeft = (_: number, i: number): boolean => left[i]! > 0;
  return {
    hashes: values.hashes.filter(isLeft),
    counts: left.filter(isLeft),
    end: values.end,
    most: values.most,
  };
}

function cut({ hashes, counts, end, most }: Values, size: number): Values {
  const kept = Math.min(size, most);
  return {
    hashes: hashes.slice(0, kept),
    counts: counts.slice(0, kept),
    end: size > most ? hashes[kept - 1]! : end,
    most,
  };
}

/** How many values differ. */
export const distinctIn = (values: Values): number =>
  areAll(values) ? values.hashes.length : Math.round(((values.hashes.length - 1) * HASH_END) / values.end);

/**
 * How many values differ among `sample` of all cells, as expected if any of them may be drawn; the largest samples are all cells. `share`: cells for one that is counted.
 * Where few values repeat, the repeats are estimated: how many values differ is known only roughly, and that all do exactly.
 */
export function distinctInSample(values: Values, share: number, all: number, sample = all): number {
  if (all === 0) return 0;
  if (areAll(values) && sample === all) return Math.min(all, values.hashes.length);
  const drawn = sample / all;
  let distinct = 0;
  let repeats = 0;
  for (const count of values.counts) {
    const isDrawn = 1 - (1 - drawn) ** (share * count);
    distinct += isDrawn;
    repeats += share * count * drawn - isDrawn;
  }
  const scale = values.counts.length === 0 ? 0 : distinctIn(values) / values.counts.length;
  const expected = repeats < distinct && !areAll(values) ? sample - scale * repeats : scale * distinct;
  return Math.round(Math.min(sample, Math.max(0, expected)));
}

/** How often the most frequent of the values that are kept occurs; 0 without values. */
export const mostFrequentIn = ({ counts }: Values): number =>
  counts.reduce((most, count) => Math.max(most, count), 0);
