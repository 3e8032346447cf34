/** Counts the cells of a batch that may be damaged. Each question is asked only of columns that may have some: most batches have none. */
import { Column, Format, Tag } from '../../assembly/abi.ts';
import {
  CompactCount,
  DateCount,
  DecimalCount,
  DigitCount,
  LengthCount,
  OffsetCount,
  SIGN_COUNTS,
  WholeCount,
} from '../../assembly/abi-signs.ts';
import { DateForm, DateZone } from '../../assembly/abi-dates.ts';
import { faultOfDate } from '../signs/dates.ts';
import { isNameOfPeople } from '../signs/names.ts';
import { type Mark, NO_COUNTS, type SignCounts } from '../signs/sign.ts';
import { isSpreadsheetError, marksOf } from '../signs/texts.ts';
import { shortened } from '../terms/errors.ts';
import { readExample } from './cell-values.ts';
import type { EngineExports } from './exports.ts';
import type { BodyTexts } from './texts.ts';

export interface ColumnSigns {
  counts: SignCounts;
  /** All rows, ascending. */
  rows: ReadonlyMap<Mark, Uint16Array>;
}

const NO_ROWS = new Uint16Array();
const NO_SIGNS: ColumnSigns = { counts: NO_COUNTS, rows: new Map() };

interface Asked {
  exports: EngineExports;
  texts: BodyTexts;
  column: number;
}

/** What is found, as it grows. */
class Found {
  readonly counts: Record<string, number>;
  readonly rows: Map<Mark, Uint16Array>;

  constructor({ counts, rows }: ColumnSigns = NO_SIGNS) {
    this.counts = { ...counts };
    this.rows = new Map(rows);
  }

  mark(mark: Mark, rows: readonly number[] | Uint16Array): void {
    if (rows.length === 0) return;
    this.counts[mark] = rows.length;
    this.rows.set(mark, Uint16Array.from(rows));
  }

  get signs(): ColumnSigns {
    return Object.keys(this.counts).length === 0 ? NO_SIGNS : { counts: this.counts, rows: this.rows };
  }
}

// ---- before the columns of CSV are settled ----

/** Of each column what tells by its bytes; null where no column has any. */
export function oddTexts(exports: EngineExports, texts: BodyTexts, columns: number): ColumnSigns[] | null {
  const wanted: number = exports.oddTexts.value;
  const isCsv = texts.format === Format.CSV;
  if (wanted === 0 && !isCsv) return null;
  const all = Array.from({ length: columns }, (_, column) => {
    const asked = { exports, texts, column };
    const errors = isCsv ? found(asked, exports.findNullErrors(column)) : NO_ROWS;
    const odd = wanted === 0 ? NO_ROWS : found(asked, exports.findOddTexts(column, wanted, isCsv));
    return errors.length + odd.length === 0 ? NO_SIGNS : oddTextsIn(asked, errors, odd);
  });
  return all.every(each => each === NO_SIGNS) ? null : all;
}

function oddTextsIn(asked: Asked, errors: Uint16Array, odd: Uint16Array): ColumnSigns {
  const result = new Found();
  result.mark('spreadsheet_null', errors);
  const marked = new Map<Mark, number[]>();
  for (const row of odd)
    for (const mark of marksOf(textIn(asked, row))) {
      const known = marked.get(mark);
      if (known) known.push(row);
      else marked.set(mark, [row]);
    }
  for (const [mark, ofMark] of marked) result.mark(mark, ofMark);
  return result.signs;
}

// ---- once a column is measured ----

export interface KnownOfColumn {
  /** By the bytes of its texts. */
  texts?: ColumnSigns | undefined;
  /** Of the column. */
  name: string;
  /** See `SettledColumn`. */
  isMixed?: boolean | undefined;
}

