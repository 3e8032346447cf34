/** Ranges of code points as the bytes of UTF-8: a tree in which every path is the encoding of the characters in the ranges. */

/** Bytes `low` .. `high`, and what follows them: another node, or null at the end of a character. */
export interface Edge {
  low: number;
  high: number;
  next: Node | null;
}
export type Node = readonly Edge[];

const CONTINUATION = 0x80;
/** First code point of each length, and the mark in its first byte. Surrogates count: a lone one is a character too. */
const LENGTHS = [
  { first: 0, last: 0x7f, mark: 0 },
  { first: 0x80, last: 0x7ff, mark: 0xc0 },
  { first: 0x800, last: 0xffff, mark: 0xe0 },
  { first: 0x10000, last: 0x10ffff, mark: 0xf0 },
] as const;

/** `ranges`: first and last code points in turn, ascending. Equal parts of the tree are one node, so that automata stay small. */
export function nodeOf(ranges: ArrayLike<number>, nodes: NodePool): Node {
  const edges: Edge[] = [];
  for (const [length, { first, last, mark }] of LENGTHS.entries()) {
    const within: number[] = [];
    for (let i = 0; i < ranges.length; i += 2) {
      const [low, high] = [Math.max(ranges[i]!, first), Math.min(ranges[i + 1]!, last)];
      if (low <= high) within.push(low, high);
    }
    if (within.length > 0) edges.push(...edgesOf(within, length, mark, nodes));
  }
  return nodes.shared(edges);
}

/** The edges of the first of 1 + `more` bytes. */
function edgesOf(ranges: readonly number[], more: number, mark: number, nodes: NodePool): Edge[] {
  if (more === 0) {
    return pairs(ranges).map(([low, high]) => ({ low: low | mark, high: high | mark, next: null }));
  }
  const size = 64 ** more;
  const edges: Edge[] = [];
  const add = (low: number, high: number, rest: readonly number[]) => {
    const next = nodes.shared(edgesOf(rest, more - 1, CONTINUATION, nodes));
    const last = edges.at(-1);
    if (last && last.next === next && last.high + 1 === (low | mark)) last.high = high | mark;
    else edges.push({ low: low | mark, high: high | mark, next });
  };
  // The ranges of each first byte, less what it stands for; whole ones at once.
  let open: { lead: number; rest: number[] } | null = null;
  for (const [low, high] of pairs(ranges)) {
    for (let at = low; at <= high; ) {
      const lead = Math.floor(at / size);
      const end = Math.min(high, (lead + 1) * size - 1);
      if (open && open.lead !== lead) {
        add(open.lead, open.lead, open.rest);
        open = null;
      }
      const isWhole = at === lead * size && end === (lead + 1) * size - 1;
      if (isWhole) {
        const last = Math.max(lead, Math.floor((high + 1) / size) - 1);
        add(lead, last, [0, size - 1]);
        at = (last + 1) * size;
      } else {
        open ??= { lead, rest: [] };
        open.rest.push(at % size, end % size);
        at = end + 1;
      }
    }
  }
  if (open) add(open.lead, open.lead, open.rest);
  return edges;
}

const pairs = (ranges: readonly number[]): [number, number][] =>
  Array.from({ length: ranges.length / 2 }, (_, i) => [ranges[2 * i]!, ranges[2 * i + 1]!]);

/** Nodes by what they are, each with a number. */
export class NodePool {
  readonly #byContent = new Map<string, Node>();
  readonly #numbers = new Map<Node, number>();

  shared(edges: Edge[]): Node {
    const key = edges
      .map(({ low, high, next }) => `${low}-${high}-${next ? this.numberOf(next) : ''}`)
      .join();
    const known = this.#byContent.get(key);
    if (known) return known;
    this.#byContent.set(key, edges);
    this.#numbers.set(edges, this.#numbers.size);
    return edges;
  }

  numberOf(node: Node): number {
    return this.#numbers.get(node)!;
  }
}
