/**
 * Which keys occur more than once. Partition by partition, a hash table counts the keys, and their rows are read again where one repeats. A partition with too many
 * different keys for the table is divided by further bits of the keys. So memory is bounded whatever the keys are, but for a bit for each row in stretches with repeats.
 */
import { BLOCK_WORDS } from './blocks.ts';
import { DIVIDING_BITS, ENTRY_WORDS, PARTITIONS, type Run, wordsIn } from './entries.ts';
import { RowBits, type RowPlace } from './row-bits.ts';

/** A slot of the table: the key, the row that has it first and its part, and SEEN. */
const SLOT_WORDS = 8;
const WORD_BYTES = 4;
const ROW = 2;
const PART = 3;
const SEEN = 4;
const ONCE = 1;
const MORE = 2;

export const SLOT_BYTES = SLOT_WORDS * 4;

/** Bits of the upper word of a key by which partitions are divided. */
const DIVIDING = 2 ** DIVIDING_BITS - 1;
/** A partition is divided in four. */
const STEP = 2;

/** What is repeated among all rows that took part. */
export class Repeats {
  /** Rows that took part. */
  rows = 0;
  /** Rows whose key an earlier row has: all but the first of each. */
  repeating = 0;
  /** Rows whose key another row has. */
  sharing = 0;
  readonly #repeating = new RowBits();
  readonly #sharing = new RowBits();

  /** In the order of the batch, at most `limit`. */
  firstRepeating(limit: number): RowPlace[] {
    return this.#repeating.first(limit);
  }

  firstSharing(limit: number): RowPlace[] {
    return this.#sharing.first(limit);
  }

  /** Of a slice that begins with `firstRow` of the part: the indexes of its rows, ascending. */
  repeatingIn(part: number, firstRow: number, rows: number): number[] {
    return this.#repeating.within(part, firstRow, rows);
  }

  sharingIn(part: number, firstRow: number, rows: number): number[] {
    return this.#sharing.within(part, firstRow, rows);
  }

  mark(part: number, row: number, isFirst: boolean): void {
    this.#sharing.add(part, row);
    if (!isFirst) this.#repeating.add(part, row);
  }
}

/** `mostKeys`: different keys that the table may hold. */
export function countRepeats(runs: readonly Run[], mostKeys: number): Repeats {
  const repeats = new Repeats();
  const count = new PartitionCount(runs, mostKeys, repeats);
  for (let partition = 0; partition < PARTITIONS; partition++) count.add(partition, 0, 0);
  return repeats;
}

class PartitionCount {
  readonly #runs: readonly Run[];
  readonly #mostKeys: number;
  readonly #repeats: Repeats;
  /** For what is read from files. */
  readonly #buffer: Uint32Array;
  readonly #bytes: Uint8Array;
  #table = new Uint32Array();
  #lastSlot = 0;
  #capacity = 0;
  /** Only keys with these bits of their upper word count. */
  #mask = 0;
  #bits = 0;
  #keys = 0;
  #rows = 0;
  #repeating = 0;
  #sharing = 0;

  constructor(runs: readonly Run[], mostKeys: number, repeats: Repeats) {
    this.#runs = runs;
    this.#mostKeys = mostKeys;
    this.#repeats = repeats;
    const isStored = runs.some(({ words }) => !(words instanceof Uint32Array));
    this.#buffer = new Uint32Array(isStored ? BLOCK_WORDS : 0);
    this.#bytes = new Uint8Array(this.#buffer.buffer);
  }

