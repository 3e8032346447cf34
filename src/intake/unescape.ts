/**
 * Rewrites CSV whose quotes and delimiters have an escape character before them, as Spark and MySQL write it, to that of RFC 4180. Lines stay
 * where they are: an escaped line end becomes one in a quoted cell, and `\n` in letters stays as it is. `\N` alone is a null.
 */
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

export class Unescape {
  readonly #delimiter: number;
  readonly #escape: number;
  #out: number[] = [];
  /** An unquoted cell so far, as its text; null within quotes and behind them. */
  #cell: number[] | null = [];
  /** Whether the unquoted cell needs quotes. */
  #needsQuotes = false;
  #isQuoted = false;
  #isEscaped = false;

  /** Bytes. */
  constructor(delimiter: number, escapeByte: number) {
    this.#delimiter = delimiter;
    this.#escape = escapeByte;
  }

  next(bytes: Uint8Array): Uint8Array {
    for (const byte of bytes) this.#take(byte);
    const out = Uint8Array.from(this.#out);
    this.#out = [];
    return out;
  }

  /** What is left at the end of the text. */
  finish(): Uint8Array {
    if (this.#isEscaped) this.#write([this.#escape]);
    this.#endCell();
    return this.next(new Uint8Array());
  }

  #take(byte: number): void {
    if (this.#isEscaped) this.#takeEscaped(byte);
    else if (byte === this.#escape) this.#isEscaped = true;
    else if (this.#isQuoted) {
      this.#out.push(byte);
      if (byte === QUOTE) this.#isQuoted = false;
    } else if (byte === this.#delimiter || byte === LF || byte === CR) {
      this.#endCell();
      this.#out.push(byte);
      this.#cell = [];
    } else if (byte === QUOTE && (this.#cell === null || this.#cell.length === 0)) {
      // Opens the cell, or goes on in it behind its own quote.
      this.#cell = null;
      this.#isQuoted = true;
      this.#out.push(byte);
    } else this.#write([byte]);
  }

  #takeEscaped(byte: number): void {
    this.#isEscaped = false;
    if (this.#isQuoted) {
      if (byte === QUOTE) this.#out.push(QUOTE, QUOTE);
      else if (byte === this.#escape) this.#out.push(byte);
      else this.#out.push(this.#escape, byte);
      return;
    }
    const isSpecial = byte === QUOTE || byte === this.#delimiter || byte === LF || byte === CR;
    this.#needsQuotes ||= isSpecial;
    this.#write(isSpecial || byte === this.#escape ? [byte] : [this.#escape, byte]);
  }

  #write(bytes: number[]): void {
    (this.#cell ?? this.#out).push(...bytes);
  }

  #endCell(): void {
    const cell = this.#cell;
    if (cell !== null && this.#needsQuotes)
      this.#out.push(QUOTE, ...cell.flatMap(byte => (byte === QUOTE ? [QUOTE, QUOTE] : [byte])), QUOTE);
    else if (cell !== null) for (const byte of cell) this.#out.push(byte);
    this.#cell = null;
    this.#needsQuotes = false;
  }
}
