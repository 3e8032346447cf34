/**
 * What a part of a batch leaves behind of a column beside its record, so that parts can be put together: hashes of all values, all numbers, and what was seen of the
 * inspected cells. Asked for right after the column is measured.
 */
import { MAX_ENUM, Tag } from './abi';
import {
  cellsOf,
  DATE_FORM_COUNTS,
  DISTINCT_SCRATCH,
  edgeOf,
  HASHES,
  INSPECTED_FORMATS,
  INSPECTED_HASHES,
  NUMBERS,
  PAIR_HASHES,
  TAGS,
  TEXT_HASHES,
  TEXT_VALUES,
  UNSEEN,
  VALUES,
} from './arena';
import { COUNT } from './column';
import { cellCount, gatherAll, gatherNumbers, hashes, tags, values } from './gather';
import { valueSeed } from './hash';
import { FORM_LIST } from './statistics/dates';
import { listTexts } from './statistics/listed';
import { tagCount } from './tags';
import { hashOf } from './value-hash';

/** Sum of the hashes of the values, modulo 2^64. */
export let hashSum: u64 = 0;

/** Writes the upper 53 bits of the hash of each value that is not null at `partAddress`, as f64, and returns how many there are. */
export function hashValues(column: u32): u32 {
  gatherAll(column);
  const seed = valueSeed();
  hashSum = 0;
  let n: usize = 0;
  for (let cell: usize = 0; cell < <usize>cellCount; cell++) {
    const tag: i32 = load<u8>(tags + cell);
    if (tag == Tag.NULL) continue;
    const hash = hashOf(tag, values + (cell << 3), hashes + (cell << 3), seed);
    hashSum += hash;
    store<f64>(NUMBERS + (n << 3), <f64>(hash >> 11));
    n++;
  }
  return <u32>n;
}

/** Writes the finite numbers at `partAddress`, and returns how many there are. */
export function listNumbers(column: u32): u32 {
  gatherAll(column);
  return gatherNumbers();
}

export function partAddress(): usize {
  return NUMBERS;
}

/** The hash of each inspected value; of the format of each inspected text; of the pair that each inspected cell makes with that of its neighbour; the form of each inspected date, a u16. */
export function inspectedAddress(): usize {
  return INSPECTED_HASHES;
}
export function formatsAddress(): usize {
  return INSPECTED_FORMATS;
}
export function pairsAddress(): usize {
  return PAIR_HASHES;
}
export function dateFormsAddress(): usize {
  return DATE_FORM_COUNTS + FORM_LIST;
}

/** Of the cells that may be null, those without a character; and their distinct texts, listed at `unseenAddress`: 0 if there are more than MAX_ENUM. After `listNullish`. */
export let nullishEmpties: u32 = 0;
export let nullishListed: u32 = 0;

/** Writes the finite numbers at `partAddress` of a column that may be read as texts, and returns how many there are. Before the column is settled. */
export function listUnsettled(column: u32): u32 {
  const base = cellsOf(column), count = load<u32>(edgeOf(column), COUNT);
  let n: usize = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    const tag = load<u8>(base + TAGS + cell), x = load<f64>(base + VALUES + (cell << 3));
    if ((tag != <u8>Tag.INTEGER && tag != <u8>Tag.NUMBER) || x - x != 0) continue;
    store<f64>(NUMBERS + (n << 3), x);
    n++;
  }
  return <u32>n;
}

/** CSV, after `countCells`. */
export function listNullish(column: u32): void {
  const base = cellsOf(column), count = load<u32>(edgeOf(column), COUNT);
  nullishEmpties = 0;
  nullishListed = 0;
  if (tagCount(Tag.NULLISH) == 0) return;
  let n: usize = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    if (load<u8>(base + TAGS + cell) != <u8>Tag.NULLISH) continue;
    const slot = load<u64>(base + VALUES + (cell << 3));
    nullishEmpties += <u32>(slot >> 32 == 0);
    store<u64>(TEXT_HASHES + (n << 3), load<u64>(base + HASHES + (cell << 3)));
    store<u64>(TEXT_VALUES + (n << 3), slot);
    n++;
  }
  nullishListed = listTexts(TEXT_HASHES, TEXT_VALUES, <u32>n, MAX_ENUM, DISTINCT_SCRATCH, UNSEEN);
}
/** Cells with this provisional tag, after `countCells`. */
export function unsettled(tag: Tag): u32 {
  return tagCount(tag);
}
