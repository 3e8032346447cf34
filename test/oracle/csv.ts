/** A slow reader of CSV that follows the rules one by one: records, then names, then the types of whole columns. */
import { type Batch, type Cell, LIMITS, Refused, type Row } from './batch.ts';
import { DateOrder } from '../../assembly/abi-dates.ts';
import { dateOf } from './date-time.ts';
import { wellFormedEnd } from './utf8.ts';

export interface RawCell {
  text: string;
  quoted: boolean;
}

export interface Record {
  cells: RawCell[];
  /** The line on which it begins, from 1. */
  line: number;
}

/** Reads a whole body. @throws Refused at the first problem in the byte stream. */
export function readCsv(bytes: Uint8Array, delimiter: string): Batch {
  const [header, ...data] = readRecords(bytes, delimiter);
  const { names, repeated } = nameColumns(header!.cells.map(cell => cell.text));
  const columns = names.map((_, i) => typeColumn(data.map(record => record.cells[i])));
  const rows = data.map((_, r) => rowOf(names, r, columns));
  const ragged = data.filter(record => record.cells.length !== names.length);
  const endsEarly =
    data.at(-1)!.cells.length < names.length && !/[\r\n]$/.test(new TextDecoder().decode(bytes));
  return {
    ...{ rows, names, repeated, endsEarly },
    ragged: { count: ragged.length, firstLine: ragged[0]?.line ?? 0 },
  };
}

function rowOf(names: string[], r: number, columns: (Cell | undefined)[][]): Row {
  const row: Row = new Map();
  names.forEach((name, i) => {
    const cell = columns[i]![r];
    if (cell !== undefined) row.set(name, cell);
  });
  return row;
}

/** The records of a body, header first; at least one data record. @throws Refused */
export function readRecords(bytes: Uint8Array, delimiter: string): Record[] {
  const begin = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const end = wellFormedEnd(bytes, begin);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(begin, end));
  const records = new Scanner(text, delimiter, end < bytes.length).records();
  if (records.length === 0) throw new Refused('HEADER_MISSING', {});
  if (records.length === 1) throw new Refused('ROWS_EMPTY', {});
  return records;
}

/** The records of a text, which may lack a header or data. `illFormed`: bytes that are not UTF-8 follow the text. */
export class Scanner {
  private at = 0;
  private line = 1;
  /** A name of the header that is too long: a header without rows is refused for that. */
  private longName: Refused | null = null;

  constructor(
    private readonly text: string,
    private readonly delimiter: string,
    private readonly illFormed = false,
  ) {}

  records(): Record[] {
    const records: Record[] = [];
    while (!this.ended()) {
      if (this.newline()) continue;
      if (this.longName) throw this.longName;
      if (records.length > LIMITS.rows) throw new Refused('ROWS', { row: LIMITS.rows });
      records.push(this.record(records.length === 0));
    }
    return records;
  }

  private record(isHeader: boolean): Record {
    const line = this.line;
    const cells = [this.cell(isHeader ? 1 : 0)];
    while (this.text[this.at] === this.delimiter) {
      if (cells.length === LIMITS.fields) throw new Refused('FIELDS', { line: this.line });
      this.at++;
      cells.push(this.cell(isHeader ? cells.length + 1 : 0));
    }
    if (!this.ended()) this.newline();
    return { cells, line };
  }

  /** `column`: of the header, from 1; 0 for a cell of data. */
  private cell(column: number): RawCell {
    const { line } = this;
    const cell = this.text[this.at] === '"' ? { text: this.quoted(), quoted: true } : this.plain();
    if (column > 0 && Buffer.byteLength(cell.text) > LIMITS.nameBytes)
      this.longName ??= new Refused('NAME', { line, column });
    return cell;
  }

  private plain(): RawCell {
    const begin = this.at;
    while (!this.atCellEnd()) this.at++;
    return { text: this.text.slice(begin, this.at), quoted: false };
  }

  private quoted(): string {
    const line = this.line;
    let text = '';
    this.at++;
    for (;;) {
      if (this.ended()) throw new Refused('QUOTE_OPEN', { line });
      const begin = this.at;
      if (this.newline()) text += this.text.slice(begin, this.at);
      else if (this.text.startsWith('""', this.at)) {
        text += '"';
        this.at += 2;
      } else if (this.text[this.at] === '"') break;
      else text += this.text[this.at++];
    }
    this.at++;
    if (!this.atCellEnd()) throw new Refused('TEXT_AFTER_QUOTE', { line });
    return text;
  }

  private atCellEnd(): boolean {
    return this.ended() || [this.delimiter, '\n', '\r'].includes(this.text[this.at]!);
  }

  /** Skips a line end, if there is one here. */
  private newline(): boolean {
    const length = this.text.startsWith('\r\n', this.at) ? 2 : '\r\n'.includes(this.text[this.at]!) ? 1 : 0;
    this.at += length;
    if (length > 0) this.line++;
    return length > 0;
  }

  private ended(): boolean {
    if (this.at < this.text.length) return false;
    if (this.illFormed) throw new Refused('ENCODING', { line: this.line });
    return true;
  }
}

/** Names of the columns: blank ones by position, repeated ones with the next free number. */
export function nameColumns(header: string[]): { names: string[]; repeated: string[] } {
  const filled = header.map((name, i) => (name.trim() === '' ? `column_${i + 1}` : name));
  const taken = new Set(filled);
  const names: string[] = [];
  const repeated = new Set<string>();
  for (const name of filled) {
    if (!names.includes(name)) {
      names.push(name);
      continue;
    }
    repeated.add(name);
    let number = 2;
    while (taken.has(`${name}_${number}`)) number++;
    taken.add(`${name}_${number}`);
    names.push(`${name}_${number}`);
  }
  return { names, repeated: [...repeated] };
}

