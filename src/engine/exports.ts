/** The functions and globals that the WebAssembly module exports. `assembly/index.ts` has them in the same order. */
import type {
  CellFault,
  TextFormat,
  Format,
  Layout,
  Like,
  Operator,
  Status,
  Tag,
} from '../../assembly/abi.ts';
import type { DateOrder } from '../../assembly/abi-dates.ts';
import type { OddText } from '../../assembly/abi-signs.ts';

export interface EngineExports {
  memory: WebAssembly.Memory;
  prepare(maxBodyBytes: number): void;
  tablesAddress(): number;
  saltAddress(): number;
  bodyAddress(): number;
  begin(format: Format, delimiter: number, headerLine: number): void;
  feed(total: number, final: boolean): Status;
  parsed(): number;
  otherDelimiter(): number;
  lineOf(address: number): number;
  headerAt: WebAssembly.Global;
  repeatedHeaders: WebAssembly.Global;
  innerMarks: WebAssembly.Global;
  wideQuotes: WebAssembly.Global;
  headerRowsAddress(): number;
  lastBeginsAddress(): number;
  placesAddress(): number;
  beginRecords(format: Format, delimiter: number): void;
  passRecords(at: number, end: number, most: number): number;
  startedRecords(): number;
  passedLines(): number;
  lastStart(): number;
  arrayEnded(): boolean;
  keepRecords(to: number): void;
  takeRecords(format: Format, delimiter: number, from: number): void;
  addNamed(nameAt: number, length: number): void;
  allocate(bytes: number): number;
  appendCells(column: number, count: number): CellFault;
  appendIndexed(
    column: number,
    count: number,
    kind: Layout,
    validityAt: number,
    indexes: number,
    entries: number,
  ): CellFault;
  beginTexts(count: number): void;
  endColumns(rows: number): void;
  setBuffers(
    kind: Layout,
    validityAt: number,
    offsetsAt: number,
    valuesAt: number,
    valueBytes: number,
    parameter: number,
    viewsAt: number,
    viewCount: number,
  ): void;
  findTextRun(column: number): void;
  runTexts: WebAssembly.Global;
  runTyped: WebAssembly.Global;
  tagOfJson(at: number, length: number): Tag;
  beginMeasuring(sampleRows: number): void;
  measure(column: number): void;
  endMeasuring(): void;
  outAddress(): number;
  columnAddress(column: number): number;
  registersAddress(column: number): number;
  listedAddress(column: number): number;
  knownAddress(): number;
  unseenAddress(): number;
  histogramAddress(): number;
  nameAddress(column: number): number;
  settle(column: number, asTexts: boolean): void;
  countCells(column: number): boolean;
  unsettled(tag: Tag): number;
  countCodeTexts(column: number): void;
  codeTexts: WebAssembly.Global;
  dottedTexts: WebAssembly.Global;
  groupedTexts: WebAssembly.Global;
  largeNumbers: WebAssembly.Global;
  letterTexts: WebAssembly.Global;
  letters: WebAssembly.Global;
  listNullish(column: number): void;
  listUnsettled(column: number): number;
  nullishEmpties: WebAssembly.Global;
  nullishListed: WebAssembly.Global;
  partAddress(): number;
  inspectedAddress(): number;
  listFormats(n: number): number;
  listPairs(n: number): number;
  listDateForms(n: number): number;
  listValues(column: number, stop: number): number;
  hashSum: WebAssembly.Global;
  listedHashesAddress(): number;
  listedCountsAddress(): number;
  slotsAddress(): number;
  listRanks(column: number, level: number): number;
  bucketsAddress(): number;
  atoms: WebAssembly.Global;
  atomsAddress(): number;
  queryDates(column: number, format: Format): void;
  earliestDate: WebAssembly.Global;
  latestDate: WebAssembly.Global;
  queryHistogram(column: number, low: number, high: number): void;
  queryOutside(column: number, low: number, high: number): void;
  queryUnseen(column: number, knownCount: number, limit: number): number;
  queryFresh(column: number): number;
  queryUnexpected(column: number, expected: number): number;
  foundRowsAddress(): number;
  rowLinesAddress(): number;
  writeLines(rows: number): void;
  rowsWithout(column: number, limit: number): number;
  rowsOfTags(column: number, tags: number, limit: number): number;
  rowsRagged(limit: number): number;
  rowsOutside(column: number, low: number, high: number, limit: number): number;
  rowsUnseen(column: number, knownCount: number, limit: number): number;
  rowsFresh(column: number, limit: number): number;
  rowsRepeated(column: number, limit: number): number;
  rowsDuplicated(limit: number): number;
  beginKeys(): void;
  addToKeys(column: number, nameAt: number, bytes: number): number;
  listKeys(count: number, isUnsettled: boolean): number;
  rowsLike(column: number, like: Like, has: boolean, format: Format, limit: number): number;
  ruleDataAddress(): number;
  beginRules(): number;
  beginPiece(check: number, from: number, to: number): void;
  chooseFlagged(check: number, flagged: boolean): number;
  clearFlags(check: number): void;
  failingRows(check: number, limit: number): number;
  flagAt(row: number): number;
  setFlag(row: number, fails: boolean): void;
  flagNulls(column: number): void;
  flagPresent(column: number): void;
  flagTypes(column: number, types: number): void;
  flagOutside(column: number, low: number, high: number, open: boolean): void;
  flagNoMultiples(column: number, m: number, scale: number): void;
  flagLengths(column: number, least: number, most: number): void;
  flagMisformed(column: number, format: TextFormat): void;
  newestDate(column: number): number;
  fetchTexts(columnsAt: number, count: number): number;
  beginAllowed(at: number): void;
  flagAllowed(column: number, at: number, among: boolean): void;
  flagUnmatched(column: number, at: number, start: number): number;
  flagRepeated(at: number, count: number): void;
  flagUnordered(
    left: number,
    operator: Operator,
    right: number,
    order: DateOrder,
    otherOrder: DateOrder,
  ): void;
  flagUnlike(
    column: number,
    operator: Operator,
    x: number,
    at: number,
    bytes: number,
    tag: number,
    order: DateOrder,
  ): void;
  flagDisordered(column: number, falling: boolean): void;
  cellOf(column: number, row: number): number;
  numberOf(column: number, row: number): number;
  orderOf(column: number): DateOrder;
  textSlotOf(column: number, cell: number): number;
  oddTexts: WebAssembly.Global;
  errorTexts: WebAssembly.Global;
  findOddTexts(column: number, wanted: OddText, doubled: boolean): number;
  findErrors(column: number): number;
  findNullErrors(column: number): number;
  findCutTexts(column: number, doubled: boolean): number;
  findDates(column: number, wanted: number, step: number): number;
  findWholeDecimals(column: number): number;
  countDistinctDates(column: number, most: number): void;
  findCompactDays(column: number): number;
  findOffsets(column: number, wanted: number, step: number): number;
  findTestTexts(column: number): number;
  findSentinels(column: number): number;
  findRounded(column: number, doubled: boolean, step: number): number;
  findDecimals(column: number, wanted: number, withNumbers: boolean): number;
  magnitudeOf(cell: number): bigint;
  signCountsAddress(): number;
  outsideCount: WebAssembly.Global;
  outsideMin: WebAssembly.Global;
  outsideMax: WebAssembly.Global;
  unseenListed: WebAssembly.Global;
  cellCount(column: number): number;
  cellTag(column: number, cell: number): Tag;
  cellRow(column: number, cell: number): number;
  cellValue(column: number, cell: number): number;
  cellText(column: number, cell: number): number;
}
