/** The functions and globals that the WebAssembly module exports. `assembly/index.ts` has them in the same order. */
import type { Format, Like, Status, Tag } from '../../assembly/abi.ts';

export interface EngineExports {
  memory: WebAssembly.Memory;
  prepare(maxBodyBytes: number): void;
  tablesAddress(): number;
  saltAddress(): number;
  bodyAddress(): number;
  begin(format: Format, delimiter: number): void;
  feed(total: number, final: boolean): Status;
  parsed(): number;
  otherDelimiter(): number;
  measure(sampleRows: number): void;
  outAddress(): number;
  columnAddress(column: number): number;
  registersAddress(column: number): number;
  listedAddress(column: number): number;
  knownAddress(): number;
  unseenAddress(): number;
  histogramAddress(): number;
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
  rowsLike(column: number, like: Like, has: boolean, format: Format, limit: number): number;
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
