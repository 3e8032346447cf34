/** The state of a column that was measured in two parts. */
import { MAX_ENUM } from '../../assembly/abi.ts';
import type { Unsettled } from '../engine/reading.ts';
import { addMeanings } from '../semantics/semantic-type.ts';
import { addCounts } from '../signs/sign.ts';
import type { ColumnState, DatesState, Listed, NeighbourState } from './column-state.ts';
import { mergeRows } from './first-rows.ts';
import { mergedMaps } from './merged-maps.ts';
import { mergeMoments } from './moments.ts';
import { isBefore } from './place.ts';
import { mergeRanks } from './ranks.ts';
import { mergeAgainst } from './slice-rows.ts';
import { slotsOf } from './slots.ts';
import { areAll, mergeValues } from './values.ts';

/** Of two states of one column. */
export function mergeColumns(a: ColumnState, b: ColumnState): ColumnState {
  const values = mergeValues(a.values, b.values);
  return {
    name: a.name,
    physicalType: firstType(a.physicalType, b.physicalType),
    first: isBefore(b.first, a.first) ? b.first : a.first,
    isRepeated: a.isRepeated || b.isRepeated,
    counts: sums(a.counts, b.counts),
    inspected: a.inspected + b.inspected,
    buckets: sums(a.buckets, b.buckets),
    hashSum: BigInt.asUintN(64, a.hashSum + b.hashSum),
    values,
    slots: areAll(values) ? null : sums(slotsOf(a), slotsOf(b)),
    registers: maxima(a.registers, b.registers),
    listed: mergeListed(a.listed, b.listed),
    nulls: joinListed(a.nulls, b.nulls),
    words: joinListed(a.words, b.words),
    unsettled: a.unsettled && b.unsettled && addUnsettled(a.unsettled, b.unsettled),
    moments: mergeMoments(a.moments, b.moments),
    ranks: mergeRanks(a.ranks, b.ranks),
    codeMoments: mergeMoments(a.codeMoments, b.codeMoments),
    codeRanks: mergeRanks(a.codeRanks, b.codeRanks),
    lengths: mergeMoments(a.lengths, b.lengths),
    formats: mergeValues(a.formats, b.formats),
    dateForms: mergeValues(a.dateForms, b.dateForms),
    dates: a.dates && b.dates ? mergeDates(a.dates, b.dates) : (a.dates ?? b.dates),
    neighbours: mergeNeighbours(a.neighbours, b.neighbours),
    rows: mergedMaps(a.rows, b.rows, mergeRows),
    against: mergeAgainst(a.against, b.against),
    signs: addCounts(a.signs, b.signs),
    meanings: addMeanings(a.meanings, b.meanings),
  };
}

const byHash = (a: { hash: bigint }, b: { hash: bigint }): number =>
  a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0;

const firstType = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b;

function sums(a: Float64Array, b: Float64Array): Float64Array {
  const both = a.slice();
  for (let i = 0; i < both.length; i++) both[i]! += b[i]!;
  return both;
}

function maxima(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = a.slice();
  for (let i = 0; i < both.length; i++) if (b[i]! > both[i]!) both[i] = b[i]!;
  return both;
}

export function mergeListed(a: ColumnState['listed'], b: ColumnState['listed']): ColumnState['listed'] {
  const both = a && b && joinListed(a, b);
  return both && both.length <= MAX_ENUM ? both : null;
}

function joinListed(a: readonly Listed[], b: readonly Listed[]): readonly Listed[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const merged = new Map(a.map(entry => [entry.hash, entry]));
  for (const entry of b) {
    const known = merged.get(entry.hash);
    const first = known && isBefore(known.first, entry.first) ? known.first : entry.first;
    // One hash has two texts in a crafted state only; the order must not matter there either.
    const text = known && known.text < entry.text ? known.text : entry.text;
    merged.set(entry.hash, { ...entry, text, first, count: entry.count + (known?.count ?? 0) });
  }
  return [...merged.values()].sort(byHash);
}

function addUnsettled(a: Unsettled, b: Unsettled): Unsettled {
  const both = { ...a };
  for (const kind of Object.keys(both) as (keyof Unsettled)[]) both[kind] += b[kind];
  return { ...both, letters: a.letters | b.letters };
}

/** Each unit is a multiple of the shorter ones, so all dates are multiples of the shorter of both. */
const mergeDates = (a: DatesState, b: DatesState): DatesState => ({
  orders: a.orders | b.orders,
  unit: Math.min(a.unit, b.unit),
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
  earliest: Math.min(a.earliest, b.earliest),
  latest: Math.max(a.latest, b.latest),
});

function mergeNeighbours(
  a: ColumnState['neighbours'],
  b: ColumnState['neighbours'],
): ColumnState['neighbours'] {
  const merged = new Map(a.map(neighbour => [neighbour.name, neighbour]));
  for (const other of b) {
    const known = merged.get(other.name);
    merged.set(other.name, known ? mergeNeighbour(known, other) : other);
  }
  return [...merged.values()].sort((x, y) => x.name - y.name);
}

const mergeNeighbour = (a: NeighbourState, b: NeighbourState): NeighbourState => ({
  name: a.name,
  paired: a.paired + b.paired,
  compared: a.compared + b.compared,
  agreeing: a.agreeing + b.agreeing,
  pairs: mergeValues(a.pairs, b.pairs),
});
