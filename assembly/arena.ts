/**
 * The map of linear memory. All parts have fixed addresses, except the columns, which begin behind the body. Memory grows
 * only when a batch has more columns than every batch before. Pages that are never written cost no physical memory.
 *
 *   tables │ edges │ names │ key table │ records │ registers │ listed texts │ scratch │ body … 64 zeros │ columns …
 *
 * A column holds its cells in row order:
 *
 *   tags u8 │ rows u16, where not every row has a cell │ values 8 bytes │ hashes u64
 *
 * Cells are appended, so a sparse batch costs what its cells cost. To restart a row, its cells are dropped from the ends
 * of the columns.
 */
import { BUCKETS, Column, ENUM_BYTES, ESCAPED_BIT, MAX_ENUM, MAX_FIELDS, MAX_CHECKS, MAX_INSPECTED, MAX_ROWS, Out, REGISTERS, RULE_DATA_BYTES } from './abi';
import { DATE_FORMS } from './abi-dates';
import { LAST_RECORDS, MAX_PLACES } from './abi-signs';
import { DISTINCT_SCRATCH_BYTES } from './statistics/distinct';
import { SELECT_SCRATCH_BYTES } from './statistics/select';

const KIB: usize = 1024;

/** Marks the length of a text that must be decoded. */
export const ESCAPED: u32 = 1 << ESCAPED_BIT;

// Alignment is written out as (x + 63) & ~63. With a function, the compiler would compute addresses when the module starts
// and load them from memory each time.

/** The static data of the compiler lies below. */
export const TABLES: usize = 64 * KIB;
export const OUT: usize = TABLES;
/** The account's secret, 32 bytes, and the key that is derived from it. */
export const SALT: usize = TABLES + 512;
export const SEED: usize = TABLES + 576;
export const POWERS_F64: usize = TABLES + 1024;
export const POWERS_U64: usize = TABLES + 1536;
/** load(LOW_BYTES + 16 - n) keeps the first n bytes of a vector, load(HIGH_BYTES + n) the last n. */
export const LOW_BYTES: usize = TABLES + 2048;
export const HIGH_BYTES: usize = TABLES + 2176;
/** Room to hash one short name. */
export const SHORT_NAME: usize = TABLES + 2304;
/** 128-bit powers of five for -342..308. */
export const POWERS_FIVE: usize = TABLES + 4096;

/** The state of each column while parsing: its cells, and the predicted bytes behind its value (see `json-rows.ts`). */
export const EDGES: usize = TABLES + 32 * KIB;
export const EDGE_SHIFT: usize = 7;
/** The state at the start of the rows, before any column. */
export const START_EDGE: usize = EDGES + (<usize>MAX_FIELDS << EDGE_SHIFT);

export const NAMES: usize = EDGES + (<usize>(MAX_FIELDS + 1) << EDGE_SHIFT);
export const NAME_SHIFT: usize = 4;
export const KEY_TABLE: usize = NAMES + (<usize>MAX_FIELDS << NAME_SHIFT);
export const KEY_SLOTS: usize = 8192;

export const RECORDS: usize = (KEY_TABLE + KEY_SLOTS * 2 + 63) & ~63;
export const RECORD_BYTES: usize = <usize>Column.LENGTH * 8;
export const REGISTER_SETS: usize = (RECORDS + <usize>MAX_FIELDS * RECORD_BYTES + 63) & ~63;
export const LISTED: usize = (REGISTER_SETS + <usize>MAX_FIELDS * REGISTERS + 63) & ~63;
export const LISTED_BYTES: usize = <usize>MAX_ENUM * ENUM_BYTES;

