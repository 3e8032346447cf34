/** What the baseline keeps of one batch: numbers and salted hashes, no row and no value. */
import type { Verdict } from '../verdict.ts';
import {
  type FieldProfile,
  type Measures,
  type NumericMeasures,
  type Profile,
  Trait,
  type ValueType,
} from '../profile/profile.ts';
import type { Baseline } from './baseline.ts';
import { packRegisters } from './distinct.ts';
import { untracked } from './limits.ts';
import { FIRST_TRAIT, Statistic, TRAITS } from './statistics.ts';

/** What a batch's state says besides its profile. */
export interface BatchFacts {
  /** The request's id, at most 64 characters; ids sort by time. */
  id: string;
  /** When it was screened, in ms. */
  at: number;
  /** One chunk of a larger batch: its row count says nothing. */
  chunk: boolean;
  /** The source's first batch, and BLOCK: it counts only until a better one comes. */
  provisional: boolean;
  /** It was accepted as the new normal. */
  accepted?: boolean;
  verdict: Verdict;
  /** 0..1. */
  health: number;
}

export interface BatchState extends BatchFacts {
  rows: number;
  /** By name, in the order of the profile. */
  fields: Map<string, FieldState>;
}

/** The numbers of FieldProfile and Measures, in forms that merge. */
export interface FieldState {
  present: number;
  nulls: number;
  counts: Record<ValueType, number>;
  empties: number;
  values: number;
  distinct: number;
  texts: number;
  distinctTexts: number;
  /** Packed registers, see `distinct.ts`. */
  sketch: Uint8Array;
  /** Salted hashes of the distinct strings, ascending; null when there were too many to list. */
  listed: BigUint64Array | null;
  numeric: NumericState | null;
  /** What `statistics.ts` keeps from FIRST_TRAIT on; null of a state that an older program wrote. */
  traits: Float32Array | null;
}

export interface NumericState {
  count: number;
  mean: number;
  m2: number;
  outliers: number;
  /** QUANTILES order statistics, ascending and finite. */
  points: Float64Array;
}

/** A batch's state; `fresh` as `freshValues` has it. Fields that the baseline has no room for are left out, so a state is never larger than a record. */
export function stateOf(
  profile: Profile,
  facts: BatchFacts,
  baseline: Baseline | null,
  fresh: ReadonlyMap<string, number>,
): BatchState {
  const names = profile.fields.map(field => field.name);
  const left = new Set(untracked(baseline, names));
  const kept = profile.fields.filter(field => !left.has(field.name));
  return {
    id: facts.id,
    at: facts.at,
    chunk: facts.chunk,
    provisional: facts.provisional,
    verdict: facts.verdict,
    health: facts.health,
    rows: profile.rows,
    fields: new Map(kept.map(field => [field.name, fieldStateOf(field, fresh.get(field.name))])),
  };
}

function fieldStateOf(field: FieldProfile, fresh = Number.NaN): FieldState {
  const { values, distinct, texts, distinctTexts, registers, listed, numeric, traits } = field.measured;
  return {
    present: field.present,
    nulls: field.nulls,
    counts: { ...field.counts },
    empties: field.empties,
    values,
    distinct,
    texts,
    distinctTexts,
    sketch: packRegisters(registers),
    listed: hashesOf(listed),
    numeric: numericStateOf(numeric),
    traits: keptTraits(traits, fresh),
  };
}

function hashesOf(listed: Measures['listed']): BigUint64Array | null {
  return listed && BigUint64Array.from(listed, text => text.hash).sort();
}

/** NaN in place of what has nothing behind it; in the precision in which it is kept. */
function keptTraits(traits: Float64Array, fresh: number): Float32Array {
  const kept = new Float32Array(TRAITS);
  kept.set(traits);
  const texts = traits[Trait.LOOKED_TEXTS]!;
  kept[Statistic.LENGTH_DEVIATION - FIRST_TRAIT] = Math.sqrt(traits[Trait.LENGTH_M2]! / texts);
  kept[Statistic.FRESH - FIRST_TRAIT] = fresh;
  if (texts === 0) kept.fill(Number.NaN, Statistic.LOOKED_TEXTS - FIRST_TRAIT, Statistic.TRUES - FIRST_TRAIT);
  return kept;
}

function numericStateOf(numeric: NumericMeasures | null): NumericState | null {
  // Between two numbers near the end of a double's range an interpolated point can overflow: not kept.
  if (!numeric?.quantiles.every(Number.isFinite)) return null;
  const { count, mean, m2, outliers, quantiles } = numeric;
  return { count, mean, m2, outliers: outliers.count, points: quantiles.slice() };
}
