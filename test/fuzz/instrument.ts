/**
 * Preloaded by a process that is fuzzed: counts in its sources how often each function, branch and loop runs. The counters are a file that the
 * fuzzer maps too, so it reads them also while the process hangs. Beside it, `….names` says what each counter counts.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type AnyNode, parse } from 'acorn';

export const MAX_COUNTERS = 1 << 16;
const HITS = '__hits';

interface Insert {
  at: number;
  text: string;
}

/** The code with a counter in each function, branch and loop; `functions` names the function of each, and ids begin with `first`. */
export function withCounters(code: string, first: number): { code: string; functions: string[] } {
  const functions: string[] = [];
  const inserts: Insert[] = [];
  const count = (name: string) => `${HITS}[${(first + functions.push(name) - 1) % MAX_COUNTERS}]++`;
  const around = ({ start, end }: AnyNode, before: string, after: string) => {
    inserts.push({ at: start, text: before });
    // Of two nodes that end at one place the inner one is closed first.
    inserts.unshift({ at: end, text: after });
  };
  const statement = (node: AnyNode, name: string) => {
    if (node.type === 'BlockStatement') inserts.push({ at: node.start + 1, text: `${count(name)};` });
    else around(node, `{${count(name)};`, '}');
  };
  const expression = (node: AnyNode, name: string) => around(node, `(${count(name)},`, ')');
  const visit = (node: AnyNode, outer: string) => {
    const name = nameOf(node) ?? outer;
    for (const branch of branchesOf(node))
      if (/Statement$/.test(branch.type)) statement(branch, name);
      else expression(branch, name);
    if (node.type === 'SwitchCase' && node.consequent[0])
      inserts.push({ at: node.consequent[0].start, text: `${count(name)};` });
    for (const child of childrenOf(node)) visit(child, name);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), '');
  let [counted, from] = ['', 0];
  for (const { at, text } of inserts.toSorted((a, b) => a.at - b.at)) {
    counted += code.slice(from, at) + text;
    from = at;
  }
  return { code: `const ${HITS}=globalThis.${HITS};${counted}${code.slice(from)}`, functions };
}

function branchesOf(node: AnyNode): AnyNode[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [node.body];
    case 'IfStatement':
      return node.alternate ? [node.consequent, node.alternate] : [node.consequent];
    case 'ConditionalExpression':
      return [node.consequent, node.alternate];
    case 'LogicalExpression':
      return [node.right];
    default:
      return [];
  }
}

function nameOf(node: AnyNode): string | null {
  if (node.type === 'FunctionDeclaration') return node.id?.name ?? null;
  if (node.type === 'MethodDefinition') return 'name' in node.key ? node.key.name : null;
  if (node.type === 'VariableDeclarator' && node.init?.type === 'ArrowFunctionExpression')
    return 'name' in node.id ? node.id.name : null;
  return null;
}

const childrenOf = (node: AnyNode): AnyNode[] =>
  Object.values(node)
    .flat()
    .filter((each): each is AnyNode => typeof each?.type === 'string');

function countSources(file: string, root: string): void {
  Object.assign(globalThis, { [HITS]: new Uint32Array(Bun.mmap(file, { shared: true }).buffer) });
  const names = `${file}.names`;
  /** First ids of files, so that a process that replaces another one counts as it did. */
  const known = new Map<string, number>();
  let next = 0;
  for (const line of existsSync(names) ? readFileSync(names, 'utf8').split('\n') : []) {
    const [path, first, functions] = line.split('\t');
    if (functions === undefined) continue;
    known.set(path!, Number(first));
    next = Number(first) + functions.split(',').length;
  }
  const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' });
  Bun.plugin({
    name: 'counters',
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const code = transpiler.transformSync(text);
        if (!path.startsWith(root)) return { contents: code, loader: 'js' };
        const first = known.get(path) ?? next;
        const counted = withCounters(code, first);
        if (!known.has(path)) {
          known.set(path, first);
          next += counted.functions.length;
          appendFileSync(names, `${path.slice(root.length + 1)}\t${first}\t${counted.functions.join()}\n`);
        }
        return { contents: counted.code, loader: 'js' };
      });
    },
  });
}

const { FUZZ_COUNTERS: file, FUZZ_ROOT: root } = process.env;
if (file !== undefined) countSources(file, root!);
