/** Signs that a CSV body is not one table, which the engine and its host share. Like `abi.ts`, valid AssemblyScript and valid TypeScript. */

/** Last records that are looked at for what follows a table. A power of two. */
export const LAST_RECORDS = 16;
/** Places of each sign that are kept. */
export const MAX_PLACES = 20;

/** Signs whose first places are kept. */
export enum PlacedSign {
  /** A record begins with a byte order mark. */
  MARK,
  /** A quoted cell holds records. */
  QUOTE,
}

/** What a text may hold that damages it, a bit each: found by its bytes, and judged by the host. */
export enum OddText {
  /** U+FFFD. */
  REPLACEMENT = 1,
  /** Characters without width, and marks that change the direction of writing. */
  INVISIBLE = 2,
  /** A letter from U+00C2 to U+00F0 before what a byte of 80 to BF is in windows-1252: UTF-8 that was read as such. */
  MISREAD = 4,
}

/** What was counted of a column, one after the other as u32 at `signCountsAddress()`. */
export enum DateCount {
  /** Days that exist. */
  DATES,
  /** Texts that are written like a date and are no date. */
  NO_DATES,
  /** Eight digits that begin with a year of our age and are no day: `20260230`. */
  NO_COMPACT,
  /** `31/01/2026`: the first number can only be the day; the second one. */
  DAY_FIRST,
  MONTH_FIRST,
  /** Days that programs write where the day is unknown: 0001-01-01, 1900-01-01, 1970-01-01, 9999-12-31. */
  SENTINELS,
  /** Other days within a month of one of these; only where these are looked for. */
  NEAR_SENTINELS,
  LENGTH,
}

/** Of texts with a time: where their clock is. */
export enum OffsetCount {
  /** No zone is written. */
  NONE,
  /** One is. */
  WITH,
  /** At Greenwich, east and west of it; more than an hour east and west. Summer time is an hour. */
  ZERO,
  EAST,
  WEST,
  FAR_EAST,
  FAR_WEST,
  LENGTH,
}

export enum CompactCount {
  /** Numbers that are days, as `20260102`. */
  DAYS,
  /** Numbers that would be some in a longer month or year. */
  NO_DAYS,
  LENGTH,
}

export enum DigitCount {
  /** Numbers of digits only, and those with at least 12, 16 and 18 digits. */
  WHOLE,
  WHOLE_12,
  WHOLE_16,
  WHOLE_18,
  /** Of those with 16 digits or more: zeros from the 16th digit on, and from the 15th. */
  ZEROS_FROM_16,
  ZEROS_FROM_15,
  /** Of those with 18 digits or more: zeros from the 18th digit on, and from the 17th. */
  ZEROS_FROM_18,
  ZEROS_FROM_17,
  /** `1.05514E+16`: whole numbers of at least 12 digits in scientific notation, and those that are written as spreadsheets do. */
  SCIENTIFIC,
  SPREADSHEET,
  /** Other numbers and texts. */
  OTHERS,
  LENGTH,
}

/** Texts of exactly 255 and 32,767 characters, and longer ones. Databases and spreadsheets cut texts at these lengths. */
export enum LengthCount {
  AT_255,
  ABOVE_255,
  AT_32767,
  ABOVE_32767,
  LENGTH,
}

export enum DecimalCount {
  /** `1,5` and `1.5`. */
  COMMA,
  POINT,
  LENGTH,
}

export enum WholeCount {
  /** Whole numbers of digits only, and numbers that are not whole. */
  PLAIN,
  FRACTIONS,
  LENGTH,
}

/** Above each of them. */
export const SIGN_COUNTS = 16;
