/** The layout that the engine and its host share, in AssemblyScript that is valid TypeScript: plain constants and enums. Only numbers cross the boundary. */

/** Rows in one batch. The engine refuses row 10,001 as soon as it begins. */
export const MAX_ROWS = 10000;
/** Distinct field names in one batch. */
export const MAX_FIELDS = 2000;
/** Bytes of a field name in UTF-8, without escapes. Of a CSV header: of a cell. */
export const MAX_NAME_BYTES = 1024;
/** Values present in one batch, nulls included. */
export const MAX_CELLS = 2000000;
/** Open brackets at one point of the body, including the body's own. */
export const MAX_DEPTH = 64;

/** Distance of the outlier fences from the quartiles, in interquartile ranges: Tukey's outer fences (Tukey 1977). */
export const FENCE_FACTOR = 3;
/** Equally spaced order statistics of a number field: minimum, 31 inner ones, maximum. */
export const QUANTILES = 33;
/** Equal intervals of a histogram. */
export const HISTOGRAM_BINS = 20;
/** Registers of the distinct-count sketch (HyperLogLog, Flajolet et al. 2007), one byte each: standard error 4.6%. */
export const REGISTERS = 512;
/** A string field with more distinct values than this has no low cardinality: its values are not listed. */
export const MAX_ENUM = 50;
/** Cells of a column that are inspected at most. A share of 192 cells has a standard error of 0.036 at most; a third more cells cost 1.5% of a full screen. */
export const MAX_INSPECTED = 192;
/** Buckets of a distribution: cells are counted by some bits of a hash. One number holds two counts: the first, and PACK times the second. */
export const BUCKETS = 16;
export const PACK = 512;
/** Bytes of one listed value: hash u64, offset u32, length u32 (with ESCAPED), count u32, padding. */
export const ENUM_BYTES = 24;

/** This bit of a text's length is set when the raw bytes hold escapes (JSON) or doubled quotes (CSV). */
export const ESCAPED_BIT = 31;

export enum Format {
  JSON,
  CSV,
  NDJSON,
  /** Arrow IPC, as a stream and as a file. The host reads its metadata, and `columns.ts` its buffers. */
  ARROW,
  ARROW_FILE,
  /** The host decodes its pages into buffers as those of Arrow. */
  PARQUET,
}

/** How the buffers of a column hold its values: the layouts of Arrow. */
export enum Layout {
  /** No buffer: all null. */
  NULL,
  /** A bit for each value. */
  BOOLEAN,
  INT8,
  UINT8,
  INT16,
  UINT16,
  INT32,
  UINT32,
  INT64,
  UINT64,
  FLOAT16,
  FLOAT32,
  FLOAT64,
  /** Integers of `parameter >> 16` bytes, in units of 10^-(`parameter & 0xffff` - 32768). */
  DECIMAL,
  /** Days, or milliseconds, since 1970-01-01. */
  DATE32,
  DATE64,
  /** Since midnight, and since 1970-01-01; `parameter`: digits of the fraction of a second that one unit is. */
  TIME32,
  TIME64,
  TIMESTAMP,
  /** UTF-8 between two offsets of 32 or 64 bits, or behind a view of 16 bytes. */
  TEXT32,
  TEXT64,
  TEXT_VIEW,
  /** Bytes in the same way, or `parameter` for each. */
  BYTES32,
  BYTES64,
  BYTES_VIEW,
  BYTES_FIXED,
  /** As TEXT32. At `parameter` is the tag of each value: OBJECT, ARRAY, or STRING for a text. */
  NESTED,
}

/** Why `appendCells` refuses a column. `Out.ROW` is the index of the value. */
export enum CellFault {
  NONE,
  /** Its offsets or its view leave the buffer, or decrease. */
  RANGE,
  /** Its text is not UTF-8. */
  ENCODING,
  /** It names an entry that the dictionary does not have. */
  INDEX,
  /** There is no memory left for the texts of the batch. */
  ROOM,
}

/** What a cell holds. Absent cells are not stored and have no tag. */
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
  /** CSV, until the column is settled: `""`, spaces, `NA`, `-` and the like. They become null or text. */
  NULLISH,
  /** CSV, until the column is settled: what looks like a number and is more likely a code, such as `007`. */
  CODE,
  /** CSV, until the column is settled: another number without fraction or exponent. */
  INTEGER,
}

/** Properties of a number or a text that `rowsLike` finds. Those of numbers stand before those of texts. */
export enum Like {
  INTEGER,
  ZERO,
  NEGATIVE,
  /** Begins or ends with white space. */
  PADDED,
  WITH_DIGIT,
  WITH_UPPER,
  WITH_SPACE,
  WITH_NON_ASCII,
  /** Has the format of more than half of the column's texts (see `statistics/formats.ts`). No text has it when no format is that common. */
  USUAL_FORMAT,
  EMAIL,
  /** At least two capital letters of ASCII, and no other letter. */
  CAPITALS,
  /** Stands for a missing value: see `statistics/missing-texts.ts`. */
  MISSING,
  /** A date, see `date-time.ts`. */
  DATE,
}

