/**
 * Keys on their way to another thread, process or machine, in blocks of at most about 1 MB. Each block stands for itself, and their order does not matter.
 *
 *   bytes of the header │ header, JSON │ zeros to the next multiple of 4 │ words
 */
import { ENTRY_WORDS } from './entries.ts';

/** What a cell adds to the key of its row if it is a text: the words of its hash times the factor of its field. */
export interface Added {
  field: string;
  low: number;
  high: number;
}

export interface Block {
  /** Of rows that are not settled: what their cells add, see `unsettled-rows.ts`. Null: `words` are entries, see `entries.ts`. */
  added: readonly Added[] | null;
  words: Uint32Array;
}

/** Words before the cells of a row that is not settled. The last one is the number of cells. */
export const HEAD_WORDS = 5;
export const BLOCK_WORDS = 64 * 1024 * ENTRY_WORDS;

const aligned = (bytes: number): number => Math.ceil(bytes / 4) * 4;

export function encodeBlock({ added, words }: Block): Uint8Array {
  const header = new TextEncoder().encode(JSON.stringify(added));
  const start = 4 + aligned(header.length);
  const bytes = new Uint8Array(start + words.byteLength);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, 4);
  new Uint32Array(bytes.buffer, start).set(words);
  return bytes;
}

/** Throws a RangeError for bytes that are not a block. */
export function decodeBlock(given: Uint8Array): Block {
  const bytes = given.byteOffset % 4 === 0 ? given : new Uint8Array(given);
  const length = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const start = 4 + aligned(length);
  if (bytes.length % 4 !== 0 || start > bytes.length) throw damaged();
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, (bytes.length - start) / 4);
  const added = headerIn(bytes.subarray(4, 4 + length));
  if (added === null ? words.length % ENTRY_WORDS !== 0 : !areRecords(words, added.length)) throw damaged();
  return { added, words };
}

const damaged = () => new RangeError('a block of keys is damaged');

function headerIn(bytes: Uint8Array): Added[] | null {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw damaged();
  }
  if (header !== null && !(Array.isArray(header) && header.every(isAdded))) throw damaged();
  return header;
}

const isWord = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffffffff;

function isAdded(value: unknown): value is Added {
  const { field, low, high } = (value ?? {}) as Partial<Added>;
  return typeof field === 'string' && isWord(low) && isWord(high);
}

/** Whether the words are whole rows, whose cells are among `count`. */
function areRecords(words: Uint32Array, count: number): boolean {
  let at = 0;
  while (at + HEAD_WORDS <= words.length) {
    const end = at + HEAD_WORDS + words[at + HEAD_WORDS - 1]!;
    if (end > words.length) return false;
    for (let cell = at + HEAD_WORDS; cell < end; cell++) if (words[cell]! >= count) return false;
    at = end;
  }
  return at === words.length;
}