/** Adds what the column's statistics give a reason to look for. */
export function columnSigns(
  exports: EngineExports,
  texts: BodyTexts,
  column: number,
  numbers: Float64Array,
  { texts: known = NO_SIGNS, name, isMixed = false }: KnownOfColumn,
): ColumnSigns {
  const [hasErrors, areDates] = [exports.errorTexts.value > 0, mayBeDates(numbers)];
  const [areIds, haveDecimals] = [!areDates && mayBeIds(numbers), !areDates && mayHaveDecimals(numbers)];
  const areCut = mayBeCut(numbers);
  const areMixed = isMixed && numbers[Column.INSPECTED_NUMBERS]! > 0;
  const areCompact = mayBeCompactDays(numbers);
  const areNames = numbers[Column.STRINGS]! > 0 && isNameOfPeople(name);
  if (
    known === NO_SIGNS &&
    !(hasErrors || areDates || areIds || haveDecimals || areCut || areMixed || areCompact || areNames)
  )
    return NO_SIGNS;
  const asked = { exports, texts, column };
  const result = new Found(known);
  dropTexts(asked, result);
  if (hasErrors) addErrors(asked, result);
  if (areDates) addDates(asked, result, doRepeat(numbers));
  if (areDates && mayHaveOffsets(numbers)) addOffsets(asked, result);
  if (areCompact) addCompactDays(asked, result);
  if (areNames) result.mark('test_data', found(asked, exports.findTestTexts(column)));
  if (areIds) addRounded(asked, result);
  if (haveDecimals) addDecimals(asked, result);
  if (areCut) addCut(asked, result);
  if (areMixed) addWholeDecimals(asked, numbers, result);
  return result.signs;
}

function addErrors(asked: Asked, result: Found): void {
  const errors = found(asked, asked.exports.findErrors(asked.column));
  result.mark(
    'spreadsheet_error',
    errors.filter(row => isSpreadsheetError(textIn(asked, row))),
  );
}

/** Where the column was settled as texts, `#N/A` is one of them. */
function dropTexts({ exports, column }: Asked, { counts, rows }: Found): void {
  const [row] = rows.get('spreadsheet_null') ?? [];
  if (row === undefined || exports.cellTag(column, exports.cellOf(column, row)) === Tag.NULL) return;
  delete counts.spreadsheet_null;
  rows.delete('spreadsheet_null');
}

/** Of the inspected texts one in five is a date. */
const mayBeDates = (numbers: Float64Array): boolean =>
  numbers[Column.DATES]! > 0 && numbers[Column.DATES]! * 5 >= numbers[Column.INSPECTED_TEXTS]!;

/** Few of the texts differ: of these all are looked at, however many cells there are. */
const doRepeat = (numbers: Float64Array): boolean =>
  numbers[Column.DISTINCT]! <= Math.min(ALL_CELLS, REPEATING * numbers[Column.VALUES]!);

function addDates(asked: Asked, result: Found, haveRepeats: boolean): void {
  const { exports, column } = asked;
  const countOf = (count: DateCount): number => countIn(asked, count);
  if (stepIn(asked) > 1) {
    if (haveRepeats) exports.countDistinctDates(column, DISTINCT);
    else exports.findDates(column, 0, stepIn(asked));
    result.counts.dates = countOf(DateCount.DATES);
    const haveBothOrders = countOf(DateCount.DAY_FIRST) > 0 && countOf(DateCount.MONTH_FIRST) > 0;
    const odd = countOf(DateCount.NO_DATES) + countOf(DateCount.NO_COMPACT) + countOf(DateCount.SENTINELS);
    if (odd === 0 && !haveBothOrders) {
      // Days of the other order in another slice make these odd: some are enough.
      const [dayFirst, monthFirst] = [countOf(DateCount.DAY_FIRST), countOf(DateCount.MONTH_FIRST)];
      if (dayFirst > 0) markDates(asked, result, 'day_first', DateCount.DAY_FIRST, stepIn(asked));
      if (monthFirst > 0) markDates(asked, result, 'month_first', DateCount.MONTH_FIRST, stepIn(asked));
      return;
    }
  }
  const noDates = found(
    asked,
    exports.findDates(column, (1 << DateCount.NO_DATES) | (1 << DateCount.NO_COMPACT), 1),
  );
  const [dayFirst, monthFirst] = [countOf(DateCount.DAY_FIRST), countOf(DateCount.MONTH_FIRST)];
  result.counts.dates = countOf(DateCount.DATES);
  const hasSentinels = countOf(DateCount.SENTINELS) > 0;
  if (noDates.length > 0) {
    const faults = Map.groupBy(noDates, row => faultOfDate(textIn(asked, row)));
    result.mark('impossible_date', faults.get('impossible') ?? []);
    result.mark('impossible_compact', faults.get('compact') ?? []);
    result.mark('zero_date', faults.get('zero') ?? []);
  }
  if (dayFirst > 0) markDates(asked, result, 'day_first', DateCount.DAY_FIRST);
  if (monthFirst > 0) markDates(asked, result, 'month_first', DateCount.MONTH_FIRST);
  if (!hasSentinels) return;
  result.mark('sentinel_date', found(asked, exports.findSentinels(column)));
  result.counts.near_sentinels = countOf(DateCount.NEAR_SENTINELS);
}

