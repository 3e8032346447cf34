/**
 * How much is kept of one source: at most MAX_TRACKED fields and MAX_RECORD_BYTES. A field is charged its largest possible
 * size, not its size today, so a field that is tracked stays tracked. A field that does not fit when it is first seen is not
 * tracked.
 *
 * Every tracked field is charged as a brief one. What is left goes to the fields in order of first sight: as many as fit
 * are at least standard, and if all are, as many as fit are full. So the detail of a field follows from its place among the
 * fields, their number and the length of their names. New fields come last and take detail from the last ones before them, never give any.
 */
import { MAX_ENUM, QUANTILES } from '../../assembly/abi.ts';
import type { Measurement } from '../statistics/measurement.ts';
import type { Baseline } from './baseline.ts';
import { RECENT_BATCHES } from './batch-statistics.ts';
import { textBytes } from './bytes.ts';
import {
  BRIEF,
  BRIEF_MEASUREMENTS,
  type Detail,
  FULL,
  FULL_MEASUREMENTS,
  least,
  STANDARD,
  STANDARD_MEASUREMENTS,
} from './detail.ts';
import { DENSE_BYTES } from './distinct.ts';
import { RECORD_LAYOUT } from './record-layout.ts';

export const MAX_TRACKED = 4000;
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const F64 = 8;
/** A count below 2^53, seven bits a byte. */
const COUNT_BYTES = 8;
/** A count of rows of one batch (MAX_ROWS is below 2^14). */
const ROWS_BYTES = 2;

/** Of a batch among the last ones: id (64 characters of up to 3 bytes), time, rows, verdict and flags, health, a list of one count. */
const RECENT_COST = 200 + F64 + ROWS_BYTES + 2 + F64 + 1 + ROWS_BYTES;
/** What a record without fields costs at most: version, checksum, counts, row counts and the last batches. */
export const RECORD_COST = 64 + RECORD_LAYOUT.table.length + RECENT_BATCHES * (ROWS_BYTES + RECENT_COST);

/** Of a field in all of the last batches. */
const costOf = (measurements: readonly Measurement[]): number =>
  RECENT_BATCHES *
  measurements.reduce((sum, { storage, width }) => sum + width * (storage === 'count' ? ROWS_BYTES : 4), 0);

/** Groups that a batch has of a field, seven bits a byte; the unknown measurements are a group too. */
const MASK_BYTES = Math.ceil((RECORD_LAYOUT.groups.length + 1) / 7);

const BRIEF_COST =
  2 + // detail and type
  6 * COUNT_BYTES + // batches, counts by type
  5 * F64 + // weighted sums
  RECENT_BATCHES * MASK_BYTES +
  costOf(BRIEF_MEASUREMENTS);

const STANDARD_EXTRA =
  2 * F64 + // weighted sums
  COUNT_BYTES + // texts
  2 + // number of known hashes
  MAX_ENUM * 8 +
  2 + // length of the sketch
  DENSE_BYTES +
  2 + // flags of moments and quantiles
  3 * F64 +
  (QUANTILES + 1) * F64 +
  COUNT_BYTES +
  costOf(STANDARD_MEASUREMENTS.flat());

const FULL_EXTRA = costOf(FULL_MEASUREMENTS);

const COSTS: Readonly<Record<Detail, number>> = [
  BRIEF_COST,
  BRIEF_COST + STANDARD_EXTRA,
  BRIEF_COST + STANDARD_EXTRA + FULL_EXTRA,
];

/** Bytes that a field takes in a record at most. */
export const fieldCost = (name: string, detail: Detail = BRIEF): number => COSTS[detail] + textBytes(name);

/** What a record with these fields costs at least. */
export function costWith(names: Iterable<string>): number {
  let cost = RECORD_COST;
  for (const name of names) cost += fieldCost(name);
  return cost;
}

/** Whether another field still fits beside `tracked` ones that cost `cost` together. */
export const hasRoom = (tracked: number, cost: number, name: string): boolean =>
  tracked < MAX_TRACKED && cost + fieldCost(name) <= MAX_RECORD_BYTES;

/** The most detail of a field, by its index among `tracked` ones that cost `cost` together. */
export function allotment(tracked: number, cost: number): (index: number) => Detail {
  const room = MAX_RECORD_BYTES - cost;
  const standard = Math.min(tracked, Math.floor(room / STANDARD_EXTRA));
  const full = standard < tracked ? 0 : Math.floor((room - tracked * STANDARD_EXTRA) / FULL_EXTRA);
  return index => (index < full ? FULL : index < standard ? STANDARD : BRIEF);
}

/**
 * How much the baseline will keep of each of a batch's fields, in their order; without those that are not tracked and will not be.
 * A source's first batch (`null`) has all the room. So has the batch that replaces a provisional baseline.
 */
export function detailsOf(baseline: Baseline | null, names: readonly string[]): Map<string, Detail> {
  const tracked = baseline?.provisional ? undefined : baseline?.fields;
  const details = new Map<string, Detail>();
  const fresh: string[] = [];
  for (const name of names) {
    const before = tracked?.get(name);
    if (!before) fresh.push(name);
    details.set(name, before?.detail ?? FULL);
  }
  // The rest takes longer the larger the baseline is, and nearly all batches have no new field.
  if (fresh.length === 0) return details;
  let count = tracked?.size ?? 0;
  let cost = costWith(tracked?.keys() ?? []);
  const added: string[] = [];
  for (const name of fresh) {
    if (!hasRoom(count, cost, name)) details.delete(name);
    else {
      count++;
      cost += fieldCost(name);
      added.push(name);
    }
  }
  const allotted = allotment(count, cost);
  let index = 0;
  for (const names of [tracked?.keys() ?? [], added]) {
    for (const name of names) {
      const detail = details.get(name);
      if (detail !== undefined) details.set(name, least(detail, allotted(index)));
      index++;
    }
  }
  return details;
}

/** A batch's fields that are not tracked and will not be, in their order. */
export function untracked(baseline: Baseline | null, names: readonly string[]): string[] {
  const details = detailsOf(baseline, names);
  return details.size === names.length ? [] : names.filter(name => !details.has(name));
}