/** Cells that one column can hold, with room for reads of whole vectors. */
export const CELLS: usize = <usize>MAX_ROWS + 48;
export const DECODE: usize = (LISTED + <usize>MAX_FIELDS * LISTED_BYTES + 63) & ~63;
export const DECODE_BYTES: usize = 64 * KIB;
export const SAMPLED: usize = (DECODE + DECODE_BYTES + 64 + 63) & ~63;
/** A byte and a u16 for each row. */
export const GATHER_TAGS: usize = (SAMPLED + CELLS * 3 + 63) & ~63;
export const GATHER_VALUES: usize = (GATHER_TAGS + CELLS + 63) & ~63;
export const GATHER_HASHES: usize = (GATHER_VALUES + CELLS * 8 + 63) & ~63;
export const TEXT_VALUES: usize = (GATHER_HASHES + CELLS * 8 + 63) & ~63;
export const TEXT_HASHES: usize = (TEXT_VALUES + CELLS * 8 + 63) & ~63;
export const NUMBERS: usize = (TEXT_HASHES + CELLS * 8 + 63) & ~63;
export const SELECT_SCRATCH: usize = (NUMBERS + CELLS * 8 + 63) & ~63;
export const DISTINCT_SCRATCH: usize = (SELECT_SCRATCH + SELECT_SCRATCH_BYTES + 63) & ~63;
/** Hashes that the host passes in, and texts that the engine returns. */
export const KNOWN: usize = (DISTINCT_SCRATCH + DISTINCT_SCRATCH_BYTES + 63) & ~63;
export const UNSEEN: usize = (KNOWN + 64 * KIB + 63) & ~63;
/** Of the inspected cells: hashes; formats and transitions of the texts among them; a hash table with twice as many slots. */
export const INSPECTED_HASHES: usize = (UNSEEN + 64 * KIB + 63) & ~63;
export const INSPECTED_FORMATS: usize = INSPECTED_HASHES + <usize>MAX_INSPECTED * 8;
export const INSPECTED_TRANSITIONS: usize = INSPECTED_FORMATS + <usize>MAX_INSPECTED * 8;
export const FREQUENCY_TABLE: usize = INSPECTED_TRANSITIONS + <usize>MAX_INSPECTED * 8;
const FREQUENCY_TABLE_BYTES: usize = <usize>MAX_INSPECTED * 2 * 8;
/** CSV: the ragged rows, a u16 each. */
export const RAGGED_ROWS: usize = FREQUENCY_TABLE + FREQUENCY_TABLE_BYTES;
/** CSV: the rows that repeat the header, a u16 each; where the last records begin, and the first records with a sign, each sign apart: a u32 each, with its row. */
export const HEADER_ROWS: usize = (RAGGED_ROWS + CELLS * 2 + 63) & ~63;
export const LAST_BEGINS: usize = (HEADER_ROWS + CELLS * 2 + 63) & ~63;
export const PLACES: usize = (LAST_BEGINS + <usize>LAST_RECORDS * 4 + 63) & ~63;
export const PLACES_BYTES: usize = <usize>MAX_PLACES * 8;
/** The rows that a query found, a u16 each; the lines of all rows, a u32 each. */
export const FOUND_ROWS: usize = (PLACES + PLACES_BYTES * 2 + 63) & ~63;
export const ROW_LINES: usize = (FOUND_ROWS + CELLS * 2 + 63) & ~63;
/** For this column and for its neighbour, by position among the inspected cells: a hash (0: null), and a number (else NaN). */
export const NEIGHBOUR_CELLS: usize = (ROW_LINES + CELLS * 4 + 63) & ~63;
export const NEIGHBOUR_BYTES: usize = <usize>MAX_INSPECTED * 16;
/** Hashes of pairs of values. */
export const PAIR_HASHES: usize = NEIGHBOUR_CELLS + NEIGHBOUR_BYTES * 2;
export const BUCKET_COUNTS: usize = PAIR_HASHES + <usize>MAX_INSPECTED * 8;
/** Of the inspected dates: times, with the day first and with the month first; buckets of hours; counts of all forms, then the form of each. */
export const DATE_TIMES: usize = (BUCKET_COUNTS + <usize>BUCKETS * 4 + 63) & ~63;
export const DATE_TIMES_OTHER: usize = DATE_TIMES + <usize>MAX_INSPECTED * 8;
export const DATE_HOURS: usize = DATE_TIMES_OTHER + <usize>MAX_INSPECTED * 8;
export const DATE_FORM_COUNTS: usize = DATE_HOURS + <usize>MAX_INSPECTED * 8;
const DATE_FORM_BYTES: usize = <usize>DATE_FORMS * 2 + <usize>MAX_INSPECTED * 2;
/** Declared rules: for each check a byte for each row, whether it fails; a byte for each row, whether rules are about it; what the host passes. */
export const RULE_FLAGS: usize = (DATE_FORM_COUNTS + DATE_FORM_BYTES + 63) & ~63;
export const RULE_CHOSEN: usize = (RULE_FLAGS + CELLS * MAX_CHECKS + 63) & ~63;
export const RULE_DATA: usize = (RULE_CHOSEN + CELLS + 63) & ~63;
/** 64 zeros lie before the body, so that a look back from its first byte is harmless. */
export const BODY: usize = RULE_DATA + <usize>RULE_DATA_BYTES + 64;

