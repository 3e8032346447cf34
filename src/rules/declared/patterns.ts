/** Compiled patterns. Batches of a source have the same patterns, so these are kept; the oldest go first. */
import { RE2JS } from 're2js';
import { type Automaton, automatonOf } from './automaton.ts';

export interface CompiledPattern {
  /** Null where it would be too large: then `isMatch` matches. */
  automaton: Automaton | null;
  isMatch(text: string): boolean;
}

/** Bytes of automata that are kept. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** What a pattern takes besides. */
const PATTERN_BYTES = 16 * 1024;

export class PatternCache {
  readonly #compiled = new Map<string, CompiledPattern>();
  #bytes = 0;

  constructor(readonly maxBytes = MAX_KEPT_BYTES) {}

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  get(pattern: string): CompiledPattern {
    const known = this.#compiled.get(pattern);
    if (known) {
      // The newest use is last.
      this.#compiled.delete(pattern);
      this.#compiled.set(pattern, known);
      return known;
    }
    const compiled = compile(pattern);
    this.#compiled.set(pattern, compiled);
    this.#bytes += sizeOf(compiled);
    for (const [oldest, { automaton }] of this.#compiled) {
      if (this.#bytes <= this.maxBytes) break;
      this.#compiled.delete(oldest);
      this.#bytes -= sizeOf({ automaton });
    }
    return compiled;
  }
}

const sizeOf = ({ automaton }: Pick<CompiledPattern, 'automaton'>): number =>
  PATTERN_BYTES + (automaton?.bytes.length ?? 0);

function compile(pattern: string): CompiledPattern {
  const matcher = RE2JS.compile(pattern);
  return { automaton: automatonOf(pattern), isMatch: text => matcher.matcher(text).find() };
}
