/**
 * The list of all statistics of a column. Each family has a file of its own that writes its slots of the column's record.
 * Counts of types and the content are over all rows, the other statistics over the analysed rows. Those that
 * need few cells are taken from the inspected ones: `begin…`, `add…` for each cell, and `put…`.
 *
 * A new statistic is a slot of `Column`, a function in the file of its family, and a line here when the family is new.
 */
import { Column, Out, Tag } from '../abi';
import { cellsOf, edgeOf, ESCAPED, nameOf, put, recordOf, setOut, TAGS } from '../arena';
import { COUNT, REPEATED } from '../column';
import { analysed, cellCount, chooseRows, gather, hashes, rows, tags, values } from '../gather';
import { valueSeed } from '../hash';
import { countTags, tagCount } from '../tags';
import { hashOf } from '../value-hash';
import { addAdjacent, beginAdjacent, beginAdjacentRun, putAdjacent } from './adjacent';
import { addCharacters, beginCharacters, putCharacters } from './characters';
import { putContent } from './content';
import { addContents, beginContents, putContents } from './contents';
import { putDistinct } from './distinct-values';
import { addDate, beginDates, putDates } from './dates';
import { addFormat, beginFormats, putFormats } from './formats';
import { beginRuns, nextRun, runBegin, runEnd } from './inspect';
import { forgetHashesOfWords, putMissingTexts } from './missing-texts';
import { addNeighbour, beginNeighbour, forgetNeighbour, putNeighbour } from './neighbour';
import { addNumberKinds, beginNumberKinds, putNumberKinds } from './number-kinds';
import { putNumeric } from './numeric';
import { readCharacters } from './text';
import { addTransitions, beginTransitions, putTransitions } from './transitions';
import { addValue, beginValues, putValues } from './values';

/** Columns will be measured over all rows, or over a sample of `sampleRows` when there are more. */
export function beginColumns(rowCount: u32, sampleRows: u32): void {
  chooseRows(rowCount, sampleRows);
  setOut(Out.ANALYSED, <f64>analysed);
  forgetNeighbour();
  forgetHashesOfWords();
}

/** Measures the next column. `doubled`: quotes in marked texts are doubled, as in CSV. */
export function measureColumn(column: u32, doubled: bool): void {
  const record = recordOf(column);
  memory.fill(record, 0, <usize>Column.LENGTH << 3);
  putName(column, record);
  putTypes(column, record);
  gather(column);
  if (analysed < rows) countTags(tags, cellCount);
  const present = cellCount - tagCount(Tag.NULL);
  put(record, Column.VALUES, <f64>present);
  putNumeric(record, tagCount(Tag.NUMBER));
  putDistinct(column, record, present);
  putMissingTexts(column, record, doubled);
  inspectCells(doubled);
  putValues(column, record);
  putAdjacent(record);
  if (numbers) putNumberKinds(record);
  if (texts) putTexts(record);
  putNeighbour(column, record);
  putContent(column, record);
}

function putName(column: u32, record: usize): void {
  const name = nameOf(column), length = load<u32>(name, 4);
  put(record, Column.NAME_OFFSET, <f64>load<u32>(name));
  put(record, Column.NAME_LENGTH, <f64>(length & ~ESCAPED));
  put(record, Column.NAME_ESCAPED, (length & ESCAPED) != 0 ? 1 : 0);
  put(record, Column.REPEATED, <f64>load<u32>(edgeOf(column), REPEATED));
}

/** Cells by type, over all rows. */
function putTypes(column: u32, record: usize): void {
  countTags(cellsOf(column) + TAGS, load<u32>(edgeOf(column), COUNT));
  for (let tag: i32 = Tag.NULL; tag <= Tag.ARRAY; tag++) put(record, Column.NULLS + tag - Tag.NULL, <f64>tagCount(tag));
}

// ---- the inspected cells ----

/** Numbers and texts among them. */
let numbers: u32 = 0, texts: u32 = 0;

function inspectCells(doubled: bool): void {
  const seed = valueSeed();
  beginInspection();
  while (nextRun()) {
    beginAdjacentRun();
    for (let cell: usize = runBegin, end: usize = runEnd; cell < end; cell++) {
      const tag: i32 = load<u8>(tags + cell), value = load<u64>(values + (cell << 3));
      const hash = tag == Tag.NULL ? 0 : hashOf(tag, values + (cell << 3), hashes + (cell << 3), seed);
      if (tag == Tag.NUMBER) inspectNumber(reinterpret<f64>(value));
      else if (tag == Tag.STRING || tag == Tag.EMPTY) inspectText(value, doubled);
      addNeighbour(hash, tag == Tag.NUMBER ? reinterpret<f64>(value) : NaN);
      addAdjacent(tag, hash, value);
      if (tag != Tag.NULL) addValue(hash);
    }
  }
}

function beginInspection(): void {
  numbers = 0;
  texts = 0;
  beginRuns();
  beginValues();
  beginAdjacent();
  beginNumberKinds();
  beginContents();
  beginCharacters();
  beginFormats();
  beginDates();
  beginTransitions();
  beginNeighbour();
}

// @ts-ignore: decorator
@inline function inspectNumber(x: f64): void {
  numbers++;
  addNumberKinds(x);
}

function inspectText(slot: u64, doubled: bool): void {
  texts++;
  readCharacters(slot, doubled);
  addContents();
  addCharacters();
  addFormat();
  addDate();
  addTransitions();
}

function putTexts(record: usize): void {
  putContents(record);
  putCharacters(record);
  putFormats(record);
  putDates(record);
  putTransitions(record);
}
