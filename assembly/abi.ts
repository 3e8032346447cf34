/**
 * What both sides of the engine's boundary agree on. Valid AssemblyScript and valid TypeScript: plain
 * constants and enums only. Nothing but numbers crosses the boundary.
 */

/** Rows in one batch. Row 10,001 is refused as soon as it begins. */
export const MAX_ROWS = 10000;
/** Distinct field names in one batch. */
export const MAX_FIELDS = 2000;
/** Values present in one batch, nulls included. */
export const MAX_CELLS = 2000000;
/** Open brackets at one point of the body, the body's own included. */
export const MAX_DEPTH = 64;

/** Distance of the outlier fences from the quartiles, in interquartile ranges: Tukey's outer fences (Tukey 1977). */
export const FENCE_FACTOR = 3;
/** Equally spaced order statistics kept of a number field: minimum, 31 inner ones, maximum. */
export const QUANTILES = 33;
/** Equal intervals of a histogram. */
export const HISTOGRAM_BINS = 20;
/** Registers of the distinct-count sketch (HyperLogLog, Flajolet et al. 2007), one byte each: standard error 4.6%. */
export const REGISTERS = 512;
/** A string field with more distinct values than this is not of low cardinality: its values are not listed. */
export const MAX_ENUM = 50;
/** Cells of a column that are looked at for its traits. A share of 192 has a standard error of 0.036 at most; a third more cost 1.5% of a full screen more. */
export const LOOKED = 192;
/** Buckets of a mix: cells are counted by some bits of a hash, so that another mix of values has other counts. Two counts share a number: the first, and PACK times the second. */
export const BUCKETS = 16;
export const PACK = 512;
/** Bytes of one listed value: hash u64, offset u32, length u32 (with ESCAPED), count u32, padding. */
export const ENUM_BYTES = 24;

/** This bit of a text's length is set when its raw bytes hold escapes (JSON) or doubled quotes (CSV). */
export const ESCAPED_BIT = 31;

export enum Format {
  JSON,
  CSV,
  NDJSON,
}

/** What a cell holds. Cells that are absent have no tag: they are not stored. */
export enum Tag {
  NULL = 1,
  FALSE,
  TRUE,
  NUMBER,
  STRING,
  /** The empty string. */
  EMPTY,
  OBJECT,
  ARRAY,
  /** CSV, until the column is known: `""`, `NA`, `-` and the like, null or text. */
  NULLISH,
  /** CSV, until the column is known: digits with a leading zero. */
  CODE,
  /** CSV, until the column is known: a number without fraction or exponent. */
  INTEGER,
}

/** What a cell can be like beyond its tag, for `rowsLike`. Those of numbers before those of texts. */
export enum Like {
  WHOLE,
  ZERO,
  NEGATIVE,
  /** Begins or ends with white space. */
  PADDED,
  WITH_DIGIT,
  WITH_UPPER,
  WITH_SPACE,
  WITH_WIDE,
  /** Of the shape that most texts of the column have (see `traits.ts`); of none where no shape has more than half of them. */
  USUAL_SHAPE,
}

/** What `feed` answers. */
export enum Status {
  /** All bytes so far are in order; there may be more. */
  MORE,
  /** The body is complete and well-formed. Only after the last bytes. */
  DONE,
  /** Refused; `Out.FAULT` and its neighbours say why and where. */
  FAILED,
}

/** Why a body is refused. */
export enum Fault {
  NONE,
  /** Not JSON: a byte that cannot stand at `Out.OFFSET`. */
  SYNTAX,
  /** The body ends inside a value. */
  TRUNCATED,
  /** Ill-formed UTF-8 at `Out.OFFSET`. */
  ENCODING,
  DEPTH,
  ROWS,
  FIELDS,
  CELLS,
  /** `rows` is not an array. */
  ROWS_NOT_ARRAY,
  /** `rows` is an empty array; for CSV no data row follows the header; for NDJSON no line. */
  ROWS_EMPTY,
  /** The item `Out.ROW` of `rows` is not an object. */
  ROW_NOT_OBJECT,
  /** CSV: text follows a closing quote. `Out.LINE` is the line where the cell began. */
  TEXT_AFTER_QUOTE,
  /** CSV: a quote is never closed. `Out.LINE` is the line where the cell began. */
  QUOTE_OPEN,
  /** CSV without a header line. */
  HEADER_MISSING,
}

/** Kinds of a top-level member's value. */
export enum Kind {
  ABSENT,
  NULL,
  FALSE,
  TRUE,
  NUMBER,
  STRING,
  OBJECT,
  ARRAY,
}

