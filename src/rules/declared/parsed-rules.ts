/** The rules of sources as they are stored, and parsed. */
import { LRUCache } from 'lru-cache';
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
  readonly #parsed = new LRUCache<string, DeclaredRules>({
    maxSize: MAX_PARSED_CHARACTERS,
    sizeCalculation: (_, { length }) => length,
  });

  /** Null: none hold. */
  of(text: string | null): DeclaredRules | null {
    const known = text === null ? undefined : this.#parsed.get(text);
    if (known || text === null) return known ?? null;
    const rules = storedRules(text)?.rules ?? null;
    if (rules === null) return null;
    const parsed = parseRules(rules, unchecked);
    this.#parsed.set(text, parsed);
    return parsed;
  }
}
