/** A slow reader of CSV that follows the rules one by one: records, then names, then the types of whole columns. */
import { type Batch, type Cell, LIMITS, Refused, type Row } from './batch.ts';
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
const NULLISH = ['', 'na', 'n/a', 'nan', 'none', 'nil', '-', '#n/a'];

type Look = 'null' | 'nullish' | 'boolean' | 'number' | 'code' | 'string';

const isNull = ({ text, quoted }: RawCell): boolean => (text === '' && !quoted) || NULLS.includes(text);
const INTEGER = /^ *[+-]?[0-9]+ *$/;
const CODE = /^ *[+-]?0[0-9]+ *$/;
/** `007.5` is a number: only integers are codes. */
const NUMBER = /^ *[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)? *$/;

function lookOf(cell: RawCell): Look {
  if (isNull(cell)) return 'null';
  if (NULLISH.includes(cell.text.toLowerCase())) return 'nullish';
  if (['true', 'false'].includes(cell.text.toLowerCase())) return 'boolean';
  if (CODE.test(cell.text)) return 'code';
  return NUMBER.test(cell.text) ? 'number' : 'string';
}

/** Sets the type of every cell in a column; cells that ragged rows lack stay undefined. */
export function typeColumn(column: (RawCell | undefined)[]): (Cell | undefined)[] {
  const cells = column.filter(cell => cell !== undefined);
  const looks = cells.map(lookOf);
  const codes = looks.filter(look => look === 'code').length;
  const integers = cells.filter(cell => INTEGER.test(cell.text)).length;
  const ofCodes = codes > 0 && codes * 100 >= integers;
  const others = looks.filter(look => look !== 'null' && look !== 'nullish');
  const typed = ofCodes ? [] : others.filter(look => look === 'number' || look === 'boolean');
  const nullishIsNull = others.length === 0 || typed.length * 2 > others.length;
  return column.map(cell => cell && typeCell(cell, ofCodes, nullishIsNull));
}

function typeCell(cell: RawCell, ofCodes: boolean, nullishIsNull: boolean): Cell {
  const look = lookOf(cell);
  const nothing = { text: cell.text, number: Number.NaN };
  if (look === 'null' || (look === 'nullish' && nullishIsNull)) return { type: 'null', ...nothing };
  if (ofCodes || look === 'nullish' || look === 'code' || look === 'string')
    return { type: 'string', ...nothing };
  if (look === 'boolean') return { type: 'boolean', ...nothing, text: cell.text.toLowerCase() };
  return { type: 'number', text: cell.text, number: Number(cell.text) };
}
