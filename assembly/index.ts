/** The exports of the engine, in the order in which the host calls them. Only numbers cross the boundary. */
import { Fault, Format, Out, REGISTERS, Status } from './abi';
import {
  BODY,
  cellsOf,
  columns,
  edgeOf,
  FOUND_ROWS,
  getOut,
  HASHES,
  HEADER_ROWS,
  KNOWN,
  LAST_BEGINS,
  layOut,
  LISTED,
  LISTED_BYTES,
  nameOf,
  OUT,
  PLACES,
  recordOf,
  REGISTER_SETS,
  ROW_LINES,
  RULE_DATA,
  SALT,
  SENTINEL_BYTES,
  setOut,
  TABLES,
  TAGS,
  UNSEEN,
  VALUES,
} from './arena';
import { cells, clearColumns, COUNT, fields, rowOf } from './column';
import { beginCsv, feedCsv, lineOf, resumeCsv } from './csv';
import { beginJson, feedJson, resumeJson } from './json';
import { countDuplicateRows } from './duplicate-rows';
import { expandSalt } from './hash';
import { lineAt } from './ndjson';
import { settleColumn } from './csv-settle';
import { chooseAll } from './rules/failing';
import { setDoubled } from './rules/texts';
import { beginColumns, measureColumn } from './statistics/measure';
import { beginOddTexts, lookAtEnds } from './signs/odd-bytes';
import { validEnd } from './utf8';

export { lineOf, otherDelimiter, writeLines } from './csv';
export { headerAt, innerMarks, repeatedHeaders, wideQuotes } from './csv-signs';
export { arrayEnded, beginRecords, keepRecords, lastStart, passedLines, passRecords, startedRecords, takeRecords } from './record-starts';
export { addNamed, allocate, appendCells, appendIndexed, beginTexts, endColumns } from './columns';
export { setBuffers } from './column-buffers';
export { codeTexts, countCodeTexts, dottedTexts, groupedTexts, largeNumbers, letters, letterTexts } from './code-texts';
export { countCells } from './csv-settle';
export { findTextRun, runTexts, runTyped } from './text-run';
export { tagOfJson } from './json-text';
export {
  inspectedAddress,
  listDateForms,
  listFormats,
  listNullish,
  listPairs,
  listUnsettled,
  nullishEmpties,
  nullishListed,
  partAddress,
  unsettled,
} from './part-measures';
export { atoms, atomsAddress, bucketsAddress, listRanks } from './part-ranks';
export { hashSum, listedCountsAddress, listedHashesAddress, listValues, slotsAddress } from './part-values';
export { queryDates, queryFresh, queryHistogram, queryOutside, queryUnexpected, queryUnseen } from './column-queries';
export { findDuplicateRows as rowsDuplicated } from './duplicate-rows';
export { addToKeys, beginKeys, listKeys } from './row-keys';
export { rowsFresh, rowsLike, rowsOfTags, rowsOutside, rowsRagged, rowsRepeated, rowsUnseen, rowsWithout } from './row-queries';
export { earliest as earliestDate, latest as latestDate } from './statistics/dates';
export { beginAllowed, flagAllowed } from './rules/allowed';
export { flagLengths, flagMisformed, flagNoMultiples, flagNulls, flagOutside, flagPresent, flagTypes, newestDate } from './rules/checks';
export { flagDisordered, flagUnlike, flagUnordered } from './rules/compare';
export { beginPiece, chooseFlagged, clearFlags, failingRows, flagAt, setFlag } from './rules/failing';
export { fetchTexts } from './rules/fetch';
export { flagUnmatched } from './rules/pattern';
export { flagRepeated } from './rules/unique';
export { cellOf, numberOf, orderOf, textSlotOf } from './rules/cells';
export { findTestTexts } from './signs/test-texts';
export { signCountsAddress } from './signs/cells';
export { findCutTexts, findDecimals, findErrors, findNullErrors, findOddTexts, findRounded, findWholeDecimals, magnitudeOf } from './signs/columns';
export { countDistinctDates, findCompactDays, findDates, findOffsets, findSentinels } from './signs/dates';
export { oddTexts } from './signs/odd-bytes';
export { histogramAddress } from './statistics/histogram';
export { errorTexts } from './statistics/missing-texts';
export { unseenListed } from './statistics/listed';
export { outsideCount, outsideMax, outsideMin } from './statistics/outside';

// Static data of the compiler must end where our tables begin.
if (__heap_base > TABLES) unreachable();

let format: Format = Format.JSON;
/** End of the bytes that are valid UTF-8. */
let valid: usize = BODY;

/** Lays out memory for bodies of at most this size. Called once; the host then fills the tables. */
export function prepare(maxBodyBytes: u32): void {
  layOut(maxBodyBytes);
}
export function tablesAddress(): usize {
  return TABLES;
}
export function saltAddress(): usize {
  return SALT;
}
export function bodyAddress(): usize {
  return BODY;
}

/** Begins a batch. The host has written the 32 bytes at `saltAddress`. */
export function begin(bodyFormat: Format, delimiter: u32, headerLine: u32): void {
  format = bodyFormat;
  valid = BODY;
  memory.fill(OUT, 0, (<usize>Out.LENGTH) << 3);
  clearColumns();
  beginOddTexts();
  expandSalt();
  if (format == Format.CSV) beginCsv(delimiter, headerLine);
  else if (format < Format.ARROW) beginJson(format == Format.NDJSON);
}