/** Results of the whole body: an array of f64 at `outAddress()`, one entry each. */
export enum Out {
  FAULT,
  /** Byte offset from the body's begin (a skipped byte-order mark counts). */
  OFFSET,
  /** Index of the row in question, from 0. */
  ROW,
  /** Line in question, from 1; LF, CRLF and CR each end one. */
  LINE,
  ROWS,
  FIELDS,
  CELLS,
  /** `Kind` of the body's top-level value. */
  TOP,
  /** `Kind`, offset and length of the raw value of `source` (the last one given; strings without their quotes). */
  SOURCE_KIND,
  SOURCE_OFFSET,
  SOURCE_LENGTH,
  /** The same of `options`. */
  OPTIONS_KIND,
  OPTIONS_OFFSET,
  OPTIONS_LENGTH,
  /** 1 when a `rows` array was read. */
  HAS_ROWS,
  /** CSV: data records whose cell count is not the header's, and the line of the first. */
  RAGGED,
  RAGGED_LINE,
  /** Rows whose values were measured: all, or the sample. */
  ANALYSED,
  /** Length of this array. */
  LENGTH,
}

/** One column: an array of f64 at `columnAddress(column)`. Counts are over all rows, measures over the analysed ones. */
export enum Column {
  /** The field's raw name (without quotes) in the body. */
  NAME_OFFSET,
  NAME_LENGTH,
  /** 1 when the raw name needs decoding. */
  NAME_ESCAPED,
  /** 1 when the name was repeated within a row. */
  REPEATED,
  NULLS,
  FALSES,
  TRUES,
  NUMBERS,
  /** Non-empty strings. */
  STRINGS,
  EMPTIES,
  OBJECTS,
  ARRAYS,
  /** Analysed cells that are not null. */
  VALUES,
  /** Distinct values among them (exact). */
  DISTINCT,
  /** Analysed strings, the empty one included, and their distinct values. */
  TEXTS,
  DISTINCT_TEXTS,
  /** Distinct strings listed at `listedAddress(column)`; 0 when there are none or more than MAX_ENUM. */
  LISTED,
  /** Analysed finite numbers. What follows up to LAST_QUANTILE is 0 without any. */
  FINITE,
  MEAN,
  /** Sum of squared deviations from the mean. */
  M2,
  /** Values outside Q1 - 3 IQR .. Q3 + 3 IQR; none when the IQR is 0. */
  OUTLIERS,
  OUTLIER_MIN,
  OUTLIER_MAX,
  /** QUANTILES order statistics, type 7 (Hyndman and Fan 1996): i / 32 at FIRST_QUANTILE + i. */
  FIRST_QUANTILE,
  LAST_QUANTILE = 55,
  /** 24 bits that tell the column's content over all rows, whatever their order. */
  CONTENT,
  /** Of the analysed cells that are looked at (at most LOOKED) those that are not null; the share of the most frequent value. */
  LOOKED,
  TOP,
  /** Neighbours among them (of rows that follow one another) that are both not null; how many are equal; how many rise, of numbers or texts. */
  NEIGHBOURS,
  SAMES,
  RISES,
  /** The column before that has every row, by 24 bits of its name (0: none): rows in which both have a value, distinct pairs of these values; neighbouring rows in which both are numbers that change, and how many go the same way. */
  BESIDE,
  PAIRED,
  PAIRS,
  COMPARED,
  AGREEING,
  /** BUCKETS counts of values. */
  FIRST_MIX,
  LAST_MIX = 74,
  /** Numbers among them; how many are whole, zero, below zero; multiples of ten, of a tenth, of a hundredth. */
  LOOKED_NUMBERS,
  WHOLE,
  ZEROS,
  NEGATIVES,
  TENS,
  TENTHS,
  HUNDREDTHS,
  /** Texts among them; how many begin or end with white space; have an ASCII digit, an ASCII upper-case letter, white space, a character beyond ASCII. */
  LOOKED_TEXTS,
  PADDED,
  WITH_DIGIT,
  WITH_UPPER,
  WITH_SPACE,
  WITH_WIDE,
  /** Their distinct shapes, and how often the most frequent one occurs (see `traits.ts`). */
  SHAPES,
  TOP_SHAPE,
  /** BUCKETS counts of shapes, and of forms. */
  FIRST_SHAPE_MIX,
  LAST_SHAPE_MIX = 97,
  FIRST_FORM_MIX,
  LAST_FORM_MIX = 105,
  /** Characters of their begins (64 bytes); how many are digits, upper case, white space. */
  CHARACTERS,
  DIGITS,
  UPPERS,
  SPACES,
  /** Mean of their lengths in characters (bytes behind the begin), and the sum of squared deviations from it. */
  LENGTH_MEAN,
  LENGTH_M2,
  LENGTH,
}
