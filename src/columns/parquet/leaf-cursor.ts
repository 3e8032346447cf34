/** Reads a leaf of a row group row by row, whatever its pages are. Keeps the pages of the rows that were taken last. */

import { quoted } from '../../terms/errors.ts';
import { damaged } from './damaged.ts';
import { type Chunk, type Leaf, type Page, pagesOf, presentIn } from './pages.ts';

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
  readonly #pages: Generator<Page, undefined>;
  #page: Page | null = null;
  /** Pages that were left since rows were taken. */
  readonly #left: Page[] = [];
  #entry = 0;
  #value = 0;

  constructor(chunk: Chunk) {
    this.leaf = chunk.leaf;
    this.#pages = pagesOf(chunk);
  }

  /** The entries of the next `rows` rows, until it is called again. Throws `ColumnsError`. */
  take(rows: number): Part[] {
    for (const page of this.#left.splice(0)) page.memory.free();
    const parts: Part[] = [];
    for (let left = rows; ; ) {
      const page = this.#current();
      if (page === null) {
        if (left > 0)
          throw damaged(`the column ${quoted(this.leaf.path)} lacks ${left} rows of its row group`);
        return parts;
      }
      const { to, begun } = this.#within(page, left);
      if (to > this.#entry) parts.push(this.#part(page, to));
      left -= begun;
      if (to < page.count) return parts;
    }
  }

  /** Throws `ColumnsError` where values follow. */
  end(): void {
    if (this.#current() !== null)
      throw damaged(`the column ${quoted(this.leaf.path)} has more rows than its row group`);
  }

  #current(): Page | null {
    while (this.#page === null || this.#entry === this.#page.count) {
      if (this.#page !== null) this.#left.push(this.#page);
      this.#page = null;
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