/** Parses the `total` bytes that have arrived at `bodyAddress`. `final`: nothing follows. */
export function feed(total: u32, final: bool): Status {
  const arrived = BODY + total;
  assert(arrived + SENTINEL_BYTES <= columns, 'the body reaches into the columns');
  assert(arrived >= valid, 'the body has become shorter');
  fillBehind(arrived);
  const before = valid;
  valid = validEnd(valid, arrived);
  // Up to three bytes may begin a character whose rest has not arrived.
  const illFormed = valid < arrived && (final || arrived - valid > 3 || !canBegin(valid, arrived));
  if (illFormed) fillBehind(valid);
  lookAtEnds(before, valid);
  const last = final && !illFormed;
  const status = feedFormat(valid, last);
  if (status == Status.DONE || (status == Status.FAILED && getOut(Out.FAULT) != <f64>Fault.NONE))
    setOut(Out.FIELDS, <f64>fields);
  if (status != Status.MORE || !illFormed) return status;
  setOut(Out.FAULT, <f64>Fault.ENCODING);
  setOut(Out.OFFSET, <f64>(valid - BODY));
  if (format == Format.CSV) setOut(Out.LINE, <f64>lineOf(valid));
  else setOut(Out.LINE, <f64>lineAt(valid));
  return Status.FAILED;
}

function feedFormat(to: usize, last: bool): Status {
  if (format == Format.CSV) return feedCsv(to, last);
  const status = feedJson(to, last);
  if (status == Status.FAILED) setOut(Out.LINE, <f64>lineAt(BODY + <usize>getOut(Out.OFFSET)));
  return status;
}

/** Writes the bytes that stop every scan: zeros for JSON, line feeds for CSV, where zero is an ordinary character. */
function fillBehind(address: usize): void {
  memory.fill(address, format == Format.CSV ? 10 : 0, SENTINEL_BYTES);
}

/** Whether the one to three bytes in [at, to) can begin a valid character. */
function canBegin(at: usize, to: usize): bool {
  const lead: u32 = load<u8>(at),
    length = to - at;
  if (lead < 0xc2 || lead > 0xf4) return false;
  if (length >= <usize>(lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)) return false;
  if (length == 1) return true;
  const second: u32 = load<u8>(at, 1);
  const least: u32 = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80,
    most: u32 = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return false;
  return length == 2 || (load<u8>(at, 2) & 0xc0) == 0x80;
}

/** Bytes of the body that are never read again. */
export function parsed(): u32 {
  return <u32>((format == Format.CSV ? resumeCsv : resumeJson()) - BODY);
}

/** After DONE: all rows will be measured, or a sample of `sampleRows` when there are more. */
export function beginMeasuring(sampleRows: u32): void {
  setOut(Out.FIELDS, <f64>fields);
  setOut(Out.CELLS, <f64>cells);
  beginColumns(<u32>getOut(Out.ROWS), sampleRows);
}

/** CSV, once for each column before it is measured: its name, by which the host may know it, as offset and length, both u32; then, after `countCells`, how it is read. */
export function nameAddress(column: u32): usize {
  return nameOf(column);
}
export function settle(column: u32, asTexts: bool): void {
  settleColumn(column, asTexts);
}

/** Measures one column. Called for each, in their order. */
export function measure(column: u32): void {
  measureColumn(column, format == Format.CSV);
}

/** After the last column. */
export function endMeasuring(): void {
  setOut(Out.DUPLICATE_ROWS, <f64>countDuplicateRows());
}

/** What the host passes to the checks of declared rules. Sixteen bytes behind it are read. */
export function ruleDataAddress(): usize {
  return RULE_DATA;
}

/** After `measure`: makes all rows those that declared rules are about, and returns how many there are. */
export function beginRules(): u32 {
  setDoubled(format == Format.CSV);
  return chooseAll();
}

export function outAddress(): usize {
  return OUT;
}
export function columnAddress(column: u32): usize {
  return recordOf(column);
}
export function registersAddress(column: u32): usize {
  return REGISTER_SETS + <usize>column * REGISTERS;
}
export function listedAddress(column: u32): usize {
  return LISTED + <usize>column * LISTED_BYTES;
}
export function knownAddress(): usize {
  return KNOWN;
}
export function unseenAddress(): usize {
  return UNSEEN;
}

/** Row queries write the rows that they find here, and `writeLines` the lines. */
export function foundRowsAddress(): usize {
  return FOUND_ROWS;
}
export function rowLinesAddress(): usize {
  return ROW_LINES;
}

/** CSV: rows that repeat the header, where the last records begin, and places of other signs. */
export function headerRowsAddress(): usize {
  return HEADER_ROWS;
}
export function lastBeginsAddress(): usize {
  return LAST_BEGINS;
}
export function placesAddress(): usize {
  return PLACES;
}

/** One cell, for examples and tests: its tag, its row, and the address of its value (a number, or offset and length). */
export function cellCount(column: u32): u32 {
  return load<u32>(edgeOf(column), COUNT);
}
export function cellTag(column: u32, cell: u32): u32 {
  return load<u8>(cellsOf(column) + TAGS + cell);
}
export function cellRow(column: u32, cell: u32): u32 {
  return rowOf(edgeOf(column), cellsOf(column), cell);
}
export function cellValue(column: u32, cell: u32): usize {
  return cellsOf(column) + VALUES + ((<usize>cell) << 3);
}
export function cellText(column: u32, cell: u32): usize {
  return cellsOf(column) + HASHES + ((<usize>cell) << 3);
}

/** The date of a text, for examples and tests. */
export { dateTime, form as dateForm } from './date-time';
