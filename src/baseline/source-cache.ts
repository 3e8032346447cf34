/**
 * Decoded contents of the sources last asked for, in so much memory, and beside them the contents prepared for the next read.
 *
 * After a batch was learned, the content with its state is prepared. The next read takes it if the store answers with exactly that state, byte for
 * byte: then it is what would be made of the answer.
 */
import type { StoredBaseline, StoredState } from '../stores/ports.ts';
import { type Content, knownOf, withStates } from './source-content.ts';
import type { BatchState } from './state.ts';

/** What a source will be if the store confirms what was learned here since `from`, and nothing else. */
interface Prepared {
  from: Content;
  learned: StoredState[];
  content: Content;
}

export class SourceCache {
  readonly #maxBytes: number;
  /** In the order of last use. */
  readonly #entries = new Map<string, Content>();
  #bytes = 0;
  readonly #prepared = new Map<string, Prepared>();
  /** States appended here since the source was last read. */
  readonly #unread = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Content | undefined {
    return this.#entries.get(key);
  }

  keys(): string[] {
    return [...this.#entries.keys()];
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

  /** Counts a state that was appended here. */
  addUnread(key: string): void {
    this.#unread.set(key, (this.#unread.get(key) ?? 0) + 1);
  }

  /** States of the tail as far as they are known here; undefined for a source that is not cached. */
  tailLength(key: string): number | undefined {
    const content = this.#entries.get(key);
    return content && content.states.length + (this.#unread.get(key) ?? 0);
  }

  /** Prepares the content with a learned state; null for a source that is not cached. */
  prepare(key: string, entry: StoredState, state: BatchState): Content | null {
    const from = this.#entries.get(key);
    if (!from) return null;
    const before = this.#prepared.get(key);
    const { learned, content } = before?.from === from ? before : { learned: [], content: from };
    const next = withStates(content, content.folded, [state]);
    this.#prepared.set(key, { from, learned: [...learned, entry], content: next });
    return next;
  }

  /** What was prepared, if it is what was read since `before`. */
  preparedFor(key: string, before: Content | undefined, read: StoredBaseline): Content | null {
    const prepared = this.#prepared.get(key);
    if (!prepared || prepared.from !== before || read.complete) return null;
    return sameEntries(prepared.learned, read.tail) ? { ...prepared.content, known: knownOf(read) } : null;
  }
}

const sameEntries = (a: readonly StoredState[], b: readonly StoredState[]): boolean =>
  a.length === b.length &&
  a.every(({ id, state }, i) => id === b[i]!.id && Buffer.compare(state, b[i]!.state) === 0);
