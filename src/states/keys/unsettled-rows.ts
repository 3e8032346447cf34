/**
 * Rows of CSV with cells that are null or text as the whole batch decides: words such as `NA`. They are kept in the order in which they come, and get their keys when it is
 * decided.
 *
 *   key, low │ key, high │ row in its part │ part │ number of cells │ for each cell the index of what it adds
 */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import type { SliceKeys } from '../../engine/row-keys.ts';
import { type Added, type Block, HEAD_WORDS } from './blocks.ts';
import type { SpillFile, Stored } from './spill-file.ts';

export type UnsettledKeys = NonNullable<SliceKeys['unsettled']>;

/** Rows that share a list of what their cells add: as many as fields have different words, some dozens each. */
interface Segment {
  added: readonly Added[];
  records: (Uint32Array | (Stored & { length: number }))[];
}

/** On its way to another thread. */
export interface HeldSegment {
  added: readonly Added[];
  /** In memory, or where they are in the file. */
  records: (Uint32Array | { position: number; length: number })[];
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
    const { starts, places } = this.#cellsByRow(rows, fields);
    const words = wordsOf(keys);
    for (let i = 0; i < rows.length; i++) {
      const cells = starts[i + 1]! - starts[i]!;
      this.#reserve(HEAD_WORDS + cells);
      const to = this.#words;
      const at = this.#length;
      to[at] = words[2 * i]!;
      to[at + 1] = words[2 * i + 1]!;
      to[at + 2] = firstRow + rows[i]!;
      to[at + 3] = part;
      to[at + 4] = cells;
      for (let cell = 0; cell < cells; cell++) to[at + HEAD_WORDS + cell] = places[starts[i]! + cell]!;
      this.#length = at + HEAD_WORDS + cells;
    }
  }

  /** Takes the rows of another one. */
  take(other: UnsettledRows): void {
    other.#flush(other.#length > FIRST_WORDS ? this.#spill : null);
    this.#segments.push(...other.#segments);
  }

  /** Gives all rows to another thread. Nothing can be added any more. */
  handOver(): HeldSegment[] {
    this.#flush(null);
    return this.#segments.map(({ added, records }) => ({
      added,
      records: records.map(each =>
        each instanceof Uint32Array ? each : { position: each.position, length: each.length },
      ),
    }));
  }

  /** `file`: where rows are that are not in memory. */
  adopt(segments: readonly HeldSegment[], file: SpillFile): void {
    for (const { added, records } of segments)
      this.#segments.push({
        added,
        records: records.map(each => (each instanceof Uint32Array ? each : { ...each, file })),
      });
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

  /** The places in `#added` of the cells of each row, one row behind the other. Row i has those from `starts[i]` on. */
  #cellsByRow(
    rows: Uint16Array,
    fields: UnsettledKeys['fields'],
  ): { starts: Uint32Array; places: Uint32Array } {
    const indexes = new Int32Array(MAX_ROWS).fill(-1);
    for (let i = 0; i < rows.length; i++) indexes[rows[i]!] = i;
    const starts = new Uint32Array(rows.length + 1);
    for (const field of fields)
      for (const row of field.rows) if (indexes[row]! >= 0) starts[indexes[row]! + 1]!++;
    for (let i = 1; i <= rows.length; i++) starts[i]! += starts[i - 1]!;
    const next = starts.slice();
    const places = new Uint32Array(starts[rows.length]!);
    for (const field of fields) {
      const own = this.#placesOf(field);
      for (let i = 0; i < own.length; i++) {
        const index = indexes[field.rows[i]!]!;
        // Rows that rules are not about have cells too.
        if (index >= 0) places[next[index]!++] = own[i]!;
      }
    }
    return { starts, places };
  }

  /** The place of each cell of a field in `#added`. */
  #placesOf({ name, keys }: UnsettledKeys['fields'][number]): Uint32Array {
    const known = this.#places.get(name) ?? new Map<number, number>();
    this.#places.set(name, known);
    const words = wordsOf(keys);
    const places = new Uint32Array(keys.length);
    for (let i = 0; i < places.length; i++) {
      const low = words[2 * i]!;
      const high = words[2 * i + 1]!;
      let place = known.get(low);
      if (place === undefined || this.#added[place]!.high !== high) {
        place = this.#added.push({ field: name, low, high }) - 1;
        known.set(low, place);
      }
      places[i] = place;
    }
    return places;
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