const markDates = (asked: Asked, result: Found, mark: Mark, count: DateCount, step = 1): void =>
  result.mark(mark, found(asked, asked.exports.findDates(asked.column, 1 << count, step)));

/** Some texts have a time, and they may differ in their zones. */
const mayHaveOffsets = (numbers: Float64Array): boolean =>
  numbers[Column.TIMED_DATES]! > 0 &&
  (numbers[Column.DATE_FORMS]! > 1 || (numbers[Column.DATE_FORM]! & DateForm.ZONE) > DateZone.Z);

/** The marks by `OffsetCount`. */
const OFFSETS: [Mark, OffsetCount][] = [
  ['no_offset', OffsetCount.NONE],
  ['with_offset', OffsetCount.WITH],
  ['zero_offset', OffsetCount.ZERO],
  ['east_offset', OffsetCount.EAST],
  ['west_offset', OffsetCount.WEST],
];

/** Where some cells show one kind only, the others are not looked at. */
function addOffsets(asked: Asked, result: Found): void {
  const { exports, column } = asked;
  exports.findOffsets(column, 0, stepIn(asked));
  const counts = countsIn(asked);
  const kinds = [OffsetCount.NONE, OffsetCount.ZERO, OffsetCount.EAST, OffsetCount.WEST];
  const isOne = kinds.filter(kind => counts[kind]! > 0).length === 1;
  if (!isOne) exports.findOffsets(column, 0, 1);
  const all = isOne ? counts : countsIn(asked);
  for (const [mark, kind] of OFFSETS) {
    if (all[kind] === 0) continue;
    if (isOne) result.counts[mark] = all[kind]! * stepIn(asked);
    else result.mark(mark, found(asked, exports.findOffsets(column, 1 << kind, 1)));
  }
  if (all[OffsetCount.FAR_EAST]! > 0) result.counts.far_east_offset = all[OffsetCount.FAR_EAST]!;
  if (all[OffsetCount.FAR_WEST]! > 0) result.counts.far_west_offset = all[OffsetCount.FAR_WEST]!;
}

/** Numbers, nearly all of which have eight digits that begin with a year of our age. */
function mayBeCompactDays(numbers: Float64Array): boolean {
  if (numbers[Column.FINITE] === 0) return false;
  const [low, high] = [numbers[Column.FIRST_QUANTILE + 1]!, numbers[Column.LAST_QUANTILE - 1]!];
  return low >= 19_000_101 && high <= 20_991_231;
}

function addCompactDays(asked: Asked, result: Found): void {
  const noDays = found(asked, asked.exports.findCompactDays(asked.column));
  const days = countIn(asked, CompactCount.DAYS);
  if (days === 0) return;
  result.counts.compact_dates = days;
  result.mark('impossible_compact', noDays);
}

