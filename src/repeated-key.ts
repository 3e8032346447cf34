/**
 * Finds a key that a map of a YAML or JSON text has twice: parsers keep the last value and drop the others. One pass over the text, because the
 * package `yaml` takes seconds for a text of 256 KiB. It knows what people write: block and flow maps, quoted keys, block and folded texts,
 * anchors, tags. Behind a key that is no text (`? `, `*name`) it looks no further.
 */

export interface RepeatedKey {
  key: string;
  /** Keys and places of what is around the map. A list that is not in brackets has no places. */
  path: (string | number)[];
  /** Of the second one, from 1. */
  line: number;
  firstLine: number;
}

/** The first one; with `member`, the first one in this member of the outermost map, or this member itself. */
export const repeatedKeyIn = (text: string, member?: string): RepeatedKey | null =>
  new Scanner(text, member).repeatedKey();

type Keys = Map<string, number>;

/** A map that is not closed. */
interface OpenMap {
  keys: Keys;
  /** The key of the value that is read. */
  here: string;
}
/** A list in brackets that is not closed, and the place of the value that is read. */
interface OpenList {
  keys: null;
  here: number;
}

class Scanner {
  #at = 0;
  /** Maps in blocks around this place: their columns and keys. */
  readonly #blocks: (OpenMap & { column: number })[] = [];
  /** Maps and lists in brackets around this place. */
  readonly #flows: (OpenMap | OpenList)[] = [];
  #found: RepeatedKey | null = null;
  /** Lines up to a place, so that each is counted once. */
  #counted = { at: 0, line: 1 };

  constructor(
    readonly text: string,
    readonly member?: string,
  ) {}

