/**
 * Finds the rows of a batch that have the same key, in bounded memory and exactly, whatever the order in which its slices come.
 *
 *   add ─ entries in memory ─ full: sorted by partition ─ one run in a file
 *   finish ─ partition by partition through all runs ─ counts, and the rows that repeat
 *
 * A key takes 16 bytes with its row, and up to `memoryBytes` are kept in memory. See `assembly/row-keys.ts` for keys and how sure they are.
 */
import { tmpdir } from 'node:os';
import type { SliceKeys } from '../../engine/row-keys.ts';
import { BLOCK_WORDS, decodeBlock, encodeBlock } from './blocks.ts';
import { ENTRY_BYTES, ENTRY_WORDS, partitioned, PARTITIONS, piecesOf, type Run } from './entries.ts';
import { countRepeats, type Repeats, SLOT_BYTES } from './repeats.ts';
import { SpillFile } from './spill-file.ts';
import { type HeldSegment, UnsettledRows } from './unsettled-rows.ts';

export interface KeySetOptions {
  /** Of what the keys are: of values that must be unique, where a row that lacks one does not count, or of whole rows. */
  kind: 'values' | 'rows';
  /** Bytes of keys in memory; 64 MB by default. */
  memoryBytes?: number;
  /** Where a file is made for more; the system's folder for temporary files by default. */
  folder?: string;
}

const MEMORY_BYTES = 64 * 1024 * 1024;
const FIRST_ENTRIES = 1024;
/** The table that counts has at most two slots for each of its keys, rounded up to a power of two. */
const SLOTS_OF_KEY = 4;

/** Keys on their way to another thread of this process. */
export interface HeldKeys {
  /** Sorted by partition: in memory that both share, or where they are in the file. */
  runs: { words: Uint32Array<ArrayBufferLike> | number; starts: Uint32Array }[];
  segments: HeldSegment[];
  /** Of the file; null without one. */
  descriptor: number | null;
}

export class KeySet {
  readonly kind: KeySetOptions['kind'];
  /** Entries that fit in half of the memory: the other half is for sorting them. */
  readonly #most: number;
  readonly #mostKeys: number;
  readonly #folder: string;
  readonly #spill: SpillFile;
  /** Files of sets that were merged into this one. */
  readonly #others: SpillFile[] = [];
  readonly #unsettled: UnsettledRows;
  readonly #runs: Run[] = [];
  #entries = new Uint32Array(FIRST_ENTRIES * ENTRY_WORDS);
  #sorted = new Uint32Array();
  /** Words of `#entries` in use. */
  #length = 0;

  constructor({ kind, memoryBytes = MEMORY_BYTES, folder = tmpdir() }: KeySetOptions) {
    this.kind = kind;
    this.#most = Math.max(1, Math.floor(memoryBytes / 2 / ENTRY_BYTES));
    this.#mostKeys = Math.max(1, Math.floor(memoryBytes / SLOTS_OF_KEY / SLOT_BYTES));
    this.#folder = folder;
    this.#spill = new SpillFile(folder);
    this.#unsettled = new UnsettledRows(this.#spill);
  }

