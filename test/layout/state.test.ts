/**
 * The middle keeps no state: the same facts always give the same findings. So its modules hold nothing that can change
 * after the start.
 *
 * In formatted code, a line that begins in the first column begins a statement of the module.
 */
import { describe, expect, test } from 'bun:test';
import { filesOf, textOf } from './source-files.ts';

const PURE = ['statistics', 'findings', 'rules', 'judge', 'profile', 'baseline', 'report'];

/** A statement of a module must be a declaration; anything else runs code when the module loads. */
const DECLARATION =
  /^(import|export (type )?[{*]|(export )?(default )?(declare )?(abstract )?(async )?(const|function|class|interface|type|enum)\b)/;

/** Instances that are empty, or that cannot be changed through their type. */
const HARMLESS = [
  /^(export )?const \w+: ReadonlyMap<[^=]*= new Map\b/,
  /^(export )?const \w+: ReadonlySet<[^=]*= new Set\b/,
  /^(export )?const \w+( = |: [^=]*= )new \w+Array\(\);/,
];

/** The statements of a module that keep state, each on one line. */
function stateIn(module: string): string[] {
  return statementsOf(module).filter(
    statement => !DECLARATION.test(statement) || holdsState(statement) || /[{;] static\b/.test(statement),
  );
}

function holdsState(statement: string): boolean {
  const value = /^(?:export )?const [^=]*?(?::(?<type>[^=]*))?= (?<value>.*)$/.exec(statement)?.groups;
  if (!value || HARMLESS.some(pattern => pattern.test(statement))) return false;
  return (
    /^new\b/.test(value.value!) ||
    // A function that is called at once can hide a variable.
    /^\(?(async )?(\([^)]*\) →|function\b).*\)\(.*\);$/.test(value.value!) ||
    // An empty list or table exists to be filled.
    (/^(\[\]|\{\}|Object\.create\(.*\));/.test(value.value!) &&
      !/\breadonly |\bReadonly/.test(value.type ?? ''))
  );
}

function statementsOf(module: string): string[] {
  const code = module.replace(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
  const statements = code.split(/^(?=[^\s\])}>])/m);
  // An arrow becomes one sign, so that the first `=` is the one before the value.
  const lines = statements.map(each => each.replace(/\s+/g, ' ').replaceAll('=>', '→').trim());
  return lines.filter(each => each !== '');
}

for (const folder of PURE)
  test(`src/${folder} keeps no state in its modules`, async () => {
    const files = filesOf(`src/${folder}/**/*.ts`);
    expect(files).not.toBeEmpty();
    for (const file of files) expect([file, stateIn(await textOf(file))]).toEqual([file, []]);
  });

describe('what counts as state', () => {
  test.each([
    'let fitted = 0;',
    'export let fitted = 0;',
    'var fitted = 0;',
    'const cache = new Map<string, number>();',
    'const cache: Map<string, number> = new Map();',
    'const cache = new WeakMap<object, number>();',
    'const cache: ReadonlyMap<string, number> = new Cache();',
    'const cache: Map<string, () => number> = new Map();',
    'const scratch = new Float64Array(192);',
    'const seen: string[] = [];',
    'const seen = {};',
    'const seen: Record<string, number> = Object.create(null);',
    'const next = (() => {\n  let count = 0;\n  return () => count++;\n})();',
    'class Fitted {\n  static count = 0;\n}',
    'warmUp();',
    'globalThis.fitted = 0;',
    '// a comment\nlet fitted = 0;',
  ])('%s', module => {
    expect(stateIn(module)).toHaveLength(1);
  });

  test.each([
    "import { a } from './a.ts';",
    "export { a } from './a.ts';",
    'const LINE = 0.2;',
    'export const KINDS: ReadonlySet<string> = new Set([\n  "a",\n]);',
    'export const KINDS: ReadonlyMap<string, (rate: number) => string> = new Map();',
    'const NOTHING = new Uint8Array();',
    'const NONE: readonly string[] = [];',
    'const WORDS = { a: 1 };',
    'export const linesOf = (text: string): string[] => {\n  let rest = text;\n  return rest.split("");\n};',
    'const setOf = (names: string[]): Set<string> =>\n  new Set(names);',
    'export async function read(): Promise<void> {\n  let x = 1;\n}',
    '/**\n * let it be\n */\nexport type A = string;',
  ])('not: %s', module => {
    expect(stateIn(module)).toEqual([]);
  });
});
