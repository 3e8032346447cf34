/**
 * What a part of a batch leaves behind of a column beside its record, so that parts can be put together, besides its values and numbers (see `part-values.ts` and
 * `part-ranks.ts`). Asked for right after the column is measured.
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
import { listHashes, listWords } from './part-values';
import { FORM_LIST } from './statistics/dates';
import { listTexts } from './statistics/listed';
import { tagCount } from './tags';

export function partAddress(): usize {
  return NUMBERS;
}

/** The hash of each inspected value. */
export function inspectedAddress(): usize {
  return INSPECTED_HASHES;
}

/** As `listValues` does: the formats of `n` inspected texts; the pairs that inspected cells make with those of the neighbour; the forms of inspected dates. */
export function listFormats(n: u32): u32 {
  return listHashes(INSPECTED_FORMATS, n);
}
export function listPairs(n: u32): u32 {
  return listHashes(PAIR_HASHES, n);
}
export function listDateForms(n: u32): u32 {
  return listWords(DATE_FORM_COUNTS + FORM_LIST, n);
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
