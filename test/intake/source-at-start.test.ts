import { expect, test } from 'bun:test';
import { sourceAtStart } from '../../src/intake/source-at-start.ts';

const found = (text: string) => sourceAtStart(new TextEncoder().encode(text));

test.each([
  ['{"source":"orders","rows":[', 'orders'],
  [' {\n  "source" : "a\\"b\\u00e9", "rows"', 'a"bé'],
])('the source of %j is known before its rows', (text, source) => {
  expect(found(text)).toBe(source);
});

test.each([
  '',
  '{',
  '{"rows":[{"source":"x"}],"source":"y"}',
  '{"source":5',
  '{"source":""',
  '{"source":"a\\u0000"',
  '{"source":"cut',
  '{"source":"\\x"',
  '[]',
])('the source of %j is not known at its start', text => {
  expect(found(text)).toBeNull();
});
