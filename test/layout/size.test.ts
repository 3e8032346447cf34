/** Files of at most 400 lines, functions of at most 60. */
import { describe, expect, test } from 'bun:test';
import { filesOf, textOf } from './source-files.ts';

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;

/** Generated files. */
const GENERATED = new Set(['src/client/contract.ts']);

const files = filesOf('src/**/*.{ts,tsx,css}', 'assembly/**/*.ts').filter(file => !GENERATED.has(file));

test('no file is longer than 400 lines', async () => {
  const lengths = await Promise.all(
    files.map(async file => [file, linesOf(await textOf(file)).length] as const),
  );
  expect(lengths.filter(([, lines]) => lines > MAX_FILE_LINES)).toEqual([]);
});

test('no function is longer than 60 lines', async () => {
  const functions = (
    await Promise.all(files.map(async file => functionsOf(file, await textOf(file))))
  ).flat();
  expect(functions.length).toBeGreaterThan(1000);
  expect(functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES)).toEqual([]);
});

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');

interface Found {
  /** File, and line from 1. */
  at: string;
  lines: number;
}

/**
 * Every function with its number of lines. Indentation shows where it ends: in formatted code, and in assembly/, the content
 * of a function is indented deeper than its first line, and the closing bracket has the same indentation as that line.
 */
function functionsOf(file: string, text: string): Found[] {
  const lines = linesOf(text);
  return lines.flatMap((_, start) => {
    if (!beginsFunction(lines, start)) return [];
    return [{ at: `${file}:${start + 1}`, lines: endOf(lines, start) - start }];
  });
}

const STATEMENT = /^\s*(if|for|while|switch|catch|do|else|return|try)\b/;
const METHOD = /^ +(\w+ )*[#*]?\w+(<.*>)?\(.*\)(: [^=]*)? \{$/;

function beginsFunction(lines: string[], start: number): boolean {
  const head = headOf(lines, start);
  if (/^\s*([*/}\])]|$)/.test(head)) return false;
  return /\bfunction\b|=>/.test(head) || (METHOD.test(head) && !STATEMENT.test(head));
}

/** The first line; if the parameters are on separate lines, with the line that ends them. */
function headOf(lines: string[], start: number): string {
  const first = lines[start]!;
  if (!/[(<{]$/.test(first)) return first;
  const close = lines.slice(start + 1).find(line => line !== '' && indentOf(line) <= indentOf(first)) ?? '';
  return /^\s*[)>}].*(\{|=>|\()$/.test(close) ? first + close.trim() : first;
}

/** The number of the line after the end of the code that begins here. */
function endOf(lines: string[], start: number): number {
  const indent = indentOf(lines[start]!);
  let end = start + 1;
  for (let i = start + 1; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.trim() === '') continue;
    if (indentOf(line) < indent || (indentOf(line) === indent && !/^\s*[)\]}>]/.test(line))) break;
    end = i + 1;
  }
  return end;
}

const indentOf = (line: string): number => /^ */.exec(line)![0].length;

describe('the length of a function', () => {
  const body = (indent: string) => Array(5).fill(`${indent}step();`).join('\n');
  test.each([
    ['a function', `function a() {\n${body('  ')}\n}\nconst b = 1;`, 7],
    [
      'its parameters on lines of their own',
      `export async function a(\n  b: B,\n): Promise<C> {\n${body('  ')}\n}`,
      9,
    ],
    ['parameters that are taken apart', `function A({\n  b,\n}: {\n  b: B;\n}) {\n${body('  ')}\n}`, 11],
    ['an arrow with a body', `const a = (b: B): C => {\n${body('  ')}\n};`, 7],
    ['an arrow with a value', 'const a = (b: B): C =>\n  b\n    .c()\n    .d();', 4],
    [
      'an if and its else',
      `function a() {\n  if (b) {\n${body('    ')}\n  } else {\n${body('    ')}\n  }\n}`,
      15,
    ],
    ['a blank line', `function a() {\n${body('  ')}\n\n${body('  ')}\n}\n\n\nfunction b() {}`, 13],
  ])('counts %s', (_, text, lines) => {
    expect(functionsOf('a.ts', text)[0]).toEqual({ at: 'a.ts:1', lines });
  });

  test.each([
    ['a method', `class A {\n  a(b: B): C {\n${body('    ')}\n  }\n}`, 7],
    ['a private method', `class A {\n  async #a(\n    b: B,\n  ): Promise<C> {\n${body('    ')}\n  }\n}`, 9],
    ['a constructor', `class A {\n  constructor(b: B) {\n${body('    ')}\n  }\n}`, 7],
    ['a handler in markup', `<a\n  onClick={() => {\n${body('    ')}\n  }}\n/>`, 7],
  ])('counts %s', (_, text, lines) => {
    expect(functionsOf('a.ts', text)).toEqual([{ at: 'a.ts:2', lines }]);
  });

  test.each([
    ['a table', 'const A = {\n  b: 1,\n  c: 2,\n};'],
    ['a call', 'const A = operation({\n  b: 1,\n});'],
    ['a list', "const A = [\n  'b',\n];"],
    ['a class', 'class A {\n  b = 1;\n}'],
    ['an interface', 'interface A {\n  b: B;\n}'],
  ])('is not that of %s', (_, text) => {
    expect(functionsOf('a.ts', text)).toEqual([]);
  });
});
