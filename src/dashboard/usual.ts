/** What is usual for a field: the range of each measure in earlier batches, and the distribution of their values. Pure. */
import { statisticsOf } from '../client/statistics.ts';
import { figure, percent } from '../wording.ts';
import { type FieldProfile, type Histogram, lookup, type Profile } from './contract.ts';

export interface Measure {
  label: string;
  value: number;
  text(value: number): string;
}

/** The measures of a field that can be compared from batch to batch; none that depends only on the number of rows. */
export function measuresOf(profile: FieldProfile): Measure[] {
  const { null_rate, empties, values, distinct, types, numbers } = profile;
  const share = (label: string, part: number, whole: number) =>
    whole > 0 ? [{ label, value: part / whole, text: percent }] : [];
  const number = (label: string, value: number | null | undefined) =>
    value == null ? [] : [{ label, value, text: figure }];
  const quantiles = numbers?.quantiles ?? {};
  return [
    { label: 'Null rate', value: null_rate, text: percent },
    ...number('Median', quantiles['0.5']),
    ...share('Empty strings', empties, types.string ?? 0),
    ...share('Distinct values', distinct, values),
    ...Object.entries(types).flatMap(([type, many]) => (many > 0 ? share(`Type ${type}`, many, values) : [])),
    ...number('Smallest', numbers?.min),
    ...number('Lower quartile', quantiles['0.25']),
    ...number('Upper quartile', quantiles['0.75']),
    ...number('Largest', numbers?.max),
    ...number('Mean', numbers?.mean),
    ...number('Standard deviation', numbers?.standard_deviation),
    ...statisticsOf(profile).map(({ label, value, id }) => ({
      label,
      value,
      text: /_(share|rate)$/.test(id) ? percent : figure,
    })),
  ];
}

export interface UsualField {
  /** Earlier batches that had the field. */
  batches: number;
  ranges: ReadonlyMap<string, readonly [low: number, high: number]>;
  histograms: Histogram[];
  /** Shares of the most frequent texts, averaged. */
  texts: ReadonlyMap<string, number>;
}

export interface Usual {
  batches: number;
  fields: ReadonlyMap<string, UsualField>;
}

export function usualOf(profiles: readonly Profile[]): Usual {
  const byField = new Map<string, FieldProfile[]>();
  for (const { fields } of profiles)
    for (const [name, field] of lookup(fields)) {
      const known = byField.get(name);
      if (known) known.push(field);
      else byField.set(name, [field]);
    }
  const fields = new Map([...byField].map(([name, known]) => [name, usualField(known)]));
  return { batches: profiles.length, fields };
}

function usualField(profiles: readonly FieldProfile[]): UsualField {
  const ranges = new Map<string, [number, number]>();
  const texts = new Map<string, number>();
  for (const profile of profiles) {
    for (const { label, value } of measuresOf(profile)) {
      const [low, high] = ranges.get(label) ?? [value, value];
      ranges.set(label, [Math.min(low, value), Math.max(high, value)]);
    }
    for (const { value, count } of profile.top_values ?? [])
      texts.set(value, (texts.get(value) ?? 0) + count / profile.values / profiles.length);
  }
  const histograms = profiles.flatMap(({ numbers }) => numbers?.histogram ?? []);
  return { batches: profiles.length, ranges, histograms, texts };
}

/** `above` or `below` what was usual; null within it, and where nothing is known. */
export function placeOf({ label, value }: Measure, usual: UsualField | undefined): 'above' | 'below' | null {
  const range = usual?.ranges.get(label);
  if (!range) return null;
  // Figures that are shown alike are not called different.
  const tolerance = 1e-9 * Math.max(Math.abs(range[0]), Math.abs(range[1]));
  if (value > range[1] + tolerance) return 'above';
  return value < range[0] - tolerance ? 'below' : null;
}

export const rangeText = ({ text }: Measure, [low, high]: readonly [number, number]): string =>
  text(low) === text(high) ? text(low) : `${text(low)} to ${text(high)}`;

/** The shares of numbers in `bins` equal intervals from `low` to `high`, averaged over the histograms. */
export function sharesIn(
  histograms: readonly Histogram[],
  low: number,
  high: number,
  bins: number,
): number[] {
  const shares = new Array<number>(bins).fill(0);
  for (const histogram of histograms) addShares(shares, histogram, low, (high - low) / bins);
  return shares.map(share => share / Math.max(1, histograms.length));
}

/** An interval that reaches over several is divided among them. */
function addShares(shares: number[], { low, high, counts }: Histogram, from: number, width: number): void {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const own = (high - low) / counts.length;
  const binOf = (value: number) =>
    Math.min(shares.length - 1, Math.max(0, Math.floor((value - from) / width)));
  counts.forEach((count, i) => {
    if (count === 0) return;
    const [start, end] = [low + i * own, low + (i + 1) * own];
    const [first, last] = [binOf(start), binOf(end)];
    for (let bin = first; bin <= last; bin++) {
      const part = Math.min(end, from + (bin + 1) * width) - Math.max(start, from + bin * width);
      shares[bin]! += (count / total) * (first === last ? 1 : Math.max(0, part) / (end - start));
    }
  });
}
