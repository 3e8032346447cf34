/**
 * A strict reader of one JSON screening request (RFC 8259), byte by byte. It keeps what `JSON.parse`
 * loses: repeated keys, the raw text of nested values, and where and why a body is refused.
 */
import { type Batch, type Cell, LIMITS, Refused, type Row } from './batch.ts';
import { sequenceLength } from './utf8.ts';

export interface JsonReading {
  /** Type of the body's own value. */
  top: Cell['type'];
  /** The last value given under each of these top-level keys. */
  source: Cell | undefined;
  options: Cell | undefined;
  /** The last `rows`; undefined if there are none. */
  batch: Batch | undefined;
}

const SIMPLE_ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Reads a whole body. @throws Refused at the first problem in the byte stream. */
export function readJson(bytes: Uint8Array): JsonReading {
  return new Reader(bytes).read();
}

class Reader {
  private at = 0;
  private depth = 0;
  private cells = 0;
  private readonly reading: JsonReading = {
    top: 'null',
    source: undefined,
    options: undefined,
    batch: undefined,
  };

  constructor(private readonly bytes: Uint8Array) {}

  read(): JsonReading {
    if (this.bytes[0] === 0xef && this.bytes[1] === 0xbb && this.bytes[2] === 0xbf) this.at = 3;
    this.space();
    this.reading.top = this.peek() === '{' ? this.envelope() : this.value().type;
    this.space();
    if (this.at < this.bytes.length) this.unexpected();
    return this.reading;
  }

  private envelope(): 'object' {
    this.members(key => {
      if (key === 'rows') this.rows();
      else {
        const value = this.value();
        if (key === 'source') this.reading.source = value;
        if (key === 'options') this.reading.options = value;
      }
    });
    return 'object';
  }

  private rows(): void {
    const batch: Batch = {
      rows: [],
      names: [],
      repeated: [],
      ragged: { count: 0, firstLine: 0 },
      endsEarly: false,
    };
    this.reading.batch = batch;
    this.cells = 0;
    const known = new Set<string>();
    if (this.anyValue() !== '[') throw new Refused('ROWS_NOT_ARRAY', { offset: this.at });
    this.items(() => {
      const begin = this.anyValue();
      if (batch.rows.length === LIMITS.rows) throw new Refused('ROWS', { row: batch.rows.length });
      if (begin !== '{') throw new Refused('ROW_NOT_OBJECT', { offset: this.at, row: batch.rows.length });
      batch.rows.push(this.row(batch, known));
    });
    if (batch.rows.length === 0) throw new Refused('ROWS_EMPTY', { offset: this.at - 1 });
    batch.names = [...known];
  }

  private row(batch: Batch, known: Set<string>): Row {
    const row: Row = new Map();
    const members = (name: string) => {
      known.add(name);
      if (known.size > LIMITS.fields) throw new Refused('FIELDS', { row: batch.rows.length });
      if (row.has(name) && !batch.repeated.includes(name)) batch.repeated.push(name);
      if (!row.has(name) && ++this.cells > LIMITS.cells)
        throw new Refused('CELLS', { row: batch.rows.length });
      row.set(name, this.value());
    };
    this.members(members, batch.rows.length);
    return row;
  }