export const TAGS: usize = 0;
export const ROWS: usize = (CELLS + 63) & ~63;
export const VALUES: usize = (ROWS + CELLS * 2 + 63) & ~63;
export const HASHES: usize = (VALUES + CELLS * 8 + 63) & ~63;
// One cache line more than aligned: columns a multiple of 4 KiB apart would share their cache sets.
export const COLUMN_BYTES: usize = ((HASHES + CELLS * 8 + 63) & ~63) + 64;

/** Zeros behind the body that stop every scan. */
export const SENTINEL_BYTES: usize = 64;

export let columns: usize = 0;

/** Places the columns behind a body of at most `maxBodyBytes`. */
export function layOut(maxBodyBytes: usize): void {
  columns = (BODY + maxBodyBytes + SENTINEL_BYTES + 63) & ~63;
  if (columns < maxBodyBytes) unreachable(); // past the address space
  assert((columns & 63) == 0 && KEY_TABLE > NAMES && BODY > ROW_LINES, 'parts of memory are out of order');
  reserve(columns);
}

/** Grows memory up to `end`. Traps when the host has no more. */
export function reserve(end: usize): void {
  const pages = <i32>((end + 0xffff) >> 16) - memory.size();
  if (pages <= 0) return;
  // In steps of 4 MiB, then by half of the columns' size: each growth replaces the host's buffer and may copy it.
  const step = max(64, (memory.size() - <i32>(columns >> 16)) >> 1);
  if (memory.grow(max(pages, step)) < 0 && memory.grow(pages) < 0) unreachable();
  assert(<usize>memory.size() << 16 >= end, 'memory has not grown far enough');
}

// @ts-ignore: decorator
@inline export function edgeOf(column: u32): usize {
  assert(column < <u32>MAX_FIELDS, 'there is no such column');
  return EDGES + (<usize>column << EDGE_SHIFT);
}
// @ts-ignore: decorator
@inline export function nameOf(column: u32): usize {
  assert(column < <u32>MAX_FIELDS, 'there is no such column');
  return NAMES + (<usize>column << NAME_SHIFT);
}
// @ts-ignore: decorator
@inline export function cellsOf(column: u32): usize { return columns + <usize>column * COLUMN_BYTES; }
// @ts-ignore: decorator
@inline export function recordOf(column: u32): usize {
  assert(column < <u32>MAX_FIELDS, 'there is no such column');
  return RECORDS + <usize>column * RECORD_BYTES;
}

/** One number of a column's record. */
// @ts-ignore: decorator
@inline export function put(record: usize, entry: Column, value: f64): void {
  assert(entry < Column.LENGTH && record >= RECORDS && record < REGISTER_SETS, 'outside the records');
  store<f64>(record + (<usize>entry << 3), value);
}
// @ts-ignore: decorator
@inline export function get(record: usize, entry: Column): f64 { return load<f64>(record + (<usize>entry << 3)); }

export function setOut(entry: Out, value: f64): void {
  assert(entry < Out.LENGTH, 'outside the results');
  store<f64>(OUT + (<usize>entry << 3), value);
}
export function getOut(entry: Out): f64 { return load<f64>(OUT + (<usize>entry << 3)); }