/** Cells of a column that are all looked at, and how many are of a larger one unless they show a sign. Texts are far from each other in memory: to read 10,000 takes up to half a millisecond. */
const [ALL_CELLS, SOME_CELLS] = [2048, 128];
/** Texts that are looked at where they repeat. A few come twice. */
const DISTINCT = 4096;
/** Share of the texts that may differ. */
const REPEATING = 0.8;

function stepIn({ exports, column }: Asked): number {
  const cells = exports.cellCount(column);
  return cells <= ALL_CELLS ? 1 : Math.ceil(cells / SOME_CELLS);
}

/** Below it a number has 11 digits at most, which spreadsheets show in full. */
const LARGE = 1e11;
/** Lengths of texts that may be ids. */
const [LEAST_ID, MOST_ID] = [8, 24];

/** Large whole numbers, or texts that are digits for the most part. */
function mayBeIds(numbers: Float64Array): boolean {
  const at = (entry: Column) => numbers[entry]!;
  if (at(Column.FINITE) > 0)
    return at(Column.LAST_QUANTILE) >= LARGE && at(Column.INTEGERS) * 10 >= at(Column.INSPECTED_NUMBERS) * 9;
  const [texts, length] = [at(Column.INSPECTED_TEXTS), at(Column.LENGTH_MEAN)];
  const others = at(Column.CHARACTERS) - at(Column.DIGITS);
  // In scientific notation a text has a point, an E and perhaps a plus.
  const areScientific = at(Column.WITH_UPPER) * 2 >= texts && others <= 4 * texts;
  return (
    at(Column.WITH_DIGIT) === texts &&
    length >= LEAST_ID &&
    length <= MOST_ID &&
    (others <= texts || areScientific)
  );
}

function addRounded(asked: Asked, result: Found, step = stepIn(asked)): void {
  const { exports, texts, column } = asked;
  const scientific = found(asked, exports.findRounded(column, texts.format === Format.CSV, step));
  const counts = countsIn(asked);
  if (scientific.length === 0 && counts[DigitCount.WHOLE_16] === 0) return;
  if (step > 1) {
    addRounded(asked, result, 1);
    return;
  }
  result.mark('scientific', scientific);
  const { counts: all } = result;
  all.whole = counts[DigitCount.WHOLE]!;
  all.whole_12 = counts[DigitCount.WHOLE_12]!;
  all.whole_16 = counts[DigitCount.WHOLE_16]!;
  all.whole_18 = counts[DigitCount.WHOLE_18]!;
  all.zeros_from_16 = counts[DigitCount.ZEROS_FROM_16]!;
  all.zeros_from_15 = counts[DigitCount.ZEROS_FROM_15]!;
  all.zeros_from_18 = counts[DigitCount.ZEROS_FROM_18]!;
  all.zeros_from_17 = counts[DigitCount.ZEROS_FROM_17]!;
  all.spreadsheet = counts[DigitCount.SPREADSHEET]!;
  all.no_whole = counts[DigitCount.OTHERS]!;
  if (all.whole_18 > 0 && all.zeros_from_18 === all.whole_18) all.doubles = doublesIn(asked);
}

/** Ids that JavaScript writes as they are: of 19 digits the last two are zeros then, and the others tell some double from the next one. */
function doublesIn({ exports, texts, column }: Asked): number {
  let count = 0;
  for (let cell = exports.cellCount(column) - 1; cell >= 0; cell--) {
    const isNumber = exports.cellTag(column, cell) === Tag.NUMBER;
    const written =
      isNumber && texts.format !== Format.CSV
        ? String(BigInt.asUintN(64, exports.magnitudeOf(cell)))
        : texts.inSlot(isNumber ? exports.cellText(column, cell) : exports.cellValue(column, cell));
    if (written.length >= 18 && String(Number(written)) === written) count++;
  }
  return count;
}

/** Characters of most decimals. */
const MOST_DECIMAL = 16;

