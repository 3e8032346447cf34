/**
 * How much is kept of one source: at most MAX_TRACKED fields and MAX_RECORD_BYTES. A field is charged its largest possible
 * size, not its size today, so a field that is tracked stays tracked. A field that does not fit when it is first seen is not
 * tracked. Optional measurements are charged nothing: a record keeps those of as many fields as fit into
 * MAX_RECORD_BYTES.
 */
import { MAX_ENUM, QUANTILES } from '../../assembly/abi.ts';
import type { Measurement } from '../statistics/measurement.ts';
import { MEASUREMENTS } from '../statistics/registry.ts';
import type { Baseline } from './baseline.ts';
import { RECENT_BATCHES } from './batch-statistics.ts';
import { textBytes } from './bytes.ts';
import { DENSE_BYTES } from './distinct.ts';
import { CHARGED, CHARGED_GROUPS, OPTIONAL } from './record-layout.ts';

export const MAX_TRACKED = 4000;
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const F64 = 8;
/** A count below 2^53, seven bits a byte. */
const COUNT_BYTES = 8;
/** A count of rows of one batch (MAX_ROWS is below 2^14). */
const ROWS_BYTES = 2;

/** Of a batch among the last ones: id (64 characters of up to 3 bytes), time, rows, verdict and flags, health. */
const RECENT_COST = 200 + F64 + ROWS_BYTES + 2 + F64;
/** What a record without fields costs at most: version, checksum, counts, row counts and the last batches. */
export const RECORD_COST =
  64 + CHARGED.table.length + OPTIONAL.table.length + RECENT_BATCHES * (ROWS_BYTES + RECENT_COST);

/** Of a field in one of the last batches: its mask, and what is charged. */
const MEASUREMENTS_COST = 1 + MEASUREMENTS.reduce((sum, each) => sum + chargeOf(each), 0);

function chargeOf({ group, storage, width }: Measurement): number {
  if (!CHARGED_GROUPS.includes(group)) return 0;
  return width * (storage === 'count' ? ROWS_BYTES : 4);
}

const FIELD_COST =
  1 + // type
  7 * COUNT_BYTES + // batches, texts, counts by type
  7 * F64 + // weighted sums
  2 + // number of known hashes
  MAX_ENUM * 8 +
  2 + // length of the sketch
  DENSE_BYTES +
  2 + // flags of moments and quantiles
  3 * F64 +
  (QUANTILES + 1) * F64 +
  COUNT_BYTES +
  RECENT_BATCHES * MEASUREMENTS_COST;

/** Bytes that a field takes in a record at most. */
export const fieldCost = (name: string): number => FIELD_COST + textBytes(name);

/** Whether another field still fits beside `tracked` ones that cost `cost` together. */
export const hasRoom = (tracked: number, cost: number, name: string): boolean =>
  tracked < MAX_TRACKED && cost + fieldCost(name) <= MAX_RECORD_BYTES;

/**
 * A batch's fields that are not tracked and will not be, in their order. A source's first batch (`null`) has all the room.
 * So has the batch that replaces a provisional baseline.
 */
export function untracked(baseline: Baseline | null, names: readonly string[]): string[] {
  const tracked = baseline?.provisional ? undefined : baseline?.fields;
  const fresh = names.filter(name => !tracked?.has(name));
  // Adding up the costs takes longer the larger the baseline is, and nearly all batches have no new field.
  if (fresh.length === 0) return [];
  let count = tracked?.size ?? 0;
  let cost = RECORD_COST;
  for (const name of tracked?.keys() ?? []) cost += fieldCost(name);
  return fresh.filter(name => {
    if (!hasRoom(count, cost, name)) return true;
    count++;
    cost += fieldCost(name);
    return false;
  });
}