/** Formats of a text that the engine knows. The others are patterns. */
export enum TextFormat {
  DATE,
  DATE_TIME,
  TIME,
  UUID,
}

/** Types that a declared rule may ask for, a bit each. */
export enum Declared {
  STRING = 1,
  NUMBER = 2,
  INTEGER = 4,
  BOOLEAN = 8,
  OBJECT = 16,
  ARRAY = 32,
}

/** How a declared rule compares. */
export enum Operator {
  EQUAL,
  NOT_EQUAL,
  BELOW,
  AT_MOST,
  ABOVE,
  AT_LEAST,
}

/** Checks of declared rules that run side by side. */
export const MAX_CHECKS = 16;
/** Bytes that the host may pass to them: automata, enumerations, constants. */
export const RULE_DATA_BYTES = 1048576;
/** Bytes at the start of RULE_DATA: the columns whose texts the checks read, two at most for each check, as u32. */
export const RULE_COLUMNS_BYTES = 128;
/** Flag of a row about which the host decides, and the state of a pattern at such a text. */
export const UNDECIDED = 2;
/** The other states of a pattern from which no byte leads away. */
export const PATTERN_NEVER = 0;
export const PATTERN_FOUND = 1;
/** The end of a text, among the bytes of a pattern's row: no text has this byte. */
export const PATTERN_END = 0xff;
/** Bytes of a pattern's row, one for each state: the next state as u16, by byte. */
export const PATTERN_ROW_BYTES = 512;
/** Bytes before the values of an enumeration: slots of its hash table, the number of values, their kinds. The table follows, two bytes a slot. */
export const ENUMERATION_BYTES = 16;
/** Bytes of one value of an enumeration: hash u64, its number or its text (offset u32, length u32), kind u32, padding. */
export const ALLOWED_BYTES = 24;
/** Values of an enumeration. */
export const MAX_ALLOWED = 1000;

/** Result of `feed`. */
export enum Status {
  /** All bytes so far are valid; more may follow. */
  MORE,
  /** The body is complete and well-formed. Only after the last bytes. */
  DONE,
  /** Refused; `Out.FAULT` and its neighbours say why and where. */
  FAILED,
}

/** Why the engine refuses a body. */
export enum Fault {
  NONE,
  /** Not JSON: the byte at `Out.OFFSET` is not allowed there. */
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
  /** `rows` is an empty array; CSV has no data row behind the header; NDJSON has no line. */
  ROWS_EMPTY,
  /** The item `Out.ROW` of `rows` is not an object. */
  ROW_NOT_OBJECT,
  /** CSV: text follows a closing quote. `Out.LINE` is the line on which the cell begins. */
  TEXT_AFTER_QUOTE,
  /** CSV: a quote is never closed. `Out.LINE` is the line on which the cell begins. */
  QUOTE_OPEN,
  /** CSV without a header line. */
  HEADER_MISSING,
  /** The name at `Out.OFFSET` has more than MAX_NAME_BYTES. JSON: in the row `Out.ROW`; CSV: in the column `Out.COLUMN`. */
  NAME,
  /** Arrow and Parquet: the body is damaged, or of a type that is not read. The host knows the sentence. */
  COLUMNS,
  /** Arrow and Parquet: what is decompressed or written as texts takes more bytes than a body may have. */
  TEXTS,
  /** Parquet: its pages take more work than a body may ask for. The host knows how much. */
  WORK,
}

/** Kind of a top-level member's value. */
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
  /** Byte offset from the start of the body. A byte-order mark counts. */
  OFFSET,
  /** Index of the row, from 0. */
  ROW,
  /** Line, from 1. LF, CRLF and CR each end one. */
  LINE,
  ROWS,
  FIELDS,
  CELLS,
  /** `Kind` of the body's top-level value. */
  TOP,
  /** `Kind`, offset and length of the raw value of `source`: the last one given, strings without their quotes. */
  SOURCE_KIND,
  SOURCE_OFFSET,
  SOURCE_LENGTH,
  /** The same for `options`. */
  OPTIONS_KIND,
  OPTIONS_OFFSET,
  OPTIONS_LENGTH,
  /** 1 when a `rows` array was read. */
  HAS_ROWS,
  /** Offset and length of what stands between its brackets. */
  ROWS_OFFSET, ROWS_LENGTH,
  /** CSV, with `Fault.TEXT_AFTER_QUOTE`: the first byte of that text. */
  AFTER_QUOTE,
  /** CSV: data records whose cell count differs from the header's, the line of the first, and its cells. */
  RAGGED, RAGGED_LINE, RAGGED_CELLS,
  /** CSV: 1 when the last record has fewer cells than the header and no end of line. */
  ENDS_EARLY,
  /** Analysed rows: all rows, or a sample. */
  ANALYSED,
  /** CSV: the column of the header, from 1, whose name is too long. */
  COLUMN,
  /** Rows that repeat an earlier row, among all rows. */
  DUPLICATE_ROWS,
  /** Length of this array. */
  LENGTH,
}