  repeatedKey(): RepeatedKey | null {
    while (this.#at < this.text.length && this.#found === null) {
      const column = this.#blanks();
      const here = this.#here();
      if (here === '\n' || here === '\r' || here === '#') this.#endLine();
      else if (column === 0 && (this.#begins('---') || this.#begins('...'))) {
        this.#close(0);
        this.#endLine();
      } else if (!this.#entry(column)) break;
    }
    return this.#found;
  }

  /** Reads what begins in this column, up to the end of its lines. False where the text is not understood. */
  #entry(column: number): boolean {
    let [here, parent] = [column, column - 1];
    while (this.#here() === '-' && isGap(this.text[this.#at + 1])) {
      this.#close(here + 1);
      parent = here;
      this.#at++;
      here += 1 + this.#blanks();
    }
    here += this.#properties();
    if (this.#here() === '*' || (this.#here() === '?' && isGap(this.text[this.#at + 1]))) return false;
    const start = this.#at;
    const key = this.#key();
    if (key === null) {
      this.#value(parent);
      return true;
    }
    this.#close(here + 1);
    if (this.#blocks.at(-1)?.column !== here) this.#blocks.push({ column: here, keys: new Map(), here: '' });
    this.#note(this.#blocks.at(-1)!, key, start);
    this.#blanks();
    this.#properties();
    this.#value(here);
    return true;
  }

  /** Reads a key and its colon; null without moving on if no key is here. */
  #key(): string | null {
    const start = this.#at;
    const quoted = this.#quoted();
    if (quoted !== null) {
      this.#blanks();
      if (this.#isColon()) return this.#taken(quoted);
    } else if (!NO_PLAIN.has(this.#here())) {
      while (!isEnd(this.#here()) && !this.#isColon()) this.#at++;
      if (this.#isColon()) return this.#taken(this.text.slice(start, this.#at).trimEnd());
    }
    this.#at = start;
    return null;
  }

  #taken(key: string): string {
    this.#at++;
    return key;
  }

  /** Takes a value and the rest of its lines: those that are further in than `column` belong to a text. */
  #value(column: number): void {
    const here = this.#here();
    const isText = !isGap(here) && here !== '#' && here !== '{' && here !== '[';
    if (here === '{' || here === '[') this.#flow();
    const isPlain = isText && this.#quoted() === null;
    this.#endLine();
    if (isPlain) this.#skipDeeper(column);
  }

  #skipDeeper(column: number): void {
    while (this.#at < this.text.length) {
      const start = this.#at;
      const indent = this.#blanks();
      if (indent <= column && !isEnd(this.#here())) {
        this.#at = start;
        return;
      }
      this.#endLine();
    }
  }

  #close(column: number): void {
    while (this.#blocks.length > 0 && this.#blocks.at(-1)!.column >= column) this.#blocks.pop();
  }

  /** From a bracket to the one that closes it. */
  #flow(): void {
    const open = this.#flows;
    let isKeyNext = false;
    do {
      while (isGap(this.#here()) && this.#at < this.text.length) this.#at++;
      if (this.#at >= this.text.length || this.#found !== null) return;
      const start = this.#at;
      const sign = this.#here();
      if (sign === '#' && isGap(this.text[start - 1])) this.#endLine();
      else if (FLOW_SIGNS.has(sign)) {
        this.#at++;
        const around = open.at(-1);
        if (sign === '{') open.push({ keys: new Map(), here: '' });
        else if (sign === '[') open.push({ keys: null, here: 0 });
        else if (sign !== ',') open.pop();
        else if (around?.keys === null) around.here++;
        isKeyNext = sign === '{' || sign === ',';
      } else {
        const quoted = this.#quoted();
        const text = quoted ?? this.#plainInFlow();
        const around = open.at(-1);
        this.#blanks();
        const isKey = quoted === null ? this.#isColon() : this.#here() === ':';
        if (isKeyNext && around?.keys && isKey) this.#note(around, text, start);
        if (isKey) this.#at++;
        isKeyNext = false;
      }
    } while (open.length > 0);
  }

  #plainInFlow(): string {
    const start = this.#at;
    do this.#at++;
    while (!isEnd(this.#here()) && !FLOW_SIGNS.has(this.#here()) && !this.#isColon());
    return this.text.slice(start, this.#at).trimEnd();
  }

  /** Reads a quoted text; null if none is here. */
  #quoted(): string | null {
    const quote = this.#here();
    if (quote !== '"' && quote !== "'") return null;
    const start = ++this.#at;
    for (; this.#at < this.text.length; this.#at++) {
      if (this.#here() === quote && !(quote === "'" && this.text[this.#at + 1] === "'")) break;
      if (quote === "'" ? this.#here() === "'" : this.#here() === '\\') this.#at++;
    }
    const inner = this.text.slice(start, this.#at++);
    return quote === '"' ? unescaped(inner) : inner.replaceAll("''", "'");
  }

  /** Takes anchors and tags. Returns how many characters. */
  #properties(): number {
    const start = this.#at;
    while (this.#here() === '&' || this.#here() === '!') {
      while (!isGap(this.#here())) this.#at++;
      this.#blanks();
    }
    return this.#at - start;
  }

  #here(): string {
    return this.text[this.#at] ?? '';
  }

  #begins(mark: string): boolean {
    return this.text.startsWith(mark, this.#at) && isGap(this.text[this.#at + mark.length]);
  }

  #isColon(): boolean {
    return this.#here() === ':' && isGap(this.text[this.#at + 1]);
  }

  #blanks(): number {
    const start = this.#at;
    while (this.#here() === ' ' || this.#here() === '\t') this.#at++;
    return this.#at - start;
  }

  #endLine(): void {
    const end = this.text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.text.length : end + 1;
  }

  #note(map: OpenMap, key: string, at: number): void {
    const firstLine = map.keys.get(key);
    const line = this.#lineOf(at);
    // Several merges may stand beside each other.
    if (firstLine !== undefined && key !== '<<' && this.#isIn(map, key))
      this.#found ??= { key, path: this.#pathTo(map), line, firstLine };
    map.keys.set(key, line);
    map.here = key;
  }

  #isIn(map: OpenMap, key: string): boolean {
    if (this.member === undefined) return true;
    const outermost = this.#blocks[0] ?? this.#flows[0];
    return (outermost === map ? key : outermost?.here) === this.member;
  }

  #pathTo(map: OpenMap): (string | number)[] {
    const open = [...this.#blocks, ...this.#flows];
    return open.slice(0, open.indexOf(map)).map(({ here }) => here);
  }

  #lineOf(at: number): number {
    let { line } = this.#counted;
    for (let i = this.#counted.at; i < at; i++) if (this.text[i] === '\n') line++;
    this.#counted = { at, line };
    return line;
  }
}

/** A key without quotes cannot begin with these. */
const NO_PLAIN: ReadonlySet<string> = new Set('#[]{},|>@`%');
const FLOW_SIGNS: ReadonlySet<string> = new Set('{}[],');

const isEnd = (sign: string): boolean => sign === '' || sign === '\n' || sign === '\r';

/** A blank, the end of a line or of the text. */
const isGap = (sign = ''): boolean => sign === ' ' || sign === '\t' || isEnd(sign);

function unescaped(inner: string): string {
  if (!inner.includes('\\')) return inner;
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return inner;
  }
}