/** Texts beside numbers, and texts of digits with a sign for the fraction and perhaps one for what is below zero. */
function mayHaveDecimals(numbers: Float64Array): boolean {
  const at = (entry: Column) => numbers[entry]!;
  if (at(Column.STRINGS) === 0) return false;
  if (at(Column.NUMBERS) > 0) return true;
  const [texts, others] = [at(Column.INSPECTED_TEXTS), at(Column.CHARACTERS) - at(Column.DIGITS)];
  const haveDigits = at(Column.WITH_DIGIT) === texts && at(Column.LENGTH_MEAN) <= MOST_DECIMAL;
  return haveDigits && others > 0 && others <= 2 * texts;
}

function addDecimals(asked: Asked, result: Found): void {
  const { exports, texts, column } = asked;
  const commas = found(asked, exports.findDecimals(column, 1 << DecimalCount.COMMA, false));
  const points = countsIn(asked)[DecimalCount.POINT]!;
  if (commas.length === 0 && points === 0) return;
  result.mark('decimal_comma', commas);
  const withNumbers = texts.format === Format.CSV && commas.length > 0;
  result.mark(
    'decimal_point',
    found(asked, exports.findDecimals(column, 1 << DecimalCount.POINT, withNumbers)),
  );
}

/** Characters at which texts are cut, and by how many standard deviations the mean may lie below. */
const [CUT_AT, DEVIATIONS] = [255, 6];

function mayBeCut(numbers: Float64Array): boolean {
  const texts = numbers[Column.INSPECTED_TEXTS]!;
  if (texts === 0) return false;
  const deviation = Math.sqrt(numbers[Column.LENGTH_M2]! / texts);
  return numbers[Column.LENGTH_MEAN]! + DEVIATIONS * deviation >= CUT_AT;
}

function addCut(asked: Asked, result: Found): void {
  const rows = found(asked, asked.exports.findCutTexts(asked.column, asked.texts.format === Format.CSV));
  const counts = countsIn(asked);
  const above255 = counts[LengthCount.ABOVE_255]!;
  if (above255 > 0) result.counts.above_255 = above255;
  if (counts[LengthCount.ABOVE_32767]! > 0) result.counts.above_32767 = counts[LengthCount.ABOVE_32767]!;
  if (counts[LengthCount.AT_32767]! > 0) result.mark('at_32767', rows);
  else result.mark('at_255', rows);
}

/** Where an inspected number has a fraction, the others are not looked at. */
function addWholeDecimals(asked: Asked, numbers: Float64Array, result: Found): void {
  const fractions = numbers[Column.INSPECTED_NUMBERS]! - numbers[Column.INTEGERS]!;
  if (fractions > 0) {
    result.counts.fractions = fractions;
    return;
  }
  result.mark('whole_decimal', found(asked, asked.exports.findWholeDecimals(asked.column)));
  result.counts.whole_plain = countIn(asked, WholeCount.PLAIN);
  result.counts.fractions = countIn(asked, WholeCount.FRACTIONS);
}

// ---- what the engine found ----

const found = ({ exports, texts }: Asked, count: number): Uint16Array =>
  count === 0 ? NO_ROWS : texts.memory.u16(exports.foundRowsAddress(), count);

const countIn = ({ exports, texts }: Asked, count: number): number =>
  texts.memory.u32At(exports.signCountsAddress() + 4 * count);

const countsIn = ({ exports, texts }: Asked): Uint32Array =>
  texts.memory.u32(exports.signCountsAddress(), SIGN_COUNTS);

/** Of a cell that holds a text, or will hold one or null. */
const textIn = ({ exports, texts, column }: Asked, row: number): string =>
  texts.inSlot(exports.cellValue(column, exports.cellOf(column, row)));

/** Different values of rows, as they are written, cut at 64 characters; the only mark that null may have is that of `#N/A`. */
export const examplesOf = (asked: Asked, rows: Uint16Array): string[] => [
  ...new Set(Array.from(rows, row => exampleIn(asked, row))),
];

function exampleIn({ exports, texts, column }: Asked, row: number): string {
  const cell = exports.cellOf(column, row);
  if (exports.cellTag(column, cell) === Tag.NULL) return '#N/A';
  return shortened(String(readExample(exports, texts, column, cell)));
}
