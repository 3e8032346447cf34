/** What is usual for a field: the range of each measure in earlier batches, and the distribution of their values. Pure. */
import { statisticsOf } from '../client/statistics.ts';
import { figure, percent } from '../terms/wording.ts';
import {
  type FieldProfile,
  type Histogram,
  lookup,
  type Profile,
  type Report,
  type SourceChange,
} from './contract.ts';

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
  /** What was usual until a batch was accepted that differed in this field. */
  before?: UsualField;
  /** The batch that is shown was accepted and differed in this field: it is usual now, and this was until then. */
  isOver?: boolean;
}

export interface Usual {
  batches: number;
  fields: ReadonlyMap<string, UsualField>;
}

export interface KnownBatch {
  profile: Profile;
  /** It was accepted, and these fields started over with it. */
  changed?: ReadonlySet<string>;
}

/** `batches`: newest first. `over`: the fields that start over with the batch that is shown. */
export function usualOf(batches: readonly KnownBatch[], over: ReadonlySet<string> = new Set()): Usual {
  const named = batches.flatMap(({ profile, changed }) =>
    [...lookup(profile.fields)].map(([name, field]) => ({ name, field, startsOver: changed?.has(name) })),
  );
  const byName = Map.groupBy(named, ({ name }) => name);
  const fields = new Map(
    [...byName].map(([name, known]) => [name, { ...usualSince(known), isOver: over.has(name) }]),
  );
  return { batches: batches.length, fields };
}

interface KnownField {
  field: FieldProfile;
  startsOver: boolean | undefined;
}

function usualSince(known: readonly KnownField[]): UsualField {
  const first = known.findIndex(({ startsOver }) => startsOver);
  const since = first < 0 ? known : known.slice(0, first + 1);
  const old = known.slice(since.length);
  return {
    ...usualField(since.map(({ field }) => field)),
    ...(old.length > 0 && { before: usualSince(old) }),
  };
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

/** The fields in which a batch differed: they start over with it where it is accepted. */
export const changedIn = ({ drift = [], anomalies = [] }: Report): Set<string> =>
  new Set([
    ...drift.filter(({ severity }) => severity !== 'info').map(({ field }) => field),
    ...anomalies.filter(({ statistic }) => statistic !== 'repeated_column').map(({ field }) => field),
  ]);

/** The accepts that held at a time, newest first: those since the baseline was reset or went back. `changes`: newest first. */
export function acceptsBefore(changes: readonly SourceChange[], time: string): SourceChange[] {
  const before = changes.filter(({ at }) => at < time);
  const undone = before.findIndex(({ action }) => action === 'rolled_back' || action === 'reset');
  return before.slice(0, undone < 0 ? undefined : undone).filter(({ action }) => action === 'accepted');
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
