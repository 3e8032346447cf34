/** Reads a leaf of a row group row by row, whatever its pages are. Keeps the dictionary, and the pages of the rows that were taken last. */

import { quoted } from '../../terms/errors.ts';
import { damaged } from './damaged.ts';
import { type Chunk, type Leaf, type Page, type PlacedPage, pagesOf, presentIn } from './pages.ts';
import type { Scratch } from '../scratch.ts';
import type { Values } from './values.ts';

/** Entries of a page: [from, to), and its values [valueFrom, valueTo). */
export interface Part {
  page: Page;
  from: number;
  to: number;
  valueFrom: number;
  valueTo: number;
}

export class LeafCursor {
  readonly leaf: Leaf;
  readonly #pages: Generator<PlacedPage, undefined>;
  readonly #newMemory: () => Scratch;
  #page: PlacedPage | null = null;
  #decoded: { page: Page; memory: Scratch } | null = null;
  #dictionary: { readBy: PlacedPage['readDictionary']; values: Values; memory: Scratch } | null = null;
  /** Of pages that were left since rows were taken. */
  readonly #left: Scratch[] = [];
  #entry = 0;
  #value = 0;

  constructor(chunk: Chunk) {
    this.leaf = chunk.leaf;
    this.#pages = pagesOf(chunk);
    this.#newMemory = chunk.newMemory;
  }

  /** The entries of the next `rows` rows, until it is called again. Throws `ColumnsError`. */
  take(rows: number): Part[] {
    this.#freeLeft();
    const parts: Part[] = [];
    for (let left = rows; ; ) {
      const page = this.#current();
      if (page === null) {
        if (left > 0)
          throw damaged(`the column ${quoted(this.leaf.path)} lacks ${left} rows of its row group`);
        return parts;
      }
      const decoded = this.#decode(page);
      const { to, begun } = this.#within(decoded, left);
      if (to > this.#entry) parts.push(this.#part(decoded, to));
      left -= begun;
      if (to < page.count) return parts;
    }
  }

  /** Throws `ColumnsError` where values follow. */
  end(): void {
    if (this.#current() !== null)
      throw damaged(`the column ${quoted(this.leaf.path)} has more rows than its row group`);
  }

  /** Frees what was decoded, which is decoded again when it is needed. Rows that were taken are no longer valid. */
  forget(): void {
    this.#freeLeft();
    for (const each of [this.#decoded, this.#dictionary]) each?.memory.free();
    this.#decoded = this.#dictionary = null;
  }

  #freeLeft(): void {
    for (const memory of this.#left.splice(0)) memory.free();
  }

  #decode(placed: PlacedPage): Page {
    if (this.#decoded === null) {
      const dictionary = this.#dictionaryOf(placed);
      const memory = this.#newMemory();
      this.#decoded = { page: placed.decode(memory, dictionary), memory };
    }
    return this.#decoded.page;
  }

  #dictionaryOf({ readDictionary }: PlacedPage): Values | null {
    if (readDictionary === null) return null;
    if (this.#dictionary?.readBy !== readDictionary) {
      const memory = this.#newMemory();
      this.#dictionary = { readBy: readDictionary, values: readDictionary(memory), memory };
    }
    return this.#dictionary.values;
  }

  #current(): PlacedPage | null {
    while (this.#page === null || this.#entry === this.#page.count) {
      if (this.#decoded !== null) this.#left.push(this.#decoded.memory);
      this.#page = this.#decoded = null;
      const { done, value } = this.#pages.next();
      if (done) return null;
      this.#page = value;
      this.#entry = 0;
      this.#value = 0;
    }
    return this.#page;
  }

  /** The entry at which row `rows` after this one begins, or the end of the page; and the rows that begin before it. */
  #within({ repetition, count }: Page, rows: number): { to: number; begun: number } {
    if (repetition === null) {
      const to = Math.min(count, this.#entry + rows);
      return { to, begun: to - this.#entry };
    }
    let [to, begun] = [this.#entry, 0];
    for (; to < count; to++) {
      if (repetition[to] !== 0) continue;
      if (begun === rows) break;
      begun++;
    }
    return { to, begun };
  }

  #part(page: Page, to: number): Part {
    const [from, valueFrom] = [this.#entry, this.#value];
    const valueTo = valueFrom + presentIn(page.definition, this.leaf, from, to);
    this.#entry = to;
    this.#value = valueTo;
    return { page, from, to, valueFrom, valueTo };
  }
}
