/**
 * Decoded contents of the sources last asked for, in so much memory, and beside them the contents prepared for the next read.
 *
 * After batches were learned, the content with their states is prepared, at the latest by the next read. It takes it if the store answers with exactly
 * these states, byte for byte: then it is what would be made of the answer.
 */
import { LRUCache } from 'lru-cache';
import type { StoredBaseline, StoredState } from '../stores/ports.ts';
import { type Content, knownOf, withStates } from './source-content.ts';
import type { BatchState } from './state.ts';

/** A state that was appended here. */
interface Learned {
  entry: StoredState;
  state: BatchState;
}

/** What a source will be if the store confirms the first `count` states that were learned here, and nothing else. */
interface Prepared {
  count: number;
  content: Content;
}

export class SourceCache {
  readonly #entries: LRUCache<string, Content>;
  readonly #prepared = new Map<string, Prepared>();
  /** Learned since the source was last read. */
  readonly #unread = new Map<string, Learned[]>();

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (_, key) => {
        this.#prepared.delete(key);
        this.#unread.delete(key);
      },
    });
  }

  get(key: string): Content | undefined {
    return this.#entries.get(key);
  }

  /** Makes room for it. One that would push everything else out is not kept: it is decoded again each time. */
  set(key: string, content: Content): void {
    this.forget(key);
    this.#entries.set(key, content);
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Notes a state that was appended to the store. */
  learned(key: string, entry: StoredState, state: BatchState): void {
    const unread = this.#unread.get(key);
    if (unread) unread.push({ entry, state });
    else if (this.#entries.has(key)) this.#unread.set(key, [{ entry, state }]);
  }

  /** States of the tail as far as they are known here; undefined for a source that is not cached. */
  tailLength(key: string): number | undefined {
    const content = this.#entries.get(key);
    return content && content.states.length + (this.#unread.get(key)?.length ?? 0);
  }

  /** The content with all learned states; null for a source that is not cached. */
  prepare(key: string): Content | null {
    const from = this.#entries.get(key);
    if (!from) return null;
    const unread = this.#unread.get(key) ?? [];
    const before = this.#prepared.get(key) ?? { count: 0, content: from };
    if (before.count === unread.length) return before.content;
    const content = withStates(
      before.content,
      unread.slice(before.count).map(({ state }) => state),
    );
    this.#prepared.set(key, { count: unread.length, content });
    return content;
  }

  /** What was prepared, or can be, if it is what was read since. */
  preparedFor(key: string, read: StoredBaseline): Content | null {
    const unread = this.#unread.get(key);
    if (!unread || read.complete || !sameEntries(unread, read.tail)) return null;
    const content = this.prepare(key);
    return content && { ...content, known: knownOf(read) };
  }
}

const sameEntries = (learned: readonly Learned[], read: readonly StoredState[]): boolean =>
  learned.length === read.length &&
  learned.every(
    ({ entry: { id, state } }, i) => id === read[i]!.id && Buffer.compare(state, read[i]!.state) === 0,
  );
