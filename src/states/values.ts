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
  /** Whether these are all values. */
  areAll: boolean;
}

export const MAX_VALUES = 16_384;
/** Hashes are below it. */
const HASH_END = 2 ** 53;

export const NO_VALUES: Values = { hashes: new Float64Array(), counts: new Float64Array(), areAll: true };

/** Of hashes in any order, which it sorts. */
export function valuesOf(hashes: Float64Array): Values {
  hashes.sort();
  const [kept, counts] = [new Float64Array(hashes.length), new Float64Array(hashes.length)];
  let end = 0;
  for (let i = 0; i < hashes.length; i++) {
    if (end > 0 && kept[end - 1] === hashes[i]) counts[end - 1]!++;
    else {
      kept[end] = hashes[i]!;
      counts[end++] = 1;
    }
  }
  return cut({ hashes: kept, counts, areAll: true }, end);
}

export function mergeValues(a: Values, b: Values): Values {
  const [left, right] = [a.hashes, b.hashes];
  // What one side has dropped cannot be counted any more.
  const stop = Math.min(endOf(a), endOf(b));
  const most = left.length + right.length;
  const [hashes, counts] = [new Float64Array(most), new Float64Array(most)];
  let end = 0;
  for (let i = 0, j = 0; ; end++) {
    const [x, y] = [left[i] ?? HASH_END, right[j] ?? HASH_END];
    const hash = Math.min(x, y);
    if (hash > stop || hash === HASH_END) break;
    hashes[end] = hash;
    if (x === hash) counts[end]! += a.counts[i++]!;
    if (y === hash) counts[end]! += b.counts[j++]!;
  }
  return cut({ hashes, counts, areAll: a.areAll && b.areAll }, end);
}

/** Without some of them, of which as many must be there. */
export function withoutValues(values: Values, { hashes, counts }: Values): Values {
  const left = values.counts.slice();
  for (const [i, hash] of hashes.entries()) {
    const at = values.hashes.indexOf(hash);
    if (at >= 0) left[at]! -= counts[i]!;
  }
  const isLeft = (_: number, i: number): boolean => left[i]! > 0;
  return { hashes: values.hashes.filter(isLeft), counts: left.filter(isLeft), areAll: values.areAll };
}

/** Beyond this hash values are missing. */
export const endOf = ({ hashes, areAll }: Values): number => (areAll ? HASH_END : hashes.at(-1)!);

function cut({ hashes, counts, areAll }: Values, size: number): Values {
  const end = Math.min(size, MAX_VALUES);
  return {
    hashes: hashes.slice(0, end),
    counts: counts.slice(0, end),
    areAll: areAll && size <= MAX_VALUES,
  };
}

/** How many values differ. */
export const distinctIn = ({ hashes, areAll }: Values): number =>
  areAll ? hashes.length : Math.round(((hashes.length - 1) * HASH_END) / hashes.at(-1)!);

/** How often the most frequent of the values that are kept occurs; 0 without values. */
export const mostFrequentIn = ({ counts }: Values): number =>
  counts.reduce((most, count) => Math.max(most, count), 0);
