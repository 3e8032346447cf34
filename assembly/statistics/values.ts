/** Of the inspected values: how many there are, the share of the most frequent one, and their distribution. */
import { Column, ENUM_BYTES, MAX_INSPECTED } from '../abi';
import { get, INSPECTED_HASHES, LISTED, LISTED_BYTES, put } from '../arena';
import { textCount } from '../gather';
import { mostFrequent, putDistribution } from './frequencies';

/** Inspected cells that are not null. Their hashes lie at INSPECTED_HASHES. */
let inspected: u32 = 0;

export function beginValues(): void { inspected = 0; }

// @ts-ignore: decorator
@inline export function addValue(hash: u64): void {
  assert(inspected < <u32>MAX_INSPECTED, 'more cells are inspected than there is room for');
  store<u64>(INSPECTED_HASHES + (<usize>inspected << 3), hash);
  inspected++;
}

export function putValues(column: u32, record: usize): void {
  put(record, Column.INSPECTED, <f64>inspected);
  if (inspected == 0) return;
  const known = knownTopShare(column, record);
  put(record, Column.TOP_SHARE, known > 0 ? known : <f64>mostFrequent(INSPECTED_HASHES, inspected) / <f64>inspected);
  // Values that all differ fill the buckets evenly, whatever they are.
  if (!areAllDistinct(record)) putDistribution(record + (<usize>Column.FIRST_VALUE_BUCKET << 3), INSPECTED_HASHES, inspected);
}

/** Whether no analysed value occurs twice. False without inspected values. */
export function areAllDistinct(record: usize): bool {
  return inspected != 0 && get(record, Column.DISTINCT) == get(record, Column.VALUES);
}

/** Share of the most frequent of all analysed values, when the distinct values show it; else 0. */
function knownTopShare(column: u32, record: usize): f64 {
  const present = <u32>get(record, Column.VALUES), distinct = <u32>get(record, Column.DISTINCT), listed = <u32>get(record, Column.LISTED);
  if (distinct == present) return present ? 1 / <f64>present : 0;
  if (listed == 0 || textCount != present) return 0;
  let most: u32 = 0;
  for (let i: u32 = 0; i < listed; i++) most = max<u32>(most, load<u32>(LISTED + <usize>column * LISTED_BYTES + <usize>i * ENUM_BYTES, 16));
  return <f64>most / <f64>present;
}
