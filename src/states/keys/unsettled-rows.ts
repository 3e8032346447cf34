/**
 * Rows of CSV with cells that are null or text as the whole batch decides: words such as `NA`. They are kept in the order in which they come, and get their keys when it is
 * decided.
 *
 *   key, low │ key, high │ row in its part │ part │ number of cells │ for each cell the index of what it adds
 */
import type { SliceKeys } from '../../engine/row-keys.ts';
import { type Added, type Block, HEAD_WORDS } from './blocks.ts';
import type { SpillFile, Stored } from './spill-file.ts';

export type UnsettledKeys = NonNullable<SliceKeys['unsettled']>;

/** Rows that share a list of what their cells add: as many as fields have different words, some dozens each. */
interface Segment {
  added: readonly Added[];
  records: (Uint32Array | (Stored & { length: number }))[];
}

const FIRST_WORDS = 1024;
/** Words of records that are kept in memory. A record of 2,000 fields fits. */
const MOST_WORDS = 64 * 1024;

export class UnsettledRows {
  readonly #spill: SpillFile;
  readonly #added: Added[] = [];
  /** By field, and by the lower word: places in `#added`. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #segment: Segment = { added: this.#added, records: [] };
  readonly #segments: Segment[] = [this.#segment];
  #words = new Uint32Array(FIRST_WORDS);
  #length = 0;

  constructor(spill: SpillFile) {
    this.#spill = spill;
  }

  add({ keys, rows, fields }: UnsettledKeys, part: number, firstRow: number): void {
    const cells = cellsByRow(rows, fields, (field, low, high) => this.#placeOf(field, low, high));
    const words = wordsOf(keys);
    for (let i = 0; i < rows.length; i++) {
      const own = cells.places.subarray(cells.starts[i], cells.starts[i + 1]);
      this.#reserve(HEAD_WORDS + own.length);
      const head = [words[2 * i]!, words[2 * i + 1]!, firstRow + rows[i]!, part, own.length];
      this.#words.set(head, this.#length);
      this.#words.set(own, this.#length + HEAD_WORDS);
      this.#length += HEAD_WORDS + own.length;
    }
  }

  /** Takes the rows of another one. */
  take(other: UnsettledRows): void {
    other.#flush(other.#length > FIRST_WORDS ? this.#spill : null);
    this.#segments.push(...other.#segments);
  }

  /** Takes rows that `blocks` gave. */
  takeBlock(added: readonly Added[], words: Uint32Array): void {
    this.#segments.push({ added, records: [stored(words, words.length > FIRST_WORDS ? this.#spill : null)] });
  }

  *blocks(): Generator<Block> {
    this.#flush(null);
    for (const { added, records } of this.#segments)
      for (const words of records) yield { added, words: inMemory(words) };
  }

  /** Calls `put` with the final key of each row. `needsAll`: rows with a null have no key. */
  settle(
    isText: (field: string) => boolean,
    needsAll: boolean,
    put: (low: number, high: number, row: number, part: number) => void,
  ): void {
    for (const { added, words } of this.blocks()) {
      const adds = added!.map(each => (isText(each.field) ? each : null));
      settleRecords(words, adds, needsAll, put);
    }
  }

  #placeOf(field: string, low: number, high: number): number {
    const places = this.#places.get(field) ?? new Map<number, number>();
    this.#places.set(field, places);
    const known = places.get(low);
    if (known !== undefined && this.#added[known]!.high === high) return known;
    places.set(low, this.#added.length);
    return this.#added.push({ field, low, high }) - 1;
  }

  #reserve(words: number): void {
    const needed = this.#length + words;
    if (needed <= this.#words.length) return;
    if (needed > MOST_WORDS) {
      this.#flush(this.#spill);
      return;
    }
    const larger = new Uint32Array(Math.min(MOST_WORDS, Math.max(needed, 2 * this.#words.length)));
    larger.set(this.#words);
    this.#words = larger;
  }

  /** To a file, or in memory. */
  #flush(file: SpillFile | null): void {
    if (this.#length === 0) return;
    this.#segment.records.push(stored(this.#words.subarray(0, this.#length), file));
    this.#length = 0;
  }
}

const stored = (words: Uint32Array, file: SpillFile | null): Segment['records'][number] =>
  file ? { ...file.append(words), length: words.length } : words.slice();

const wordsOf = (keys: BigUint64Array): Uint32Array =>
  new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);

/** The places of the cells of each row, one row behind the other. */
function cellsByRow(
  rows: Uint16Array,
  fields: UnsettledKeys['fields'],
  placeOf: (field: string, low: number, high: number) => number,
): { starts: Uint32Array; places: Uint32Array } {
  const indexes = new Map(Array.from(rows, (row, i) => [row, i]));
  const starts = new Uint32Array(rows.length + 1);
  // Rows that rules are not about have cells too.
  for (const field of fields)
    for (const row of field.rows) if (indexes.has(row)) starts[indexes.get(row)! + 1]!++;
  for (let i = 1; i <= rows.length; i++) starts[i]! += starts[i - 1]!;
  const places = new Uint32Array(starts[rows.length]!);
  const next = starts.slice();
  for (const { name, rows: cellRows, keys } of fields) {
    const words = wordsOf(keys);
    for (const [i, row] of cellRows.entries()) {
      const index = indexes.get(row);
      if (index !== undefined) places[next[index]!++] = placeOf(name, words[2 * i]!, words[2 * i + 1]!);
    }
  }
  return { starts, places };
}

function inMemory(words: Segment['records'][number]): Uint32Array {
  if (words instanceof Uint32Array) return words;
  const read = new Uint32Array(words.length);
  words.file.read(words.position, read);
  return read;
}

function settleRecords(
  words: Uint32Array,
  adds: readonly (Added | null)[],
  needsAll: boolean,
  put: (low: number, high: number, row: number, part: number) => void,
): void {
  for (let at = 0, end = 0; at < words.length; at = end) {
    let low = words[at]!;
    let high = words[at + 1]!;
    end = at + HEAD_WORDS + words[at + 4]!;
    let isDropped = false;
    for (let cell = at + HEAD_WORDS; cell < end; cell++) {
      const add = adds[words[cell]!]!;
      if (add === null) isDropped = needsAll;
      else {
        low += add.low;
        high += add.high + (low > 0xffffffff ? 1 : 0);
        low >>>= 0;
        high >>>= 0;
      }
      if (isDropped) break;
    }
    if (!isDropped) put(low, high, words[at + 2]!, words[at + 3]!);
  }
}
