/**
 * Decoded contents of the sources last asked for, in so much memory, and beside them the contents prepared for the next read.
 *
 * After batches were learned, the content with their states is prepared, at the latest by the next read. It takes it if the store answers with exactly
 * these states, byte for byte: then it is what would be made of the answer.
 */
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
  readonly #maxBytes: number;
  /** In the order of last use. */
  readonly #entries = new Map<string, Content>();
  #bytes = 0;
  readonly #prepared = new Map<string, Prepared>();
  /** Learned since the source was last read. */
  readonly #unread = new Map<string, Learned[]>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Content | undefined {
    return this.#entries.get(key);
  }

  /** Makes room for it: the ones that were not used for longest are forgotten. */
  set(key: string, content: Content): void {
    this.forget(key);
    // One that would push everything else out is decoded again each time.
    if (content.bytes > this.#maxBytes) return;
    this.#entries.set(key, content);
    this.#bytes += content.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
    this.#prepared.delete(key);
    this.#unread.delete(key);
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