  /** The first byte of a value of any type. */
  private anyValue(): string {
    if (!/["{[tfn0-9-]/.test(this.peek())) this.unexpected();
    return this.peek();
  }

  private value(): Cell {
    const begin = this.at;
    const first = this.peek();
    if (first === '"') return { type: 'string', text: this.string(), number: Number.NaN };
    if (first === '{') this.members(() => this.value());
    else if (first === '[') this.items(() => this.value());
    else if (first === 't') this.word('true');
    else if (first === 'f') this.word('false');
    else if (first === 'n') this.word('null');
    else this.number();
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes.subarray(begin, this.at));
    if (first === '{') return { type: 'object', text, number: Number.NaN };
    if (first === '[') return { type: 'array', text, number: Number.NaN };
    if (first === 't' || first === 'f') return { type: 'boolean', text, number: Number.NaN };
    if (first === 'n') return { type: 'null', text, number: Number.NaN };
    return { type: 'number', text, number: Number(text) };
  }

  /** `row`: the keys are field names of this row. */
  private members(member: (key: string) => void, row?: number): void {
    this.list('}', () => {
      if (this.peek() !== '"') this.unexpected();
      const key = this.string(row);
      this.space();
      this.take(':');
      this.space();
      member(key);
    });
  }

  private items(item: () => void): void {
    this.list(']', item);
  }

  /** Reads from an opening bracket to the closing one; `element` reads what is between commas. */
  private list(close: string, element: () => void): void {
    this.depth++;
    if (this.depth > LIMITS.depth) throw new Refused('DEPTH', { offset: this.at });
    this.at++;
    this.space();
    if (this.peek() !== close) {
      element();
      this.space();
      while (this.peek() === ',') {
        this.at++;
        this.space();
        element();
        this.space();
      }
    }
    this.take(close);
    this.depth--;
  }

  private string(nameInRow?: number): string {
    const offset = this.at;
    this.take('"');
    let text = '';
    while (this.peek() !== '"') {
      if (this.peek() === '\\') text += this.escape();
      else if (this.byte() < 0x20) this.unexpected();
      else text += this.character();
      if (nameInRow !== undefined && Buffer.byteLength(text) > LIMITS.nameBytes)
        throw new Refused('NAME', { offset, row: nameInRow });
    }
    this.at++;
    return text;
  }

  private escape(): string {
    this.at++;
    if (this.peek() === 'u') return this.unicodeEscape();
    const character = SIMPLE_ESCAPES.get(this.peek());
    if (character === undefined) this.unexpected();
    this.at++;
    return character!;
  }

  private unicodeEscape(): string {
    this.at++;
    const begin = this.at;
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.peek())) this.unexpected();
      this.at++;
    }
    const digits = String.fromCharCode(...this.bytes.subarray(begin, this.at));
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  private character(): string {
    const length = sequenceLength(this.bytes, this.at);
    if (length === 'ill-formed') throw new Refused('ENCODING', { offset: this.at });
    this.at += length;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      this.bytes.subarray(this.at - length, this.at),
    );
  }

  private number(): void {
    if (this.peek() === '-') this.at++;
    if (this.peek() === '0') this.at++;
    else this.digits();
    if (this.next() === '.') {
      this.at++;
      this.digits();
    }
    if (this.next() === 'e' || this.next() === 'E') {
      this.at++;
      if (this.peek() === '+' || this.peek() === '-') this.at++;
      this.digits();
    }
  }

  private digits(): void {
    if (!/[0-9]/.test(this.peek())) this.unexpected();
    while (/[0-9]/.test(this.next())) this.at++;
  }

  private word(word: string): void {
    for (const letter of word) this.take(letter);
  }

  private take(character: string): void {
    if (this.peek() !== character) this.unexpected();
    this.at++;
  }

  private space(): void {
    while (this.next() !== '' && ' \t\n\r'.includes(this.next())) this.at++;
  }

  private byte(): number {
    if (this.at >= this.bytes.length) throw new Refused('TRUNCATED', { offset: this.at });
    return this.bytes[this.at]!;
  }

  /** The next byte as a character; the body must not end here. */
  private peek(): string {
    return String.fromCharCode(this.byte());
  }

  /** The next byte as a character, empty at the end of the body. */
  private next(): string {
    return this.at < this.bytes.length ? String.fromCharCode(this.bytes[this.at]!) : '';
  }

  private unexpected(): never {
    const illFormed = sequenceLength(this.bytes, this.at) === 'ill-formed';
    throw new Refused(illFormed ? 'ENCODING' : 'SYNTAX', { offset: this.at });
  }
}
