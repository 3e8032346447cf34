/** Reads the source files and their imports. Type imports count too. */
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dir, '../..');

export interface Import {
  from: string;
  to: string;
}

/** Paths from the root, sorted. */
export const filesOf = (...patterns: string[]): string[] =>
  patterns.flatMap(pattern => [...new Bun.Glob(pattern).scanSync(ROOT)]).sort();

export const textOf = (file: string): Promise<string> => Bun.file(join(ROOT, file)).text();

const SPECIFIER = /(?:\bfrom\s+|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g;

/** The files that a file imports by a relative path. AssemblyScript omits the extension. */
export async function importsOf(file: string): Promise<Import[]> {
  const specifiers = (await textOf(file)).matchAll(SPECIFIER);
  return [...specifiers].map(([, path]) => {
    const to = relative(ROOT, join(ROOT, dirname(file), path!));
    return { from: file, to: /\.\w+$/.test(to) ? to : `${to}.ts` };
  });
}

export const allImportsOf = async (files: string[]): Promise<Import[]> =>
  (await Promise.all(files.map(importsOf))).flat();

export const shown = ({ from, to }: Import): string => `${from} → ${to}`;

/** The nodes that each node leads to. */
export type Graph = ReadonlyMap<string, readonly string[]>;

export function graphOf(imports: Import[]): Graph {
  const graph = new Map<string, string[]>();
  for (const { from, to } of imports) graph.set(from, [...(graph.get(from) ?? []), to]);
  return graph;
}

/** All nodes that can be reached from these, including themselves. */
export function reachableFrom(starts: Iterable<string>, graph: Graph): Set<string> {
  const reached = new Set(starts);
  for (const node of reached) for (const next of graph.get(node) ?? []) reached.add(next);
  return reached;
}

/** Each circle once, as the sorted nodes that reach each other. */
export function circlesOf(graph: Graph): string[][] {
  const circles = new Map<string, string[]>();
  for (const node of graph.keys()) {
    const after = reachableFrom(graph.get(node)!, graph);
    if (!after.has(node)) continue;
    const circle = [...after].filter(each => reachableFrom(graph.get(each) ?? [], graph).has(node)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}