const NULLS = ['NULL', 'null', '\\N'];
const NULLISH = ['', 'na', 'n/a', 'nan', 'none', 'nil', '#n/a', '?', '–', '—'];
/** Spaces around dashes do not count. */
const PLACEHOLDER = /^( *(-{1,3})? *|\.{1,3})$/;

type Look = 'null' | 'nullish' | 'boolean' | 'number' | 'code' | 'string';

const isNull = ({ text, quoted }: RawCell): boolean => (text === '' && !quoted) || NULLS.includes(text);
const INTEGER = /^ *[+-]?[0-9]+ *$/;
const NUMBER = /^ *[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)? *$/;
/** `007.5` is a number: only integers and integers with an exponent are codes. */
const ZEROS_BEFORE = /^ *[+-]?0[0-9]+([eE][+-]?[0-9]+)? *$/;
const MANY_DIGITS = /^ *[+-]?[0-9]{18,} *$/;
const isCode = (text: string): boolean =>
  ZEROS_BEFORE.test(text) || MANY_DIGITS.test(text) || !Number.isFinite(Number(text));

function lookOf(cell: RawCell): Look {
  if (isNull(cell)) return 'null';
  if (NULLISH.includes(cell.text.toLowerCase()) || PLACEHOLDER.test(cell.text)) return 'nullish';
  if (['true', 'false'].includes(cell.text.toLowerCase())) return 'boolean';
  if (!NUMBER.test(cell.text)) return 'string';
  return isCode(cell.text) ? 'code' : 'number';
}

/** Sets the type of every cell in a column; cells that ragged rows lack stay undefined. */
export function typeColumn(column: (RawCell | undefined)[]): (Cell | undefined)[] {
  const isText = isOfTexts(column.filter(cell => cell !== undefined));
  return column.map(cell => cell && typeCell(cell, isText));
}

function isOfTexts(cells: RawCell[]): boolean {
  const values = cells.filter(cell => !['null', 'nullish'].includes(lookOf(cell)));
  const looks = values.map(lookOf);
  const count = (look: Look): number => looks.filter(each => each === look).length;
  const codes = count('code');
  const integers = values.filter(cell => lookOf(cell) === 'number' && INTEGER.test(cell.text)).length;
  const fractions = count('number') - integers;
  if (count('number') + count('boolean') === values.length) return false;
  if (Math.max(count('number'), count('boolean')) * 2 <= values.length) return true;
  if (codes > 0 && codes * 100 >= codes + integers && codes + integers >= fractions) return true;
  const texts = values.map(({ text }) => text).filter((_, i) => looks[i] === 'string');
  const withLetters = codesWithLetters(texts, values.length);
  const areDotted = texts.filter(text => isCodeText(text) && isDotted(text)).length >= 0.9 * texts.length;
  const among = areDotted ? count('number') : integers;
  const areMost = among >= 0.9 * (count('number') + count('boolean'));
  const areGrouped = texts.filter(text => GROUPED.test(text)).length >= 0.9 * texts.length;
  const numbers = values.filter(cell => lookOf(cell) === 'number').map(({ text }) => Number(text));
  if (
    numbers.length > 0 &&
    texts.length * 50 >= values.length &&
    areGrouped &&
    numbers.every(number => Math.abs(number) < 1000)
  )
    return true;
  return withLetters * 50 >= values.length && withLetters >= 0.9 * texts.length && areMost;
}

/** Thousands between commas. */
const GROUPED = /^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$/;

function codesWithLetters(texts: string[], values: number): number {
  const letters = texts.filter(text => letterOf(text) !== null);
  const different = new Set(letters.map(letterOf)).size;
  return texts.filter(isCodeText).length + (different >= (values < 100 ? 2 : 3) ? letters.length : 0);
}

/** A single capital letter; a size; a pair of letters. */
function letterOf(text: string): string | null {
  if (/^[A-Z]$/.test(text)) return text;
  if (/^[A-Z]-[A-Z]$/.test(text)) return 'pair';
  return /^X+[SML]$/.test(text) ? 'size' : null;
}

const isDotted = (text: string): boolean => /^[0-9.]+$/.test(text);

function isCodeText(text: string): boolean {
  if (text.length > 24 || !/^[0-9A-Za-z #&+./_-]+$/.test(text) || !/[0-9]/.test(text)) return false;
  if (isDotted(text) ? /^[0-9]*(\.[0-9]{3})+$/.test(text) || !/\..*\./.test(text) : /^[0-9 .]+$/.test(text))
    return false;
  if (/^([+-][0-9.]*|[0-9.]+) *[A-Za-z][A-Za-z ]*[A-Za-z] *$/.test(text)) return false;
  return dateOf(text, DateOrder.UNKNOWN) === null;
}

function typeCell(cell: RawCell, isText: boolean): Cell {
  const look = lookOf(cell);
  const nothing = { text: cell.text, number: Number.NaN };
  if (look === 'null' || (look === 'nullish' && !isText)) return { type: 'null', ...nothing };
  if (isText || look === 'code' || look === 'string') return { type: 'string', ...nothing };
  if (look === 'boolean') return { type: 'boolean', ...nothing, text: cell.text.toLowerCase() };
  return { type: 'number', text: cell.text, number: Number(cell.text) };
}
