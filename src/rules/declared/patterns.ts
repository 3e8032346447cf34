/** Tables of patterns. Batches of a source have the same patterns, so these are kept. */
import { LRUCache } from 'lru-cache';
import { type Automaton, automatonOf } from './automaton.ts';

/** Bytes of tables that are kept. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** What a pattern takes besides. */
const PATTERN_BYTES = 2 * 1024;

export class PatternCache {
  readonly #tables: LRUCache<string, { automaton: Automaton | null }>;

  constructor(maxSize = MAX_KEPT_BYTES) {
    const sizeCalculation = ({ automaton }: { automaton: Automaton | null }) =>
      PATTERN_BYTES + (automaton?.bytes.length ?? 0);
    this.#tables = new LRUCache({ maxSize, sizeCalculation });
  }

  /** Null where the pattern gets no table. */
  automatonOf(pattern: string): Automaton | null {
    const known = this.#tables.get(pattern) ?? { automaton: automatonOf(pattern) };
    this.#tables.set(pattern, known);
    return known.automaton;
  }
}
