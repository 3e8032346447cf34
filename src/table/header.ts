/**
 * Where the header of a table is, and whether it is one. A title, notes or blank cells may come before it, another header or units
 * after it, or there may be none. Everything here needs more than one sign: a table that only looks unusual is left alone. Pure.
 */
import { isBlank, kindOf, shapeOf } from './cell-kinds.ts';
import { behindFirst, columnsOf, filled, isTyped, type LookedColumn, usualShape } from './columns.ts';
import type { TextRecord } from './records.ts';

/** Records that may come before the header. */
const MOST_TITLES = 40;
/** Records behind it that show what the table is. */
const BODY_RECORDS = 12;
const COMMENT = /^\s*(#|\/\/|--|%)/;

/** The index of the header among the records; null where the first one may be it, or none looks like one. */
export function headerBehindTitles(records: readonly TextRecord[], width: number): number | null {
  if (width < 2) return null;
  let at = 0;
  while (at < Math.min(MOST_TITLES, records.length) && isTitle(records[at]!, records[at + 1], width)) at++;
  const [header, ...body] = records.slice(at, at + 1 + BODY_RECORDS);
  if (at === 0 || header === undefined || !isHeaderLike(header, width)) return null;
  const rows = body.filter(({ cells }) => cells.length === width);
  if (rows.length < Math.max(1, body.length * 0.7)) return null;
  const titles = records.slice(0, at);
  return titles.some(title => isPlainTitle(title, width)) || standsOut(header, columnsOf(rows, width))
    ? at
    : null;
}

/** Fewer cells are filled than a header would fill. */
function isTitle(record: TextRecord, next: TextRecord | undefined, width: number): boolean {
  const count = filled(record);
  if (count === 0) return true;
  if (COMMENT.test(record.cells[0]!))
    return record.cells.length !== width || count === 1 || COMMENT.test(next?.cells[0] ?? '');
  return count <= Math.max(1, Math.floor(width / 3)) && isBlank(record.cells[1] ?? '') === (count === 1);
}

/** No header of a narrower table begins so. */
function isPlainTitle(record: TextRecord, width: number): boolean {
  const [first = ''] = record.cells;
  if (filled(record) === 0 || COMMENT.test(first) || record.cells.length === width) return true;
  return width > 2 && /\S\s+\S/.test(first);
}

const YEAR = /^(1[5-9]|20|21)\d\d$/;

/** Names: most cells are filled, with different texts that are no values. */
function isHeaderLike(record: TextRecord, width: number): boolean {
  if (record.cells.length !== width) return false;
  const names = record.cells.map(cell => cell.trim()).filter(name => name !== '');
  if (names.length < width * 0.6) return false;
  if (new Set(names).size < names.length * 0.8) return false;
  return names.every(name => {
    const kind = kindOf(name);
    return kind === 'word' || kind === 'code' || YEAR.test(name);
  });
}

/** It has words where the columns have numbers or dates. */
const standsOut = ({ cells }: TextRecord, columns: readonly LookedColumn[]): boolean =>
  columns.some((column, i) => isTyped(column) && kindOf(cells[i] ?? '') === 'word');

export interface HeaderSign {
  sign: 'blank_header' | 'two_headers' | 'units_row' | 'no_header';
  /** Those that are meant. */
  lines: number[];
}

/** What is wrong with the header, the first of the records; null where nothing is. */
export function headerSign(records: readonly TextRecord[], width: number): HeaderSign | null {
  const [header, second, ...rest] = records.slice(0, 2 + BODY_RECORDS);
  if (header === undefined || second === undefined) return null;
  if (filled(header) === 0) return width > 1 ? { sign: 'blank_header', lines: [header.line] } : null;
  if (header.cells.length !== width) return null;
  const isRow = ({ cells }: TextRecord) => cells.length === width && !isSame(cells, header.cells);
  const body = [second, ...rest].filter(isRow);
  const columns = columnsOf(body, width);
  const found = body[0] === second ? secondHeader(header, second, behindFirst(columns)) : null;
  return found ?? (body.length < MIN_BODY ? noHeaderOfFew(header, body) : noHeader(header, columns));
}

/** The line of a header without the names of many columns that have values; null of any other. */
export function blankNames([header, ...body]: readonly TextRecord[], width: number): number | null {
  if (header === undefined || header.cells.length !== width) return null;
  const hasValues = (column: number) => body.some(({ cells }) => !isBlank(cells[column] ?? ''));
  const unnamed = header.cells.filter((name, i) => isBlank(name) && hasValues(i)).length;
  return unnamed >= 2 && unnamed >= width / 3 ? header.line : null;
}

/** Whether some of its cells are numbers or dates, and no years. */
export const hasValues = ({ cells }: TextRecord): boolean =>
  cells.some(cell => !YEAR.test(cell.trim()) && ['number', 'date'].includes(kindOf(cell)));

// ---- a second header ----

const UNIT =
  /^([[(].{1,20}[\])]|%|°[CF]|[kcmnµ]?[mgslW]|[kM]?(Hz|Pa|Wh?|bps|B)|mm|km|kg|mg|ms|hrs?|min|sec|days?|years?|usd|eur|gbp|us\$|€|\$|[a-z]{1,4}\/[a-z0-9]{1,4}|count|index|text|string|integer|int|float|double|number|numeric|date|datetime|boolean|bool|varchar.*|decimal.*|timestamp)$/i;

/** Fewer rows do not show what a column is. */
const MIN_BODY = 3;

function secondHeader(
  header: TextRecord,
  second: TextRecord,
  columns: readonly LookedColumn[],
): HeaderSign | null {
  const width = columns.length;
  if (columns[0]!.cells.length < MIN_BODY) return null;
  const typed = columns.flatMap((column, i) => (isTyped(column) ? [second.cells[i]!] : []));
  const said = typed.filter(cell => !isBlank(cell));
  const isName = (cell: string): boolean => kindOf(cell) === 'word' || kindOf(cell) === 'code';
  const isSaid = said.length > 0 && said.every(cell => isName(cell) || YEAR.test(cell.trim()));
  const words = said.filter(isName).length;
  const units = second.cells.filter(cell => UNIT.test(cell.trim())).length;
  const named = filled(second);
  if (units > 0 && units >= named * 0.5 && (isSaid || units === named) && (words > 0 || units > 1))
    return isNamed(header, columns) ? { sign: 'units_row', lines: [second.line] } : null;
  if (!isSaid || words === 0 || said.length < typed.length * 0.5) return null;
  const blankNames = header.cells.filter(isBlank).length;
  const hasGroups = blankNames >= 2 && blankNames >= width / 3 && isHeaderLike(second, width);
  if (hasGroups || (words >= 2 && isHeaderLike(second, width)))
    return { sign: 'two_headers', lines: [header.line, second.line] };
  return null;
}

/** The header has words where the columns have values. */
const isNamed = ({ cells }: TextRecord, columns: readonly LookedColumn[]): boolean =>
  columns.some((column, i) => isTyped(column) && kindOf(cells[i]!) !== 'number');

// ---- no header ----

function noHeader(header: TextRecord, columns: readonly LookedColumn[]): HeaderSign | null {
  if (standsOut(header, columns)) return null;
  const numbers = header.cells.filter(cell => kindOf(cell) === 'number');
  let evidence = 0;
  for (const [i, column] of columns.entries())
    evidence += evidenceOf(header.cells[i]!, column, isSeries(numbers));
  return evidence >= (columns.length === 1 ? 1 : 2) ? { sign: 'no_header', lines: [header.line] } : null;
}

/** Of one or two rows: a number or a date is a name, a code or a date is, and all of these have the form of the values below. Numbers alone may be years, hours, shares, unless they count on below. */
function noHeaderOfFew(header: TextRecord, body: readonly TextRecord[]): HeaderSign | null {
  if (body.length === 0 || !hasValues(header)) return null;
  const values = header.cells.flatMap((name, i) => {
    const kind = kindOf(name);
    return kind === 'word' || kind === 'blank' ? [] : [{ kind, name, cells: body.map(row => row.cells[i]!) }];
  });
  const areLike = values.every(({ kind, name, cells }) =>
    cells.every(cell => kindOf(cell) === kind && shapeOf(cell) === shapeOf(name)),
  );
  const isSaid = values.length >= 2 && values.some(({ kind }) => kind !== 'number');
  const isCounted =
    values.length < header.cells.length &&
    values.some(({ name, cells }) => cells.length > 1 && precedes(name, cells));
  return (areLike && isSaid) || isCounted ? { sign: 'no_header', lines: [header.line] } : null;
}

/** 2: the name is surely a value of the column; 1: it may be one. */
function evidenceOf(name: string, column: LookedColumn, isSeriesOfNames: boolean): number {
  const kind = kindOf(name);
  if (kind === 'blank') return 0;
  if (kind === 'date') return column.kind === 'date' ? 2 : 0;
  if (kind === 'number') return column.kind === 'number' ? numberEvidence(name, column, isSeriesOfNames) : 0;
  if (kind === 'code') return /\d/.test(name) && usualShape(column) === shapeOf(name) ? 2 : 0;
  // A word that the column repeats.
  return column.kind === 'word' && column.cells.filter(cell => cell === name).length >= 2 ? 2 : 0;
}

function numberEvidence(name: string, { cells }: LookedColumn, isSeriesOfNames: boolean): number {
  const text = name.trim();
  const values = cells.map(cell => cell.trim()).filter(cell => cell !== '');
  if (values.length >= MIN_BODY && precedes(text, values)) return 2;
  if (YEAR.test(text) && !values.every(value => YEAR.test(value))) return 0;
  if (/^-?\d+[.,]\d+$/.test(text) && values.every(value => shapeOf(value) === shapeOf(text))) return 2;
  const isCode =
    /^\d{4,}$/.test(text) && !YEAR.test(text) && values.every(value => value.length === text.length);
  if (isCode && /^\d+$/.test(values.join(''))) return 2;
  return isSeriesOfNames ? 0 : 1;
}

/** It counts on to the values: 0 before 1, 2, 3. */
function precedes(name: string, values: readonly string[]): boolean {
  if (!/^-?\d+$/.test(name)) return false;
  const [step, ...numbers] = [Number(values[0]) - Number(name), Number(name), ...values.map(Number)];
  return step !== 0 && numbers.every((value, i) => i === 0 || value - numbers[i - 1]! === step);
}

/** Names that are numbers rise: years, ages, hours, shares. */
function isSeries(names: readonly string[]): boolean {
  const numbers = names.map(name => Number(name.replace(/[^\d.-]/g, '')));
  return numbers.length > 1 && numbers.every((value, i) => i === 0 || value > numbers[i - 1]!);
}

export const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((cell, i) => cell === b[i]);
