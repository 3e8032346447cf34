/** A set of rows, by part and row. One bit a row in stretches that have any. */

/** Rows of a block. */
const BLOCK_BITS = 18;
const WORDS = 2 ** BLOCK_BITS / 32;

export interface RowPlace {
  part: number;
  row: number;
}

type Blocks = (Uint32Array | undefined)[];

export class RowBits {
  readonly #parts = new Map<number, Blocks>();
  /** Of the part that was added to last. */
  #lastPart = -1;
  #lastBlocks: Blocks = [];

  add(part: number, row: number): void {
    if (part !== this.#lastPart) this.#choose(part);
    const block = this.#lastBlocks[row >>> BLOCK_BITS] ?? this.#newBlock(row);
    block[(row >>> 5) % WORDS]! |= 1 << (row & 31);
  }

  has(part: number, row: number): boolean {
    const word = this.#parts.get(part)?.[row >>> BLOCK_BITS]?.[(row >>> 5) % WORDS] ?? 0;
    return ((word >>> (row & 31)) & 1) === 1;
  }

  /** In their order, at most `limit`. */
  first(limit: number): RowPlace[] {
    const found: RowPlace[] = [];
    for (const part of [...this.#parts.keys()].sort((a, b) => a - b)) {
      for (const row of this.#rowsOf(part)) {
        if (found.length === limit) return found;
        found.push({ part, row });
      }
    }
    return found;
  }

  /** Those among the `rows` rows from `first` on, counted from there. */
  within(part: number, first: number, rows: number): number[] {
    const found: number[] = [];
    for (let i = 0; i < rows; i++) if (this.has(part, first + i)) found.push(i);
    return found;
  }

  #choose(part: number): void {
    this.#lastPart = part;
    this.#lastBlocks = this.#parts.get(part) ?? [];
    this.#parts.set(part, this.#lastBlocks);
  }

  #newBlock(row: number): Uint32Array {
    const block = new Uint32Array(WORDS);
    this.#lastBlocks[row >>> BLOCK_BITS] = block;
    return block;
  }

  *#rowsOf(part: number): Generator<number> {
    for (const [i, block] of this.#parts.get(part)!.entries()) {
      if (block === undefined) continue;
      for (let word = 0; word < WORDS; word++) {
        for (let bits = block[word]!; bits !== 0; bits &= bits - 1)
          yield i * 2 ** BLOCK_BITS + word * 32 + 31 - Math.clz32(bits & -bits);
      }
    }
  }
}
