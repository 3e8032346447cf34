/** Documents of rules, as YAML and JSON: deep, long, with aliases and merges, and nearly valid. */
import type { Choices } from '../choices.ts';
import { type Input, inputOf } from '../input.ts';
import { Bytes, damaged } from './bytes.ts';

/** What is longer is refused at once. */
const MAX_BYTES = 256 * 1024;

const KEYS = [
  'a',
  'models',
  'name',
  'columns',
  'tests',
  'properties',
  'type',
  'pattern',
  'schema',
  'fields',
  'constraints',
  'enum',
  'allOf',
  '$ref',
  'quality',
  'expectations',
  'kwargs',
  '<<',
  '"q\\u0061"',
  "'it''s'",
  '? b',
  '__proto__',
  '1',
  '-',
];
const VALUES = [
  '1',
  'text',
  '""',
  'null',
  '"\\ud800"',
  "'a''b'",
  '*x',
  '&x y',
  '!!binary aGk=',
  '!<tag:x> y',
  '1e999',
  '0x7fffffffffffffffffff',
  '2001-01-01',
  '~',
  '.inf',
  '# comment',
  '|',
  '>-',
  '[',
  '{a: 1, a: 2}',
  '[1, [2, {b: c}]]',
  '"(a+)+$"',
  '"[\\\\p{L}-z]{900}"',
  '@',
  '%',
  '\t',
  'a: b',
];
/** What a text may consist of, over and over. */
const PIECES = [
  'a',
  ' ',
  '\n',
  'a: b\n',
  '- ',
  '- a\n',
  '[',
  ']',
  '{',
  '}',
  '{a: ',
  '"',
  "'",
  '\\',
  '*x ',
  '- *x\n',
  '&x ',
  '<<: *x\n',
  '? ',
  ': ',
  '#',
  '# c\n',
  '!t ',
  '---\n',
  '...\n',
  '|\n ',
  '\r',
  ',',
  '[[],',
  '{"a":',
  '\u00e9',
  '\ufeff',
  '\t',
  '%YAML 1.2\n',
];

export function yaml(c: Choices): Input {
  const bytes = new Bytes(c.pick([4000, 4000, 32_000, MAX_BYTES]));
  for (let left = 1 + c.below(4); left > 0; left--)
    if (c.once(2))
      for (let pieces = 1 + c.below(5); pieces > 0; pieces--) bytes.add(piece(c), c.count(300_000));
    else node(c, bytes, 0);
  const whole = bytes.whole();
  return inputOf(c.once(8) ? damaged(whole, count => c.below(count)) : whole);
}

const piece = (c: Choices): string => {
  const one = c.pick(PIECES);
  return c.once(3) ? one + c.pick(PIECES) : one;
};

/** A map or a list in a block, deeper with each. */
function node(c: Choices, bytes: Bytes, depth: number): void {
  const indent = ' '.repeat(c.once(16) ? depth * 300 : depth * 2);
  for (let left = 1 + c.below(3); left > 0; left--) {
    const isItem = c.once(3);
    const head = isItem ? `${indent}- ` : `${indent}${c.pick(KEYS)}: `;
    const kind = c.below(6);
    if (kind === 0 && depth < 60) {
      bytes.add(`${head}${c.pick(['', '&x', '!!map', '# c'])}\n`);
      node(c, bytes, depth + 1);
    } else if (kind === 1) bytes.add(head).add(piece(c), c.count(100_000)).add('\n');
    else bytes.add(`${head}${c.pick(VALUES)}\n`, c.once(4) ? c.count(65_536) : 1);
  }
}
