/** The rules of sources as they are stored, and parsed. */
import type { DeclaredRules } from './constraint.ts';
import type { RulesDocument } from './document.ts';
import { parseRules, unchecked } from './parse.ts';

/** As stored and in the API. */
export interface StoredRules {
  /** From 1. A source never gets the same number twice. */
  version: number;
  updated_at: string;
  /** Null: they were deleted. */
  rules: RulesDocument | null;
}

/** Null: none were ever set. */
export const storedRules = (text: string | null): StoredRules | null =>
  text === null ? null : (JSON.parse(text) as StoredRules);

const MAX_PARSED_CHARACTERS = 16 * 1024 * 1024;

/** Rules of sources by their stored text: each batch of a source needs them, and to compile a hundred patterns takes long. */
export class ParsedRules {
  readonly #parsed = new Map<string, DeclaredRules | null>();
  #characters = 0;

  /** Null: none hold. */
  of(text: string | null): DeclaredRules | null {
    if (text === null) return null;
    const known = this.#parsed.get(text);
    if (known !== undefined) {
      // The ones last used stay.
      this.#parsed.delete(text);
      this.#parsed.set(text, known);
      return known;
    }
    const rules = storedRules(text)?.rules ?? null;
    const parsed = rules === null ? null : parseRules(rules, unchecked);
    this.#parsed.set(text, parsed);
    this.#characters += text.length;
    for (const oldest of this.#parsed.keys()) {
      if (this.#characters <= MAX_PARSED_CHARACTERS) break;
      this.#parsed.delete(oldest);
      this.#characters -= oldest.length;
    }
    return parsed;
  }
}
