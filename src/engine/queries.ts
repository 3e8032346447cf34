/** Questions about the batch that the engine holds: single values, and the rows of a finding. Ask them after `measure`, until the next `begin`. */
import { Column, ENUM_BYTES, Format, HISTOGRAM_BINS, type Like, Tag } from '../../assembly/abi.ts';
import { LAST_RECORDS } from '../../assembly/abi-signs.ts';
import type { Mark } from '../signs/sign.ts';
import { ROWS_LISTED } from '../terms/policy.ts';
import { readExample } from './cell-values.ts';
import type { EngineExports } from './exports.ts';
import { type ColumnSigns, examplesOf } from './signs.ts';
import type { BodyTexts } from './texts.ts';

/** The types that a non-null value can have. The order settles ties between equally frequent types. */
export const VALUE_TYPES = ['number', 'boolean', 'object', 'array', 'string'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** Numbers outside a pair of fences. `min` and `max` are NaN when `count` is 0. */
export interface Outside {
  count: number;
  min: number;
  max: number;
}

/** Values of a column, for findings. */
export interface ColumnQueries {
  /** Analysed finite numbers below `low` or above `high`. */
  outside(column: number, low: number, high: number): Outside;
  /** Strings, in all rows, whose salted hash is not in `known`, in any order: in how many rows they are, and up to `limit` distinct ones in order of first occurrence. */
  unseen(column: number, known: BigUint64Array, limit: number): { rows: number; values: string[] };
  /** Inspected cells whose value raises one of the `REGISTERS` registers: the registers have not seen the value. */
  fresh(column: number, registers: Uint8Array): number;
  /** The first non-null value over all rows whose type is not `expected`; undefined without one. A number beyond the range of a double comes as its text. */
  example(column: number, expected: ValueType): unknown;
  /** Different values of the first cells with this mark, as they are written, each cut. */
  marked(column: number, mark: Mark, limit: number): string[];
}

/** Values of a column, for its description. */
export interface ValueQueries {
  /** True and false values, over all rows. */
  booleans(column: number): { true: number; false: number };
  /** Counts the analysed finite numbers in HISTOGRAM_BINS equal intervals. All of them lie in `low` .. `high`. */
  histogram(column: number, low: number, high: number): number[];
  /** The earliest and the latest date of the analysed texts, in ms since 1970: NaN without one. */
  dates(column: number): { earliest: number; latest: number };
  /** The most frequent strings of a column whose strings are listed: at most `limit`, each cut at 64 characters, in order of first occurrence where counts are equal. */
  topTexts(column: number, limit: number): { text: string; count: number }[];
}

/** Indexes of rows, ascending: of the batch in the engine, or of a larger one. */
export type RowList = Uint16Array | Float64Array;

/** What a finding says of a column's values: null, empty, new to the source, far from earlier numbers, or not of a type. */
export type Told = 'null' | 'empty' | 'unseen' | 'far' | `no ${ValueType}`;

/** Both rows belong to it. */
export interface RowSpan {
  first: number;
  last: number;
}

/**
 * Rows of a finding: their indexes, ascending, at most the first `limit`. `without`, `mistyped`, `empty`, `ragged`, `duplicated`, `marked` and `unseen` search all
 * rows, the others the analysed ones.
 */
export interface RowQueries {
  /** The cell is null or absent. */
  without(column: number, limit: number): RowList;
  /** The value has another type. */
  mistyped(column: number, expected: ValueType, limit: number): RowList;
  /** The value is the empty string. */
  empty(column: number, limit: number): RowList;
  /** CSV: the record has more or fewer cells than the header. */
  ragged(limit: number): RowList;
  /** The value is a finite number below `low` or above `high`. */
  outside(column: number, low: number, high: number, limit: number): RowList;
  /** The value is a string whose salted hash is not in `known`. */
  unseen(column: number, known: BigUint64Array, limit: number): RowList;
  /** The value raises one of the `REGISTERS` registers. */
  fresh(column: number, registers: Uint8Array, limit: number): RowList;
  /** The whole row repeats an earlier one. */
  duplicated(limit: number): RowList;
  /** The value occurs in an earlier row. */
  repeated(column: number, limit: number): RowList;
  /** The number or text has the property `like`, or lacks it where `has` is false. */
  like(column: number, like: Like, has: boolean, limit: number): RowList;
  /** The value has this mark. */
  marked(column: number, mark: Mark, limit: number): RowList;
  /** CSV: the lines on which the first `rows` rows begin, from 1, by row; of a larger batch only those of rows that were found. LF, CRLF and CR each end a line, inside quotes too. Null for other formats. */
  lines(rows: number): ArrayLike<number> | null;
  /** Of a batch in slices: the stretch to which it is confined; null where it is everywhere. Its lines are known from then on. */
  spanOf?(column: number, told: Told): RowSpan | null;
}

/** Tags of a type, a bit for each. */
const TAGS_OF_TYPE: Record<ValueType, number> = {
  number: 1 << Tag.NUMBER,
  boolean: (1 << Tag.TRUE) | (1 << Tag.FALSE),
  object: 1 << Tag.OBJECT,
  array: 1 << Tag.ARRAY,
  string: (1 << Tag.STRING) | (1 << Tag.EMPTY),
};

const ALL_VALUES = Object.values(TAGS_OF_TYPE).reduce((all, tags) => all | tags, 0);

/** Of the batch that the engine holds. */
export interface HeldRowQueries extends RowQueries {
  /** CSV: the line on which the last row begins, without reading those before it; 0 for other formats. */
  lastLine(): number;
}

/** What queries need of the engine. The texts change with each batch. */
export interface Held {
  exports: EngineExports;
  texts(): BodyTexts;
  rows(): number;
  /** Of the columns, once they are measured. */
  signs(): readonly ColumnSigns[];
}

export const columnQueries = ({ exports, texts, signs }: Held): ColumnQueries => ({
  outside(column, low, high) {
    exports.queryOutside(column, low, high);
    const { outsideCount, outsideMin, outsideMax } = exports;
    return { count: outsideCount.value, min: outsideMin.value, max: outsideMax.value };
  },
  unseen(column, known, limit) {
    texts().memory.writeU64(known, exports.knownAddress());
    const rows = exports.queryUnseen(column, known.length, limit);
    const listed: number = exports.unseenListed.value;
    const at = exports.unseenAddress();
    return {
      rows,
      values: Array.from({ length: listed }, (_, i) => texts().inSlot(at + i * ENUM_BYTES + 8)),
    };
  },
  fresh(column, registers) {
    texts().memory.write(registers, exports.knownAddress());
    return exports.queryFresh(column);
  },
  example(column, expected) {
    const cell = exports.queryUnexpected(column, TAGS_OF_TYPE[expected]);
    return cell < 0 ? undefined : readExample(exports, texts(), column, cell);
  },
  marked: (column, mark, limit) =>
    examplesOf({ exports, texts: texts(), column }, rowsMarked(signs(), column, mark, ROWS_LISTED)).slice(
      0,
      limit,
    ),
});

const rowsMarked = (signs: readonly ColumnSigns[], column: number, mark: Mark, limit: number): Uint16Array =>
  signs[column]?.rows.get(mark)?.subarray(0, limit) ?? new Uint16Array();

export const valueQueries = ({ exports, texts }: Held): ValueQueries => ({
  booleans(column) {
    const record = exports.columnAddress(column);
    const at = (entry: Column): number => texts().memory.f64At(record + entry * 8);
    return { true: at(Column.TRUES), false: at(Column.FALSES) };
  },
  histogram(column, low, high) {
    exports.queryHistogram(column, low, high);
    return [...texts().memory.u32(exports.histogramAddress(), HISTOGRAM_BINS)];
  },
  dates(column) {
    exports.queryDates(column, texts().format);
    return { earliest: exports.earliestDate.value, latest: exports.latestDate.value };
  },
  topTexts(column, limit) {
    const { memory } = texts();
    const listed = memory.f64At(exports.columnAddress(column) + Column.LISTED * 8);
    const list = exports.listedAddress(column);
    return Array.from({ length: listed }, (_, i) => list + i * ENUM_BYTES)
      .map(entry => ({ entry, count: memory.u32At(entry + 16) }))
      .sort((a, b) => b.count - a.count)
      .slice(0, limit)
      .map(({ entry, count }) => ({ text: texts().startInSlot(entry + 8), count }));
  },
});

export function rowQueries({ exports, texts, rows: rowCount, signs }: Held): HeldRowQueries {
  const found = (count: number): Uint16Array => texts().memory.u16(exports.foundRowsAddress(), count);
  return {
    without: (column, limit) => found(exports.rowsWithout(column, limit)),
    mistyped: (column, expected, limit) =>
      found(exports.rowsOfTags(column, ALL_VALUES & ~TAGS_OF_TYPE[expected], limit)),
    empty: (column, limit) => found(exports.rowsOfTags(column, 1 << Tag.EMPTY, limit)),
    ragged: limit => found(exports.rowsRagged(limit)),
    outside: (column, low, high, limit) => found(exports.rowsOutside(column, low, high, limit)),
    unseen(column, known, limit) {
      texts().memory.writeU64(known, exports.knownAddress());
      return found(exports.rowsUnseen(column, known.length, limit));
    },
    fresh(column, registers, limit) {
      texts().memory.write(registers, exports.knownAddress());
      return found(exports.rowsFresh(column, limit));
    },
    duplicated: limit => found(exports.rowsDuplicated(limit)),
    repeated: (column, limit) => found(exports.rowsRepeated(column, limit)),
    like: (column, like, has, limit) => found(exports.rowsLike(column, like, has, texts().format, limit)),
    marked: (column, mark, limit) => rowsMarked(signs(), column, mark, limit),
    lines(rows) {
      if (texts().format !== Format.CSV) return null;
      const count = Math.min(rows, rowCount());
      exports.writeLines(count);
      return texts().memory.u32(exports.rowLinesAddress(), count);
    },
    lastLine() {
      if (texts().format !== Format.CSV) return 0;
      const last = (rowCount() - 1) % LAST_RECORDS;
      return exports.lineOf(texts().memory.u32At(exports.lastBeginsAddress() + last * 4));
    },
  };
}
