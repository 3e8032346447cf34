/**
 * Entries: a key and the place of its row, four words of 32 bits each.
 *
 *   key, low │ key, high │ row in its part │ part
 */
import type { Stored } from './spill-file.ts';

export const ENTRY_WORDS = 4;
export const ENTRY_BYTES = 16;
/** Entries are divided by the highest bits of their keys, so that those of one partition fit in memory, and of ten million in the caches. */
const PARTITION_BITS = 10;
export const PARTITIONS = 2 ** PARTITION_BITS;
const SHIFT = 32 - PARTITION_BITS;
/** Bits of the upper word of a key by which partitions are divided further. */
export const DIVIDING_BITS = SHIFT;

/** Entries that are sorted by partition, in memory or in a file. Partition p is from word `starts[p]` up to `starts[p + 1]`. */
export interface Run {
  words: Uint32Array | Stored;
  starts: Uint32Array;
}

/** Sorts the first `length` words of `from` by partition, to `to`. */
export function partitioned(from: Uint32Array, length: number, to: Uint32Array): Run {
  const starts = new Uint32Array(PARTITIONS + 1);
  const [entries, sorted] = [
    new Int32Array(from.buffer, from.byteOffset),
    new Int32Array(to.buffer, to.byteOffset),
  ];
  for (let at = 1; at < length; at += ENTRY_WORDS) starts[(entries[at]! >>> SHIFT) + 1]! += ENTRY_WORDS;
  for (let i = 1; i <= PARTITIONS; i++) starts[i]! += starts[i - 1]!;
  const next = starts.slice();
  for (let at = 0; at < length; at += ENTRY_WORDS) {
    const partition = entries[at + 1]! >>> SHIFT;
    const end = next[partition]!;
    next[partition] = end + ENTRY_WORDS;
    sorted[end] = entries[at]!;
    sorted[end + 1] = entries[at + 1]!;
    sorted[end + 2] = entries[at + 2]!;
    sorted[end + 3] = entries[at + 3]!;
  }
  return { words: to.subarray(0, length), starts };
}

export const wordsIn = ({ starts }: Run, partition: number): number =>
  starts[partition + 1]! - starts[partition]!;

/** The words of the partitions from `first` up to `end`, piece by piece. `buffer`: for those that are read from a file; also the length of a piece. */
export function* piecesOf(
  { words, starts }: Run,
  first: number,
  end: number,
  buffer: Uint32Array,
): Generator<Uint32Array> {
  const stop = starts[end]!;
  for (let at = starts[first]!; at < stop; at += buffer.length) {
    const length = Math.min(stop - at, buffer.length);
    if (words instanceof Uint32Array) yield words.subarray(at, at + length);
    else {
      words.file.read(words.position + at * 4, buffer.subarray(0, length));
      yield buffer.subarray(0, length);
    }
  }
}
