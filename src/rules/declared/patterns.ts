/** Automata of patterns. Batches of a source have the same patterns, so these are kept; the oldest go first. */
import { type Automaton, automatonOf } from './automaton.ts';

/** Bytes of automata that are kept. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** What a pattern takes besides. */
const PATTERN_BYTES = 2 * 1024;

export class PatternCache {
  /** Null: too large. */
  readonly #automata = new Map<string, Automaton | null>();
  #bytes = 0;

  constructor(readonly maxBytes = MAX_KEPT_BYTES) {}

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Null where the automaton would be too large: then `LazyMatcher` matches. */
  automatonOf(pattern: string): Automaton | null {
    const known = this.#automata.get(pattern);
    if (known !== undefined) {
      // The newest use is last.
      this.#automata.delete(pattern);
      this.#automata.set(pattern, known);
      return known;
    }
    const automaton = automatonOf(pattern);
    // Another batch may have made it meanwhile.
    if (!this.#automata.has(pattern)) this.#keep(pattern, automaton);
    return automaton;
  }

  #keep(pattern: string, made: Automaton | null): void {
    this.#automata.set(pattern, made);
    this.#bytes += sizeOf(made);
    for (const [oldest, automaton] of this.#automata) {
      if (this.#bytes <= this.maxBytes) break;
      this.#automata.delete(oldest);
      this.#bytes -= sizeOf(automaton);
    }
  }
}

const sizeOf = (automaton: Automaton | null): number => PATTERN_BYTES + (automaton?.bytes.length ?? 0);