/** One column: an array of f64 at `columnAddress(column)`. Counts are over all rows, statistics over the analysed rows. */
export enum Column {
  /** The field's raw name (without quotes) in the body. */
  NAME_OFFSET,
  NAME_LENGTH,
  /** 1 when the raw name must be decoded. */
  NAME_ESCAPED,
  /** 1 when a row repeats the name. */
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
  /** Analysed strings, including empty ones, and their distinct values. */
  TEXTS,
  DISTINCT_TEXTS,
  /** Distinct strings at `listedAddress(column)`. 0 for a column without strings, or with more than MAX_ENUM distinct ones. */
  LISTED,
  /** Analysed finite numbers. Without one, everything up to LAST_QUANTILE is 0. */
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
  /** 24 bits of a hash of all values, in whatever order. */
  CONTENT,
  /** Inspected cells that are not null (at most MAX_INSPECTED); the share of their most frequent value. */
  INSPECTED,
  TOP_SHARE,
  /** Pairs of adjacent inspected cells that are both not null; pairs of equal values; pairs of numbers or texts that rise. */
  ADJACENT,
  ADJACENT_EQUAL,
  ADJACENT_RISING,
  /** 24 bits of the name of the neighbour, the previous column without a gap (0: none). Rows in which both have a value, and distinct pairs of these values. Adjacent rows in which both numbers change, and how many change in the same direction. */
  NEIGHBOUR,
  PAIRED,
  PAIRS,
  COMPARED,
  AGREEING,
  /** BUCKETS counts of values. */
  FIRST_VALUE_BUCKET,
  LAST_VALUE_BUCKET = 74,
  /** Inspected numbers; integers, zeros, negative ones, multiples of ten; numbers with at most one and at most two decimals. */
  INSPECTED_NUMBERS,
  INTEGERS,
  ZEROS,
  NEGATIVES,
  MULTIPLES_OF_10,
  ONE_DECIMAL,
  TWO_DECIMALS,
  /** Inspected texts; those that begin or end with white space; those with an ASCII digit, an ASCII upper-case letter, white space, a character outside ASCII. */
  INSPECTED_TEXTS,
  PADDED,
  WITH_DIGIT,
  WITH_UPPER,
  WITH_SPACE,
  WITH_NON_ASCII,
  /** Distinct formats of texts, and how often the most frequent one occurs (see `statistics/formats.ts`). */
  FORMATS,
  TOP_FORMAT,
  /** BUCKETS counts of formats, and of character transitions (see `statistics/transitions.ts`). */
  FIRST_FORMAT_BUCKET,
  LAST_FORMAT_BUCKET = 97,
  FIRST_TRANSITION_BUCKET,
  LAST_TRANSITION_BUCKET = 105,
  /** Characters in the first 64 bytes of the texts; digits, upper-case letters and white space among them. */
  CHARACTERS,
  DIGITS,
  UPPERS,
  SPACES,
  /** Lengths of the texts: mean, and sum of squared deviations from it. Characters in the first 64 bytes, then bytes. */
  LENGTH_MEAN,
  LENGTH_M2,
  /** Inspected texts that look like e-mail addresses (see `statistics/contents.ts`). */
  EMAILS,
  /** Inspected texts of capital letters only. */
  CAPITALS,
  /** Texts, of all that are analysed, that stand for a missing value. */
  MISSING_TEXTS,
  /** Inspected texts that are dates, their forms, and how often the most frequent one occurs (see `statistics/dates.ts`). */
  DATES,
  DATE_FORMS,
  TOP_DATE_FORM,
  /** That form, without its fraction (see `DateForm`). `DateOrder` of the column. Milliseconds that all dates are multiples of. */
  DATE_FORM,
  DATE_ORDER,
  DATE_UNIT,
  /** Milliseconds since 1970, with at least one date below and one above; 0 for a few dates. */
  DATE_LOW,
  DATE_HIGH,
  /** Dates with a time, and BUCKETS counts of their hours in UTC. */
  TIMED_DATES,
  FIRST_HOUR_BUCKET,
  LAST_HOUR_BUCKET = 131,
  /** CSV, over all rows: texts that look like numbers or booleans, in a column that is read as texts. The host sets it; below 0 in other formats. */
  TYPED_TEXTS,
  LENGTH,
}