  /** `depth`: how many bits divide the partition; `bits`: those of the keys that count, at their place in the upper word. */
  add(partition: number, depth: number, bits: number): void {
    const words = this.#runs.reduce((sum, run) => sum + wordsIn(run, partition), 0);
    if (words === 0) return;
    this.#begin(words / ENTRY_WORDS, depth, bits);
    if (!this.#visit(partition, (words, start, end) => this.#count(words, start, end))) {
      const shift = DIVIDING_BITS - depth - STEP;
      for (let i = 0; i < 2 ** STEP; i++) this.add(partition, depth + STEP, bits | (i << shift));
      return;
    }
    this.#repeats.rows += this.#rows;
    this.#repeats.repeating += this.#repeating;
    this.#repeats.sharing += this.#sharing;
    if (this.#repeating > 0) this.#visit(partition, (words, start, end) => this.#mark(words, start, end));
  }

  /** `look`: at words from `start` up to `end`. Stops when it returns false, and returns that. A view of each piece would be garbage of hundreds of megabytes. */
  #visit(partition: number, look: (words: Uint32Array, start: number, end: number) => boolean): boolean {
    const buffer = this.#buffer;
    for (const { words, starts } of this.#runs) {
      const [start, stop] = [starts[partition]!, starts[partition + 1]!];
      if (words instanceof Uint32Array) {
        if (!look(words, start, stop)) return false;
        continue;
      }
      for (let at = start; at < stop; at += buffer.length) {
        const length = Math.min(stop - at, buffer.length);
        words.file.readBytes(words.position + at * WORD_BYTES, this.#bytes, length * WORD_BYTES);
        if (!look(buffer, 0, length)) return false;
      }
    }
    return true;
  }

  #begin(entries: number, depth: number, bits: number): void {
    // Keys that agree in all these bits are too few to matter.
    this.#capacity = depth === DIVIDING_BITS ? entries : Math.min(entries, this.#mostKeys);
    const slots = 2 ** Math.ceil(Math.log2(2 * this.#capacity));
    // Tables of other sizes would be garbage of hundreds of megabytes.
    if (this.#table.length < slots * SLOT_WORDS) this.#table = new Uint32Array(slots * SLOT_WORDS);
    else this.#table.fill(0, 0, slots * SLOT_WORDS);
    this.#lastSlot = slots - 1;
    this.#mask = (DIVIDING << (DIVIDING_BITS - depth)) & DIVIDING;
    this.#bits = bits;
    this.#keys = this.#rows = this.#repeating = this.#sharing = 0;
  }

  /** False: the table is full. */
  #count(words: Uint32Array, start: number, end: number): boolean {
    const table = this.#table;
    const [mask, bits, lastSlot] = [this.#mask, this.#bits, this.#lastSlot];
    for (let at = start; at < end; at += ENTRY_WORDS) {
      const low = words[at]!;
      const high = words[at + 1]!;
      if ((high & mask) !== bits) continue;
      this.#rows++;
      const slot = this.#slotOf(low, high, lastSlot);
      const seen = table[slot + SEEN]!;
      if (seen === 0) {
        if (this.#keys++ === this.#capacity) return false;
        table[slot] = low;
        table[slot + 1] = high;
        table[slot + ROW] = words[at + ROW]!;
        table[slot + PART] = words[at + PART]!;
        table[slot + SEEN] = ONCE;
        continue;
      }
      this.#repeating++;
      this.#sharing += seen === ONCE ? 2 : 1;
      table[slot + SEEN] = MORE;
      // A pair would be an object for each entry.
      const row = words[at + ROW]!;
      const part = words[at + PART]!;
      const first = table[slot + PART]!;
      if (part < first || (part === first && row < table[slot + ROW]!)) {
        table[slot + ROW] = row;
        table[slot + PART] = part;
      }
    }
    return true;
  }

  /** Adds the rows of keys that occur more than once. */
  #mark(words: Uint32Array, start: number, end: number): boolean {
    const table = this.#table;
    const repeats = this.#repeats;
    for (let at = start; at < end; at += ENTRY_WORDS) {
      const high = words[at + 1]!;
      if ((high & this.#mask) !== this.#bits) continue;
      const slot = this.#slotOf(words[at]!, high, this.#lastSlot);
      if (table[slot + SEEN] !== MORE) continue;
      const row = words[at + ROW]!;
      const part = words[at + PART]!;
      repeats.mark(part, row, table[slot + ROW] === row && table[slot + PART] === part);
    }
    return true;
  }

  /** The place of a key in the table, or where it is to be put. */
  #slotOf(low: number, high: number, lastSlot: number): number {
    const table = this.#table;
    let slot = (low & lastSlot) * SLOT_WORDS;
    while (table[slot + SEEN] !== 0 && (table[slot] !== low || table[slot + 1] !== high))
      slot = slot === lastSlot * SLOT_WORDS ? 0 : slot + SLOT_WORDS;
    return slot;
  }
}
