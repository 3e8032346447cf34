/** YAML texts with their lines, which count from 1. */
import { isAlias, isCollection, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';

export class YamlText {
  readonly #lines = new LineCounter();
  readonly #document;

  constructor(text: string) {
    // The library's own check for unique keys takes quadratic time.
    const options = { prettyErrors: false, uniqueKeys: false, merge: true };
    this.#document = parseDocument(text, { ...options, lineCounter: this.#lines });
  }

  /** The first mistake of a text that is no YAML; null without one. */
  mistake(): { message: string; line: number } | null {
    const [error] = this.#document.errors;
    if (error?.code === 'RESOURCE_EXHAUSTION') throw new RangeError(error.message);
    return error ? { message: error.message, line: this.#lineAt(error.pos[0]) } : null;
  }

  /** Whether maps and lists are nested deeper than this, also within keys. */
  isDeeperThan(depth: number): boolean {
    return isDeeper(this.#document.contents, depth);
  }

  /** The line of a key that is a map or a list, or an alias of one: the library writes those out as text, which may take very long. Null without one. */
  lineOfCollectionKey(): number | null {
    const key = this.#collectionKeyIn(this.#document.contents);
    return key?.range ? this.#lineAt(key.range[0]) : null;
  }

  #collectionKeyIn(node: unknown): Node | null {
    if (isPair(node)) {
      const { key, value } = node;
      const meant = isAlias(key) ? key.resolve(this.#document) : key;
      return isCollection(meant) ? (key as Node) : this.#collectionKeyIn(value);
    }
    if (!isCollection(node)) return null;
    for (const item of node.items) {
      const found = this.#collectionKeyIn(item);
      if (found) return found;
    }
    return null;
  }

  /** Throws what the library says of merges and aliases that it cannot follow. */
  value(): unknown {
    return this.#document.toJS({ maxAliasCount: -1 });
  }

  /** A key that a map has twice: of its values only the last would count. Null without one. */
  repeatedKey(): { key: string; line: number; firstLine: number } | null {
    let found: { key: string; line: number; firstLine: number } | null = null;
    visit(this.#document, {
      Map: (_, { items }) => {
        const lines = new Map<string, number>();
        for (const { key: node } of items) {
          // Several merges may stand beside each other.
          if (!isScalar(node) || !node.range || node.source === '<<') continue;
          const [key, line] = [String(node.value), this.#lineAt(node.range[0])];
          const firstLine = lines.get(key);
          lines.set(key, line);
          if (firstLine === undefined) continue;
          found = { key, line, firstLine };
          return visit.BREAK;
        }
        return undefined;
      },
    });
    return found;
  }

  /** The line of the value at a path, or of what is nearest to it. */
  lineOf(path: readonly (string | number)[]): number {
    let node: unknown = this.#document.contents;
    let start = 0;
    for (const name of path) {
      if (!isCollection(node)) break;
      const place = placeOf(node.items, name);
      if (place === null) break;
      start = place;
      node = node.get(name, true);
    }
    return this.#lineAt(start);
  }

  #lineAt(offset: number): number {
    return this.#lines.linePos(offset).line;
  }
}

function isDeeper(node: unknown, depth: number): boolean {
  if (isPair(node)) return isDeeper(node.key, depth) || isDeeper(node.value, depth);
  if (!isCollection(node)) return false;
  return depth === 0 || node.items.some(item => isDeeper(item, depth - 1));
}

/** Where a member begins: the key of a map, the value of a list. */
function placeOf(items: readonly unknown[], name: string | number): number | null {
  const item = items.find((each, i) => (isPair(each) ? String(each.key) === String(name) : i === name));
  const node = isPair(item) ? item.key : item;
  return isNode(node) && node.range ? node.range[0] : null;
}

const isPair = (item: unknown): item is { key: unknown; value: unknown } =>
  typeof item === 'object' && item !== null && 'key' in item && !isNode(item);