  /**
   * Adds a slice whose first row is `firstRow` of a part, from 0. Rows are ordered by part, then by row. Parts and rows are below 2^32. Throws `Rejection`
   * SERVICE_UNAVAILABLE if the disk takes no more.
   */
  add({ keys, rows, unsettled }: SliceKeys, part: number, firstRow: number): void {
    // As they are in memory: all is moved, nothing is counted with.
    const words = new Int32Array(keys.buffer, keys.byteOffset, keys.length * 2);
    for (let i = 0; i < rows.length; ) {
      if (this.#length === this.#entries.length) this.#makeRoom();
      const entries = new Int32Array(this.#entries.buffer);
      let at = this.#length;
      for (; i < rows.length && at < entries.length; i++, at += ENTRY_WORDS) {
        entries[at] = words[2 * i]!;
        entries[at + 1] = words[2 * i + 1]!;
        entries[at + 2] = firstRow + rows[i]!;
        entries[at + 3] = part;
      }
      this.#length = at;
    }
    if (unsettled) this.#unsettled.add(unsettled, part, firstRow);
  }

  /** All that it has, for `addBlock` of a set elsewhere. */
  *blocks(): Generator<Uint8Array> {
    const buffer = new Uint32Array(BLOCK_WORDS);
    for (const run of this.#runs)
      for (const words of piecesOf(run, 0, PARTITIONS, buffer)) yield encodeBlock({ added: null, words });
    for (let at = 0; at < this.#length; at += BLOCK_WORDS) {
      const words = this.#entries.subarray(at, Math.min(this.#length, at + BLOCK_WORDS));
      yield encodeBlock({ added: null, words });
    }
    for (const block of this.#unsettled.blocks()) yield encodeBlock(block);
  }

  /** Throws a RangeError for bytes that `blocks` did not give, and as `add` does. */
  addBlock(bytes: Uint8Array): void {
    const { added, words } = decodeBlock(bytes);
    if (added === null) this.#putAll(words);
    else this.#unsettled.takeBlock(added, words);
  }

  /** Takes all that another set of this thread has, which is empty then and needs no `close`. */
  merge(other: KeySet): void {
    this.#putAll(other.#entries.subarray(0, other.#length));
    other.#length = 0;
    this.#runs.push(...other.#runs.splice(0));
    this.#unsettled.take(other.#unsettled);
    this.#others.push(other.#spill, ...other.#others.splice(0));
  }

  /** Gives all that it has to another thread of this process. Nothing can be added any more, and it needs no `close`. It must have taken nothing of other sets. */
  handOver(): HeldKeys {
    if (this.#runs.length > 0) this.#spillEntries();
    else this.#sortEntries(words => new Uint32Array(new SharedArrayBuffer(words * 4)));
    const runs = this.#runs.map(({ words, starts }) => ({
      words: words instanceof Uint32Array ? words : words.position,
      starts,
    }));
    return { runs, segments: this.#unsettled.handOver(), descriptor: this.#spill.handOver() };
  }

  /** Takes what a set of another thread has given. */
  adopt({ runs, segments, descriptor }: HeldKeys): void {
    const file = new SpillFile(this.#folder, descriptor);
    this.#others.push(file);
    for (const { words, starts } of runs)
      this.#runs.push({ words: words instanceof Uint32Array ? words : { file, position: words }, starts });
    this.#unsettled.adopt(segments, file);
  }

  /**
   * What is repeated. Call it once. `isText`: of a CSV field with words such as `NA`, whether they are texts in this batch, and not nulls. Throws as `add`
   * does.
   */
  finish(isText: (field: string) => boolean): Repeats {
    this.#unsettled.settle(isText, this.kind === 'values', (low, high, row, part) =>
      this.#put(low, high, row, part),
    );
    this.#sortEntries(words => new Uint32Array(words));
    return countRepeats(this.#runs, this.#mostKeys);
  }

  /** Frees its files. */
  close(): void {
    for (const file of [this.#spill, ...this.#others]) file.close();
  }

  #putAll(entries: Uint32Array): void {
    for (let at = 0; at < entries.length; at += ENTRY_WORDS)
      this.#put(entries[at]!, entries[at + 1]!, entries[at + 2]!, entries[at + 3]!);
  }

  #put(low: number, high: number, row: number, part: number): void {
    if (this.#length === this.#entries.length) this.#makeRoom();
    const entries = this.#entries;
    const at = this.#length;
    entries[at] = low;
    entries[at + 1] = high;
    entries[at + 2] = row;
    entries[at + 3] = part;
    this.#length = at + ENTRY_WORDS;
  }

  #makeRoom(): void {
    const most = this.#most * ENTRY_WORDS;
    if (this.#length >= most) {
      this.#spillEntries();
      return;
    }
    const larger = new Uint32Array(Math.min(most, 2 * this.#length));
    larger.set(this.#entries);
    this.#entries = larger;
  }

  /** The last run, in memory: half of it is for that. */
  #sortEntries(make: (words: number) => Uint32Array<ArrayBufferLike>): void {
    if (this.#length > 0) this.#runs.push(partitioned(this.#entries, this.#length, make(this.#length)));
    this.#entries = this.#sorted = new Uint32Array();
    this.#length = 0;
  }

  #spillEntries(): void {
    if (this.#length === 0) return;
    if (this.#sorted.length < this.#length) this.#sorted = new Uint32Array(this.#length);
    const { words, starts } = partitioned(this.#entries, this.#length, this.#sorted);
    this.#runs.push({ words: this.#spill.append(words as Uint32Array), starts });
    this.#length = 0;
  }
}
