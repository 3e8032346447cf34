/** Finds the lines of a document that people write: YAML, and JSON. */
import { isCollection, isNode, LineCounter, parseDocument } from 'yaml';

function located(text: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  return { document, lines };
}

/** The first mistake of a text that is no document; null without one. */
export function mistakeIn(text: string): { message: string; line: number } | null {
  const { document, lines } = located(text);
  const [error] = document.errors;
  return error ? { message: error.message, line: lines.linePos(error.pos[0]).line } : null;
}

/** The line, from 1, of the value at a path, or of what is nearest to it. */
export function lineIn(text: string, path: readonly (string | number)[]): number {
  const { document, lines } = located(text);
  let node: unknown = document.contents;
  let start = 0;
  for (const name of path) {
    if (!isCollection(node)) break;
    const place = placeOf(node.items, name);
    if (place === null) break;
    start = place;
    node = node.get(name, true);
  }
  return lines.linePos(start).line;
}

/** Where a member begins: the key of a map, the value of a list. */
function placeOf(items: readonly unknown[], name: string | number): number | null {
  const item = items.find((each, i) => (isPair(each) ? String(each.key) === String(name) : i === name));
  const node = isPair(item) ? item.key : item;
  return isNode(node) && node.range ? node.range[0] : null;
}

const isPair = (item: unknown): item is { key: unknown } =>
  typeof item === 'object' && item !== null && 'key' in item && !isNode(item);
