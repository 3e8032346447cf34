/** What the engine measured of a column besides its record, so that the column can be put together with those of other parts. */
import { Column, ENUM_BYTES, MAX_ROWS } from '../../assembly/abi.ts';
import { MAX_ATOMS, SLOTS } from '../../assembly/abi-parts.ts';
import type { EngineExports } from './exports.ts';
import type { EngineMemory } from './memory.ts';
import type { Unsettled } from './reading.ts';
import type { BodyTexts } from './texts.ts';
import type { NullishText, UnsettledColumn } from './unsettled.ts';

/** Who takes the values and numbers of a column, and what may be left out of them, as the parts before have left it out. */
export interface PartTaker {
  /** Values with larger hashes are left out; and how many are kept at most. */
  end: number;
  most: number;
  /** Bits that the buckets of numbers leave out. */
  level: number;
  /** What is listed is in the memory of the engine, and only until this returns. Returns what the record has of it. */
  takeValues(listed: PartValues): PartValues;
  takeRanks(ranks: PartRanks): PartRanks;
}

/** Of columns with these names. `isHeader`: names are those of a header or of columns, and may be blank or repeated. */
export type TakersOf = (names: string[], isHeader: boolean) => readonly PartTaker[];

/** The upper 53 bits of salted hashes, ascending, and how often each occurs. */
export interface HashCounts {
  hashes: Float64Array;
  counts: Float64Array;
}

/** See `Ranks`. */
export interface PartRanks {
  level: number;
  keys: Float64Array;
  counts: Float64Array;
  least: Float64Array;
  greatest: Float64Array;
  atoms: { numbers: Float64Array; counts: Float64Array };
}

export interface PartValues {
  /** The values that are not null, up to the bound; `end`: those with larger hashes are left out. */
  values: HashCounts & Pick<PartTaker, 'end' | 'most'>;
  /** How many of all values are in each of SLOTS equal intervals of their hashes; null where none is left out. */
  slots: Float64Array | null;
}

export interface PartMeasures {
  values: PartValues;
  /** The finite numbers. */
  ranks: PartRanks;
  /** Of the hashes of all values that are not null, modulo 2^64. */
  hashSum: bigint;
  /** The earliest and the latest date of all texts, in ms since 1970; NaN if no inspected text is a date. */
  earliest: number;
  latest: number;
  /** The first 64 characters of the listed strings, in the order of the list. */
  listed: string[];
  /** CSV: how its cells could be read; else null. */
  unsettled: Unsettled | null;
  nullish: NullishText[];
  /** CSV: the finite numbers of a column that holds codes or texts too, and so may be read as texts; else none. */
  codes: Float64Array;
  // Of the inspected cells:
  /** The hash of each value. */
  inspected: BigUint64Array;
  /** Of texts. */
  formats: HashCounts;
  /** Of each value with that of the column's neighbour. */
  pairs: HashCounts;
  /** See `DateForm`; they are no hashes. */
  dateForms: HashCounts;
}

/** Call it right after the column was measured. `record`: by `Column`. */
export function partMeasures(
  exports: EngineExports,
  texts: BodyTexts,
  column: number,
  record: Float64Array,
  read: UnsettledColumn | null,
  taker: PartTaker,
): PartMeasures {
  const { memory } = texts;
  return {
    ranks: taker.takeRanks(ranksIn(exports, memory, column, record[Column.FINITE]!, taker.level)),
    values: taker.takeValues(valuesIn(exports, memory, column, taker)),
    hashSum: BigInt.asUintN(64, exports.hashSum.value as bigint),
    ...datesIn(exports, texts, column, record),
    listed: Array.from({ length: record[Column.LISTED]! }, (_, i) =>
      texts.startInSlot(exports.listedAddress(column) + i * ENUM_BYTES + 8),
    ),
    unsettled: read?.unsettled ?? null,
    nullish: read?.nullish ?? [],
    codes: read?.codes ?? NONE,
    inspected: memory.u64(exports.inspectedAddress(), record[Column.INSPECTED]!),
    formats: listedIn(exports, memory, record[Column.INSPECTED_TEXTS]!, exports.listFormats),
    pairs: listedIn(exports, memory, record[Column.PAIRED]!, exports.listPairs),
    dateForms: listedIn(exports, memory, record[Column.DATES]!, exports.listDateForms),
  };
}

const NONE = new Float64Array();
const NOTHING_LISTED: HashCounts = { hashes: NONE, counts: NONE };
const NO_RANKS = {
  ...{ keys: NONE, counts: NONE, least: NONE, greatest: NONE },
  atoms: { numbers: NONE, counts: NONE },
};

function valuesIn(
  exports: EngineExports,
  memory: EngineMemory,
  column: number,
  { end, most }: PartTaker,
): PartValues {
  const found = exports.listValues(column, end);
  const count = Math.min(found, most);
  const hashes = memory.lent(exports.listedHashesAddress(), count);
  const counts = memory.lent(exports.listedCountsAddress(), count);
  const isAll = found <= most && end === HASH_END;
  return {
    values: { hashes, counts, end: found > most ? hashes[most - 1]! : end, most },
    slots: isAll ? null : memory.lent(exports.slotsAddress(), SLOTS),
  };
}

/** Hashes are below it. */
const HASH_END = 2 ** 53;

/** `list`: lists those of `n` cells. */
function listedIn(
  exports: EngineExports,
  memory: EngineMemory,
  n: number,
  list: (n: number) => number,
): HashCounts {
  if (n === 0) return NOTHING_LISTED;
  const count = list(n);
  return {
    hashes: memory.f64(exports.listedHashesAddress(), count),
    counts: memory.f64(exports.listedCountsAddress(), count),
  };
}

function ranksIn(
  exports: EngineExports,
  memory: EngineMemory,
  column: number,
  finite: number,
  level: number,
): PartRanks {
  if (finite === 0) return { ...NO_RANKS, level };
  const buckets = exports.listRanks(column, level);
  const ofBuckets = (i: number) => memory.lent(exports.bucketsAddress() + i * MAX_ROWS * 8, buckets);
  const ofAtoms = (i: number) =>
    memory.lent(exports.atomsAddress() + i * MAX_ATOMS * 8, exports.atoms.value as number);
  return {
    level,
    keys: ofBuckets(0),
    counts: ofBuckets(1),
    least: ofBuckets(2),
    greatest: ofBuckets(3),
    atoms: { numbers: ofAtoms(0), counts: ofAtoms(1) },
  };
}

function datesIn(
  exports: EngineExports,
  { format }: BodyTexts,
  column: number,
  record: Float64Array,
): Pick<PartMeasures, 'earliest' | 'latest'> {
  if (record[Column.DATES] === 0) return { earliest: Number.NaN, latest: Number.NaN };
  exports.queryDates(column, format);
  return { earliest: exports.earliestDate.value, latest: exports.latestDate.value };
}
