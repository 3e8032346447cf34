/** Checks answers before times: our profile must equal the plain one. */
import type { FieldProfile, NumericMeasures, Profile } from '../src/profile/profile.ts';
import type { PlainField, PlainProfile } from './plain-profile.ts';

/** Tolerance: sums are rounded in a different order. */
const SUM_TOLERANCE = 1e-9;
const INTERPOLATION_TOLERANCE = 1e-12;

/** Throws if there are differences, and lists them all. */
export function checkAgreement(ours: Profile, plain: PlainProfile): void {
  const found = differences(ours, plain);
  if (found.length > 0) throw new Error(`our profile differs from the plain one: ${found.join('; ')}`);
}

/** One line for each number of our profile (of all rows) that differs from the plain one. */
export function differences(ours: Profile, plain: PlainProfile): string[] {
  const names = new Set([...ours.fields.map(field => field.name), ...plain.keys()]);
  const fields = new Map(ours.fields.map(field => [field.name, field]));
  return [...names].flatMap(name => {
    const mine = fields.get(name);
    const theirs = plain.get(name);
    if (mine === undefined || theirs === undefined) return [`${name} is in one of both only`];
    return fieldDifferences(mine, theirs).map(text => `${name}: ${text}`);
  });
}

function fieldDifferences(ours: FieldProfile, plain: PlainField): string[] {
  const pairs: [string, number, number][] = [
    ['present', ours.present, plain.present],
    ['nulls', ours.nulls, plain.nulls],
    ['empties', ours.empties, plain.empties],
    ['distinct', ours.measured.distinct, plain.distinct.size],
    ['numbers', ours.counts.number, plain.counts.number],
    ['booleans', ours.counts.boolean, plain.counts.boolean],
    ['objects', ours.counts.object, plain.counts.object],
    ['arrays', ours.counts.array, plain.counts.array],
    ['strings', ours.counts.string, plain.counts.string],
  ];
  const counted = pairs.flatMap(([what, mine, theirs]) => difference(what, mine, theirs, 0));
  const { numeric } = ours.measured;
  if (numeric === null || plain.numbers.length === 0)
    return numeric === null && plain.numbers.length === 0 ? counted : [...counted, 'numbers in one only'];
  return [...counted, ...numericDifferences(numeric, plain)];
}

function numericDifferences(ours: NumericMeasures, plain: PlainField): string[] {
  const scale = Math.max(Math.abs(plain.min), Math.abs(plain.max));
  const inner = plain.quantiles.flatMap((value, i) =>
    difference(`quantile ${i}`, ours.quantiles[i]!, value, INTERPOLATION_TOLERANCE * scale),
  );
  return [
    ...difference('minimum', ours.quantiles[0]!, plain.min, 0),
    ...difference('maximum', ours.quantiles.at(-1)!, plain.max, 0),
    ...difference('mean', ours.mean, plain.mean, SUM_TOLERANCE * scale),
    ...difference('m2', ours.m2, plain.m2, SUM_TOLERANCE * plain.m2),
    ...difference('outliers', ours.outliers.count, plain.outliers, 0),
    ...inner,
  ];
}

const difference = (what: string, ours: number, plain: number, tolerance: number): string[] =>
  Math.abs(ours - plain) <= tolerance ? [] : [`${what} ${ours}, not ${plain}`];
